// A world for strategies to search: times by a formula that the model does not have, with roughness and noise. Like the
// design's figures of an H200, the best is up to a third faster than serial launches, and where it lies differs from
// one world to the next.
#pragma once

#include "cufuse/Model/Problem.h"
#include "cufuse/Search/Evaluator.h"

#include <map>
#include <string>

namespace cufuse {

/// As of a kernel that runs with any number of whole warps; 256 threads given.
std::vector<BlockShape> anyBlock();

/// Two kernels; which of them are tunable, their registers and utilisations follow from the seed.
Problem syntheticProblem(unsigned Seed);

class SyntheticEvaluator : public Evaluator {
public:
  SyntheticEvaluator(const Problem &P, unsigned Seed) : P(P), Seed(Seed) {}
  void evaluate(NextCandidates Next, std::optional<Effort> How, TakeEvaluation Take) override;

  /// Without the noise of a measurement.
  double truth(const Candidate &C) const;

  /// Candidates whose key hashes to less than this share end with the fate given.
  std::map<Fate, double> Faults;
  /// Seconds that have passed, by what evaluations take.
  double Seconds = 0;
  double ScreenSeconds = 0.08; ///< Of one candidate.

private:
  Evaluation screened(const Candidate &C) const;
  double random(const std::string &Key, const char *What) const; ///< In [0, 1), the same every time.
  double normal(const std::string &Key, const char *What) const;
  const Problem &P;
  unsigned Seed;
  unsigned Calls = 0;
};

} // namespace cufuse
