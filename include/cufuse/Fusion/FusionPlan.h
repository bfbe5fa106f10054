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
  bool Synchronises = false;  ///< Inside its blocks, or between them when they follow each other in the same memory.
  bool WholeBlock = false;    ///< All threads of the fused block: `__syncthreads()` is its barrier (`Blocks` only).
  /// Threads leave before others synchronise: an mbarrier, which they drop out of, takes the place of the barrier.
  bool DropsOut = false;
};

/// What a fused block is to one constituent.
struct RolePlan {
  unsigned Copies = 1;         ///< Partitions.
  unsigned Threads = 0;        ///< Of all its partitions together.
  unsigned ResidentBlocks = 1; ///< Fused blocks per SM that play it, for `Blocks` under `Stride`.
};

struct FusionPlan {
  /// By constituent, without gaps. `Warps`: all in a row from thread 0; otherwise those of each constituent start at 0,
  /// since they never share a moment (`Threads`) or a block (`Blocks`).
  std::vector<PartitionPlan> Partitions;
  std::vector<RolePlan> Roles; ///< By constituent.
  unsigned BlockThreads = 0;
  Geometry Shape = Geometry::Warps; ///< A single partition is `Warps`, whatever was asked for.
  GridPolicy Grid = GridPolicy::Match;
  RegisterLimit Registers;

  /// One partition is the whole block: it keeps the block's own shape and barrier.
  bool keepsBlock() const { return Partitions.size() == 1; }
  /// It also plays exactly one block of the kernel, at the place of its own.
  bool keepsGrid() const { return keepsBlock() && Grid == GridPolicy::Match; }
  /// A fused block plays no more than one block per partition, and partitions do not follow each other.
  bool playsOnce() const { return Shape != Geometry::Threads && Grid == GridPolicy::Match; }
  /// Of all roles together on an SM.
  unsigned residentRoles() const {
    unsigned Sum = 0;
    for (const RolePlan &Role : Roles)
      Sum += Role.ResidentBlocks;
    return Sum;
  }
};

/// Lays the partitions out in the order of the constituents, as the geometry asks. Refuses blocks that are impossible
/// or exceed the kernel's launch bounds, more than 1024 threads or 15 barriers, more than 48 KB of static shared
/// memory, and an impossible register limit; reports all of them. `Facts` and `Config.Constituents` correspond by
/// position.
llvm::Expected<FusionPlan> planFusion(llvm::ArrayRef<const KernelFacts *> Facts, const FusionConfig &Config);

/// The x, y, z of its grid that the kernel reads; the launcher demands 1 in the others.
Dimensions gridDimensions(const KernelFacts &Facts);

/// What the fused kernel is given for a constituent behind the constituent's own arguments.
enum class AddedParameter {
  Grid,          ///< Its grid: `CufuseGrid`.
  Share,         ///< Which fused blocks play it: `CufuseShare`.
  DynamicOffset, ///< Where its dynamic shared memory starts in the fused block's, in bytes.
  DynamicStride, ///< From that of one copy to that of the next.
};
/// In the order of the kernel's parameters.
std::vector<AddedParameter> addedParameters(const KernelFacts &Facts, const FusionPlan &Plan, unsigned Constituent);

} // namespace cufuse
