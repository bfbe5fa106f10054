// What a kernel's text has beside what is copied: #include lines, macros, variables and kernels of the program, what
// the host registers, and the signature. Each has a file of its own.
#pragma once

#include "EditText.h"

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

/// Adds the names that the bodies of macros in `Names` use.
void addNamesInMacros(const PreprocessorLog &Log, std::set<std::string> &Names);

/// Those that a slice, or a file that is included inside it, defines.
std::set<std::string> macrosDefinedIn(SourceText &Text, const Slice &S);

/// Those that headers which stay included, and the command line, define; with what they say in the end where they are
/// among `Names`.
llvm::StringMap<MacroText> macrosOutside(const ParsedUnit &Unit, const SelectCopied &Chosen,
                                         const std::set<std::string> &Names);

struct AskedMacros {
  std::set<std::string> There, Missing; ///< Some may be both, at different places.
};
/// What conditions of the slices ask, or around them, or of what defines one of the names, or a macro that is asked.
/// The files are those that the output does not include.
AskedMacros macrosAsked(SourceText &Text, llvm::ArrayRef<Slice> Copied, const std::set<clang::FileID> &CopiedFiles,
                        std::set<std::string> Names);

// What the output shares with the program's other objects: variables that the host fills, and kernels that device code
// launches.

/// `extern __constant__ T name[N];` at the variable's own scope, added to the text.
void declareHostShared(const ParsedUnit &Unit, const clang::VarDecl &Variable, const SelectCopied &Chosen,
                       KernelText &To);

/// Kernels that this one launches are those of the program, whatever the copied text holds under their names: declares
/// them, too, and returns the edits of what names them.
std::vector<PlacedEdit> declareLaunched(const Reached &Reach, const SelectCopied &Chosen, SourceText &Text,
                                        KernelText &To);

/// Says of the piece of a function whether it may stand at its own scope, where a library would find an operator of
/// `float2` that it adds by.
void mayStandOutside(Piece &P, const clang::Decl &Whole, const Reached &Reach, SourceText &Text);

// `#pragma pack`, by what it did.

/// How the records that a declaration defines are packed, in bytes; 0 for those that are not.
std::set<unsigned> recordPacking(const clang::Decl &D);

/// Appends a piece with the pragmas that pack its records so.
void appendPacked(std::vector<Piece> &To, Piece P, const std::set<unsigned> &Packing);

// The device's variables of the copied text, as the host's compilation needs them: nvcc registers each by its name.

/// Adds the names, in their namespaces, with nothing of their types. `HostShared`: variables that stay the program's,
/// canonical. What cannot be named so is a blocker.
void registerVariables(const ParsedUnit &Unit, const SelectCopied &Chosen,
                       const std::set<const clang::Decl *> &HostShared, KernelText &To);

// The parameters of a kernel and its name, as the output writes them.

/// Adds them to the text, and the types that the launcher's header needs for them.
void takeSignature(const ParsedUnit &Unit, const Reached &Reach, const KernelFacts &Facts, const SelectCopied &Chosen,
                   KernelText &To);

} // namespace cufuse
