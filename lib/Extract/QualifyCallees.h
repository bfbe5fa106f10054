// Calls of copied functions that could find another.
#pragma once

#include "EditText.h"
#include "SelectCopied.h"

namespace cufuse {

/// A call of a copied function with an argument of class type finds functions at the class's scope, too, by
/// argument-dependent lookup: the original where its header stays included, and those of another constituent's headers.
/// A qualified name finds the copy alone: each such callee gets its namespaces. Calls out of macros are left as they
/// are, and so are those whose instances differ.
void qualifyCallees(TextEdits &Edits, const Reached &Reach, const SelectCopied &Chosen);

/// A type of the toolkit as the kernel's parameters name it: with `::` where its namespaces, or those that they use,
/// have the name, too.
std::string toolkitType(const clang::FunctionDecl &Kernel, llvm::StringRef Name);

} // namespace cufuse
