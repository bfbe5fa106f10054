// What must not be the same memory.
#pragma once

#include "Refusals.h"

namespace cufuse {

/// Nothing that one of the kernels writes, but for what is forwarded, may be touched by another: two pointers are
/// distinct if both are `__restrict__`. Nor may one of them touch what is forwarded by another name, as it is not in
/// memory then. `DeadInMemory`: dead intermediates may be stored and loaded, too.
void checkAliases(const VerticalGraph &Graph, Refusals &Refused, bool DeadInMemory = false);

} // namespace cufuse
