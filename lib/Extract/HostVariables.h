// State of the host that a copy would have apart from the program's.
#pragma once

#include <clang/AST/Decl.h>

#include <vector>

namespace cufuse {

/// The host's variables that a declaration defines, the static ones of functions included, whose copies may differ: not
/// those that are constant and have the same value wherever they are initialised.
std::vector<const clang::VarDecl *> hostVariables(const clang::Decl &Whole);

} // namespace cufuse
