// Launches of a file that follow each other: what its user may want to fuse.
#pragma once

#include "cufuse/Driver/ReadKernels.h"

#include <string>

namespace cufuse {

/// Of every two launches that follow each other, with nothing between that may use memory: the kernels, whether the
/// second takes what the first stores, and the command that fuses them, or why there is none; of three or more that
/// depend on each other, the same of all. All kernels are of one file. `Flags`: as after `--`.
std::string describeChains(const Toolchain &Tools, llvm::ArrayRef<LoadedKernel> Kernels,
                           llvm::ArrayRef<std::string> Flags);
/// The same as a JSON array of objects, one per pair.
std::string describeChainsAsJson(llvm::ArrayRef<LoadedKernel> Kernels);

} // namespace cufuse
