// The #include lines of the kernel's file that stay.
#pragma once

#include "EditText.h"
#include "SelectCopied.h"
#include "SourceText.h"

#include "cufuse/Kernel/KernelText.h"

#include <llvm/ADT/STLFunctionalExtras.h>

namespace cufuse {

/// A macro directive as it is written.
std::string directiveOf(SourceText &Text, const MacroEvent &Event);

/// The #include lines of the absorbed files, in order. `Names`: identifiers of the copied text. `IsCopied`: does copied
/// text hold this place?
std::vector<IncludeLine> collectIncludes(const Reached &Reach, const SelectCopied &Chosen, SourceText &Text,
                                         const std::set<std::string> &Names,
                                         llvm::function_ref<bool(clang::SourceLocation)> IsCopied);

/// Those of names in quotes that stand in the stretch, inside declarations. Each is written plainly, `#include "name"`,
/// so that it can be found in the text, whatever spaces, comments or macros it has.
std::vector<IncludeLine> includesInside(const SelectCopied &Chosen, TextEdits &Edits);

/// The #include lines, of whatever file of the user, through which functions of libraries that use the block were first
/// read.
std::vector<IncludeLine> collectLibraries(const Reached &Reach, const SelectCopied &Chosen, SourceText &Text);

/// Headers among those that were read whose members have the names of built-ins, and that use no built-in.
std::vector<std::string> headersBeforeLibraries(const ParsedUnit &Unit);

/// Does a file of the user that stays included define `__constant__` variables?
bool includesConstants(const ParsedUnit &Unit, const SelectCopied &Chosen);

} // namespace cufuse
