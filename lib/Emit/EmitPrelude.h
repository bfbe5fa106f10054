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

/// Is it a composition of which each kernel's block is one thread?
bool playsElements(const Constituent &C);
/// Does something ask for the partition?
bool usesPartition(const Constituent &C, llvm::ArrayRef<Constituent> Constituents, const FusionPlan &Plan);
/// Does the kernel's text name it?
bool textNames(const KernelText &Text, llvm::StringRef Name);

/// What the output needs of lib/Cuda/, by the names under which those files ask: nothing else is written. `Kernel` is
/// the text of the fused kernels.
std::vector<Given> needsOf(llvm::ArrayRef<Constituent> Constituents, const FusionPlan &Plan, const Writer &Kernel);
bool isNeeded(llvm::ArrayRef<Given> Needs, llvm::StringRef Name);

/// The output's namespace with the types that partitions are made of.
void emitPrelude(Writer &Out, llvm::ArrayRef<Constituent> Constituents, const FusionPlan &Plan,
                 const EmitOptions &Options, llvm::ArrayRef<Given> Needs);

/// That of the prelude's names. It has the prelude's hash: with another version's prelude, an output does not compile.
std::string preludeNamespace();

/// The macros around the #includes that give libraries the partition for the block; `Define` false takes them back.
void defineForLibraries(Writer &Out, llvm::ArrayRef<Constituent> Constituents, const std::string &Name, bool Define);

} // namespace cufuse
