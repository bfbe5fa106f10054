#include "Synthetic.h"

#include "cufuse/Support/Error.h"
#include "cufuse/Tune/ReplayEvaluator.h"
#include "cufuse/Tune/Search.h"
#include "cufuse/Tune/Space.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cufuse {
namespace {

struct Outcome {
  std::string BestKey;
  double Truth = 0; ///< Of the one found, without noise.
  size_t Measured = 0, Candidates = 0;
  std::vector<TraceEntry> Entries;
  double Seconds = 0;
};

Outcome search(const std::string &Name, const Problem &P, SyntheticEvaluator &World, Budget Limit = {},
               std::uint64_t Seed = 1) {
  std::unique_ptr<Strategy> How = llvm::cantFail(makeStrategy(Name, Seed));
  Trace Record;
  SearchSeams Seams;
  Seams.Now = [&] { return World.Seconds; };
  Search S(P, How->candidates(P), World, Record, Limit, Seams);
  How->run(S);
  Outcome Result;
  Result.Candidates = S.candidates().size();
  Result.Measured = S.measuredCount();
  Result.Entries = Record.entries();
  Result.Seconds = World.Seconds;
  if (auto Best = S.best()) {
    Result.BestKey = S.candidates()[*Best].key();
    Result.Truth = World.truth(S.candidates()[*Best]);
  }
  return Result;
}

TEST(AutoStrategy, IsWithinOnePercentOfExhaustiveInAQuarterOfItsMeasurements) {
  double Worst = 0;
  for (unsigned Seed = 0; Seed < 24; ++Seed) {
    const Problem P = syntheticProblem(Seed);
    SyntheticEvaluator World(P, Seed), Again(P, Seed);
    const Outcome All = search("exhaustive", P, World), Few = search("auto", P, Again);
    const double Loss = Few.Truth / All.Truth - 1;
    Worst = std::max(Worst, Loss);
    printf("%2u: %4zu candidates, exhaustive %7.1f (%zu, %.0f s), auto %7.1f (%zu, %.0f s) %+.2f%%  %s | %s\n", Seed, All.Candidates,
           All.Truth, All.Measured, All.Seconds, Few.Truth, Few.Measured, Few.Seconds, Loss * 100, All.BestKey.c_str(), Few.BestKey.c_str());
    EXPECT_LE(Loss, 0.01) << P.Workload << ": " << Few.BestKey << " instead of " << All.BestKey;
    EXPECT_LE(Few.Measured * 4, All.Measured) << P.Workload;
  }
}

} // namespace
} // namespace cufuse
