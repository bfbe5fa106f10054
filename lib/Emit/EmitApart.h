// `launch` with a way out: what launches the kernels themselves, where they cannot or shall not run as one.
#pragma once

#include "Writer.h"

#include "cufuse/Emit/Emit.h"

namespace cufuse {

/// What all of the header's ways out need.
void declareApart(Writer &Header, const EmitOptions &Options);
/// The overload of `launch` that is given a way out: of a kernel alone in its namespace, else beside `launch`.
void emitApart(Writer &Header, llvm::ArrayRef<Constituent> Constituents, const FusionPlan &Plan,
               const EmitOptions &Options);
/// In the source: the switch.
void defineApart(Writer &Source, const EmitOptions &Options);

} // namespace cufuse
