// How Clang's tree shows threadIdx, blockIdx, blockDim and gridDim: global variables, whose members are properties.
#pragma once

#include "cufuse/Kernel/KernelFacts.h"

#include <clang/AST/Decl.h>
#include <clang/AST/Expr.h>

#include <optional>
#include <vector>

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

/// The built-in whose member an expression is: `threadIdx` for `threadIdx.x`; null for other expressions.
const clang::DeclRefExpr *memberOfBuiltin(const clang::Expr *E);

/// Where a function binds a reference to a built-in in a way in which a value is not the object that it is for nvcc: to
/// it as a whole, one that outlives the call, one that is not constant, one whose type is deduced from it; to a member,
/// one that a call or an object hands on.
std::vector<const clang::DeclRefExpr *> builtinReferences(const clang::FunctionDecl &Function);

} // namespace cufuse
