// HFUSE's register bound (Li, Zheng, Pekhimenko, Long, CGO 2022, section on register pressure): the fused kernel keeps
// as many resident blocks as the constituent with the fewest would have alone.
#pragma once

#include "cufuse/Gpu/Occupancy.h"

#include <llvm/ADT/ArrayRef.h>

#include <optional>

namespace cufuse {

struct SoloUse {
  unsigned Threads;            ///< Of its partitions in the fused block, d_i.
  unsigned RegistersPerThread; ///< Of the constituent compiled alone.
};

struct RegisterBound {
  unsigned BlocksPerSm;        ///< b0
  unsigned RegistersPerThread; ///< r0
};

/// b_i = Registers / (d_i · r_i); b0 = min(b_1, …, b_n, SharedBytes / FusedSharedBytes, Threads / d0);
/// r0 = Registers / (b0 · d0), with d0 = Σ d_i. Divisions round down. Nothing when not even one block fits.
/// `FusedThreads`: d0, where the constituents do not lie side by side.
std::optional<RegisterBound> hfuseRegisterBound(const SmLimits &Sm, llvm::ArrayRef<SoloUse> Solo,
                                                unsigned FusedSharedBytes, unsigned FusedThreads = 0);

} // namespace cufuse
