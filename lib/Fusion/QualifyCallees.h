// Calls that could reach the original of a copied function.
#pragma once

#include "SelectCopied.h"
#include "SourceText.h"

#include <llvm/ADT/STLFunctionalExtras.h>

#include <map>
#include <string>

namespace cufuse {

/// The header of a copied function may stay included, so that a call with an argument of class type finds the original,
/// too, by argument-dependent lookup. A qualified name does not: offset of each such callee's name in the slice → its
/// namespaces, as `Path` spells them. Calls out of macros are left as they are, and so are those whose instances
/// differ.
std::map<unsigned, std::string> calleesToQualify(const Reached &Reach, const SelectCopied &Chosen, SourceText &Text,
                                                 const Slice &S,
                                                 llvm::function_ref<std::string(const clang::Decl &)> Path);

} // namespace cufuse
