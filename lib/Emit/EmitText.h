// The users' text, in the namespaces of the partitions.
#pragma once

#include "OutsideMacros.h"

namespace cufuse {

/// One constituent's (or copy's) namespace: what its names mean here, its closure, its kernel as a function.
void emitText(Writer &Out, llvm::ArrayRef<Constituent> Constituents, const FusionPlan &Plan,
              const PartitionPlan &Partition, const EmitOptions &Options, MacroComparison &Macros);

} // namespace cufuse
