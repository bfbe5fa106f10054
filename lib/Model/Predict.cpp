#include "cufuse/Model/Predict.h"

#include "cufuse/Model/ResourceBound.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Support/MathExtras.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>

namespace cufuse {

namespace {
// Fitted by eye to runs on an H200; a search corrects them by what it measures.
constexpr double Interleaving = 0.93; // whole blocks of two kernels hide some of each other's latency
// What ptxas spills is counted once, however often it runs, and most of it outside the busiest loop: a thousand bytes
// cost hardly more than a hundred.
constexpr double SpillCost = 0.05, FewSpillBytes = 16; // per thread, of stores and loads
constexpr double MissingRegisterBytes = 8;             // a register is stored and loaded
constexpr double AssumedIssueShare = 0.45;             // issue-slot utilisation of a kernel without counters
constexpr ResourceUse Unknown{.Registers = 40};

/// A constituent in the fused kernel.
struct Part {
  double Solo = 0;                       ///< Microseconds alone, all of it.
  double Slowdown = 1;                   ///< Of its rate, with the warps that it has.
  double Blocks = 1;                     ///< Fused blocks that its grid needs in one shot.
  double Fills = 1;                      ///< Share of the slots for blocks that these take.
  bool Follows = false;                  ///< Behind the resident blocks of the others, in the room that they leave.
  std::map<std::string, double> Demands; ///< Microseconds of each resource.
  double whole() const { return Solo * Slowdown; }
};

/// The shape of the constituent alone that is nearest to the one chosen.
const SoloShape &nearestShape(const ConstituentProblem &C, const BlockShape &Block) {
  auto Distance = [&](const SoloShape &S) {
    return std::pair(S.Microseconds <= 0, std::abs(std::log2(static_cast<double>(S.Block.threads())) -
                                                   std::log2(static_cast<double>(Block.threads()))));
  };
  return *std::min_element(C.Shapes.begin(), C.Shapes.end(),
                           [&](const SoloShape &A, const SoloShape &B) { return Distance(A) < Distance(B); });
}

/// A kernel's rate grows as the root of its warps: between that of one whose busiest resource is saturated, which does
/// not, and that of one bound by latency, which is in proportion.
double rateLoss(double Warps, double SoloWarps) {
  return Warps >= SoloWarps || Warps <= 0 ? 1 : std::sqrt(SoloWarps / Warps);
}

/// The busiest shared resource, when `Share` of each part's work is done.
template <typename ShareOf> double busiest(const std::vector<Part> &Parts, ShareOf Share) {
  std::map<std::string, double> Sums;
  for (const Part &P : Parts)
    for (const auto &[Resource, Microseconds] : P.Demands)
      Sums[Resource] += Microseconds * Share(P);
  double Most = 0;
  for (const auto &[Resource, Microseconds] : Sums)
    Most = std::max(Most, Microseconds);
  return Most;
}

/// Side by side: what every part does until the first has no blocks left, and then the rest.
double sideBySide(const std::vector<Part> &Parts, bool Loops) {
  double FewestBlocks = Parts.front().Blocks;
  for (const Part &P : Parts)
    FewestBlocks = std::min(FewestBlocks, P.Blocks);
  auto Share = [&](const Part &P) { return Loops ? 1.0 : FewestBlocks / P.Blocks; };
  double Together = busiest(Parts, Share), Rest = 0;
  for (const Part &P : Parts) {
    Together = std::max(Together, P.whole() * Share(P));
    Rest = std::max(Rest, P.whole() * (1 - Share(P)));
  }
  return Together + Rest;
}

/// One in the room that resident blocks of the others leave, and with all of it when those are done.
double following(const std::vector<Part> &Parts) {
  double Residents = 0, Beside = 0, Alone = 0;
  for (const Part &P : Parts)
    if (P.Follows)
      Beside = P.whole(), Alone = P.Solo;
    else
      Residents = std::max(Residents, P.whole());
  const double Time = Beside <= Residents ? Residents : Residents + Alone * (1 - Residents / Beside);
  return std::max(busiest(Parts, [](const Part &) { return 1.0; }), Time);
}

/// One after the other on the same threads, or the same slots as far as they fill them. Where the smallest grid has
/// more than `Slots` blocks, those of a larger one go on alone behind it; fewer are there from the start, and last.
double inTurn(const std::vector<Part> &Parts, double Slots) {
  double Fewest = Parts.front().Blocks;
  for (const Part &P : Parts)
    Fewest = std::min(Fewest, P.Blocks);
  double Sum = 0, Longest = 0;
  for (const Part &P : Parts) {
    const double Mixed = Fewest > Slots ? Fewest / P.Blocks : 1;
    Sum += P.whole() * P.Fills * (Mixed * Interleaving + 1 - Mixed);
    Longest = std::max(Longest, P.whole());
  }
  return std::max({busiest(Parts, [](const Part &) { return 1.0; }), Longest, Sum});
}
} // namespace

unsigned paddedThreads(const ConstituentConfig &C) {
  return static_cast<unsigned>(llvm::alignTo(C.Block.threads(), WarpSize)) * C.Copies;
}

unsigned fusedThreads(const FusionConfig &Config) {
  unsigned Sum = 0, Most = 0;
  for (const ConstituentConfig &C : Config.Constituents) {
    Sum += paddedThreads(C);
    Most = std::max(Most, paddedThreads(C));
  }
  return Config.Shape == Geometry::Warps ? Sum : Most;
}

Prediction predict(const Problem &P, const FusionConfig &Config, const std::optional<ResourceUse> &Compiled) {
  const SmLimits Sm = smLimits(P.Gpu.Arch);
  const unsigned Threads = fusedThreads(Config);
  const bool Warps = Config.Shape == Geometry::Warps;

  // What the bodies want, and what the fused block gets.
  BlockUse Use{Threads, 0, 0, 0};
  std::uint64_t Static = 0, Dynamic = 0;
  for (size_t I = 0; I < P.Constituents.size(); ++I) {
    const SoloShape &Solo = nearestShape(P.Constituents[I], Config.Constituents[I].Block);
    const ResourceUse Own = Solo.Resources.value_or(Unknown);
    const unsigned Copies = Config.Constituents[I].Copies;
    Use.Registers = std::max(Use.Registers, Own.Registers);
    // Of `Warps`, all partitions hold their memory at once; otherwise the bodies' static arrays still lie apart.
    Static += std::uint64_t(Own.SharedBytes) * Copies;
    Dynamic = Warps ? Dynamic + Solo.DynamicBytes * Copies : std::max(Dynamic, Solo.DynamicBytes * Copies);
    Use.Barriers += Own.Barriers > 0 ? Copies : 0;
  }
  const RegisterPolicy Policy = Config.Registers.Policy;
  // The block's threads alone bound them.
  unsigned Allowed = std::max(16u, registersForResidency(Sm, Threads, std::max(1u, Config.Registers.MinBlocks)));
  if (Policy == RegisterPolicy::Count)
    Allowed = std::min(Allowed, Config.Registers.Count);
  const unsigned Wanted = Use.Registers;
  Use.Registers = Policy == RegisterPolicy::Split ? Allowed : std::min(Wanted, Allowed);
  if (Compiled) {
    Use.Registers = std::max(1u, Compiled->Registers);
    Static = Compiled->SharedBytes;
    Use.Barriers = Compiled->Barriers;
  }
  Use.SharedBytes = Static + Dynamic;
  unsigned Resident = occupancyOf(Sm, Use).Blocks;
  if (Resident == 0)
    return {};
  const bool Roles = Config.Shape == Geometry::Blocks && Config.Grid == GridPolicy::Stride;
  if (Config.ResidentBlocks > 0 && Config.Grid != GridPolicy::Match)
    Resident = std::min(Resident, Config.ResidentBlocks);

  unsigned Room = Resident; // that resident roles leave
  for (const ConstituentConfig &C : Config.Constituents)
    Room -= Roles ? std::min(C.ResidentBlocks, Room) : 0;
  std::vector<Part> Parts;
  unsigned MissingRegisters = 0;
  for (size_t I = 0; I < P.Constituents.size(); ++I) {
    const ConstituentProblem &Constituent = P.Constituents[I];
    const ConstituentConfig &Chosen = Config.Constituents[I];
    const SoloShape &Solo = nearestShape(Constituent, Chosen.Block);
    Part New;
    New.Solo = Solo.Microseconds > 0 ? Solo.Microseconds : 1000;
    // Most shapes were only timed; what the kernel asks of the GPU hardly depends on its shape.
    New.Demands = demandsOf(Solo.Counters.empty() ? Constituent.best() : Solo, P.Gpu);
    if (New.Demands.empty())
      New.Demands["issue slots"] = AssumedIssueShare * New.Solo;
    New.Blocks = std::max(1.0, static_cast<double>(Solo.Blocks) / Chosen.Copies / Chosen.Turns);
    const unsigned SoloThreads = static_cast<unsigned>(Solo.Block.threads());
    const ResourceUse Alone = Solo.Resources.value_or(Unknown);
    const BlockUse SoloUse{SoloThreads, Alone.Registers, Solo.DynamicBytes + Alone.SharedBytes, 0};
    const double BlockWarps = std::ceil(SoloThreads / double(WarpSize));
    // A small grid has fewer warps on an SM than there is room for.
    const double SoloWarps =
        std::clamp(std::ceil(static_cast<double>(Solo.Blocks) / P.Gpu.Multiprocessors) * BlockWarps, 1.0,
                   std::max(1.0, static_cast<double>(occupancyOf(Sm, SoloUse).Warps)));
    if (Config.Shape == Geometry::Blocks)
      New.Fills = std::min(1.0, New.Blocks / (static_cast<double>(P.Gpu.Multiprocessors) * Resident));
    New.Follows = Roles && Chosen.ResidentBlocks == 0;
    const unsigned Blocks = New.Follows ? Room : Roles ? std::min(Chosen.ResidentBlocks, Resident) : Resident;
    // Warps with more loads in flight than alone count as more of them.
    const double Deeper = Constituent.deepening(Chosen.Unroll);
    New.Slowdown = rateLoss(Deeper * Blocks * paddedThreads(Chosen) / WarpSize, SoloWarps);
    const unsigned Own = Policy == RegisterPolicy::Split ? Chosen.RegisterBudget : Allowed;
    if (Own < Alone.Registers)
      MissingRegisters = std::max(MissingRegisters, Alone.Registers - Own);
    Parts.push_back(std::move(New));
  }
  const bool Follows = llvm::any_of(Parts, [](const Part &P) { return P.Follows; });
  const bool OneTurn = Config.Shape == Geometry::Threads;
  const double Slots =
      OneTurn ? static_cast<double>(P.Gpu.Multiprocessors) * Resident : std::numeric_limits<double>::infinity();
  double Time = Warps     ? sideBySide(Parts, Config.Grid != GridPolicy::Match)
                : Follows ? following(Parts)
                : Roles   ? sideBySide(Parts, true)
                          : inTurn(Parts, Slots);
  const double SpillBytes =
      Compiled ? Compiled->SpillStores + Compiled->SpillLoads : MissingRegisters * MissingRegisterBytes;
  return {Time * (1 + SpillCost * std::log1p(SpillBytes / FewSpillBytes)), Resident, SpillBytes};
}

} // namespace cufuse
