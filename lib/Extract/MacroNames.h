// Which macros a copied text has to do with.
#pragma once

#include "SelectCopied.h"
#include "SourceText.h"

#include "cufuse/Kernel/KernelText.h"

namespace cufuse {

/// Adds the names that the bodies of macros in `Names` use.
void addNamesInMacros(const PreprocessorLog &Log, std::set<std::string> &Names);

/// Those that a slice, or a file that is included inside it, defines.
std::set<std::string> macrosDefinedIn(SourceText &Text, const Slice &S);

/// Those that headers which stay included, and the command line, define; with what they say in the end where they are
/// among `Names`.
llvm::StringMap<MacroText> macrosOutside(const ParsedUnit &Unit, const SelectCopied &Chosen,
                                         const std::set<std::string> &Names);

} // namespace cufuse
