#include "Strategies.h"
#include "Surrogate.h"

#include <llvm/ADT/STLExtras.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>

namespace cufuse {

namespace {
constexpr double MeasuredShare = 0.23; // of the candidates that can be measured
constexpr size_t MostMeasured = 200, MostSeeds = 24, MostFinalists = 8;
constexpr size_t Batch = 8;
constexpr double Likeness = 0.97;      // two of one batch tell no more than one, above
constexpr double SeedLikeness = 0.9;   // the same for the first ones, which are to show what there is
constexpr double WorthIt = 0.0008;     // expected improvement, as a share of the best time, that is worth a batch
constexpr unsigned PatientBatches = 4; // without such an expectation, until the search ends

/// The expectation of max(0, best − x) for a normal x (Jones, Schonlau, Welch 1998), all of them logarithms.
double expectedImprovement(double Best, double Mean, double Deviation) {
  const double Z = (Best - Mean) / Deviation;
  const double Density = std::exp(-Z * Z / 2) / std::sqrt(2 * std::numbers::pi);
  const double Below = std::erfc(-Z / std::numbers::sqrt2) / 2;
  return Deviation * (Z * Below + Density);
}

/// The most promising of every family, by the model; then short runs in batches, each chosen by what the ones before
/// have taught; in the end full runs of the few best.
struct Auto : Strategy {
  void run(Search &S) const override {
    std::vector<Features> Seen = featuresOfAll(S);
    const std::vector<size_t> First = byFamily(S, Seen);
    S.measure(seeds(First, Seen, std::min(std::max<size_t>(share(S, First) / 2, 3), MostSeeds)), Effort::Short);
    for (unsigned Patience = PatientBatches; Patience > 0 && !S.isSpent();) {
      const size_t Share = share(S, First);
      if (S.measuredCount() >= Share)
        break;
      // What ptxas says of the most promising ones may make others more so; as many as compilers work at once, about.
      Seen = featuresOfAll(S);
      S.screen(nextBatch(S, Seen, 2 * Batch).first);
      Seen = featuresOfAll(S);
      const auto [Next, Worth] = nextBatch(S, Seen, std::min(Batch, Share - S.measuredCount()));
      if (Next.empty())
        break;
      Patience -= Worth < WorthIt;
      S.measure(Next, Effort::Short);
    }
    measureFinalists(S, MostFinalists);
  }

private:
  static std::vector<Features> featuresOfAll(const Search &S) {
    std::vector<Features> All;
    for (size_t I = 0; I < S.candidates().size(); ++I)
      All.push_back(featuresOf(S.candidates()[I].Config, S.predicted(I)));
    return All;
  }

  /// The first `Count` that are not too like one another.
  static std::vector<size_t> seeds(llvm::ArrayRef<size_t> First, llvm::ArrayRef<Features> Seen, size_t Count) {
    std::vector<size_t> Chosen;
    for (const size_t I : First)
      if (Chosen.size() < Count &&
          llvm::none_of(Chosen, [&](size_t Other) { return likeness(Seen[I], Seen[Other]) > SeedLikeness; }))
        Chosen.push_back(I);
    return Chosen;
  }

  /// How many may be measured: a share of those that, judging by what is known so far, can be.
  static size_t share(const Search &S, llvm::ArrayRef<size_t> Candidates) {
    size_t Tried = 0, Failed = 0;
    for (size_t I : Candidates) {
      Tried += S.state(I).last() != nullptr;
      Failed += S.state(I).failed();
    }
    const double Able = 1 - static_cast<double>(Failed) / std::max<size_t>(Tried, 1);
    return std::min(static_cast<size_t>(MeasuredShare * Able * Candidates.size()), MostMeasured);
  }

  /// All that may be measured: the best of every family by the model, then the second of each, and so on. The families
  /// come in the order of their best.
  static std::vector<size_t> byFamily(const Search &S, llvm::ArrayRef<Features> Seen) {
    std::map<int, std::vector<std::pair<double, size_t>>> Families;
    for (size_t I = 0; I < Seen.size(); ++I)
      if (!S.state(I).failed() && S.predicted(I).ResidentBlocks > 0)
        Families[Seen[I].Family].emplace_back(S.predicted(I).Microseconds, I);
    std::vector<std::pair<std::pair<size_t, double>, size_t>> Order; // round, prediction, index
    for (auto &[Family, Members] : Families) {
      llvm::sort(Members);
      for (size_t Round = 0; Round < Members.size(); ++Round)
        Order.push_back({{Round, Members[Round].first}, Members[Round].second});
    }
    llvm::sort(Order);
    std::vector<size_t> Indices;
    for (const auto &Entry : Order)
      Indices.push_back(Entry.second);
    return Indices;
  }

  /// The candidates with the greatest expected improvement, none too like another, and the greatest expectation.
  static std::pair<std::vector<size_t>, double> nextBatch(const Search &S, llvm::ArrayRef<Features> Seen,
                                                          size_t Count) {
    std::vector<Surrogate::Sample> Samples;
    double Best = std::numeric_limits<double>::infinity();
    for (size_t I = 0; I < Seen.size(); ++I)
      if (S.state(I).isMeasured() && !S.state(I).failed() && S.predicted(I).ResidentBlocks > 0) {
        const Evaluation &Known = *S.state(I).last();
        Samples.push_back({Seen[I], std::log(Known.Microseconds / S.predicted(I).Microseconds), Known.RelativeNoise});
        Best = std::min(Best, std::log(Known.Microseconds));
      }
    if (Samples.empty()) { // everything has failed so far: on to the next ones of the model
      std::vector<size_t> Untried;
      for (size_t I : byFamily(S, Seen))
        if (Untried.size() < Count && !S.state(I).isMeasured())
          Untried.push_back(I);
      return {Untried, 1};
    }
    const Surrogate Learned(std::move(Samples));
    std::vector<std::pair<double, size_t>> Ranked;
    for (size_t I = 0; I < Seen.size(); ++I) {
      const Prediction Model = S.predicted(I);
      if (S.state(I).isMeasured() || S.state(I).failed() || Model.ResidentBlocks == 0)
        continue;
      const Surrogate::Guess Guess = Learned.at(Seen[I]);
      Ranked.emplace_back(-expectedImprovement(Best, std::log(Model.Microseconds) + Guess.Surprise, Guess.Deviation),
                          I);
    }
    llvm::sort(Ranked);
    std::vector<size_t> Chosen;
    for (const auto &[Worth, I] : Ranked)
      if (Chosen.size() < Count &&
          llvm::none_of(Chosen, [&](size_t Other) { return likeness(Seen[I], Seen[Other]) > Likeness; }))
        Chosen.push_back(I);
    return {Chosen, Ranked.empty() ? 0 : -Ranked.front().first};
  }
};
} // namespace

std::unique_ptr<Strategy> makeAutoStrategy() { return std::make_unique<Auto>(); }

} // namespace cufuse
