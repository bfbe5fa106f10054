// What `cufuse inspect` and `--stop-after` print.
#pragma once

#include "cufuse/Driver/Pipeline.h"

#include <string>

namespace cufuse {

/// A paragraph per kernel.
std::string describe(llvm::ArrayRef<LoadedKernel> Kernels);
/// The same as a JSON array of objects, one per kernel.
std::string describeAsJson(llvm::ArrayRef<LoadedKernel> Kernels);
/// A line per partition.
std::string describe(const FusionPlan &Plan, llvm::ArrayRef<LoadedKernel> Kernels);

} // namespace cufuse
