#include "Strategies.h"
#include "Surrogate.h"

#include <llvm/ADT/STLExtras.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>
#include <set>
#include <tuple>

namespace cufuse {

namespace {
constexpr double MeasuredShare = 0.23; // of the candidates that can be measured
constexpr size_t MostMeasured = 300, MostFinalists = 8;
constexpr double WithoutCompiling = 2; // what it counts for that a candidate need only be run
constexpr size_t Rounds = 20; // each chosen by what the ones before have taught, as far as that is known by then
constexpr size_t Local = 3;   // of so many, one is chosen near the best: what is learnt of like candidates can be wrong

/// The expectation of max(0, best − x) for a normal x (Jones, Schonlau, Welch 1998), all of them logarithms.
double expectedImprovement(double Best, double Mean, double Deviation) {
  const double Z = (Best - Mean) / Deviation;
  const double Density = std::exp(-Z * Z / 2) / std::sqrt(2 * std::numbers::pi);
  const double Below = std::erfc(-Z / std::numbers::sqrt2) / 2;
  return Deviation * (Z * Below + Density);
}

/// In how many respects two candidates differ: how the kernels share the GPU, registers, and each constituent's blocks
/// and unrolling.
unsigned differences(const FusionConfig &A, const FusionConfig &B) {
  auto Sharing = [](const FusionConfig &C) {
    return std::tuple(C.Shape, C.Grid,
                      llvm::any_of(C.Constituents, [](const ConstituentConfig &One) { return One.Turns > 1; }));
  };
  bool SharesOtherwise = Sharing(A) != Sharing(B);
  unsigned Count = A.Registers != B.Registers;
  for (const auto &[Own, Other] : llvm::zip(A.Constituents, B.Constituents)) {
    Count += Own.Block != Other.Block || Own.Copies != Other.Copies;
    Count += Own.Unroll != Other.Unroll;
    SharesOtherwise |= Own.ResidentBlocks != Other.ResidentBlocks || Own.RegisterBudget != Other.RegisterBudget;
  }
  return Count + SharesOtherwise;
}

/// The compiled kernel of each candidate, as a number.
std::vector<size_t> kernels(const std::vector<Candidate> &Candidates) {
  std::map<std::string, size_t> Numbers;
  std::vector<size_t> Kernels;
  for (const Candidate &C : Candidates)
    Kernels.push_back(Numbers.emplace(C.compiled().key(), Numbers.size()).first->second);
  return Kernels;
}

/// How many may be measured: a share of those that, judging by what is known so far, can be.
size_t share(const Search &S) {
  size_t Possible = 0, Tried = 0, Failed = 0;
  for (size_t I = 0; I < S.candidates().size(); ++I) {
    Possible += S.state(I).failed() || S.predicted(I).ResidentBlocks > 0;
    Tried += S.state(I).last() != nullptr;
    Failed += S.state(I).failed();
  }
  const double Able = 1 - static_cast<double>(Failed) / std::max<size_t>(Tried, 1);
  return std::clamp(static_cast<size_t>(MeasuredShare * Able * Possible), EnoughMeasured, MostMeasured);
}

/// The candidates with the greatest expected improvement for what they cost, each as if those chosen before it were
/// known already; and of those that differ from the best one in one respect, the fastest by what is expected.
std::vector<size_t> nextRound(const Search &S, llvm::ArrayRef<size_t> Kernels) {
  const size_t Share = share(S), Round = (Share + Rounds - 1) / Rounds, Underway = S.underwayCount();
  // What has failed leaves a few over, for which no compilers are started; and of a small share some is to be learnt
  // before the rest is chosen.
  if (S.measuredCount() + Underway + Round > Share || (Underway > 0 && Underway + Round > Share / 2))
    return {};
  std::vector<size_t> Able; // by the model
  std::vector<Features> Seen;
  std::vector<double> Predicted; // logarithms
  std::vector<int> Family;
  for (size_t I = 0; I < S.candidates().size(); ++I)
    if (const Prediction &Model = S.predicted(I); Model.ResidentBlocks > 0) {
      Able.push_back(I);
      Seen.push_back(featuresOf(S.problem(), S.candidates()[I].Config, Model));
      Predicted.push_back(std::log(Model.Microseconds));
      Family.push_back(Seen.back().Family);
    }
  Surrogate Expected(std::move(Seen));
  std::vector<size_t> Left, Pending; // positions in `Able`
  std::map<int, double> Ran, Failed; // by family
  double Best = std::numeric_limits<double>::infinity();
  for (size_t M = 0; M < Able.size(); ++M)
    if (const Search::State &Known = S.state(Able[M]); Known.Underway) {
      Pending.push_back(M);
    } else if (Known.failed()) {
      ++Failed[Family[M]];
    } else if (Known.isMeasured()) {
      const double Time = std::log(Known.last()->Microseconds);
      Expected.learn(M, Time - Predicted[M], Known.last()->RelativeNoise);
      Best = std::min(Best, Time);
      ++Ran[Family[M]];
    } else {
      Left.push_back(M);
    }
  for (size_t M : Pending)
    Expected.assume(M);
  if (std::isinf(Best) && !Left.empty())
    Best = *llvm::min_element(Predicted);
  auto Mean = [&](size_t M) { return Predicted[M] + Expected.surprise(M); };
  auto Worth = [&](size_t M) {
    // What the fuser refuses, it mostly refuses in a whole family.
    const double Succeeds = (1 + Ran[Family[M]]) / (1 + Ran[Family[M]] + Failed[Family[M]]);
    return Succeeds * expectedImprovement(Best, Mean(M), Expected.deviation(M));
  };
  std::set<size_t> Compiled;
  for (size_t I = 0; I < S.candidates().size(); ++I)
    if (S.state(I).Underway || S.state(I).last())
      Compiled.insert(Kernels[I]);
  const std::optional<size_t> Fastest = S.best();
  auto IsNear = [&](size_t M) {
    return Fastest && differences(S.candidates()[Able[M]].Config, S.candidates()[*Fastest].Config) == 1;
  };
  std::vector<size_t> Chosen;
  while (Chosen.size() < Round && !Left.empty()) {
    const bool Nearby = (Chosen.size() + 1) % Local == 0 && llvm::any_of(Left, IsNear);
    std::vector<double> Worths;
    for (size_t M : Left)
      Worths.push_back(Nearby ? (IsNear(M) ? std::exp(-Mean(M)) : 0)
                              : Worth(M) * (Compiled.count(Kernels[Able[M]]) ? WithoutCompiling : 1));
    const auto Next = Left.begin() + (llvm::max_element(Worths) - Worths.begin());
    Chosen.push_back(Able[*Next]);
    Compiled.insert(Kernels[Able[*Next]]);
    Expected.assume(*Next);
    Left.erase(Next);
  }
  return Chosen;
}
} // namespace

void searchByLearning(Search &S) {
  const std::vector<size_t> Kernels = kernels(S.candidates());
  auto Next = [&] { return nextRound(S, Kernels); };
  while (!S.isSpent() && S.measure(Next, Effort::Short))
    ;
  measureFinalists(S, MostFinalists);
}

} // namespace cufuse
