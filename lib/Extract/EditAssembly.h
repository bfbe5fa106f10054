// Inline assembly that names special registers or barriers of the block.
#pragma once

#include "EditText.h"

#include "cufuse/Analysis/Assembly.h"

namespace cufuse {

/// What a statement says of the block becomes what the partition has: `%%tid.x` an operand `threadIdx.x`, the number of
/// a barrier an operand `cufuse_barrier(number)`, and `bar.sync 0` alone the partition's barrier. Operands are added
/// behind the inputs, so that the others keep their numbers.
void editAssembly(TextEdits &Edits, const clang::GCCAsmStmt &Assembly);

} // namespace cufuse
