// How Clang's tree shows threadIdx, blockIdx, blockDim and gridDim: global variables.
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
};

/// What the expression reads, without anything around it.
std::optional<BuiltinMember> builtinMember(const clang::Expr *E);

/// The built-in whose member an expression is: `threadIdx` for `threadIdx.x`; null for other expressions.
const clang::DeclRefExpr *memberOfBuiltin(const clang::Expr *E);

/// Where a function takes the address of a built-in or of a member, or binds a reference that a call or an object hands
/// on.
std::vector<const clang::DeclRefExpr *> builtinReferences(const clang::FunctionDecl &Function);

} // namespace cufuse
