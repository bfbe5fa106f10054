// From a kernel's device IR to the elements that it accesses.
#pragma once

#include "cufuse/Kernel/Accesses.h"
#include "cufuse/Reach/DeviceIr.h"

namespace cufuse {

/// Accesses, indices, conditions and loops are those of the code: values are polynomials of thread and block indices,
/// dimensions, loop variables and integer parameters, whose arithmetic is taken not to overflow. The text says how an
/// access is written, and whether an object in the place of the pointer could follow it there.
///
/// `Ir` is null where there is none: then nothing of the kernel is known. It is kept with what is known, and with it
/// must be kept what it was made of.
KernelAccesses collectAccesses(const ParsedUnit &Unit, const Reached &Reach, std::shared_ptr<const DeviceIr> Ir);

} // namespace cufuse
