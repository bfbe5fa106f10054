// Does an expression have the same value in every thread of a block?
#pragma once

#include "cufuse/Analysis/Reach.h"

namespace cufuse {

enum class Uniform {
  Yes,     ///< Proved: made of constants, parameters, blockIdx, blockDim, gridDim and __constant__ memory.
  Unknown, ///< Read from memory at a uniform address, or returned by a call: only the program's author knows.
  No,      ///< Depends on threadIdx, a lane, or an order of atomics.
};

/// A flow-insensitive analysis over all reached functions: a variable is as uniform as the least uniform value assigned
/// to it and the least uniform condition it is assigned under; a parameter as the least uniform argument.
class Uniformity {
public:
  explicit Uniformity(const Reached &Reach);
  Uniform of(const clang::Expr *E) const;

private:
  struct Walker;
  bool variesByItself(const clang::FunctionDecl *F) const;

  const Reached &Reach;
  llvm::DenseMap<const clang::VarDecl *, Uniform> Variables;
  llvm::DenseMap<const clang::FunctionDecl *, bool> Varies;
};

} // namespace cufuse
