// The compiled output against its plan: a scan of PTX that knows nothing of how the output was written.
#pragma once

#include "cufuse/Ptx/PtxExpectation.h"

namespace cufuse {

/// What the check has seen, for people: kernels, barriers, registers, kinds of instructions.
using PtxSummary = std::set<std::string>;

/// Follows every name from the fused kernels of the PTX, and fails as bad input with all that the plan does not allow:
/// each with its place in a source where the PTX has line information, its line in the PTX and the section of the ISA.
/// `File` names the PTX.
llvm::Expected<PtxSummary> checkPtx(llvm::StringRef Ptx, const PtxExpectation &Expected, const std::string &File);

} // namespace cufuse
