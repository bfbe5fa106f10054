// Which register limits are worth trying for a fused block.
#pragma once

#include "cufuse/Model/Problem.h"
#include "cufuse/Plan/FusionConfig.h"

#include <optional>
#include <vector>

namespace cufuse {

/// The constituent alone in this block shape, if it is known there; its best known shape otherwise.
const SoloShape &shapeOf(const ConstituentProblem &C, const BlockShape &Block);
/// The time alone of this shape over that of the best; 1 where they were not measured.
double slownessAlone(const ConstituentProblem &C, const BlockShape &Block);

/// HFUSE's b0 for these blocks: for `Warps` with the partitions side by side, for the others as if the kernel with the
/// most registers had the whole block. Nothing when the registers of a constituent are not known or no block fits.
std::optional<unsigned> hfuseBlocks(const Problem &P, const FusionConfig &Config);

/// `None`, `Free` and the bounds around b0.
std::vector<RegisterLimit> limitChoices(const Problem &P, const FusionConfig &Config);

/// Configurations with a budget for each constituent, for a `Warps` configuration.
std::vector<FusionConfig> splitChoices(const Problem &P, const FusionConfig &Config);

} // namespace cufuse
