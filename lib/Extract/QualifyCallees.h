// Calls of copied functions that could find another.
#pragma once

#include "SelectCopied.h"
#include "SourceText.h"

#include <map>
#include <string>

namespace cufuse {

/// A call of a copied function with an argument of class type finds functions at the class's scope, too, by
/// argument-dependent lookup: the original where its header stays included, and those of another constituent's headers.
/// A qualified name finds the copy alone: place of each such callee's name in the slice → its namespaces, as `Path`
/// spells them. Calls out of macros are left as they are, and so are those whose instances differ.
std::map<std::pair<clang::FileID, unsigned>, std::string>
calleesToQualify(const Reached &Reach, const SelectCopied &Chosen, SourceText &Text, const Slice &S);

/// A type of the toolkit as the kernel's parameters name it: with `::` where its namespaces, or those that they use,
/// have the name, too.
std::string toolkitType(const clang::FunctionDecl &Kernel, llvm::StringRef Name);

} // namespace cufuse
