// May the turns of a loop over a row be other threads', in another order?
#pragma once

#include "IrMemory.h"

namespace cufuse {

/// Why not: what one turn leaves to the next, but for sums and their like, what knows the thread by other means than
/// the loop's variable, and what others see or do. What threads make known to each other, by shared memory or by a
/// shuffle to all of a warp, is taken for the same in all of them. `InWarp`: a block is one warp, so that what numbers
/// warps is the same for all threads.
std::vector<std::pair<const llvm::Instruction *, std::string>> boundTurns(const llvm::Loop &L, IrValues &Values,
                                                                          const IrMemory &Memory, bool InWarp);

} // namespace cufuse
