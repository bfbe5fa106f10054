// Launches of several outputs, one after the other. No Clang.
#pragma once

#include "cufuse/Emit/Emit.h"

namespace cufuse {

/// An output that has one kernel.
struct OverlappedOutput {
  EmitOptions Options;
  const Constituent *Of = nullptr;
  std::string Name; ///< Among the kernels of all outputs.
};

/// The source and the header of what launches `Outputs` in this order, each as its own header says.
FusedSource emitOverlapped(llvm::ArrayRef<OverlappedOutput> Outputs, const EmitOptions &Options);

} // namespace cufuse
