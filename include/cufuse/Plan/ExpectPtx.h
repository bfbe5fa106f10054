// What a plan allows the compiled output to do.
#pragma once

#include "cufuse/Plan/FusionPlan.h"
#include "cufuse/Ptx/PtxExpectation.h"

namespace cufuse {

/// `Facts` by constituent; `Name` as in EmitOptions.
PtxExpectation expectPtx(llvm::ArrayRef<const KernelFacts *> Facts, const FusionPlan &Plan, const std::string &Name);

} // namespace cufuse
