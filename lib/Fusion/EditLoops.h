// Edits of loops: those over a row, whose turns are counted where kernels follow each other in one block, and the one
// that is unrolled.
#pragma once

#include "EditText.h"

#include "cufuse/Analysis/GridStrideLoop.h"

namespace cufuse {

/// `for (int i = threadIdx.x; i < n; …)` becomes `for (int i = threadIdx.x; cufuse_row.next(i, i < n); …)`, fully
/// unrolled. `Places` are those of loops in the kernel; the ones that lie in `S` are edited, and those that cannot be
/// are blockers.
void editRowLoops(const ParsedUnit &Unit, SourceText &Text, const Slice &S, const clang::FunctionDecl &Kernel,
                  llvm::ArrayRef<SourcePlace> Places, std::vector<Edit> &Edits, std::vector<Blocker> &Blockers);

/// What the loop is where it is unrolled by a factor, in marks (Closure.h). With loads that may go ahead, several turns
/// become one: their values of the loop's variable and what they load come first, and then the turns' own work in
/// order. Otherwise the compiler unrolls it. Edits nothing outside `S`.
void editGridStrideLoop(const ParsedUnit &Unit, SourceText &Text, const Slice &S, const GridStrideLoop &Loop,
                        std::vector<Edit> &Edits);

} // namespace cufuse
