// What the code of a kernel says of its barriers and warp primitives: which there are, and which threads may go past
// them while others wait there.
#pragma once

#include "cufuse/Kernel/KernelFacts.h"
#include "cufuse/Reach/DeviceIr.h"

namespace cufuse {

struct DeviceConvergence {
  /// The first branch of which one side waits more often than the other, although threads part there.
  std::optional<Finding> BeforeBarrier;
  /// The same of warp primitives, for lanes and for whole warps: those that have passed may end the block before lanes
  /// that still wait for them.
  std::optional<Finding> LanesBeforeWarpPrimitive, WarpsBeforeWarpPrimitive;
  std::vector<Finding> WarpPrimitives; ///< Those of libraries and of assembly among them.
  bool CopiesAsynchronously = false, CopiesInBulk = false;
  std::optional<SourcePlace> Mbarrier; ///< Where one is initialised.
  bool SignedThreadNumber = false;     ///< See KernelFacts.
};

/// A branch counts unless its condition is seen to be the same for all threads of the block (of the warp): made of
/// constants, arguments, indices of the block, votes of all, and of what memory holds at such addresses. What leads to
/// a trap is no way that threads go.
DeviceConvergence findDivergence(const DeviceIr &Ir);

} // namespace cufuse
