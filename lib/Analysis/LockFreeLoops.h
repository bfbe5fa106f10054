// Loops in which a turn that fails says that another thread has come on.
#pragma once

#include "FreshReads.h"
#include "LoopValues.h"

namespace cufuse {

/// Has the loop one more turn only where another thread came first, or where this one has counted on?
bool isLockFree(const Read &R, const llvm::Cycle &Loop, FreshReads &Reads);

/// Does it add in each turn, to what only grows, or only shrinks?
bool advances(const Read &R, const llvm::Cycle &Loop, FreshReads &Reads);

} // namespace cufuse
