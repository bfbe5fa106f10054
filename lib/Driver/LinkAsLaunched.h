#pragma once

#include "cufuse/Analysis/LinksOfLaunches.h"
#include "cufuse/Driver/FuseRequest.h"

namespace cufuse {

/// With the names that links have for them.
std::vector<LaunchedKernel> launchedKernels(llvm::ArrayRef<LoadedKernel> Kernels);

/// Adds the links that the launches in the kernels' files say, but for parameters of which it is said already. Returns
/// what was found, for the reader.
llvm::Expected<std::string> linkAsLaunched(llvm::ArrayRef<LoadedKernel> Kernels, FuseRequest &Request);

} // namespace cufuse
