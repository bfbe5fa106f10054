// The arithmetic of a fusion: which threads of the fused block play what, with which barrier. No Clang, no CUDA.
#pragma once

#include "cufuse/Kernel/KernelFacts.h"
#include "cufuse/Plan/FusionConfig.h"

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/StringRef.h>
#include <llvm/Support/Error.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace cufuse {

/// Threads [First, First + Reserved) of the fused block; the last Reserved − Block.threads() never run the body.
struct PartitionPlan {
  unsigned Constituent = 0;
  unsigned Copy = 0;
  unsigned First = 0;
  BlockShape Block;
  /// Block.threads() rounded up to whole warps, but for `OfLanes`; also the count of its barrier.
  unsigned PaddedThreads = 0;
  unsigned Reserved = 0; ///< The same, but to whole warpgroups for `RegisterPolicy::Split`; of all `Beside`.
  unsigned Beside = 1;   ///< So many blocks are played by its text, each by warps or lanes of its own.
  bool OfLanes = false;  ///< Each by lanes of one warp, which are all that meets.
  bool OfPart = false;   ///< Lanes of one warp meet, and those that fill it wait elsewhere.
  /// Hardware barrier 1…15; 0 when the partition never synchronises, is the whole block or of one warp's
  /// lanes, or names all others itself.
  unsigned Barrier = 0;
  unsigned NamedBarriers = 0; ///< Those that the kernel names itself; they follow `Barrier`.
  bool Synchronises = false;  ///< Inside its blocks, or between them when they follow each other in the same memory.
  bool WholeBlock = false;    ///< All threads of the fused block: `__syncthreads()` is its barrier (`Blocks` only).
  /// Threads leave before others synchronise: an mbarrier, which they drop out of, takes the place of the barrier.
  bool DropsOut = false;
  bool ExitsLast = false; ///< Threads leave, and nothing follows in the block to go on to (`Threads` only).
};

/// What a fused block is to one constituent.
struct RolePlan {
  unsigned Copies = 1;         ///< Blocks side by side: of one partition, or else one of each.
  unsigned Turns = 1;          ///< Times that a fused block plays its partitions, each time other blocks.
  unsigned Threads = 0;        ///< Of all its partitions together.
  unsigned ResidentBlocks = 1; ///< Fused blocks per SM that play it, for `Blocks` under `Stride`; 0: all that it needs.
  unsigned Registers = 0;      ///< Budget per thread, for `RegisterPolicy::Split`; 0 otherwise.
  unsigned Unroll = 0;         ///< Of its grid-stride loop; 0 leaves it alone.
  std::vector<std::pair<std::string, std::string>> Bound = {}; ///< Parameter and value, as configured.
  std::string GuessedFrom = {};                                ///< As configured.
  bool HasOffset = false; ///< Another kernel's dynamic shared memory lies before its own.
};

struct FusionPlan {
  /// By constituent, without gaps. `Warps`: all in a row from thread 0; otherwise those of each constituent start at 0,
  /// since they never share a moment (`Threads`) or a block (`Blocks`).
  std::vector<PartitionPlan> Partitions;
  std::vector<RolePlan> Roles; ///< By constituent.
  unsigned BlockThreads = 0;
  unsigned DynamicBlocks = 0;       ///< Virtual blocks at a time, of all kernels, that have dynamic shared memory.
  Geometry Shape = Geometry::Warps; ///< A single partition is `Warps`, whatever was asked for.
  GridPolicy Grid = GridPolicy::Match;
  bool Cooperative = false;    ///< The whole grid waits between the constituents: a cooperative launch.
  bool LastBlock = false;      ///< The last block that has played the first constituent plays the others.
  bool FirstBlock = false;     ///< The first block that comes plays all constituents but the last.
  unsigned ResidentBlocks = 0; ///< Fused blocks per SM under `Stride` at most; 0: as many as fit.
  bool NotesKernel = false;    ///< Each thread notes in shared memory which kernel it plays, for libraries to find.
  bool HasOnePlace = false;    ///< Kernels in turns keep the indices of their blocks in the same shared memory.
  RegisterLimit Registers;     ///< For `Split`, Count is what every thread is launched with.
  LaunchOverlap Overlap;

  /// Has another kernel stored in this launch, or while it ran? Then no cache may have kept what was there before.
  bool readsFresh() const { return isInOrder() || Overlap.Waits; }
  /// Each constituent, of a grid of its own, begins when all before it have ended.
  bool isInOrder() const { return Cooperative || countsBlocks(); }
  /// By a count of the launch's own.
  bool countsBlocks() const { return LastBlock || FirstBlock; }

  /// One partition is the whole block: it keeps the block's own shape and barrier.
  bool keepsBlock() const { return Partitions.size() == 1 && Partitions.front().Beside == 1; }
  /// It also plays exactly one block of the kernel, at the place of its own.
  bool keepsGrid() const { return keepsBlock() && Grid == GridPolicy::Match; }
  /// The kernel's functions find its indices in shared memory: those of the block itself are others.
  bool sharesIndices(const KernelFacts &Kernel) const { return Kernel.sharesIndices() && !keepsGrid(); }
  /// A fused block plays no more than one block per partition, and partitions do not follow each other.
  bool playsOnce() const { return Shape != Geometry::Threads && Grid == GridPolicy::Match; }
  bool interleaves() const { return Shape == Geometry::Blocks && Grid == GridPolicy::Match; }
  /// Fused blocks have fixed roles, so many of each on every multiprocessor.
  bool hasRoles() const { return Shape == Geometry::Blocks && Grid == GridPolicy::Stride; }
  /// Under `Blocks` and `Stride`, the constituent that comes in one shot behind the resident ones.
  std::optional<unsigned> following() const {
    for (unsigned I = 0; hasRoles() && I < Roles.size(); ++I)
      if (Roles[I].ResidentBlocks == 0)
        return I;
    return std::nullopt;
  }
  /// As many fused blocks as are resident, or fewer where that is enough.
  bool fillsDevice() const {
    return Grid == GridPolicy::Pool || (Grid == GridPolicy::Stride && Shape != Geometry::Blocks);
  }
  bool hasBound() const {
    return std::any_of(Roles.begin(), Roles.end(), [](const RolePlan &Role) { return !Role.Bound.empty(); });
  }
  /// Virtual blocks of a constituent for one fused block that does not loop on.
  unsigned blocksAtOnce(unsigned Constituent) const { return Roles[Constituent].Copies * Roles[Constituent].Turns; }
  /// The most of them where every constituent's are numbered by the places of all: the numbers have 32 bits. Else 1.
  unsigned mostBlocksAtOnce() const {
    unsigned Most = 1;
    if (Shape != Geometry::Blocks && Grid == GridPolicy::Match)
      for (unsigned I = 0; I < Roles.size(); ++I)
        Most = std::max(Most, blocksAtOnce(I));
    return Most;
  }
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
/// memory, what the geometry cannot do, and impossible register limits and budgets (PTX ISA, setmaxnreg); reports all
/// of them. `Facts` and `Config.Constituents` correspond by position; `Arch` is what the output is compiled for.
llvm::Expected<FusionPlan> planFusion(llvm::ArrayRef<const KernelFacts *> Facts, const FusionConfig &Config,
                                      llvm::StringRef Arch = "sm_90a");

/// setmaxnreg is there on architecture-specific targets from sm_90a on.
bool hasRegisterBudgets(llvm::StringRef Arch);

/// Counters behind `AddedParameter::Pools`: for `Blocks`, as many tickets as there may be multiprocessors in step
/// follow.
constexpr unsigned TicketSlots = 256;
inline unsigned poolCounters(const FusionPlan &Plan) {
  return Plan.Roles.size() + (Plan.Shape == Geometry::Blocks ? TicketSlots : 0);
}

/// The most blocks in x that a launch of the constituent may have, where there is a limit: whole warps leave its blocks
/// only as long as its thread number, in x, is below 2^31.
std::optional<unsigned> mostBlocksInX(const KernelFacts &Facts, const FusionPlan &Plan, unsigned Constituent);

/// Dimensions of its grid that the kernel reads; the launcher demands 1 in the others.
unsigned gridDimensions(const KernelFacts &Facts);

/// What the fused kernel is given for a constituent behind the constituent's own arguments.
enum class AddedParameter {
  Grid,          ///< Its grid, of which it reads more than x: `CufuseGrid`.
  Blocks,        ///< How many blocks it has, of which it reads no more than x.
  Share,         ///< Which fused blocks play it: `CufuseShare`.
  Resident,      ///< How many fused blocks play it, of fixed roles.
  DynamicOffset, ///< Where its dynamic shared memory starts in the fused block's, in bytes.
  DynamicStride, ///< From that of one copy to that of the next.
  Maps,          ///< Tensor maps of products: `CufuseMaps`.
  Place,         ///< Of the last block's count, behind the last constituent's.
  Pools,         ///< Behind the last constituent's: a counter for each constituent, and tickets; all zero.
};
/// In the order of the kernel's parameters.
std::vector<AddedParameter> addedParameters(const KernelFacts &Facts, const FusionPlan &Plan, unsigned Constituent);

} // namespace cufuse
