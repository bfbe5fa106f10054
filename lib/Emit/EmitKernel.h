// The fused kernel itself: which thread of which block plays what.
#pragma once

#include "Writer.h"

#include "cufuse/Emit/Emit.h"

namespace cufuse {

/// `Name` is the namespace of the output; `Bound`: with the arguments that the plan fixes.
void emitKernel(Writer &Out, llvm::ArrayRef<Constituent> Constituents, const FusionPlan &Plan, const std::string &Name,
                bool Bound);

} // namespace cufuse
