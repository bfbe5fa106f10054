#include "cufuse/Fusion/FusionPlan.h"

#include <fmt/format.h>
#include <llvm/ADT/StringExtras.h>

namespace cufuse {

namespace {
constexpr unsigned MaxBarriers = 15;            // 16 in hardware; 0 stays with plain __syncthreads().
constexpr unsigned MaxStaticShared = 48 * 1024; // ptxas refuses more.
constexpr unsigned BlockRegisters = 64 * 1024;  // per block, every architecture from sm_53 on
constexpr unsigned MinRegisterLimit = 16, MaxRegisterLimit = 255;
constexpr unsigned long long MaxParameterBytes = 32764; // CUDA 12.1 and later, sm_70 and later
// What partitions hold themselves: see `Indices` and `Meeting` in the emitted text.
constexpr unsigned IndicesBytes = 32, MeetingBytes = 16;

/// Synchronises with the virtual blocks before and after when it loops over them and they share memory.
bool synchronises(const KernelFacts &Kernel, GridPolicy Grid) {
  return Kernel.needsBarrier() || (Grid == GridPolicy::Stride && Kernel.usesShared());
}

/// Partitions of one constituent, one behind the other.
void layOut(FusionPlan &Plan, unsigned Constituent, const KernelFacts &Kernel, const ConstituentConfig &Chosen,
            unsigned First, unsigned &Barriers) {
  RolePlan Role{Chosen.Copies, 0, Chosen.ResidentBlocks};
  for (unsigned Copy = 0; Copy < Chosen.Copies; ++Copy) {
    PartitionPlan Partition{Constituent, Copy, First + Role.Threads, Chosen.Block};
    Partition.PaddedThreads = (Chosen.Block.threads() + WarpSize - 1) / WarpSize * WarpSize;
    Partition.Synchronises = synchronises(Kernel, Plan.Grid);
    if (Partition.Synchronises)
      Partition.Barrier = ++Barriers;
    Partition.DropsOut = !Kernel.ExitsBeforeBarrier.empty();
    Role.Threads += Partition.PaddedThreads;
    Plan.Partitions.push_back(Partition);
  }
  Plan.Roles.push_back(Role);
}

/// A partition that is the whole block needs no barrier with a count, so that exited threads do not count either.
void giveWholeBlocks(FusionPlan &Plan) {
  for (PartitionPlan &P : Plan.Partitions) {
    P.WholeBlock = Plan.Shape == Geometry::Blocks && P.Block.threads() == Plan.BlockThreads;
    if (P.WholeBlock)
      P.Barrier = 0;
    if (Plan.keepsGrid() || (P.WholeBlock && Plan.playsOnce()))
      P.DropsOut = false;
  }
}
} // namespace

llvm::Expected<FusionPlan> planFusion(llvm::ArrayRef<const KernelFacts *> Facts, const FusionConfig &Config) {
  FusionPlan Plan;
  const bool Single = Facts.size() == 1 && Config.Constituents[0].Copies == 1;
  Plan.Shape = Single ? Geometry::Warps : Config.Shape;
  Plan.Grid = Config.Grid;
  Plan.Registers = Config.Registers;
  std::vector<Message> Refusals;
  auto Refuse = [&](BlockerKind Kind, std::string Fact, SourcePlace Where = {}) {
    Refusals.push_back(Blocker{Kind, std::move(Where), std::move(Fact)}.message());
  };

  unsigned long long ParameterBytes = 0;
  unsigned Barriers = 0, MostBarriers = 0;
  for (unsigned I = 0; I < Facts.size(); ++I) {
    const KernelFacts &Kernel = *Facts[I];
    const ConstituentConfig &Chosen = Config.Constituents[I];
    if (!Chosen.Block.isValid()) {
      Refuse(BlockerKind::ImpossibleBlock, fmt::format("{} for {}", Chosen.Block.str(), Kernel.Name));
      continue;
    }
    if (Kernel.MaxThreads && Chosen.Block.threads() > *Kernel.MaxThreads)
      Refuse(BlockerKind::LaunchBoundsExceeded,
             fmt::format("{} threads for {}, which allows {}", Chosen.Block.threads(), Kernel.Name, *Kernel.MaxThreads),
             Kernel.Where);
    // Every partition has a warp at least.
    if (Chosen.Copies > MaxBlockThreads / WarpSize) {
      Refuse(BlockerKind::TooManyThreads, fmt::format("{} blocks of {}", Chosen.Copies, Kernel.Name));
      continue;
    }
    if (Config.Grid == GridPolicy::Stride)
      for (const Finding &Exit : Kernel.ExitsBeforeWarpPrimitive)
        Refuse(BlockerKind::ExitBeforeWarpPrimitive, fmt::format("{}: {}", Kernel.Name, Exit.What), Exit.Where);
    ParameterBytes += Kernel.ParameterBytes;
    if (Plan.Shape == Geometry::Blocks)
      Barriers = 0;
    layOut(Plan, I, Kernel, Chosen, Plan.Shape == Geometry::Warps ? Plan.BlockThreads : 0, Barriers);
    Plan.BlockThreads = Plan.Shape == Geometry::Warps ? Plan.BlockThreads + Plan.Roles.back().Threads
                                                      : std::max(Plan.BlockThreads, Plan.Roles.back().Threads);
    MostBarriers = std::max(MostBarriers, Barriers);
  }
  giveWholeBlocks(Plan);
  std::vector<std::string> LibraryUsers;
  for (const KernelFacts *Kernel : Facts)
    if (Kernel->libraryUsesBlock())
      LibraryUsers.push_back(Kernel->Name);
  if (Plan.Shape != Geometry::Warps && LibraryUsers.size() > 1)
    Refuse(BlockerKind::LibrariesNeedWarps, llvm::join(LibraryUsers, " and "));
  unsigned long long StaticShared = 0;
  for (const PartitionPlan &P : Plan.Partitions)
    StaticShared += Facts[P.Constituent]->staticSharedBytes() +
                    (Facts[P.Constituent]->sharesIndices() ? IndicesBytes : 0) + (P.DropsOut ? MeetingBytes : 0);
  if (Plan.BlockThreads > MaxBlockThreads)
    Refuse(BlockerKind::TooManyThreads, fmt::format("{} threads in whole warps", Plan.BlockThreads));
  if (MostBarriers > MaxBarriers)
    Refuse(BlockerKind::TooManyBarriers, fmt::format("{} do", MostBarriers));
  if (StaticShared > MaxStaticShared)
    Refuse(BlockerKind::StaticSharedMemory, fmt::format("{} bytes", StaticShared));
  if (ParameterBytes > MaxParameterBytes)
    Refuse(BlockerKind::ParameterSpace, fmt::format("{} bytes of {}", ParameterBytes, MaxParameterBytes));
  const unsigned Limit = Config.Registers.Count;
  if (Config.Registers.Policy == RegisterPolicy::Count &&
      (Limit < MinRegisterLimit || Limit > MaxRegisterLimit || 1ull * Limit * Plan.BlockThreads > BlockRegisters))
    Refuse(BlockerKind::RegisterLimit, fmt::format("{} registers for each of {} threads", Limit, Plan.BlockThreads));
  if (!Refusals.empty())
    return llvm::make_error<Failure>(ExitCode::BadInput, std::move(Refusals));
  return Plan;
}

Dimensions gridDimensions(const KernelFacts &Facts) {
  Dimensions Reads;
  for (int I = 0; I < 3; ++I)
    Reads[I] =
        Facts.Reads[static_cast<size_t>(Builtin::BlockIdx)][I] || Facts.Reads[static_cast<size_t>(Builtin::GridDim)][I];
  return Reads;
}

std::vector<AddedParameter> addedParameters(const KernelFacts &Facts, const FusionPlan &Plan, unsigned Constituent) {
  std::vector<AddedParameter> Added;
  if (!Plan.keepsGrid())
    Added.push_back(AddedParameter::Grid);
  // The last takes what the others leave.
  if (Plan.Shape == Geometry::Blocks && Plan.Grid == GridPolicy::Match && Constituent + 1 < Plan.Roles.size())
    Added.push_back(AddedParameter::Share);
  if (!Facts.DynamicShared.empty() && Plan.Shape == Geometry::Warps)
    Added.push_back(AddedParameter::DynamicOffset);
  if (!Facts.DynamicShared.empty() && Plan.Roles[Constituent].Copies > 1)
    Added.push_back(AddedParameter::DynamicStride);
  return Added;
}

} // namespace cufuse
