// Dynamic shared memory of functions, named where a reference to it is not at hand.
#pragma once

#include <clang/Basic/SourceLocation.h>

#include <map>
#include <vector>

namespace clang {
class Decl;
class DeclRefExpr;
} // namespace clang

namespace cufuse {

/// Where `extern __shared__ T a[];` of a function in the text of `Unit` is named in a class inside that function, or in
/// a lambda that does not capture by reference. The array needs no capture there; a local reference would. By
/// the place of the array's name, which is that of all its instances.
std::map<clang::SourceLocation, std::vector<const clang::DeclRefExpr *>>
dynamicSharedOutOfReach(const clang::Decl &Unit);

} // namespace cufuse
