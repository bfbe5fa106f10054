#include "cufuse/Search/Space.h"

#include "RegisterChoices.h"
#include "cufuse/Model/Predict.h"

#include <llvm/ADT/STLExtras.h>

#include <algorithm>
#include <functional>
#include <set>

namespace cufuse {

namespace {
constexpr unsigned CopyChoices[] = {1, 2, 3, 4, 6, 8};
constexpr unsigned HfuseStep = 128, HfuseThreads = 1024;
constexpr double GoodAlone = 1.2; // times the best: shapes worth a look where blocks run as they do alone
constexpr size_t BestAlone = 2;   // shapes of which several blocks are put together
constexpr unsigned MostTurns = 16;
constexpr double MostImbalance = 1.5; // between the blocks of roles

/// One constituent's blocks in the fused block.
struct Share {
  ConstituentConfig Config;
  unsigned Threads; ///< In whole warps.
};

std::vector<Share> sharesOf(const ConstituentProblem &C) {
  std::vector<Share> Shares;
  for (const SoloShape &Shape : C.Shapes)
    for (unsigned Copies : CopyChoices) {
      if (Copies > 1 && (C.isTunable() || Copies > Shape.Blocks))
        break;
      const unsigned Padded = static_cast<unsigned>((Shape.Block.threads() + WarpSize - 1) / WarpSize * WarpSize);
      if (Padded * Copies > MaxBlockThreads)
        break;
      for (unsigned Unroll : C.Unrolls) {
        ConstituentConfig Config;
        Config.Block = Shape.Block;
        Config.Copies = Copies;
        Config.Unroll = Unroll;
        Config.Bound = C.Bound;
        Shares.push_back({std::move(Config), Padded * Copies});
      }
    }
  return Shares;
}

/// Every choice of one share for each constituent.
std::vector<std::vector<Share>> combinations(const Problem &P) {
  std::vector<std::vector<Share>> All{{}};
  for (const ConstituentProblem &C : P.Constituents) {
    std::vector<std::vector<Share>> Longer;
    for (const std::vector<Share> &Begun : All)
      for (const Share &S : sharesOf(C)) {
        Longer.push_back(Begun);
        Longer.back().push_back(S);
      }
    All = std::move(Longer);
  }
  return All;
}

double imbalance(llvm::ArrayRef<Share> Shares) {
  unsigned Least = Shares.front().Threads, Most = Least;
  for (const Share &S : Shares) {
    Least = std::min(Least, S.Threads);
    Most = std::max(Most, S.Threads);
  }
  return static_cast<double>(Most) / Least;
}

bool areGoodAlone(const Problem &P, llvm::ArrayRef<Share> Shares) {
  for (size_t I = 0; I < Shares.size(); ++I)
    if (slownessAlone(P.Constituents[I], Shares[I].Config.Block) > GoodAlone)
      return false;
  return true;
}

/// Whether each has one of the few shapes that are the best alone, as measured, and is unrolled no more than there.
bool areBestAlone(const Problem &P, llvm::ArrayRef<Share> Shares) {
  if (!areGoodAlone(P, Shares))
    return false;
  for (size_t I = 0; I < Shares.size(); ++I) {
    const ConstituentProblem &C = P.Constituents[I];
    const double Own = slownessAlone(C, Shares[I].Config.Block);
    const auto Better = llvm::count_if(
        C.Shapes, [&](const SoloShape &S) { return S.Microseconds > 0 && slownessAlone(C, S.Block) < Own; });
    if (C.deepening(Shares[I].Config.Unroll) > 1 || shapeOf(C, Shares[I].Config.Block).Microseconds <= 0 ||
        static_cast<size_t>(Better) >= BestAlone)
      return false;
  }
  return true;
}

/// As many blocks of the smaller ones together as the largest has threads.
std::vector<Share> evened(llvm::ArrayRef<Share> Shares) {
  unsigned Most = 0;
  for (const Share &S : Shares)
    Most = std::max(Most, S.Threads);
  std::vector<Share> Even(Shares);
  for (Share &S : Even) {
    const unsigned Times = Most / S.Threads;
    S.Config.Copies *= Times;
    S.Threads *= Times;
  }
  return Even;
}

FusionConfig configOf(llvm::ArrayRef<Share> Shares, Geometry Shape, GridPolicy Grid) {
  FusionConfig Config;
  Config.Shape = Shape;
  Config.Grid = Grid;
  for (const Share &S : Shares)
    Config.Constituents.push_back(S.Config);
  return Config;
}

class Enumeration {
public:
  explicit Enumeration(const Problem &P) : P(P) {}

  void add(FusionConfig Config) {
    Candidate New{std::move(Config)};
    if (isOffered(New.Config) && predict(P, New.Config).ResidentBlocks > 0 && Keys.insert(New.key()).second)
      Space.push_back(std::move(New));
  }

  void warps(llvm::ArrayRef<Share> Shares) {
    unsigned Threads = 0;
    for (const Share &S : Shares)
      Threads += S.Threads;
    if (Threads > MaxBlockThreads)
      return;
    for (GridPolicy Grid : {GridPolicy::Match, GridPolicy::Stride, GridPolicy::Pool}) {
      FusionConfig Config = configOf(Shares, Geometry::Warps, Grid);
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

  void blocks(llvm::ArrayRef<Share> Shares) {
    for (GridPolicy Grid : {GridPolicy::Match, GridPolicy::Pool}) {
      FusionConfig Config = configOf(Shares, Geometry::Blocks, Grid);
      for (const RegisterLimit &Limit : limitChoices(P, Config)) {
        Config.Registers = Limit;
        add(Config);
      }
    }
    FusionConfig Config = configOf(Shares, Geometry::Blocks, GridPolicy::Stride);
    const std::vector<RegisterLimit> Limits = limitChoices(P, Config);
    for (const RegisterLimit &Limit : Limits) {
      if (Limit.Policy == RegisterPolicy::Free)
        continue;
      Config.Registers = Limit;
      const unsigned Resident = Limit.MinBlocks > 0 ? Limit.MinBlocks : predict(P, Config).ResidentBlocks;
      auto AddRoles = [&](llvm::ArrayRef<unsigned> Roles) {
        for (size_t I = 0; I < Roles.size(); ++I)
          Config.Constituents[I].ResidentBlocks = Roles[I];
        add(Config);
      };
      for (const std::vector<unsigned> &Roles : rolesOf(Resident, Shares.size()))
        AddRoles(Roles);
      if (Shares.size() != 2)
        continue;
      for (unsigned Eighths = 1; Eighths <= 7; ++Eighths)
        if (const unsigned Own = (Resident * Eighths + 4) / 8; Own > 0 && Own < Resident) {
          AddRoles({Own, 0});
          AddRoles({0, Own});
        }
    }
  }

  void threads(llvm::ArrayRef<Share> Shares) {
    FusionConfig Config = configOf(Shares, Geometry::Threads, GridPolicy::Match);
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
    for (size_t I = 0; I < Config.Constituents.size(); ++I)
      if (const ConstituentConfig &C = Config.Constituents[I]; P.Constituents[I].deepening(C.Unroll) > 1)
        if (!HasRoles || !Follows || C.ResidentBlocks == 0)
          return false;
    return true;
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
  /// more, evenly, with what is left over at each in turn.
  static std::vector<std::vector<unsigned>> rolesOf(unsigned Resident, size_t Roles) {
    std::vector<std::vector<unsigned>> Ways;
    if (Resident < Roles)
      return Ways;
    if (Roles == 2)
      for (unsigned Eighths = 2; Eighths <= 6; ++Eighths) {
        const unsigned First = std::clamp((Resident * Eighths + 4) / 8, 1u, Resident - 1);
        if (std::vector<unsigned> Way{First, Resident - First}; !llvm::is_contained(Ways, Way))
          Ways.push_back(std::move(Way));
      }
    else
      for (size_t Favoured = 0; Favoured < Roles; ++Favoured) {
        std::vector<unsigned> Way(Roles, Resident / Roles);
        Way[Favoured] += Resident % Roles;
        if (!llvm::is_contained(Ways, Way))
          Ways.push_back(std::move(Way));
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
  const std::vector<std::vector<Share>> Combinations = combinations(P);
  if (P.Constituents.size() < 2)
    return {};
  double Least = imbalance(Combinations.front());
  for (const std::vector<Share> &Shares : Combinations)
    Least = std::min(Least, imbalance(Shares));
  for (const std::vector<Share> &Shares : Combinations) {
    All.warps(Shares);
    if (imbalance(Shares) <= std::max(Least, MostImbalance) && areGoodAlone(P, Shares))
      All.blocks(Shares);
    if (imbalance(Shares) <= Least && areGoodAlone(P, Shares))
      All.threads(Shares);
    if (const std::vector<Share> Even = evened(Shares); areBestAlone(P, Shares) && imbalance(Even) <= MostImbalance) {
      All.blocks(Even);
      All.threads(Even);
    }
  }
  return All.take();
}

std::vector<Candidate> enumerateHfuseSpace(const Problem &P) {
  Enumeration All(P);
  auto Add = [&](FusionConfig Config) {
    All.add(Config);
    const std::optional<unsigned> Blocks = hfuseBlocks(P, Config);
    Config.Registers = {RegisterPolicy::Bound, 0, Blocks.value_or(0)};
    bool Known = true;
    for (size_t I = 0; I < P.Constituents.size(); ++I)
      Known &= shapeOf(P.Constituents[I], Config.Constituents[I].Block).Resources.has_value();
    if (Blocks || !Known) // known, and not one block fits: there is no bound
      All.add(std::move(Config));
  };
  // Partitions of fixed blocks keep them; the others share what remains.
  bool AnyTunable = false;
  for (const ConstituentProblem &C : P.Constituents)
    AnyTunable |= C.isTunable();
  std::function<void(FusionConfig &, unsigned)> Extend = [&](FusionConfig &Begun, unsigned Threads) {
    const size_t I = Begun.Constituents.size();
    if (I == P.Constituents.size()) {
      if (!AnyTunable || HfuseThreads - Threads < HfuseStep)
        Add(Begun);
      return;
    }
    const ConstituentProblem &C = P.Constituents[I];
    for (const SoloShape &Shape : C.Shapes) {
      const unsigned Own = static_cast<unsigned>((Shape.Block.threads() + WarpSize - 1) / WarpSize * WarpSize);
      if (Threads + Own > HfuseThreads || (C.isTunable() && Own % HfuseStep != 0))
        continue;
      ConstituentConfig Config;
      Config.Block = Shape.Block;
      Config.Bound = C.Bound;
      Begun.Constituents.push_back(std::move(Config));
      Extend(Begun, Threads + Own);
      Begun.Constituents.pop_back();
    }
  };
  FusionConfig Empty;
  Extend(Empty, 0);
  return All.take();
}

} // namespace cufuse
