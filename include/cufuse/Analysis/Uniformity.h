// Does an expression have the same value in every thread of a block, or of a warp?
#pragma once

#include "cufuse/Analysis/Reach.h"

#include <llvm/ADT/DenseSet.h>

namespace cufuse {

enum class Uniform {
  Yes,     ///< Proved: made of constants, parameters, blockIdx, blockDim, gridDim and __constant__ memory.
  Unknown, ///< Read from memory at a uniform address, or returned by a call: only the program's author knows.
  No,      ///< Depends on threadIdx, a lane, or an order of atomics.
};

/// A flow-insensitive analysis over all reached functions: a variable is as uniform as the least uniform value assigned
/// to it and the least uniform condition it is assigned under; a parameter as the least uniform argument.
///
/// `Among::Warp` asks for warps of a block whose rows are whole warps (blockDim.x is a multiple of 32): there,
/// threadIdx.y and z are uniform, and threadIdx.x is a multiple of 32 and the lane.
class Uniformity {
public:
  enum class Among { Block, Warp };
  explicit Uniformity(const Reached &Reach, Among Threads = Among::Block);
  Uniform of(const clang::Expr *E) const;
  /// What it says of a warp holds only where blockIdx.x * blockDim.x + threadIdx.x is below 2^31.
  bool needsSmallNumbers() const { return SmallNumbers; }

private:
  struct Walker;
  /// The functions whose results differ whatever they are given.
  void findVarying();
  bool variesByItself(const clang::FunctionDecl &F) const;
  const clang::Expr *onlyValue(const clang::Expr *E) const;
  bool isWholeWarps(const clang::Expr *E) const;
  bool isLaneNumber(const clang::Expr *E) const;
  /// A rule of its own by which a warp's lanes agree on an expression, whatever its parts are.
  enum class WarpRule { None, Always, ForSmallNumbers };
  WarpRule byWarps(const clang::Expr *E) const;
  bool dividesThreadNumbers() const;

  const Reached &Reach;
  const Among Threads;
  llvm::DenseSet<const clang::VarDecl *> Written; ///< After their declaration.
  llvm::DenseMap<const clang::VarDecl *, Uniform> Variables;
  llvm::DenseSet<const clang::FunctionDecl *> Varies;
  bool SmallNumbers = false;
};

} // namespace cufuse
