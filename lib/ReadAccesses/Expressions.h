// What expressions look like in Clang's tree.
#pragma once

#include <clang/AST/Expr.h>
#include <clang/AST/ExprCXX.h>

namespace cufuse {

/// Without parentheses and what keeps temporaries alive.
const clang::Expr *plain(const clang::Expr *E);

} // namespace cufuse
