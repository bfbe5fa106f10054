// A second witness: a kernel's device IR, against what is known from its text.
#pragma once

#include "cufuse/Analysis/DeviceIr.h"
#include "cufuse/Dependence/Pointwise.h"

namespace cufuse {

/// Adds to `Accesses` what the text does not show, so that nothing is proved of it, and recognises the shape again.
///
/// - Of a pointwise kernel: every value that depends on the thread is a function of the element, in conditions and
///   through calls, too, and nothing but the counter goes from one turn of its loop to the next.
/// - Every load, store and atomic goes through a pointer parameter, at an element and under conditions that a site of
///   the text has; what does not, becomes a site that no object in the pointer's place
///   follows, or `OtherMemory`.
///
/// `Ir` is null where there is none: then nothing of the kernel is proved.
void checkByIr(const DeviceIr *Ir, const KernelFacts &Facts, KernelAccesses &Accesses, ShapeFacts &Shape);

} // namespace cufuse
