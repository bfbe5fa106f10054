// Names of one kernel's text that are macros in the headers of others only. All headers come before all texts.
#pragma once

#include "cufuse/Kernel/KernelText.h"

namespace cufuse {

/// In: pieces of the text of `Own`, and the texts of all kernels in the output. Out: what must not be defined around
/// the pieces, so that they mean what they meant.
std::set<std::string> foreignMacros(const KernelText &Own, llvm::ArrayRef<Piece> Pieces,
                                    llvm::ArrayRef<const KernelText *> All);

} // namespace cufuse
