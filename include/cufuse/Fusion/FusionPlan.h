// The arithmetic of a fusion: which threads of the fused block play what, with which barrier. No Clang, no CUDA.
#pragma once

#include "cufuse/Analysis/KernelFacts.h"
#include "cufuse/Fusion/FusionConfig.h"

#include <llvm/ADT/ArrayRef.h>
#include <llvm/Support/Error.h>

#include <vector>

namespace cufuse {

/// Threads [First, First + PaddedThreads) of the fused block; the last PaddedThreads − Block.threads() never run the
/// body.
struct PartitionPlan {
  unsigned Constituent = 0;
  unsigned Copy = 0;
  unsigned First = 0;
  BlockShape Block;
  unsigned PaddedThreads = 0; ///< Block.threads() rounded up to whole warps; also the count of its barrier.
  unsigned Barrier = 0;       ///< Hardware barrier 1…15, or 0 when the partition never synchronises.
  unsigned NamedBarriers = 0; ///< Those that the kernel names itself; they follow `Barrier`.
  /// Threads leave before others synchronise: an mbarrier, which they drop out of, takes the place of the barrier.
  bool DropsOut = false;
};

struct FusionPlan {
  std::vector<PartitionPlan> Partitions; ///< In order of First, without gaps, starting at 0.
  unsigned BlockThreads = 0;
  GridPolicy Grid = GridPolicy::Match;
  RegisterLimit Registers;

  /// One partition is the whole block: it keeps the block's own shape and barrier.
  bool keepsBlock() const { return Partitions.size() == 1; }
  /// It also plays exactly one block of the kernel, at the place of its own.
  bool keepsGrid() const { return keepsBlock() && Grid == GridPolicy::Match; }
};

/// Lays the partitions out in the order of the constituents. Refuses blocks that are impossible or exceed the kernel's
/// launch bounds, more than 1024 threads or 15 barriers, more than 48 KB of static shared memory, and an impossible
/// register limit; reports all of them.
/// `Facts` and `Config.Constituents` correspond by position.
llvm::Expected<FusionPlan> planFusion(llvm::ArrayRef<const KernelFacts *> Facts, const FusionConfig &Config);

} // namespace cufuse
