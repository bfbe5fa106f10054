// Functions that read the block: as elements, kernels have it as a parameter.
#pragma once

#include "EditText.h"

namespace cufuse {

/// Where the kernel plays elements, what it calls that reads `blockIdx` or `gridDim` takes them from it: they are
/// inserted before the parameters of each of these functions, and handed on by each call.
void editReaders(TextEdits &Edits, const Reached &Reach, const KernelFacts &Facts);

} // namespace cufuse
