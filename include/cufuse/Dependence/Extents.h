// Which part of its memory does a launch use? No Clang.
#pragma once

#include "cufuse/Dependence/StoreProof.h"

namespace cufuse {

/// Sets `Extents` and `AllMeasured`. Blocks of kernels that are not pointwise are of `Block`, and their grid is that of
/// the launch, but for those of `OtherGrids`, of which nothing is known.
void measureExtents(VerticalGraph &Graph, BlockShape Block, const std::set<unsigned> &OtherGrids = {});

} // namespace cufuse
