// What the output shares with the program's other objects: variables that the host fills, and kernels that device code
// launches.
#pragma once

#include "EditText.h"
#include "SelectCopied.h"

namespace cufuse {

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

} // namespace cufuse
