// What the kernels' files include, by names that mean the same from the folder of each of them.
#pragma once

#include "cufuse/Driver/ReadKernels.h"

namespace cufuse {

/// Where another kernel's folder, or one that the flags name, has another file of that name, the name gets as much of
/// the file's path as tells them apart, `../a/common.h`: the output is compiled with the flags' folders and `-I` of all
/// kernels', whose order must not matter.
void nameIncludes(llvm::MutableArrayRef<LoadedKernel> Kernels);

} // namespace cufuse
