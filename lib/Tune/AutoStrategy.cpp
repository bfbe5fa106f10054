#include "Strategies.h"
#include "Surrogate.h"

#include <llvm/ADT/STLExtras.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace cufuse {

namespace {
constexpr double MeasuredShare = 0.23; // of the candidates that can be measured
constexpr size_t MostMeasured = 200, MostFinalists = 8;
constexpr size_t Rounds = 4;       // each compiled at once, and chosen by what the ones before have taught
constexpr double WorthIt = 0.0008; // expected improvement, as a share of the best time, that is worth a round

/// The expectation of max(0, best − x) for a normal x (Jones, Schonlau, Welch 1998), all of them logarithms.
double expectedImprovement(double Best, double Mean, double Deviation) {
  const double Z = (Best - Mean) / Deviation;
  const double Density = std::exp(-Z * Z / 2) / std::sqrt(2 * std::numbers::pi);
  const double Below = std::erfc(-Z / std::numbers::sqrt2) / 2;
  return Deviation * (Z * Below + Density);
}

/// Short runs in a few wide rounds, each chosen by what the model says and what the ones before have taught; in the
/// end full runs of the few best.
struct Auto : Strategy {
  void run(Search &S) const override {
    while (!S.isSpent()) {
      const size_t Share = share(S), Round = (Share + Rounds - 1) / Rounds;
      // What has failed leaves a few over, for which no compilers are started.
      if (S.measuredCount() + Round / 2 >= Share)
        break;
      const std::vector<size_t> Next = nextRound(S, std::min(Round, Share - S.measuredCount()));
      if (Next.empty())
        break;
      S.measure(Next, Effort::Short);
    }
    measureFinalists(S, MostFinalists);
  }

private:
  /// How many may be measured: a share of those that, judging by what is known so far, can be.
  static size_t share(const Search &S) {
    size_t Possible = 0, Tried = 0, Failed = 0;
    for (size_t I = 0; I < S.candidates().size(); ++I) {
      Possible += S.state(I).failed() || S.predicted(I).ResidentBlocks > 0;
      Tried += S.state(I).last() != nullptr;
      Failed += S.state(I).failed();
    }
    const double Able = 1 - static_cast<double>(Failed) / std::max<size_t>(Tried, 1);
    return std::min(std::max<size_t>(static_cast<size_t>(MeasuredShare * Able * Possible), 3), MostMeasured);
  }

  /// The candidates with the greatest expected improvement, each as if those chosen before it were known already. Empty
  /// when none is worth it.
  static std::vector<size_t> nextRound(const Search &S, size_t Count) {
    std::vector<size_t> Left;
    std::vector<Features> Seen;
    std::vector<double> Predicted; // logarithms
    std::vector<Surrogate::Sample> Samples;
    double Best = std::numeric_limits<double>::infinity();
    for (size_t I = 0; I < S.candidates().size(); ++I) {
      const Prediction Model = S.predicted(I);
      if (Model.ResidentBlocks == 0)
        continue;
      Features F = featuresOf(S.problem(), S.candidates()[I].Config, Model);
      if (S.state(I).isMeasured()) {
        const Evaluation &Known = *S.state(I).last();
        Samples.push_back({std::move(F), std::log(Known.Microseconds / Model.Microseconds), Known.RelativeNoise});
        Best = std::min(Best, std::log(Known.Microseconds));
      } else {
        Left.push_back(I);
        Seen.push_back(std::move(F));
        Predicted.push_back(std::log(Model.Microseconds));
      }
    }
    if (Samples.empty() && !Predicted.empty())
      Best = *llvm::min_element(Predicted);
    const Surrogate Learned(std::move(Samples));
    Outlook Expected(Learned, Seen);
    std::vector<bool> Taken(Left.size());
    for (size_t M = 0; M < Left.size(); ++M)
      if (S.state(Left[M]).failed()) { // so may those like it
        Taken[M] = true;
        Expected.assume(M);
      }
    std::vector<size_t> Chosen;
    while (Chosen.size() < Count) {
      double Most = -1;
      size_t Next = 0;
      for (size_t M = 0; M < Left.size(); ++M)
        if (const double Worth = expectedImprovement(Best, Predicted[M] + Expected.surprise(M), Expected.deviation(M));
            !Taken[M] && Worth > Most) {
          Most = Worth;
          Next = M;
        }
      if (Most < (Chosen.empty() ? WorthIt : 0))
        break;
      Taken[Next] = true;
      Chosen.push_back(Left[Next]);
      Expected.assume(Next);
    }
    return Chosen;
  }
};
} // namespace

std::unique_ptr<Strategy> makeAutoStrategy() { return std::make_unique<Auto>(); }

} // namespace cufuse
