// A launch that has one kernel of several by its size: outputs of the same kernels in blocks of different sizes, and
// one that chooses. No Clang.
#pragma once

#include "cufuse/Emit/Emit.h"

namespace cufuse {

/// An output that may be chosen.
struct SizedOutput {
  EmitOptions Options;
  const Constituent *Of = nullptr;
  const FusionPlan *Plan = nullptr;
};

/// The source and the header of what launches one of `Outputs`, the best of which for a size is found by a rule of
/// thumb that stands in the source: of kernels that go over elements, the one that takes most elements in a block, if
/// every multiprocessor has one; of rows, the smallest block with which a thread has few elements. One that does not
/// take the launch leaves it to the others. Each has one kernel, whose launch has no grid or one block for each row.
/// The header is like that of `Outputs` but for the name in `Options`.
FusedSource emitBySize(llvm::ArrayRef<SizedOutput> Outputs, const EmitOptions &Options);

} // namespace cufuse
