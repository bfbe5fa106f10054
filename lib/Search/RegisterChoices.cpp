#include "RegisterChoices.h"

#include "cufuse/Gpu/RegisterBound.h"
#include "cufuse/Model/Predict.h"
#include "cufuse/Plan/FusionPlan.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Support/MathExtras.h>

#include <algorithm>

namespace cufuse {

namespace {
constexpr unsigned Warpgroup = 128;
constexpr unsigned BudgetStep = 8, MinBudget = 24, MaxBudget = 248; // setmaxnreg takes 24…256; 255 can be named
constexpr double WorstCut = 0.45; // a bound below this share of what a body wants only spills
constexpr double WorstBudget = 0.7;

/// Of each constituent alone; empty when one is not known.
std::vector<unsigned> soloRegisters(const Problem &P, const FusionConfig &Config) {
  std::vector<unsigned> Registers;
  for (size_t I = 0; I < P.Constituents.size(); ++I) {
    const SoloShape &Shape = shapeOf(P.Constituents[I], Config.Constituents[I].Block);
    if (!Shape.Resources)
      return {};
    Registers.push_back(Shape.Resources->Registers);
  }
  return Registers;
}

} // namespace

const SoloShape &shapeOf(const ConstituentProblem &C, const BlockShape &Block) {
  const auto Same = llvm::find_if(C.Shapes, [&](const SoloShape &S) { return S.Block == Block; });
  return Same != C.Shapes.end() ? *Same : C.best();
}

double slownessAlone(const ConstituentProblem &C, const BlockShape &Block) {
  const double Own = shapeOf(C, Block).Microseconds, Best = C.best().Microseconds;
  return Own > 0 && Best > 0 ? Own / Best : 1;
}

std::optional<unsigned> hfuseBlocks(const Problem &P, const FusionConfig &Config) {
  const std::vector<unsigned> Registers = soloRegisters(P, Config);
  if (Registers.empty())
    return std::nullopt;
  std::vector<SoloUse> Solo;
  std::uint64_t Sum = 0, Most = 0;
  for (size_t I = 0; I < Registers.size(); ++I) {
    const ConstituentConfig &C = Config.Constituents[I];
    const SoloShape &Shape = shapeOf(P.Constituents[I], C.Block);
    const std::uint64_t Shared = (Shape.DynamicBytes + Shape.Resources->SharedBytes) * C.Copies;
    Sum += Shared;
    Most = std::max(Most, Shared);
    Solo.push_back({paddedThreads(C), Registers[I]});
  }
  const bool Warps = Config.Shape == Geometry::Warps;
  if (!Warps)
    Solo = {{fusedThreads(Config), *llvm::max_element(Registers)}};
  const auto Bound = hfuseRegisterBound(smLimits(P.Gpu.Arch), Solo, static_cast<unsigned>(Warps ? Sum : Most));
  return Bound ? std::optional(Bound->BlocksPerSm) : std::nullopt;
}

std::vector<RegisterLimit> limitChoices(const Problem &P, const FusionConfig &Config) {
  std::vector<RegisterLimit> Limits{{RegisterPolicy::None, 0, 0}, {RegisterPolicy::Free, 0, 0}};
  const std::vector<unsigned> Registers = soloRegisters(P, Config);
  if (Registers.empty()) {
    Limits.push_back({RegisterPolicy::Bound, 0, 0});
    return Limits;
  }
  const SmLimits Sm = smLimits(P.Gpu.Arch);
  const unsigned Threads = fusedThreads(Config), Wanted = *llvm::max_element(Registers);
  const unsigned B0 = hfuseBlocks(P, Config).value_or(1);
  const unsigned Most = std::min(Sm.Threads / Threads, Sm.Blocks);
  // One resident block is what `Free` asks for.
  for (unsigned Blocks = std::max(2u, B0 - std::min(B0, 1u)); Blocks <= std::min(B0 + 2, Most); ++Blocks) {
    const unsigned Allowed = registersForResidency(Sm, Threads, Blocks);
    // A partition may want somewhat more than its kernel alone; beyond that, the bound does not bind.
    if (Allowed >= WorstCut * Wanted && Allowed < Wanted + 4 * BudgetStep)
      Limits.push_back({RegisterPolicy::Bound, 0, Blocks});
  }
  return Limits;
}

std::vector<FusionConfig> splitChoices(const Problem &P, const FusionConfig &Config) {
  const std::vector<unsigned> Registers = soloRegisters(P, Config);
  if (Registers.size() < 2 || !hasRegisterBudgets(P.Gpu.Arch))
    return {};
  for (const ConstituentConfig &C : Config.Constituents)
    if (llvm::alignTo(static_cast<unsigned>(C.Block.threads()), WarpSize) % Warpgroup != 0)
      return {};
  const SmLimits Sm = smLimits(P.Gpu.Arch);
  const unsigned Threads = fusedThreads(Config), Wanted = *llvm::max_element(Registers);
  std::vector<FusionConfig> Choices;
  for (unsigned Blocks = 1; Blocks <= Sm.Threads / Threads; ++Blocks) {
    const unsigned Launch = registersForResidency(Sm, Threads, Blocks);
    if (Launch >= Wanted) // without pressure there is nothing to split
      continue;
    // One constituent gets about what it wants, the last one the rest.
    std::vector<std::vector<unsigned>> Tried;
    for (size_t First = 0; First < Registers.size(); ++First)
      for (int More : {0, -1, 1}) {
        std::vector<unsigned> Budgets(Registers.size());
        unsigned Left = Threads * Launch, LeftWanted = 0;
        for (size_t I = 0; I < Registers.size(); ++I)
          LeftWanted += I == First ? 0 : Registers[I] * paddedThreads(Config.Constituents[I]);
        const int Own =
            static_cast<int>(llvm::alignTo(Registers[First], BudgetStep)) + More * static_cast<int>(BudgetStep);
        Budgets[First] = std::clamp(Own, int(MinBudget), int(MaxBudget));
        const unsigned Taken = Budgets[First] * paddedThreads(Config.Constituents[First]);
        if (Taken >= Left)
          continue;
        Left -= Taken;
        bool Enough = Budgets[First] >= WorstBudget * Registers[First];
        for (size_t I = 0; I < Registers.size() && Enough; ++I) {
          if (I == First)
            continue;
          const double Share = static_cast<double>(Left) / LeftWanted;
          Budgets[I] = std::min(static_cast<unsigned>(Registers[I] * Share) / BudgetStep * BudgetStep, MaxBudget);
          Enough = Budgets[I] >= MinBudget && Budgets[I] >= WorstBudget * Registers[I];
        }
        // Equal budgets are what the launch count gives already.
        if (!Enough || llvm::all_equal(Budgets) || llvm::is_contained(Tried, Budgets))
          continue;
        Tried.push_back(Budgets);
        FusionConfig Choice = Config;
        Choice.Registers = {RegisterPolicy::Split, Launch, Blocks};
        for (size_t I = 0; I < Budgets.size(); ++I)
          Choice.Constituents[I].RegisterBudget = Budgets[I];
        Choices.push_back(std::move(Choice));
      }
  }
  return Choices;
}

} // namespace cufuse
