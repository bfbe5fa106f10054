// From a kernel's device IR to the elements that it accesses.
#pragma once

#include "cufuse/Kernel/Accesses.h"
#include "cufuse/Reach/DeviceIr.h"

namespace cufuse {

/// Accesses, indices, conditions and loops are those of the code: values are polynomials of thread and block indices,
/// dimensions, loop variables and integer parameters, whose arithmetic is taken not to overflow. The text says how an
/// access is written, and whether an object in the place of the pointer could follow it there.
///
/// `Ir` is null where there is none: then nothing of the kernel is known.
KernelAccesses collectAccesses(const ParsedUnit &Unit, const Reached &Reach, const DeviceIr *Ir);

} // namespace cufuse
