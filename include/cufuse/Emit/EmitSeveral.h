// Launches of several outputs, of which each has one kernel. No Clang.
#pragma once

#include "cufuse/Emit/Emit.h"

namespace cufuse {

/// An output that is launched.
struct LaunchedOutput {
  EmitOptions Options;
  const Constituent *Of = nullptr;
  const FusionPlan *Plan = nullptr;
  std::string Name;       ///< Among the kernels of all outputs, where these are others.
  std::uint64_t From = 0; ///< The elements from which it is the best, as measured.
};

/// The source and the header of what launches `Outputs` in this order, each as its own header says.
FusedSource emitOverlapped(llvm::ArrayRef<LaunchedOutput> Outputs, const EmitOptions &Options);

/// The source and the header of what launches one of `Outputs`, the same kernel in several forms, the best of which for
/// a size was measured: they stand in the order of their `From`, the first has 0. Where all have 0, it is found by a
/// rule of thumb that stands in the source: of kernels that go over elements, the one that takes most elements in a
/// block, if every multiprocessor has one; of rows, the smallest block with which a thread has few elements. One that
/// does not take the launch leaves it to the others. Their launches have no grid or one block for each row. The header
/// is like that of `Outputs` but for the name in `Options`.
FusedSource emitBySize(llvm::ArrayRef<LaunchedOutput> Outputs, const EmitOptions &Options);

} // namespace cufuse
