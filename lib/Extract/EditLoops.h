// Edits of loops and conditions: those that are known, or counted, where kernels follow each other in one loop or one
// block, and the loop that is unrolled.
#pragma once

#include "EditText.h"

#include "cufuse/Analysis/ControlStatements.h"
#include "cufuse/Analysis/GridStrideLoop.h"

namespace cufuse {

/// Of a loop over the row, `for (int i = threadIdx.x; i < n; …)` becomes
/// `for (int i = threadIdx.x; cufuse_row.next(i, i < n); …)`, fully unrolled. Of every loop in the stretch, or why it
/// cannot be.
void editRowLoops(TextEdits &Edits, const ControlStatements &Controls);

/// Of known conditions, `if (i < n)` becomes `if (cufuse_turn.inside(i < n))`, `if (i >= n)` becomes
/// `if (cufuse_turn.beyond(i >= n))`, and the condition of the loop over the grid `cufuse_turn.once(i < n)`. Those in
/// macros stay, since nothing depends on it.
void editKnownConditions(TextEdits &Edits, const ControlStatements &Controls);

/// What the loop is where it is unrolled by a factor. With loads that may go ahead, several turns
/// become one: their values of the loop's variable and what they load come first, and then the turns' own work in
/// order. Otherwise the compiler unrolls it. Edits nothing outside the stretch.
void editGridStrideLoop(TextEdits &Edits, const GridStrideLoop &Loop);

} // namespace cufuse
