// How Clang's tree shows threadIdx, blockIdx, blockDim and gridDim: global variables, whose members are properties.
#pragma once

#include "cufuse/Kernel/KernelFacts.h"

#include <clang/AST/Decl.h>
#include <clang/AST/Expr.h>

#include <optional>

namespace cufuse {

std::optional<Builtin> builtinVariable(const clang::ValueDecl &D);

/// `threadIdx.x`
struct BuiltinMember {
  Builtin Variable;
  unsigned Dimension; ///< 0, 1, 2.
  const clang::DeclRefExpr *Named;
  friend bool operator==(const BuiltinMember &A, std::pair<Builtin, unsigned> B) {
    return A.Variable == B.first && A.Dimension == B.second;
  }
};

/// What the expression reads, without anything around it.
std::optional<BuiltinMember> builtinMember(const clang::Expr *E);

} // namespace cufuse
