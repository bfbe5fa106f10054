// What expressions look like in Clang's tree.
#pragma once

#include <clang/AST/Expr.h>
#include <clang/AST/ExprCXX.h>

#include <optional>
#include <string>

namespace cufuse {

/// Without parentheses and what keeps temporaries alive.
const clang::Expr *plain(const clang::Expr *E);
/// Reading of a property, which the built-in variables have for members.
const clang::MSPropertyRefExpr *property(const clang::Expr *E);
/// `threadIdx.x` as an atom of polynomials.
std::optional<std::string> builtinRead(const clang::Expr *E);

} // namespace cufuse
