// From a kernel's syntax tree to the elements that it accesses.
#pragma once

#include "cufuse/Analysis/Reach.h"
#include "cufuse/Kernel/Accesses.h"

namespace cufuse {

/// Follows the kernel's own body in program order; what a variable holds is known as long as it is a polynomial of
/// thread and block indices, dimensions, loop variables and integer parameters. Arithmetic is taken not to overflow.
/// Pointers that the body hands on are recorded as escapes.
KernelAccesses collectAccesses(const ParsedUnit &Unit, const Reached &Reach);

} // namespace cufuse
