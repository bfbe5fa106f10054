#pragma once

#include <clang/AST/Expr.h>

#include <vector>

namespace cufuse {

/// Where a function binds a reference to a built-in as a whole in a way in which a value is not the object that it is
/// for nvcc: one that outlives the call, one that is not constant, one whose type is deduced from it.
std::vector<const clang::DeclRefExpr *> builtinReferences(const clang::FunctionDecl &Function);

} // namespace cufuse
