// An evaluator that answers from a recorded sweep, so that strategies are compared without a GPU.
#pragma once

#include "cufuse/Search/Evaluator.h"
#include "cufuse/Search/Trace.h"

#include <llvm/ADT/StringMap.h>

#include <optional>
#include <random>

namespace cufuse {

/// A candidate that was not recorded is `Impossible`. A screening that was not recorded is told from the measurement;
/// a short measurement that was not recorded is the full one and the other way round.
class ReplayEvaluator : public Evaluator {
public:
  explicit ReplayEvaluator(const std::vector<TraceEntry> &Recorded);
  /// Asks for more, as compilers on 16 cores do, while so many are on their way.
  static constexpr size_t Underway = 20;
  /// Times vary by their recorded noise, with every measurement and differently for each seed.
  ReplayEvaluator(const std::vector<TraceEntry> &Recorded, std::uint64_t Seed) : ReplayEvaluator(Recorded) {
    Random.emplace(Seed);
  }
  void evaluate(NextCandidates Next, std::optional<Effort> How, TakeEvaluation Take) override;

  /// Every candidate of the sweep, in the order in which it was first tried.
  const std::vector<Candidate> &candidates() const { return All; }

private:
  struct Known {
    std::optional<Evaluation> Screened, Short, Full;
  };
  Evaluation evaluated(const Candidate &Candidate, std::optional<Effort> How);
  static Evaluation screened(const Known &K);
  Evaluation measured(const Known &K, Effort How);

  llvm::StringMap<Known> ByKey;
  std::vector<Candidate> All;
  std::optional<std::mt19937_64> Random;
};

} // namespace cufuse
