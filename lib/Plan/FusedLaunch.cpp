#include "cufuse/Plan/FusedLaunch.h"

#include "cufuse/Cuda/OnHost.h"

#include <fmt/core.h>
#include <llvm/ADT/STLExtras.h>

#include <cstring>

namespace cufuse {

namespace {

constexpr std::uint64_t MostBlocks = 0x7fffffff, MostBytes = 0x7fffffff;

template <typename Value> std::vector<std::uint8_t> bytesOf(const Value &V) {
  std::vector<std::uint8_t> Bytes(sizeof(Value));
  std::memcpy(Bytes.data(), &V, sizeof(Value));
  return Bytes;
}

emitted::dim3 gridOf(const ConstituentLaunch &Launch) { return {Launch.Grid[0], Launch.Grid[1], Launch.Grid[2]}; }

llvm::Error impossible(const KernelFacts &Facts, const ConstituentLaunch &Launch) {
  return badInput(fmt::format("{} cannot be launched with a grid of {}x{}x{}", Facts.Name, Launch.Grid[0],
                              Launch.Grid[1], Launch.Grid[2]),
                  "use 1 to 2^31 - 1 blocks, in the dimensions that the kernel reads");
}

} // namespace

std::string fusedEntry(const FusionPlan &Plan, const std::string &Name) {
  return fmt::format("_ZN{}{}{}E", Name.size(), Name, Plan.hasBound() ? "11fused_bound" : "5fused");
}

llvm::Expected<FusedLaunch> launchOf(llvm::ArrayRef<const KernelFacts *> Facts, const FusionPlan &Plan,
                                     const std::string &Name, llvm::ArrayRef<ConstituentLaunch> Launches,
                                     unsigned Resident, unsigned Multiprocessors) {
  FusedLaunch Fused;
  Fused.Kernel = fusedEntry(Plan, Name);
  Fused.Block = {Plan.BlockThreads, 1, 1};
  if (const BlockShape &Own = Plan.Partitions[0].Block; Plan.keepsBlock())
    Fused.Block = {Own.X, Own.Y, Own.Z};

  std::vector<std::uint32_t> Blocks;
  std::vector<std::uint64_t> Needed; // fused blocks
  std::vector<std::uint64_t> Offsets, Strides;
  std::uint64_t Dynamic = 0, Sum = 0, Most = 0;
  const bool Wide = llvm::any_of(Facts, [](const KernelFacts *Each) { return Each->DynamicAlignment > 128; });
  const unsigned Alignment = Wide ? 1024 : 128;
  for (size_t I = 0; I < Facts.size(); ++I) {
    const ConstituentLaunch &Launch = Launches[I];
    Blocks.push_back(emitted::blocksOf(gridOf(Launch), gridDimensions(*Facts[I])));
    if (Blocks[I] == 0 || Launch.Grid[0] > mostBlocksInX(*Facts[I], Plan, I).value_or(MostBlocks))
      return impossible(*Facts[I], Launch);
    const unsigned Copies = Plan.Roles[I].Copies;
    const unsigned Each = Plan.blocksAtOnce(I);
    Needed.push_back((std::uint64_t(Blocks[I]) + Each - 1) / Each);
    Sum += Needed[I];
    Most = std::max(Most, Needed[I]);
    Strides.push_back(Facts[I]->DynamicShared.empty() ? 0
                      : Plan.DynamicBlocks == 1       ? Launch.DynamicBytes
                                                      : emitted::strideOf(Launch.DynamicBytes, Alignment));
    Offsets.push_back(Dynamic);
    Dynamic = Plan.Shape == Geometry::Warps ? Dynamic + Copies * Strides[I] : std::max(Dynamic, Copies * Strides[I]);
  }
  if (Dynamic > MostBytes)
    return badInput(fmt::format("{} bytes of dynamic shared memory", Dynamic), "use smaller blocks or fewer copies");
  Fused.DynamicBytes = Dynamic;

  if (Plan.ResidentBlocks > 0)
    Resident = std::min(Resident, Plan.ResidentBlocks);
  auto PlayersOf = [&](size_t I) {
    return emitted::inEvenRounds(static_cast<unsigned>(Needed[I]), Plan.Roles[I].ResidentBlocks * Multiprocessors);
  };
  std::uint64_t All = Plan.Shape == Geometry::Blocks ? Sum : Most;
  if (Plan.hasRoles()) {
    All = 0;
    for (size_t I = 0; I < Facts.size(); ++I)
      All += Plan.following() == I ? Needed[I] : PlayersOf(I);
  } else if (Plan.Grid != GridPolicy::Match)
    All = std::min(All, std::uint64_t(Resident) * Multiprocessors);
  if (All == 0 || All > MostBlocks || Most > 0xffffffff / Plan.mostBlocksAtOnce())
    return badInput(fmt::format("a fused grid of {} blocks", All), "use smaller grids, or fewer registers");
  Fused.Grid = {static_cast<std::uint32_t>(All), 1, 1};
  if (Plan.keepsGrid())
    Fused.Grid = Launches[0].Grid;

  std::uint64_t Left = All;
  for (size_t I = 0; I < Facts.size(); ++I) {
    for (const ParameterFacts &P : Facts[I]->Parameters)
      Fused.Parameters.push_back({static_cast<int>(I), P.Name, {}, 0});
    for (AddedParameter Added : addedParameters(*Facts[I], Plan, I)) {
      FusedParameter Computed;
      switch (Added) {
      case AddedParameter::Grid:
        Computed.Bytes = bytesOf(emitted::gridOf(gridOf(Launches[I]), gridDimensions(*Facts[I])));
        break;
      case AddedParameter::Blocks:
        Computed.Bytes = bytesOf(Blocks[I]);
        break;
      case AddedParameter::Share:
        Computed.Bytes = bytesOf(emitted::shareOf(Needed[I], Left, All, Multiprocessors));
        Left -= Needed[I];
        break;
      case AddedParameter::Resident:
        Computed.Bytes = bytesOf(PlayersOf(I));
        break;
      case AddedParameter::Place:
        Computed.Bytes = bytesOf(0u); // no other launch runs
        break;
      case AddedParameter::Maps:
        return badInput("a kernel with tensor maps is launched by its own launcher alone", "", Facts[I]->Where);
      case AddedParameter::Pools:
        Computed.ZeroedBytes = poolCounters(Plan) * sizeof(std::uint32_t);
        break;
      case AddedParameter::DynamicOffset:
        Computed.Bytes = bytesOf(static_cast<std::uint32_t>(Offsets[I]));
        break;
      case AddedParameter::DynamicStride:
        Computed.Bytes = bytesOf(static_cast<std::uint32_t>(Strides[I]));
        break;
      }
      Fused.Parameters.push_back(std::move(Computed));
    }
  }
  return Fused;
}

} // namespace cufuse
