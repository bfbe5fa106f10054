// What is known of functions and classes of libraries that host code uses between launches: what is not known to have
// no effect is an effect.
#pragma once

#include "cufuse/Frontend/Parse.h"

#include <clang/AST/Type.h>

#include <optional>
#include <vector>

namespace clang {
class CallExpr;
class Expr;
} // namespace clang

namespace cufuse {

/// Of a function of the toolkit that changes nothing but what it is handed to fill, and waits for no other stream: the
/// arguments that lead to what it fills. Nothing of all others.
std::optional<std::vector<const clang::Expr *>> filledBy(const clang::CallExpr &Call, const ParsedUnit &Unit);

/// Is nothing of the user's run where it is destroyed, and nobody awaited?
bool endsQuietly(clang::QualType T);

/// Does a call with such an argument know memory that it may change? By text, streams, events, files and what launches
/// are made of, none is.
bool leadsToMemory(const clang::Expr &Argument);

} // namespace cufuse
