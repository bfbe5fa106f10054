// The parts of the output that a host program sees.
#pragma once

#include "Writer.h"

#include "cufuse/Emit/Emit.h"

namespace cufuse {

/// The declaration of `launch`, without its end.
std::string launchSignature(llvm::ArrayRef<Constituent> Constituents);

/// The argument structure and the launch structure of one constituent, inside its namespace. `TextSpace` is where the
/// types copied from its file are.
void emitArguments(Writer &Out, const Constituent &C, const std::string &TextSpace);

/// The host function that validates the arguments and launches `fused`.
void emitLauncher(Writer &Out, llvm::ArrayRef<Constituent> Constituents, const FusionPlan &Plan);

} // namespace cufuse
