// The spine: from kernels in files to a fused source, step by step.
#pragma once

#include "cufuse/Driver/FuseRequest.h"
#include "cufuse/Emit/Emit.h"

namespace cufuse {

struct FuseResult {
  std::vector<LoadedKernel> Kernels; ///< From `Step::Plan` on, what is fused: of dependent kernels, the composed one.
  FusionPlan Plan;
  FusedSource Fused;
  std::string HeaderPath;
  std::vector<std::string> Explanation; ///< Every decision with its fact.
  std::vector<std::string> Tuned;       ///< What the database says of the configuration.
};

/// Everything up to the step asked for, writing excluded.
llvm::Expected<FuseResult> fuse(const Toolchain &Tools, const FuseRequest &Request);

} // namespace cufuse
