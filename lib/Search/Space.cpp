#include "cufuse/Search/Space.h"

#include "RegisterChoices.h"
#include "cufuse/Model/Predict.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/ADT/Sequence.h>
#include <llvm/ADT/SmallVectorExtras.h>

#include <algorithm>
#include <limits>
#include <random>
#include <set>

namespace cufuse {

namespace {
constexpr unsigned CopyChoices[] = {1, 2, 3, 4, 6, 8};
constexpr unsigned HfuseStep = 128, HfuseThreads = 1024;
constexpr double GoodAlone = 1.2; // times the best: shapes worth a look where blocks run as they do alone
constexpr size_t BestAlone = 2;   // shapes of which several blocks are put together
constexpr unsigned MostTurns = 16;
constexpr double MostImbalance = 1.5; // between the blocks of roles
constexpr size_t MostShares = 4096;   // in choices that are listed

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

/// The shares of a few constituents, and the fewest threads that those of the others have.
struct Begun {
  unsigned Sum = 0, Rest = 0, Least = ~0u, Most = 0;
};

/// Choices of one share for each constituent, in a fixed order. Of `n` kernels there are as many as their shares to the
/// power of `n`: only those that fit are ever made, and where even these are too many to list, some of them.
class Choices {
public:
  explicit Choices(const Problem &P) {
    for (const ConstituentProblem &C : P.Constituents)
      All.push_back(sharesOf(C));
    // Of more kernels, each choice has more candidates, too.
    MostListed = MostShares / std::max<size_t>(All.size(), 1);
    MostDrawn = MostListed / 4;
  }

  /// Adds those of shares for which `Allowed` that fit, by as many constituents as are chosen.
  void draw(llvm::function_ref<bool(size_t, const ConstituentConfig &)> Allowed,
            llvm::function_ref<bool(const Begun &)> Fits) {
    std::vector<std::vector<unsigned>> Lists(All.size());
    for (size_t I = 0; I < All.size(); ++I)
      for (unsigned Share = 0; Share < All[I].size(); ++Share)
        if (Allowed(I, All[I][Share]))
          Lists[I].push_back(Share);
    if (llvm::any_of(Lists, [](const auto &List) { return List.empty(); }))
      return;
    std::set<Choice> Those;
    size_t Steps = 0;
    if (walk(Lists, Fits, start(Lists), {}, Steps, Those))
      return Chosen.merge(Those);
    Sampled = true;
    Those.clear();
    // By hand: the standard's distributions give other numbers with another library.
    std::mt19937_64 Generator;
    for (size_t Try = 0; Try < 4 * MostDrawn && Those.size() < MostDrawn; ++Try)
      if (auto One = drawOne(Lists, Fits, Generator))
        Those.insert(std::move(*One));
    Chosen.merge(Those);
  }

  bool isSampled() const { return Sampled; }
  std::vector<Shares> take() const {
    std::vector<Shares> Those;
    for (const Choice &One : Chosen) {
      Those.emplace_back();
      for (size_t I = 0; I < One.size(); ++I)
        Those.back().push_back(All[I][One[I]]);
    }
    return Those;
  }

  /// The least ratio of threads that any choice has.
  double leastImbalance() const {
    double Least = std::numeric_limits<double>::infinity();
    for (const auto &Some : All)
      for (const ConstituentConfig &Smallest : Some) {
        const unsigned From = paddedThreads(Smallest);
        unsigned Most = From;
        for (const auto &Others : All) {
          unsigned Next = ~0u;
          for (const ConstituentConfig &Other : Others)
            if (const unsigned Threads = paddedThreads(Other); Threads >= From)
              Next = std::min(Next, Threads);
          Most = std::max(Most, Next);
        }
        if (Most != ~0u)
          Least = std::min(Least, static_cast<double>(Most) / From);
      }
    return Least;
  }

private:
  using Choice = std::vector<unsigned>; ///< By constituent: which of its shares.
  using Lists = std::vector<std::vector<unsigned>>;

  unsigned threads(size_t I, unsigned Share) const { return paddedThreads(All[I][Share]); }
  unsigned fewest(size_t I, llvm::ArrayRef<unsigned> List) const {
    unsigned Fewest = ~0u;
    for (unsigned Share : List)
      Fewest = std::min(Fewest, threads(I, Share));
    return Fewest;
  }
  Begun start(const Lists &From) const {
    Begun None;
    for (size_t I = 0; I < From.size(); ++I)
      None.Rest += fewest(I, From[I]);
    return None;
  }
  Begun with(Begun Before, size_t I, unsigned Share, unsigned Fewest) const {
    const unsigned Threads = threads(I, Share);
    return {Before.Sum + Threads, Before.Rest - Fewest, std::min(Before.Least, Threads),
            std::max(Before.Most, Threads)};
  }

  /// All; false where that is too much.
  bool walk(const Lists &From, llvm::function_ref<bool(const Begun &)> Fits, const Begun &Before, Choice Some,
            size_t &Steps, std::set<Choice> &Found) const {
    const size_t I = Some.size();
    if (I == From.size())
      return Found.insert(std::move(Some)).second && Found.size() <= MostListed;
    const unsigned Fewest = fewest(I, From[I]);
    Some.push_back(0);
    for (unsigned Share : From[I]) {
      if (++Steps > 64 * MostListed)
        return false;
      Some.back() = Share;
      if (const Begun Next = with(Before, I, Share, Fewest); Fits(Next) && !walk(From, Fits, Next, Some, Steps, Found))
        return false;
    }
    return true;
  }

  /// Each constituent in turn, whichever comes first, has any share that fits beside those before it.
  std::optional<Choice> drawOne(const Lists &From, llvm::function_ref<bool(const Begun &)> Fits,
                                std::mt19937_64 &Generator) const {
    llvm::SmallVector<size_t> Order = llvm::to_vector(llvm::seq(From.size()));
    for (size_t I = Order.size(); I > 1; --I)
      std::swap(Order[I - 1], Order[Generator() % I]);
    Choice One(From.size());
    Begun Before = start(From);
    for (size_t I : Order) {
      const unsigned Fewest = fewest(I, From[I]);
      const auto Fitting =
          llvm::filter_to_vector(From[I], [&](unsigned Share) { return Fits(with(Before, I, Share, Fewest)); });
      if (Fitting.empty())
        return std::nullopt;
      One[I] = Fitting[Generator() % Fitting.size()];
      Before = with(Before, I, One[I], Fewest);
    }
    return One;
  }

  std::vector<Shares> All; ///< By constituent: its shares.
  size_t MostListed, MostDrawn;
  std::set<Choice> Chosen;
  bool Sampled = false;
};

bool fitsOneBlock(const Begun &Some) { return Some.Sum + Some.Rest <= MaxBlockThreads; }

double imbalance(const Shares &Those) {
  const auto Threads = llvm::map_to_vector(Those, paddedThreads);
  return static_cast<double>(*llvm::max_element(Threads)) / *llvm::min_element(Threads);
}

bool isGoodAlone(const ConstituentProblem &C, const ConstituentConfig &Share) {
  return slownessAlone(C, Share.Block) <= GoodAlone;
}

/// Whether it has one of the few shapes that are the best alone, as measured, and is unrolled no more than there.
bool isBestAlone(const ConstituentProblem &C, const ConstituentConfig &Share) {
  const double Own = slownessAlone(C, Share.Block);
  const auto Better = llvm::count_if(
      C.Shapes, [&](const SoloShape &S) { return S.Microseconds > 0 && slownessAlone(C, S.Block) < Own; });
  return isGoodAlone(C, Share) && C.deepening(Share.Unroll) <= 1 && shapeOf(C, Share.Block).Microseconds > 0 &&
         static_cast<size_t>(Better) < BestAlone;
}

bool areAll(const Problem &P, const Shares &Those, bool (*Is)(const ConstituentProblem &, const ConstituentConfig &)) {
  return llvm::all_of(llvm::zip(P.Constituents, Those),
                      [&](const auto &Each) { return Is(std::get<0>(Each), std::get<1>(Each)); });
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

static Choices choicesOf(const Problem &P) {
  Choices Some(P);
  const double Balanced = std::max(Some.leastImbalance(), MostImbalance);
  auto Whatever = [](const Begun &) { return true; };
  auto AsAlone = [&](size_t I, const ConstituentConfig &Share) {
    return P.Constituents[I].deepening(Share.Unroll) <= 1;
  };
  // More in flight than alone are only roles beside one that follows them: one of two.
  const bool MayDeepen = P.Constituents.size() == 2;
  Some.draw(AsAlone, fitsOneBlock);
  Some.draw(
      [&](size_t I, const ConstituentConfig &Share) {
        return isGoodAlone(P.Constituents[I], Share) && (MayDeepen || AsAlone(I, Share));
      },
      [&](const Begun &Part) { return static_cast<double>(Part.Most) / Part.Least <= Balanced; });
  Some.draw([&](size_t I, const ConstituentConfig &Share) { return isBestAlone(P.Constituents[I], Share); }, Whatever);
  return Some;
}

bool isSpaceSampled(const Problem &P) { return choicesOf(P).isSampled(); }

std::vector<Candidate> enumerateSpace(const Problem &P) {
  Enumeration All(P);
  if (P.Constituents.size() < 2)
    return {};
  const Choices Some = choicesOf(P);
  const double Least = Some.leastImbalance();
  for (const Shares &Those : Some.take()) {
    All.warps(Those);
    if (imbalance(Those) <= std::max(Least, MostImbalance) && areAll(P, Those, isGoodAlone))
      All.blocks(Those);
    if (imbalance(Those) <= Least && areAll(P, Those, isGoodAlone))
      All.threads(Those);
    if (const Shares Even = evened(Those); areAll(P, Those, isBestAlone) && imbalance(Even) <= MostImbalance) {
      All.blocks(Even);
      All.threads(Even);
    }
  }
  return All.take();
}

/// Partitions of fixed blocks keep them; the others share what remains.
static bool isOfHfuse(const Problem &P, const FusionConfig &Config) {
  const bool AnyTunable = llvm::any_of(P.Constituents, [](const ConstituentProblem &C) { return C.isTunable(); });
  const unsigned Threads = fusedThreads(Config);
  return Threads <= HfuseThreads && (!AnyTunable || HfuseThreads - Threads < HfuseStep);
}

std::vector<Candidate> enumerateHfuseSpace(const Problem &P) {
  Enumeration All(P);
  Choices Some(P);
  Some.draw(
      [&](size_t I, const ConstituentConfig &Share) {
        const ConstituentProblem &C = P.Constituents[I];
        return Share.Unroll == C.Unrolls.front() && Share.Copies == 1 &&
               (!C.isTunable() || paddedThreads(Share) % HfuseStep == 0);
      },
      fitsOneBlock);
  for (Shares &Those : Some.take()) {
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
