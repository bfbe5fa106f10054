// Loops that go on until another thread has written to memory.
#pragma once

#include "cufuse/Analysis/DeviceIr.h"
#include "cufuse/Kernel/KernelFacts.h"

#include <optional>

namespace cufuse {

/// The first loop that may wait for another block: what it reads by atomics, by volatile memory, or in assembly by a
/// load of that kind decides how it goes on, and every turn may read the same place. Lock-free loops, which compare
/// with what they have read, and probes of one place after another do not wait. Memory of the block or of the thread is
/// no matter.
std::optional<Finding> findSpinLoop(const DeviceIr &Ir);

} // namespace cufuse
