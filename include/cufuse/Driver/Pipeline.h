// The spine: from kernels in files to a fused source, step by step.
#pragma once

#include "cufuse/Driver/FuseRequest.h"
#include "cufuse/Emit/Emit.h"

namespace cufuse {

/// How the output that a request asks for is emitted.
EmitOptions emitOptions(const FuseRequest &Request);

struct FuseResult {
  std::vector<LoadedKernel> Kernels; ///< From `Step::Plan` on, what is fused: of dependent kernels, the composed one.
  FusionPlan Plan;
  FusedSource Fused;
  std::string HeaderPath;
  std::vector<std::string> Explanation; ///< Every decision with its fact.
  std::vector<std::string> Tuned;       ///< What the database says of the configuration.
};

/// Everything up to the step asked for, writing excluded. `Say` gets what the user must know although it may fail
/// later.
llvm::Expected<FuseResult> fuse(const Toolchain &Tools, const FuseRequest &Request,
                                llvm::function_ref<void(const std::string &)> Say);

/// The same of kernels that were read.
llvm::Error fuse(const Toolchain &Tools, FuseRequest Request, std::vector<LoadedKernel> Read, FuseResult &Result,
                 llvm::function_ref<void(const std::string &)> Say);

} // namespace cufuse
