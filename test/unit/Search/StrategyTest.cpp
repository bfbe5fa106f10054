#include "Synthetic.h"

#include "ReplayEvaluator.h"
#include "cufuse/Search/Search.h"
#include "cufuse/Search/Space.h"
#include "cufuse/Support/Error.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>

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
  Strategy How = llvm::cantFail(makeStrategy(Name, Seed));
  Trace Record;
  SearchSeams Seams;
  Seams.Now = [&] { return World.Seconds; };
  Search S(P, How.Candidates(P), World, Record, Limit, Seams);
  How.Run(S);
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

// scripts/bench-search: in more of these worlds, and in what was recorded on a GPU.
TEST(AutoStrategy, IsWithinOnePercentOfExhaustiveInAQuarterOfItsMeasurements) {
  for (unsigned Seed = 0; Seed < 6; ++Seed) {
    const Problem P = syntheticProblem(Seed);
    SyntheticEvaluator World(P, Seed), Again(P, Seed);
    const Outcome All = search("exhaustive", P, World), Few = search("auto", P, Again);
    EXPECT_LE(Few.Truth, 1.01 * All.Truth) << P.Workload << ": " << Few.BestKey << " instead of " << All.BestKey;
    EXPECT_LE(Few.Measured * 4, All.Measured) << P.Workload;
  }
}

TEST(AutoStrategy, BeatsARandomOneWithTheSameMeasurements) {
  double Auto = 0, Random = 0;
  for (unsigned Seed = 0; Seed < 6; ++Seed) {
    const Problem P = syntheticProblem(Seed);
    SyntheticEvaluator World(P, Seed), Again(P, Seed);
    const Outcome Chosen = search("auto", P, World);
    Budget Same;
    Same.Measured = static_cast<unsigned>(Chosen.Measured);
    Auto += std::log(Chosen.Truth);
    Random += std::log(search("random", P, Again, Same).Truth);
  }
  EXPECT_LT(Auto, Random - 6 * 0.01);
}

TEST(AutoStrategy, TwoRunsAgreeWithinTwoPercent) {
  for (unsigned Seed = 0; Seed < 2; ++Seed) {
    const Problem P = syntheticProblem(Seed);
    SyntheticEvaluator World(P, Seed);
    const double First = search("auto", P, World).Truth;
    const double Second = search("auto", P, World).Truth; // other noise: the world counts its calls
    EXPECT_NEAR(First, Second, 0.02 * First) << P.Workload;
  }
}

/// `hfuse`, then `auto`, on one trace.
Outcome searchAfterHfuse(const Problem &P, SyntheticEvaluator &World, Budget Limit = {}) {
  Trace Record;
  SearchSeams Seams;
  Seams.Now = [&] { return World.Seconds; };
  Outcome Result;
  for (const char *Name : {"hfuse", "auto"}) {
    Strategy How = llvm::cantFail(makeStrategy(Name));
    const double Start = World.Seconds;
    Search S(P, How.Candidates(P), World, Record, Name == std::string("auto") ? Limit : Budget(), Seams);
    const size_t Before = S.measuredCount();
    How.Run(S);
    Result.Measured = S.measuredCount() - Before;
    Result.Seconds = World.Seconds - Start;
  }
  return Result;
}

TEST(AutoStrategy, GoesOnWhereHfuseHasBeenForAsLongAsAlone) {
  for (unsigned Seed = 0; Seed < 8; ++Seed) {
    const Problem P = syntheticProblem(Seed);
    Budget Limit;
    Limit.Seconds = 12;
    SyntheticEvaluator World(P, Seed), Again(P, Seed);
    const Outcome Alone = search("auto", P, World, Limit), After = searchAfterHfuse(P, Again, Limit);
    EXPECT_GE(After.Measured * 10, Alone.Measured * 7) << P.Workload;
  }
}

TEST(AutoStrategy, MeasuresWithinItsBudgetWhereCompilingTakesLong) {
  for (unsigned Seed = 0; Seed < 4; ++Seed) {
    const Problem P = syntheticProblem(Seed);
    Budget Limit;
    Limit.Seconds = 20;
    SyntheticEvaluator World(P, Seed);
    World.ScreenSeconds = 0.7; // of 96, more than three times the budget
    const Outcome Found = search("auto", P, World, Limit);
    EXPECT_GE(Found.Measured, 20u) << P.Workload;
    EXPECT_LE(Found.Seconds, 21) << P.Workload;
  }
}

TEST(AutoStrategy, TriesTheBestShapesAloneAmongTheFirst) {
  // Eight blocks each: what counts is how long one block takes.
  Problem P = syntheticProblem(0);
  auto Choose = [&](ConstituentProblem &C, const std::vector<std::pair<BlockShape, double>> &Times) {
    SoloShape Given = C.Shapes.front();
    Given.Blocks = 8;
    C.Shapes.clear();
    for (const auto &[Block, Time] : Times) {
      Given.Block = Block;
      Given.Microseconds = Time;
      C.Shapes.push_back(Given);
    }
  };
  Choose(P.Constituents[0], {{{32, 16}, 10.4}, {{512}, 8.5}, {{256, 2}, 10.7}, {{128, 4}, 7.3}, {{64, 8}, 8.2}});
  Choose(P.Constituents[1], {{{256}, 5.5}, {{128}, 8}, {{384}, 4.9}, {{512}, 4.5}, {{640}, 4.2}, {{1024}, 4.6}});
  SyntheticEvaluator World(P, 0);
  Budget Few;
  Few.Measured = 12;
  size_t Both = 0;
  for (const TraceEntry &E : search("auto", P, World, Few).Entries)
    Both += E.Tried.Config.Constituents[0].Block == BlockShape{128, 4} &&
            E.Tried.Config.Constituents[1].Block == BlockShape{640};
  EXPECT_GE(Both, 1u);
}

TEST(RandomStrategy, TheSeedDecides) {
  const Problem P = syntheticProblem(3);
  auto First = [&](std::uint64_t Seed) {
    SyntheticEvaluator World(P, 3);
    Budget Few;
    Few.Measured = 5;
    return search("random", P, World, Few, Seed).Entries.front().Tried.key();
  };
  EXPECT_EQ(First(1), First(1));
  EXPECT_NE(First(1), First(2));
}

TEST(Strategies, UnknownNamesAreRefusedWithTheKnownOnes) {
  auto Made = makeStrategy("best");
  ASSERT_FALSE(Made);
  EXPECT_THAT(llvm::toString(Made.takeError()), testing::HasSubstr("exhaustive"));
}

class EveryStrategy : public testing::TestWithParam<const char *> {};
INSTANTIATE_TEST_SUITE_P(Strategies, EveryStrategy, testing::Values("auto", "exhaustive", "hfuse", "random"));

TEST_P(EveryStrategy, FinishesWhereCandidatesFail) {
  const Problem P = syntheticProblem(1);
  SyntheticEvaluator World(P, 1);
  for (Fate F : {Fate::Impossible, Fate::CompileFailed, Fate::LoadFailed, Fate::LaunchFailed, Fate::Crashed,
                 Fate::TimedOut, Fate::WrongResult})
    World.Faults[F] = 0.07;
  const Outcome Found = search(GetParam(), P, World);
  ASSERT_FALSE(Found.BestKey.empty());
  const FateCounts Counts = countFates(Found.Entries);
  EXPECT_EQ(Counts.of(Fate::Measured), Found.Measured);
  const bool Small = std::string(GetParam()) == "hfuse"; // 14 candidates
  for (const auto &[F, Share] : World.Faults)
    EXPECT_TRUE(Small || Counts.of(F) > 0) << static_cast<int>(F);
  for (const TraceEntry &E : Found.Entries) {
    EXPECT_EQ(E.Result.Why.empty(), E.Result.Outcome == Fate::Measured) << E.Tried.key();
    if (E.Tried.key() == Found.BestKey)
      EXPECT_EQ(E.Result.Outcome, Fate::Measured);
  }
}

TEST_P(EveryStrategy, FinishesWhereEverythingFails) {
  for (Fate F : {Fate::Impossible, Fate::Crashed}) {
    const Problem P = syntheticProblem(3);
    SyntheticEvaluator World(P, 3);
    World.Faults[F] = 1;
    const Outcome Found = search(GetParam(), P, World);
    EXPECT_TRUE(Found.BestKey.empty());
    EXPECT_EQ(Found.Measured, 0u);
    EXPECT_GT(countFates(Found.Entries).of(F), 0u);
  }
}

TEST_P(EveryStrategy, EndsWithItsBudget) {
  const Problem P = syntheticProblem(0);
  SyntheticEvaluator World(P, 0);
  Budget Limit;
  Limit.Seconds = 2;
  const Outcome Found = search(GetParam(), P, World, Limit);
  EXPECT_LE(Found.Seconds, 2.5); // what was begun is finished
  SyntheticEvaluator Again(P, 0);
  Budget Few;
  Few.Measured = 10;
  EXPECT_EQ(search(GetParam(), P, Again, Few).Measured, 10u);
}

TEST_P(EveryStrategy, IsInterruptedAndResumed) {
  const Problem P = syntheticProblem(4);
  SyntheticEvaluator World(P, 4);
  auto How = llvm::cantFail(makeStrategy(GetParam(), 1));
  const std::vector<Candidate> Space = How.Candidates(P);
  Trace Record;
  SearchSeams Seams;
  Seams.Now = [&] { return World.Seconds; };
  size_t Reports = 0;
  Seams.Report = [&](const Progress &) { ++Reports; };
  Seams.Interrupted = [&] { return Reports >= 6; };
  {
    Search S(P, Space, World, Record, {}, Seams);
    How.Run(S);
    EXPECT_EQ(Record.entries().size(), 6u);
  }
  Seams.Interrupted = [] { return false; };
  Search S(P, Space, World, Record, {}, Seams);
  How.Run(S);
  ASSERT_TRUE(S.best());
  // Nothing was evaluated twice in the same way.
  std::set<std::pair<std::string, int>> Seen;
  double Last = 0;
  for (const TraceEntry &E : Record.entries()) {
    EXPECT_TRUE(Seen.emplace(E.Tried.key(), E.Measured ? 1 + static_cast<int>(*E.Measured) : 0).second)
        << E.Tried.key();
    EXPECT_GE(E.At, Last);
    Last = E.At;
  }
}

TEST_P(EveryStrategy, FindsTheSameInAReplay) {
  const Problem P = syntheticProblem(2);
  SyntheticEvaluator World(P, 2);
  Trace Sweep;
  SearchSeams Seams;
  Seams.Now = [] { return 0.0; };
  for (const char *Whole : {"exhaustive", "hfuse"}) {
    auto How = llvm::cantFail(makeStrategy(Whole));
    Search S(P, How.Candidates(P), World, Sweep, {}, Seams);
    How.Run(S);
  }
  ReplayEvaluator Replay(Sweep.entries());
  auto How = llvm::cantFail(makeStrategy(GetParam(), 1));
  std::set<std::string> Choices;
  for (const Candidate &C : How.Candidates(P))
    Choices.insert(C.key());
  double Best = 1e9;
  for (const TraceEntry &E : Sweep.entries())
    // The best of many short measurements is partly luck.
    if (E.Result.Outcome == Fate::Measured && E.Measured == Effort::Full && Choices.contains(E.Tried.key()))
      Best = std::min(Best, E.Result.Microseconds);
  Trace Record;
  Search S(P, How.Candidates(P), Replay, Record, {}, Seams);
  How.Run(S);
  ASSERT_TRUE(S.best());
  const double Found = S.state(*S.best()).last()->Microseconds;
  EXPECT_GE(Found, Best * 0.999);
  if (std::string(GetParam()) != "hfuse")
    EXPECT_LE(Found, Best * 1.01);
  for (const TraceEntry &E : Record.entries())
    EXPECT_NE(E.Result.Outcome, Fate::Impossible) << E.Tried.key() << ": " << E.Result.Why;
}

TEST(ReplayEvaluator, DoesNotTellBeforeItRuns) {
  const Problem P = syntheticProblem(3);
  TraceEntry Crashing;
  Crashing.Tried = enumerateSpace(P).front();
  Crashing.Measured = Effort::Short;
  Crashing.Result.Outcome = Fate::Crashed;
  Crashing.Result.Why = "signal 11";
  ReplayEvaluator Replay({Crashing});
  Candidate Other = enumerateSpace(P).back();
  std::vector<Fate> Fates;
  auto Take = [&](size_t, const Evaluation &E) {
    Fates.push_back(E.Outcome);
    return true;
  };
  const std::vector<Candidate> Both = {Crashing.Tried, Other};
  Replay.evaluate(once<Candidate>(Both), std::nullopt, Take);
  Replay.evaluate(once<Candidate>(Both), Effort::Full, Take);
  EXPECT_THAT(Fates, testing::ElementsAre(Fate::Measured, Fate::Impossible, Fate::Crashed, Fate::Impossible));
}

} // namespace
} // namespace cufuse
