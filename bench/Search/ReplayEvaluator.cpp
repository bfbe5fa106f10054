#include "ReplayEvaluator.h"

#include <cmath>
#include <numbers>

namespace cufuse {

/// The half-width of the recorded interval, in standard deviations.
constexpr double Confidence = 1.96;

/// By hand: std::normal_distribution gives other numbers with another standard library.
static double normal(std::mt19937_64 &Random) {
  const double Radius = (static_cast<double>(Random() >> 11) + 1) * 0x1p-53;
  const double Turn = static_cast<double>(Random() >> 11) * 0x1p-53;
  return std::sqrt(-2 * std::log(Radius)) * std::cos(2 * std::numbers::pi * Turn);
}

static bool ran(Fate Outcome) { return Outcome > Fate::Discarded; }

ReplayEvaluator::ReplayEvaluator(const std::vector<TraceEntry> &Recorded) {
  for (const TraceEntry &E : Recorded) {
    auto [Entry, New] = ByKey.try_emplace(E.Tried.key());
    if (New)
      All.push_back(E.Tried);
    Known &K = Entry->second;
    (E.Measured ? *E.Measured == Effort::Full ? K.Full : K.Short : K.Screened) = E.Result;
  }
}

Evaluation ReplayEvaluator::evaluated(const Candidate &Candidate, std::optional<Effort> How) {
  const auto Found = ByKey.find(Candidate.key());
  if (Found != ByKey.end())
    return How ? measured(Found->second, *How) : screened(Found->second);
  Evaluation Result;
  Result.Why = "not in the recorded sweep";
  return Result;
}

Evaluation ReplayEvaluator::screened(const Known &K) {
  Evaluation Result = K.Screened ? *K.Screened : K.Full ? *K.Full : *K.Short;
  if (!ran(Result.Outcome))
    return Result;
  // Before it runs, nobody knows how that ends.
  Evaluation Able;
  Able.Outcome = Fate::Measured;
  Able.Resources = Result.Resources;
  Able.ResidentBlocks = Result.ResidentBlocks;
  return Able;
}

Evaluation ReplayEvaluator::measured(const Known &K, Effort How) {
  Evaluation Result;
  const auto &Wanted = How == Effort::Full ? K.Full : K.Short, &Other = How == Effort::Full ? K.Short : K.Full;
  if (Wanted || Other) {
    Result = Wanted ? *Wanted : *Other;
    if (Random)
      Result.Microseconds *= 1 + Result.RelativeNoise / Confidence * normal(*Random);
  } else if (!ran(K.Screened->Outcome))
    Result = *K.Screened;
  else
    Result.Why = "screened, but not measured in the recorded sweep";
  return Result;
}

void ReplayEvaluator::evaluate(NextCandidates Next, std::optional<Effort> How, TakeEvaluation Take) {
  std::vector<Candidate> Asked;
  bool More = true;
  for (size_t I = 0;; ++I) {
    while (More && Asked.size() - I < Underway) {
      const std::vector<Candidate> Some = Next();
      Asked.insert(Asked.end(), Some.begin(), Some.end());
      More = !Some.empty();
    }
    if (I == Asked.size() || !Take(I, evaluated(Asked[I], How)))
      return;
  }
}

} // namespace cufuse
