// May producers run where the root loads what they make?
#pragma once

#include "Refusals.h"

namespace cufuse {

/// The part of `checkInlineAtStore` that is about the kernels before the root.
void checkInlineAtLoad(const VerticalGraph &Graph, BlockShape Block, std::optional<unsigned> Recompute,
                       std::vector<AtMost> &Requirements, Refusals &Refused);

} // namespace cufuse
