// Which part of its memory does a launch use? No Clang.
#pragma once

#include "cufuse/Dependence/StoreProof.h"

namespace cufuse {

/// Sets `Extents` and `NoOther`. Blocks of kernels that are not pointwise are of `Block`, and their grid is that of
/// the launch, but for those of `OtherGrids`, of which nothing is known. `MayAsk`: where it is not known otherwise, the
/// launch is asked that numbers of 32 bits, which go on in 64, fit.
void measureExtents(VerticalGraph &Graph, BlockShape Block, bool MayAsk = false,
                    const std::set<unsigned> &OtherGrids = {});

} // namespace cufuse
