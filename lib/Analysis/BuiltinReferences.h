#pragma once

#include <clang/AST/Expr.h>

#include <vector>

namespace cufuse {

/// The built-in whose member an expression is: `threadIdx` for `threadIdx.x`; null for other expressions.
const clang::DeclRefExpr *memberOfBuiltin(const clang::Expr *E);

/// Where a function binds a reference to a built-in in a way in which a value is not the object that it is for nvcc: to
/// it as a whole, one that outlives the call, one that is not constant, one whose type is deduced from it; to a member,
/// one that a call or an object hands on.
std::vector<const clang::DeclRefExpr *> builtinReferences(const clang::FunctionDecl &Function);

} // namespace cufuse
