// The users' text, in the namespaces of the partitions.
#pragma once

#include "Writer.h"

#include "cufuse/Emit/Emit.h"

namespace cufuse {

/// A namespace for each constituent, or copy: what its names mean here, its closure, its kernel as a function.
void emitTexts(Writer &Out, llvm::ArrayRef<Constituent> Constituents, const FusionPlan &Plan,
               const EmitOptions &Options);

} // namespace cufuse
