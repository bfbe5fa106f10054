// Loops that go on until another thread has written to memory.
#pragma once

#include "cufuse/Kernel/KernelFacts.h"
#include "cufuse/Reach/DeviceIr.h"

#include <optional>

namespace cufuse {

/// The first loop that may wait for another block: what it reads by atomics, by volatile memory, in assembly, or by a
/// plain load behind a fence decides whether it has one more turn, and every turn may find the same. Loops that a
/// counter ends, lock-free loops and probes of one place after another do not wait. Memory of the block or of the
/// thread matters only where it hands on what was read.
std::optional<Finding> findSpinLoop(const DeviceIr &Ir);

} // namespace cufuse
