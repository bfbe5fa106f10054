// Predicts a fused kernel's time before it has run, to rank candidates. Its absolute figures mean little.
#pragma once

#include "cufuse/Gpu/Occupancy.h"
#include "cufuse/Model/Problem.h"
#include "cufuse/Plan/FusionConfig.h"

#include <optional>

namespace cufuse {

/// Threads of a constituent's partitions, in whole warps.
unsigned paddedThreads(const ConstituentConfig &C);
/// Threads of the fused block: the sum of all partitions in whole warps for `Warps`, the largest otherwise.
unsigned fusedThreads(const FusionConfig &Config);

struct Prediction {
  double Microseconds = 0;
  unsigned ResidentBlocks = 0; ///< Fused blocks per SM; 0: none fits.
  double SpillBytes = 0;       ///< Per thread, stored and loaded: ptxas' or what the missing registers would take.
};

/// How the model sees a fusion: a constituent's rate grows with its resident warps, less than in proportion, up to the
/// rate that it has alone; the demands on a shared resource add up; what remains when one constituent is done runs on
/// with the warps that it has. `Compiled` are ptxas' figures for the candidate, where known; else the registers are
/// those of the constituents alone under the candidate's bound, and registers that a bound takes away cost time.
/// Constituents that were not measured alone are taken to last equally long.
Prediction predict(const Problem &P, const FusionConfig &Config, const std::optional<ResourceUse> &Compiled = {});

} // namespace cufuse
