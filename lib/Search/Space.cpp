#include "cufuse/Search/Space.h"

#include "RegisterChoices.h"
#include "cufuse/Model/Predict.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallVectorExtras.h>

#include <algorithm>
#include <set>

namespace cufuse {

namespace {
constexpr unsigned CopyChoices[] = {1, 2, 3, 4, 6, 8};
constexpr unsigned HfuseStep = 128, HfuseThreads = 1024;
constexpr double GoodAlone = 1.2; // times the best: shapes worth a look where blocks run as they do alone
constexpr size_t BestAlone = 2;   // shapes of which several blocks are put together
constexpr unsigned MostTurns = 16;
constexpr double MostImbalance = 1.5; // between the blocks of roles

/// One for each constituent: its blocks in the fused block.
using Shares = std::vector<ConstituentConfig>;

Shares sharesOf(const ConstituentProblem &C) {
  Shares All;
  for (const SoloShape &Shape : C.Shapes)
    for (unsigned Copies : CopyChoices) {
      if (Copies > 1 && (C.isTunable() || Copies > Shape.Blocks))
        break;
      for (unsigned Unroll : C.Unrolls) {
        ConstituentConfig Share{.Block = Shape.Block, .Copies = Copies, .Unroll = Unroll, .Bound = C.Bound};
        if (paddedThreads(Share) <= MaxBlockThreads)
          All.push_back(std::move(Share));
      }
    }
  return All;
}

/// Every choice of one share for each constituent.
std::vector<Shares> combinations(const Problem &P) {
  std::vector<Shares> All{{}};
  for (const ConstituentProblem &C : P.Constituents) {
    std::vector<Shares> Longer;
    for (const Shares &Begun : All)
      for (const ConstituentConfig &Share : sharesOf(C)) {
        Longer.push_back(Begun);
        Longer.back().push_back(Share);
      }
    All = std::move(Longer);
  }
  return All;
}

double imbalance(const Shares &Those) {
  const auto Threads = llvm::map_to_vector(Those, paddedThreads);
  return static_cast<double>(*llvm::max_element(Threads)) / *llvm::min_element(Threads);
}

bool areGoodAlone(const Problem &P, const Shares &Those) {
  return llvm::all_of(llvm::zip(P.Constituents, Those), [](const auto &Each) {
    const auto &[Constituent, Share] = Each;
    return slownessAlone(Constituent, Share.Block) <= GoodAlone;
  });
}

/// Whether each has one of the few shapes that are the best alone, as measured, and is unrolled no more than there.
bool areBestAlone(const Problem &P, const Shares &Those) {
  return areGoodAlone(P, Those) && llvm::all_of(llvm::zip(P.Constituents, Those), [](const auto &Each) {
           const auto &[C, Share] = Each;
           const double Own = slownessAlone(C, Share.Block);
           const auto Better = llvm::count_if(C.Shapes, [&, &C = C](const SoloShape &S) {
             return S.Microseconds > 0 && slownessAlone(C, S.Block) < Own;
           });
           return C.deepening(Share.Unroll) <= 1 && shapeOf(C, Share.Block).Microseconds > 0 &&
                  static_cast<size_t>(Better) < BestAlone;
         });
}

/// As many blocks of the smaller ones together as the largest has threads.
Shares evened(Shares Those) {
  const unsigned Most = *llvm::max_element(llvm::map_to_vector(Those, paddedThreads));
  for (ConstituentConfig &Share : Those)
    Share.Copies *= Most / paddedThreads(Share);
  return Those;
}

class Enumeration {
public:
  explicit Enumeration(const Problem &P) : P(P) {}

  void add(FusionConfig Config) {
    Candidate New{std::move(Config)};
    if (isOffered(New.Config) && predict(P, New.Config).ResidentBlocks > 0 && Keys.insert(New.key()).second)
      Space.push_back(std::move(New));
  }

  void warps(const Shares &Those) {
    for (GridPolicy Grid : {GridPolicy::Match, GridPolicy::Stride, GridPolicy::Pool}) {
      FusionConfig Config{Those, Geometry::Warps, Grid};
      if (fusedThreads(Config) > MaxBlockThreads)
        return;
      for (const RegisterLimit &Limit : limitChoices(P, Config)) {
        // The counter costs what `Stride` does and a little more; it needs no search of its own over registers.
        if (Grid == GridPolicy::Pool && Limit.Policy != RegisterPolicy::None)
          continue;
        Config.Registers = Limit;
        add(Config);
      }
      if (Grid != GridPolicy::Pool)
        for (FusionConfig &Split : splitChoices(P, Config))
          add(std::move(Split));
    }
  }

  void blocks(const Shares &Those) {
    for (GridPolicy Grid : {GridPolicy::Match, GridPolicy::Pool}) {
      FusionConfig Config{Those, Geometry::Blocks, Grid};
      for (const RegisterLimit &Limit : limitChoices(P, Config)) {
        Config.Registers = Limit;
        add(Config);
      }
    }
    FusionConfig Config{Those, Geometry::Blocks, GridPolicy::Stride};
    for (const RegisterLimit &Limit : limitChoices(P, Config)) {
      if (Limit.Policy == RegisterPolicy::Free)
        continue;
      Config.Registers = Limit;
      const unsigned Resident = Limit.MinBlocks > 0 ? Limit.MinBlocks : predict(P, Config).ResidentBlocks;
      auto AddRoles = [&](llvm::ArrayRef<unsigned> Roles) {
        for (size_t I = 0; I < Roles.size(); ++I)
          Config.Constituents[I].ResidentBlocks = Roles[I];
        add(Config);
      };
      for (const std::vector<unsigned> &Roles : rolesOf(Resident, Those.size()))
        AddRoles(Roles);
      if (Those.size() != 2)
        continue;
      for (unsigned Eighths = 1; Eighths <= 7; ++Eighths)
        if (const unsigned Own = (Resident * Eighths + 4) / 8; Own > 0 && Own < Resident) {
          AddRoles({Own, 0});
          AddRoles({0, Own});
        }
    }
  }

  void threads(const Shares &Those) {
    FusionConfig Config{Those, Geometry::Threads, GridPolicy::Match};
    for (const RegisterLimit &Limit : limitChoices(P, Config)) {
      Config.Registers = Limit;
      add(Config);
      add(withTurns(Config));
    }
  }

  std::vector<Candidate> take() { return std::move(Space); }

private:
  /// More unrolled than alone are only resident blocks beside a constituent that follows them.
  bool isOffered(const FusionConfig &Config) const {
    const bool HasRoles = Config.Shape == Geometry::Blocks && Config.Grid == GridPolicy::Stride;
    const bool Follows =
        llvm::any_of(Config.Constituents, [](const ConstituentConfig &C) { return C.ResidentBlocks == 0; });
    return llvm::all_of(llvm::zip(P.Constituents, Config.Constituents), [&](const auto &Each) {
      const auto &[Constituent, C] = Each;
      return Constituent.deepening(C.Unroll) <= 1 || (HasRoles && Follows && C.ResidentBlocks > 0);
    });
  }

  /// Those of larger grids as often as they have more blocks, so that all play until the end.
  FusionConfig withTurns(FusionConfig Config) const {
    std::vector<std::uint64_t> Groups;
    for (size_t I = 0; I < Config.Constituents.size(); ++I) {
      const ConstituentConfig &C = Config.Constituents[I];
      Groups.push_back(std::max<std::uint64_t>(shapeOf(P.Constituents[I], C.Block).Blocks / C.Copies, 1));
    }
    const std::uint64_t Fewest = *llvm::min_element(Groups);
    for (size_t I = 0; I < Groups.size(); ++I)
      if (const std::uint64_t Turns = Groups[I] / Fewest; Turns <= MostTurns)
        Config.Constituents[I].Turns = static_cast<unsigned>(Turns);
    return Config;
  }

  /// Ways to give `Resident` blocks to roles: for two, in steps of an eighth from a quarter to three quarters; for
  /// more, evenly, with what is left over at each in turn. Some may be the same.
  static std::vector<std::vector<unsigned>> rolesOf(unsigned Resident, size_t Roles) {
    std::vector<std::vector<unsigned>> Ways;
    if (Resident < Roles)
      return Ways;
    if (Roles == 2)
      for (unsigned Eighths = 2; Eighths <= 6; ++Eighths) {
        const unsigned First = std::clamp((Resident * Eighths + 4) / 8, 1u, Resident - 1);
        Ways.push_back({First, Resident - First});
      }
    else
      for (size_t Favoured = 0; Favoured < Roles; ++Favoured) {
        Ways.emplace_back(Roles, Resident / Roles);
        Ways.back()[Favoured] += Resident % Roles;
      }
    return Ways;
  }

  const Problem &P;
  std::vector<Candidate> Space;
  std::set<std::string> Keys;
};
} // namespace

std::vector<Candidate> enumerateSpace(const Problem &P) {
  Enumeration All(P);
  if (P.Constituents.size() < 2)
    return {};
  const std::vector<Shares> Combinations = combinations(P);
  double Least = imbalance(Combinations.front());
  for (const Shares &Those : Combinations)
    Least = std::min(Least, imbalance(Those));
  for (const Shares &Those : Combinations) {
    All.warps(Those);
    if (imbalance(Those) <= std::max(Least, MostImbalance) && areGoodAlone(P, Those))
      All.blocks(Those);
    if (imbalance(Those) <= Least && areGoodAlone(P, Those))
      All.threads(Those);
    if (const Shares Even = evened(Those); areBestAlone(P, Those) && imbalance(Even) <= MostImbalance) {
      All.blocks(Even);
      All.threads(Even);
    }
  }
  return All.take();
}

/// Partitions of fixed blocks keep them; the others share what remains.
static bool isOfHfuse(const Problem &P, const FusionConfig &Config) {
  bool AnyTunable = false;
  for (const auto &[Constituent, C] : llvm::zip(P.Constituents, Config.Constituents)) {
    AnyTunable |= Constituent.isTunable();
    if (C.Copies > 1 || (Constituent.isTunable() && paddedThreads(C) % HfuseStep != 0))
      return false;
  }
  const unsigned Threads = fusedThreads(Config);
  return Threads <= HfuseThreads && (!AnyTunable || HfuseThreads - Threads < HfuseStep);
}

std::vector<Candidate> enumerateHfuseSpace(const Problem &P) {
  Enumeration All(P);
  for (Shares &Those : combinations(P)) {
    FusionConfig Config{std::move(Those)};
    for (ConstituentConfig &C : Config.Constituents)
      C.Unroll = 0;
    if (!isOfHfuse(P, Config))
      continue;
    All.add(Config);
    const std::optional<unsigned> Blocks = hfuseBlocks(P, Config);
    Config.Registers = {RegisterPolicy::Bound, 0, Blocks.value_or(0)};
    const bool Known = llvm::all_of(llvm::zip(P.Constituents, Config.Constituents), [](const auto &Each) {
      return shapeOf(std::get<0>(Each), std::get<1>(Each).Block).Resources.has_value();
    });
    if (Blocks || !Known) // known, and not one block fits: there is no bound
      All.add(std::move(Config));
  }
  return All.take();
}

} // namespace cufuse
