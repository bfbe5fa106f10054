// What every output needs before the kernels' texts: the grid, the partitions, and what libraries see of these.
#pragma once

#include "Writer.h"

#include "cufuse/Emit/Emit.h"

namespace cufuse {

/// `CufusePartition<0, 1, 32, 8, 1>`
OutputText partitionType(const PartitionPlan &P);

/// Does every block of the kernel end with finishCopies()? Its own asynchronous copies would land in what the next
/// block uses; those of another kernel in bulk do not see its stores to the same dynamic shared memory (PTX ISA, async
/// proxy).
bool finishesCopies(const KernelFacts &Facts, llvm::ArrayRef<Constituent> Constituents, const FusionPlan &Plan);

/// The namespace `Name` with the types that partitions are made of: only what some constituent uses.
void emitPrelude(Writer &Out, llvm::ArrayRef<Constituent> Constituents, const FusionPlan &Plan,
                 const std::string &Name);

/// The macros around the #includes that give libraries the partition for the block; `Define` false takes them back.
void defineForLibraries(Writer &Out, llvm::ArrayRef<Constituent> Constituents, const std::string &Name, bool Define);

} // namespace cufuse
