#include "SampleResult.h"
#include "Synthetic.h"

#include "cufuse/Search/Space.h"
#include "cufuse/Search/Verdict.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cufuse {
namespace {

using testing::HasSubstr;

/// Baselines by level, in microseconds (0: not measured), and the fused time.
TuneResult result(double Given, double Shaped, double Bound, double Fused, double Noise = 0.002) {
  TuneResult R;
  R.What = syntheticProblem(0);
  SoloLevel Level = SoloLevel::Given;
  for (double Time : {Given, Shaped, Bound}) {
    if (Time > 0) {
      R.Baselines.push_back({Schedule::Serial, Level, measured(Time * 1.1, Noise), {}});
      R.Baselines.push_back({Schedule::Graph, Level, measured(Time, Noise), {}});
    }
    Level = static_cast<SoloLevel>(static_cast<int>(Level) + 1);
  }
  if (Fused > 0)
    R.Tried.push_back({enumerateSpace(R.What).front(), Effort::Full, measured(Fused, Noise), 0, 1});
  return R;
}

/// So many candidates that failed so.
void addFailed(TuneResult &R, Fate Outcome, unsigned Count) {
  const std::vector<Candidate> Space = enumerateSpace(R.What);
  for (unsigned I = 0; I < Count; ++I) {
    Evaluation Failed;
    Failed.Outcome = Outcome;
    Failed.Why = "no";
    R.Tried.push_back({Space[1 + R.Tried.size()], std::nullopt, Failed, 0, 1});
  }
  R.SpaceSize = R.Tried.size();
}

TEST(Verdict, SplitsTheTotalIntoItsFactors) {
  const Summary S = summarize(result(1960, 1090, 600, 560));
  EXPECT_EQ(S.What, Advice::Fuse);
  EXPECT_NEAR(S.LaunchShapes, 1960.0 / 1090, 1e-9);
  EXPECT_NEAR(S.Binding, 1090.0 / 600, 1e-9);
  EXPECT_NEAR(S.Fusion, 600.0 / 560, 1e-9);
  EXPECT_NEAR(S.total(), 3.5, 1e-9);
  EXPECT_EQ(S.StrongestBaseline->Level, SoloLevel::Bound);
  EXPECT_THAT(S.Sentence, HasSubstr("Fuse first and second"));
  EXPECT_THAT(S.Sentence, HasSubstr("Tuning the kernels alone gives more: 3.27 times"));
}

TEST(Verdict, AGraphOfSeveralKernelsIsComparedWithOneOfTheFusedKernel) {
  TuneResult R = result(2.7, 0, 0, 3.1); // the strongest baseline is a graph
  const std::string Key = R.Tried.front().Tried.key();
  EXPECT_EQ(summarize(R).What, Advice::LeaveAlone);
  R.Profiles = {{Key, {}, measured(2.4)}};
  const Summary S = summarize(R);
  EXPECT_EQ(S.What, Advice::Fuse);
  EXPECT_NEAR(S.Fusion, 2.7 / 2.4, 1e-9);
  EXPECT_THAT(S.Sentence, HasSubstr("That takes 2.40 µs in a CUDA graph"));
  R.Profiles = {{Key, {}, measured(3.2)}};
  EXPECT_FALSE(summarize(R).WinnerInGraph);
  R.Profiles = {{"another", {}, measured(2.4)}};
  EXPECT_FALSE(summarize(R).WinnerInGraph);
  R.Profiles = {{Key, {}, measured(2.4)}};
  R.Baselines.back().How = Schedule::Streams;
  EXPECT_FALSE(summarize(R).WinnerInGraph);
  R.Profiles = {{Key, {}, measured(2.4), measured(2.6)}};
  EXPECT_NEAR(summarize(R).Fusion, 2.7 / 2.6, 1e-9);
}

TEST(Verdict, AFactorIsNeverBelowOne) {
  // Retuning made it slower in company: the shapes given remain the baseline.
  const Summary S = summarize(result(1000, 1050, 0, 900));
  EXPECT_EQ(S.LaunchShapes, 1);
  EXPECT_EQ(S.Binding, 1);
  EXPECT_NEAR(S.Fusion, 1000.0 / 900, 1e-9);
  EXPECT_EQ(S.StrongestBaseline->Level, SoloLevel::Given);
}

TEST(Verdict, FusionIsNotRecommendedBelowWhatIsRequired) {
  TuneResult R = result(1000, 0, 0, 985);
  EXPECT_EQ(summarize(R).What, Advice::LeaveAlone);
  EXPECT_THAT(summarize(R).Sentence, HasSubstr("Do not fuse first and second"));
  R.RequiredSpeedup = 1.01;
  EXPECT_EQ(summarize(R).What, Advice::Fuse);
}

TEST(Verdict, WhatDiffersByLessThanTheNoiseIsUndecided) {
  EXPECT_EQ(summarize(result(1000, 0, 0, 960, 0.02)).What, Advice::Fuse);
  for (const double Fused : {960, 1000, 1020}) {
    const Summary S = summarize(result(1000, 0, 0, Fused, 0.04));
    EXPECT_EQ(S.What, Advice::Undecided);
    EXPECT_THAT(S.Sentence, HasSubstr("with a noise of 5.7 %"));
  }
  EXPECT_EQ(summarize(result(1000, 0, 0, 1100, 0.04)).What, Advice::LeaveAlone);
  // What the kernels gain alone, too.
  EXPECT_EQ(summarize(result(1000, 950, 0, 1500, 0.01)).What, Advice::TuneAlone);
  const Summary S = summarize(result(1000, 960, 0, 1500, 0.04));
  EXPECT_EQ(S.What, Advice::Undecided);
  EXPECT_THAT(S.Sentence, HasSubstr("Undecided whether to tune first and second alone"));
}

TEST(Verdict, NeighboursInTimeAreCompared) {
  // The GPU is slow in some rounds, more or fewer of them.
  for (const unsigned Slow : {0, 1, 5, 12, 20, 24}) {
    TuneResult R = result(1000, 0, 0, 900);
    Evaluation &Strong = R.Baselines[1].Result, Fused = measured(900);
    for (unsigned Round = 0; Round < 24; ++Round) {
      const double Clock = Round < Slow ? 1.4 : 1;
      Strong.Rounds.push_back(1000 * Clock);
      Fused.Rounds.push_back(900 * Clock);
    }
    R.Baselines[1].Confirmed = true;
    // As medians go, one of them may seem to be slow and the other not.
    Strong.Microseconds = 1400;
    R.Profiles = {{R.Tried.front().Tried.key(), {}, Fused, Fused}};
    const Summary S = summarize(R);
    EXPECT_NEAR(S.Fusion, 1000.0 / 900, 1e-9);
    EXPECT_NEAR(S.FusionNoise, 0, 1e-9);
  }
}

TEST(Verdict, SamplesOfOneTimeMayBeAlikeAndWrong) {
  TuneResult R = result(1000, 0, 0, 940);
  Evaluation &Strong = R.Baselines[1].Result, Fused = measured(940);
  // What slows down one of them only, and for a while, is noise, however alike the samples are.
  for (unsigned Round = 0; Round < 100; ++Round) {
    Strong.Rounds.push_back(Round < 30 ? 800 : 1000);
    Fused.Rounds.push_back(940);
  }
  R.Baselines[1].Confirmed = true;
  R.Profiles = {{R.Tried.front().Tried.key(), {}, Fused, Fused}};
  EXPECT_EQ(summarize(R).What, Advice::Undecided);
}

TEST(Verdict, WhatIsSlowerIsNotCalledNoise) {
  TuneResult R = result(1000, 0, 0, 1400);
  R.RequiredSpeedup = 0.5;
  EXPECT_EQ(summarize(R).What, Advice::LeaveAlone);
  EXPECT_THAT(summarize(R).Sentence, HasSubstr("0.71 times as fast as a CUDA graph with parallel branches as given, "
                                               "1.000 ms; that is slower."));
}

TEST(Verdict, TuningAloneIsTheAdviceWhereOnlyThatPays) {
  const Summary S = summarize(result(1950, 1620, 1000, 1000));
  EXPECT_EQ(S.What, Advice::TuneAlone);
  EXPECT_THAT(S.Sentence, HasSubstr("Do not fuse"));
  EXPECT_THAT(S.Sentence, HasSubstr("1.95 times as fast as they are now"));
}

TEST(Verdict, WithoutACandidateThereIsNothingToFuse) {
  TuneResult R = result(1000, 0, 0, 0);
  addFailed(R, Fate::Impossible, 1);
  const Summary S = summarize(R);
  EXPECT_EQ(S.What, Advice::LeaveAlone);
  EXPECT_FALSE(S.Winner);
  EXPECT_THAT(S.Sentence, HasSubstr("no fused candidate could be measured"));
}

TEST(Verdict, WhereNothingCouldBeTriedNothingIsDecided) {
  TuneResult R = result(1000, 0, 0, 0);
  R.Strategy = "hfuse";
  EXPECT_EQ(summarize(R).What, Advice::Undecided);
  EXPECT_THAT(summarize(R).Sentence, HasSubstr("the strategy hfuse has no candidate"));
}

TEST(Verdict, WithoutABaselineThereIsNone) { EXPECT_EQ(summarize(result(0, 0, 0, 900)).What, Advice::Unknown); }

TEST(Verdict, AgainstFusingSpeaksNoSearchThatEndedEarly) {
  for (bool TuneResult::*Why : {&TuneResult::Interrupted, &TuneResult::Starved}) {
    TuneResult R = result(1000, 0, 0, 1100);
    EXPECT_EQ(summarize(R).What, Advice::LeaveAlone);
    R.*Why = true;
    EXPECT_EQ(summarize(R).What, Advice::Undecided);
    EXPECT_THAT(summarize(R).Sentence, testing::Not(HasSubstr("Do not fuse")));
    // What was found was found; but who stops a search has not asked for the best of what it had come to.
    R.Tried.front().Result = measured(900);
    EXPECT_EQ(summarize(R).What, R.Interrupted ? Advice::Undecided : Advice::Fuse);
    EXPECT_THAT(summarize(R).Sentence, HasSubstr("1.11 times as fast"));
  }
}

TEST(Verdict, NoWinnerBeatsKernelsThatWereNotTunedAlone) {
  TuneResult R = result(1000, 0, 0, 900);
  R.AloneLeftOut = 3;
  EXPECT_EQ(summarize(R).What, Advice::Undecided);
  EXPECT_THAT(summarize(R).Sentence, HasSubstr("before 3 forms of the kernels alone were built"));
}

TEST(Verdict, AgainstFusingSpeaksNoSearchInWhichCandidatesFailed) {
  for (const Fate Outcome :
       {Fate::CompileFailed, Fate::LoadFailed, Fate::LaunchFailed, Fate::Crashed, Fate::TimedOut, Fate::WrongResult}) {
    TuneResult R = result(1000, 0, 0, 0);
    addFailed(R, Outcome, 3);
    EXPECT_EQ(summarize(R).What, Advice::Undecided) << static_cast<int>(Outcome);
    EXPECT_THAT(summarize(R).Sentence, HasSubstr("no fused candidate could be measured"));
  }
  TuneResult R = result(1000, 0, 0, 1100);
  addFailed(R, Fate::Crashed, 1);
  EXPECT_EQ(summarize(R).What, Advice::LeaveAlone);
  addFailed(R, Fate::CompileFailed, 1);
  EXPECT_EQ(summarize(R).What, Advice::Undecided);
  // What cannot be fused, or has no room, need not be tried.
  R = result(1000, 0, 0, 0);
  addFailed(R, Fate::Impossible, 3);
  addFailed(R, Fate::Discarded, 2);
  EXPECT_EQ(summarize(R).What, Advice::LeaveAlone);
  ++R.SpaceSize; // one that nobody tried
  EXPECT_EQ(summarize(R).What, Advice::Undecided);
}

TEST(Verdict, AWinnerThatCouldNotBeMeasuredAgainIsNone) {
  TuneResult R = result(1000, 0, 0, 900);
  R.Unconfirmed = "it does not compile";
  EXPECT_EQ(summarize(R).What, Advice::Undecided);
  EXPECT_THAT(summarize(R).Sentence, HasSubstr("it does not compile"));
}

TEST(Verdict, TimesAreComparedWithThoseOfTheSameConfirmation) {
  // By another scale, the graph seemed to be slower than it is.
  TuneResult R = result(1000, 0, 0, 950);
  R.Baselines[0].Result = measured(990);
  EXPECT_EQ(summarize(R).What, Advice::Fuse);
  R.Baselines[1].Result = measured(940);
  R.Baselines[1].Confirmed = true;
  EXPECT_EQ(summarize(R).What, Advice::LeaveAlone);
  R.Baselines[0].Result = measured(600);
  EXPECT_NEAR(summarize(R).Fusion, 940.0 / 950, 1e-9);
  R.Baselines[0].Confirmed = true;
  EXPECT_NEAR(summarize(R).Fusion, 600.0 / 950, 1e-9);
  // Two levels: what was not confirmed is no factor.
  R = result(1000, 800, 0, 850);
  R.Baselines[1].Confirmed = R.Baselines[3].Confirmed = true;
  R.Baselines[0].Result = measured(100);
  EXPECT_NEAR(summarize(R).LaunchShapes, 1000.0 / 800, 1e-9);
}

TEST(Verdict, ALuckyShortRunDoesNotWin) {
  TuneResult R = result(1000, 0, 0, 900);
  R.Tried.push_back({enumerateSpace(R.What).back(), Effort::Short, measured(890), 0, 2});
  const Summary S = summarize(R);
  EXPECT_EQ(S.Winner->Result.Microseconds, 900);
  EXPECT_EQ(S.Candidates.size(), 2u);
}

TEST(Verdict, AFullRunReplacesTheShortOneOfTheSameCandidate) {
  TuneResult R = result(1000, 0, 0, 900);
  TraceEntry Short = R.Tried.front();
  Short.Measured = Effort::Short;
  Short.Result = measured(850);
  R.Tried.push_back(Short);
  const Summary S = summarize(R);
  EXPECT_EQ(S.Winner->Result.Microseconds, 900);
  EXPECT_EQ(S.Candidates.size(), 1u);
}

TEST(Verdict, KnowsHfusesBestAmongAll) {
  TuneResult R = result(1000, 0, 0, 900);
  R.Tried.push_back({enumerateHfuseSpace(R.What).front(), Effort::Full, measured(940), 0, 2});
  const Summary S = summarize(R);
  ASSERT_TRUE(S.Hfuse);
  EXPECT_EQ(S.Hfuse->Result.Microseconds, 940);
  EXPECT_EQ(S.Winner->Result.Microseconds, 900);
}

TEST(Verdict, TellsTheRegime) {
  TuneResult R = result(1000, 0, 0, 900);
  EXPECT_EQ(summarize(R).Limits, Regime::ThroughputBound);
  R.What.Constituents[0].Shapes[0].Blocks = 100;
  EXPECT_EQ(summarize(R).Limits, Regime::TailBound);
  for (ConstituentProblem &C : R.What.Constituents)
    C.Shapes[0].Microseconds = 4;
  EXPECT_EQ(summarize(R).Limits, Regime::LaunchBound);
}

TEST(Verdict, ReportsClockSamplesAndNoise) {
  TuneResult R = result(1000, 0, 0, 900, 0.003);
  R.Tried[0].Result.ClockMHz = 1755;
  const Summary S = summarize(R);
  EXPECT_EQ(S.LowestClockMHz, 1755);
  EXPECT_EQ(S.HighestClockMHz, 1980);
  EXPECT_EQ(S.Samples, 150u);
  EXPECT_DOUBLE_EQ(S.WorstNoise, 0.003);
}

TEST(Phrases, DescribeAConfiguration) {
  FusionConfig C;
  C.Constituents = {{{64}, 4}, {{256}}};
  C.Grid = GridPolicy::Stride;
  C.Registers = {RegisterPolicy::Bound, 0, 3};
  EXPECT_EQ(phraseOf(C),
            "side by side, 4 × 64 and 256 threads, looping over their blocks, registers bound for 3 resident blocks");
  C.Shape = Geometry::Blocks;
  C.Registers = {};
  C.Constituents[0].ResidentBlocks = 2;
  EXPECT_EQ(phraseOf(C), "in blocks of their own, 4 × 64 and 256 threads, 2 and 1 resident per SM");
  C.Shape = Geometry::Threads;
  C.Grid = GridPolicy::Match;
  C.Constituents[0].Turns = 7;
  EXPECT_EQ(phraseOf(C), "in turn on the same threads, 7 times 4 × 64 and 256");
}

} // namespace
} // namespace cufuse
