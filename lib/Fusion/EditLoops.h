// Edits of loops over a row, whose turns are counted where kernels follow each other in one block.
#pragma once

#include "EditText.h"

namespace cufuse {

/// `for (int i = threadIdx.x; i < n; …)` becomes `for (int i = threadIdx.x; cufuse_row.next(i, i < n); …)`, fully
/// unrolled. `Places` are those of loops in the kernel; the ones that lie in `S` are edited, and those that cannot be
/// are blockers.
void editRowLoops(const ParsedUnit &Unit, SourceText &Text, const Slice &S, const clang::FunctionDecl &Kernel,
                  llvm::ArrayRef<SourcePlace> Places, std::vector<Edit> &Edits, std::vector<Blocker> &Blockers);

} // namespace cufuse
