// What the kernels' files include, by names that mean the same from the folder of each of them.
#pragma once

#include "cufuse/Driver/ReadKernels.h"

namespace cufuse {

/// Where another kernel's folder has another file of that name, the name gets as much of the file's path as tells them
/// apart, `../a/common.h`: the output is compiled with `-I` of all folders, and their order must not matter.
void nameIncludes(llvm::MutableArrayRef<LoadedKernel> Kernels);

} // namespace cufuse
