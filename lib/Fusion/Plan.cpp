#include "cufuse/Fusion/FusionPlan.h"

#include <fmt/format.h>

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
} // namespace

llvm::Expected<FusionPlan> planFusion(llvm::ArrayRef<const KernelFacts *> Facts, const FusionConfig &Config) {
  FusionPlan Plan;
  Plan.Grid = Config.Grid;
  Plan.Registers = Config.Registers;
  std::vector<Message> Refusals;
  auto Refuse = [&](BlockerKind Kind, std::string Fact, SourcePlace Where = {}) {
    Refusals.push_back(Blocker{Kind, std::move(Where), std::move(Fact)}.message());
  };

  unsigned long long Threads = 0, StaticShared = 0, ParameterBytes = 0;
  unsigned Barriers = 0;
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
    if (Config.Grid == GridPolicy::Stride)
      for (const Finding &Exit : Kernel.ExitsBeforeWarpPrimitive)
        Refuse(BlockerKind::ExitBeforeWarpPrimitive, fmt::format("{}: {}", Kernel.Name, Exit.What), Exit.Where);
    if (Config.Grid == GridPolicy::Stride && Kernel.ArrivesAtBarriers)
      Refuse(BlockerKind::NamedBarrier,
             fmt::format("{} arrives without waiting, which may reach into its next block under --grid-policy stride",
                         Kernel.Name),
             Kernel.Where);
    ParameterBytes += Kernel.ParameterBytes;
    for (unsigned Copy = 0; Copy < Chosen.Copies; ++Copy) {
      PartitionPlan Partition{I, Copy, static_cast<unsigned>(Threads), Chosen.Block, 0, 0};
      Partition.PaddedThreads = (Chosen.Block.threads() + WarpSize - 1) / WarpSize * WarpSize;
      if (synchronises(Kernel, Config.Grid))
        Partition.Barrier = ++Barriers;
      Partition.NamedBarriers = Kernel.NamedBarriers.size();
      Barriers += Partition.NamedBarriers;
      Partition.DropsOut = !Kernel.ExitsBeforeBarrier.empty();
      Threads += Partition.PaddedThreads;
      StaticShared += Kernel.staticSharedBytes() + (Kernel.sharesIndices() ? IndicesBytes : 0) +
                      (Partition.DropsOut ? MeetingBytes : 0);
      Plan.Partitions.push_back(Partition);
    }
  }
  Plan.BlockThreads = Threads;
  // Exited threads do not count for the barrier of a whole block.
  if (Plan.keepsGrid())
    Plan.Partitions[0].DropsOut = false;
  if (Threads > MaxBlockThreads)
    Refuse(BlockerKind::TooManyThreads, fmt::format("{} threads in whole warps", Threads));
  if (Barriers > MaxBarriers)
    Refuse(BlockerKind::TooManyBarriers, std::to_string(Barriers));
  if (StaticShared > MaxStaticShared)
    Refuse(BlockerKind::StaticSharedMemory, fmt::format("{} bytes", StaticShared));
  if (ParameterBytes > MaxParameterBytes)
    Refuse(BlockerKind::ParameterSpace, fmt::format("{} bytes of {}", ParameterBytes, MaxParameterBytes));
  const unsigned Limit = Config.Registers.Count;
  if (Config.Registers.Policy == RegisterPolicy::Count &&
      (Limit < MinRegisterLimit || Limit > MaxRegisterLimit || Limit * Threads > BlockRegisters))
    Refuse(BlockerKind::RegisterLimit, fmt::format("{} registers for each of {} threads", Limit, Threads));
  if (!Refusals.empty())
    return llvm::make_error<Failure>(ExitCode::BadInput, std::move(Refusals));
  return Plan;
}

} // namespace cufuse
