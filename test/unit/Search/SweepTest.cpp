// What holds of every search, on sweeps that were recorded on a GPU: one for each geometry that wins. How good the searches
// are, on all sweeps, is what scripts/bench-search says.
#include "Replay.h"

#include "cufuse/Plan/ConfigNames.h"
#include "cufuse/Support/Error.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cufuse {
namespace {

using testing::HasSubstr;

struct Case {
  const char *Name;
  Geometry Winner;
};

class Sweep : public testing::TestWithParam<Case> {
protected:
  Found search(const ReplayOptions &Options) const {
    auto Result = replay(Recorded, Options);
    if (!Result)
      ADD_FAILURE() << Options.Strategy << " found nothing";
    return Result.value_or(Found());
  }
  const RecordedSweep Recorded = llvm::cantFail(parseSweep(sweepText(GetParam().Name), GetParam().Name));
};
INSTANTIATE_TEST_SUITE_P(Recorded, Sweep,
                         testing::Values(Case{"ethash_sha256", Geometry::Warps},
                                         Case{"batchnorm_histogram", Geometry::Blocks},
                                         Case{"maxpool_upsample", Geometry::Threads}),
                         [](const auto &Info) { return std::string(Info.param.Name); });

Budget measurements(unsigned Count) {
  Budget Limit;
  Limit.Measured = Count;
  return Limit;
}

TEST_P(Sweep, AutoFindsTheGeometryThatWinsInAQuarterOfTheMeasurements) {
  const Found All = search({.Strategy = "exhaustive"}), Few = search({});
  EXPECT_EQ(All.Best.Config.Shape, GetParam().Winner);
  EXPECT_EQ(Few.Best.Config.Shape, GetParam().Winner);
  EXPECT_LE(Few.Measured * 4, All.Measured);
  EXPECT_LE(Few.Waits, 6u);
}

TEST_P(Sweep, BudgetsAreKept) {
  for (const char *Strategy : {"auto", "random", "hfuse", "exhaustive"})
    EXPECT_EQ(search({.Strategy = Strategy, .Limit = measurements(40)}).Measured, 40u) << Strategy;
}

TEST_P(Sweep, EqualTimesMakeEqualSearches) {
  const ReplayOptions Options{.Limit = measurements(100), .Noise = 1};
  const Found One = search(Options), Two = search(Options);
  EXPECT_EQ(One.Tried, Two.Tried);
  EXPECT_EQ(One.Best.key(), Two.Best.key());
}

TEST_P(Sweep, AutoIsWithinOnePercentOfAsManyRandomDraws) {
  const Found Chosen = search({.Limit = measurements(100)});
  for (std::uint64_t Seed : {1, 2, 3})
    EXPECT_LE(Chosen.Microseconds,
              1.01 * search({.Strategy = "random", .Limit = measurements(100), .Seed = Seed}).Microseconds)
        << Seed;
}

TEST_P(Sweep, AutoTurnsAwayFromWhatTheFuserRefuses) {
  for (Geometry Refused : {Geometry::Blocks, Geometry::Warps, Geometry::Threads}) {
    const std::string Without = "without " + nameOf(Refused).str();
    const Found All = search({.Strategy = "exhaustive", .Refused = Refused}), Few = search({.Refused = Refused});
    EXPECT_NE(Few.Best.Config.Shape, Refused);
    EXPECT_LE(Few.Microseconds, 1.01 * All.Microseconds) << Without;
    EXPECT_LE(Few.Waits, 12u) << Without;
  }
}

TEST_P(Sweep, EveryStrategyRuns) {
  const Found All = search({.Strategy = "exhaustive"});
  for (const char *Strategy : {"random", "hfuse"})
    EXPECT_EQ(search({.Strategy = Strategy}).Measured, All.Measured) << Strategy;
}

TEST(RecordedSweep, EachIsSmallEnoughToBeKept) {
  EXPECT_EQ(sweepNames().size(), 10u);
  for (const std::string &Name : sweepNames())
    EXPECT_LE(sweepText(Name).size(), 300'000u) << Name;
}

TEST(RecordedSweep, WrongFieldsAreNamed) {
  std::string Text = sweepText("synthetic");
  auto Wrong = [&](const std::string &From, const std::string &To) {
    std::string Changed = Text;
    Changed.replace(Changed.find(From), From.size(), To);
    auto Parsed = parseSweep(Changed, "x.json");
    return Parsed ? std::string("nothing") : llvm::toString(Parsed.takeError());
  };
  EXPECT_THAT(Wrong("\"cufuse_sweep\":2", "\"cufuse_sweep\":1"), HasSubstr("sweep.cufuse_sweep"));
  EXPECT_THAT(Wrong("\"rows\"", "\"lines\""), HasSubstr("sweep.rows"));
  EXPECT_THAT(Wrong("[[\"", "[[\"x"), HasSubstr("sweep.rows[0][0][0]"));
  EXPECT_THAT(llvm::toString(parseSweep("{", "x.json").takeError()), HasSubstr("'x.json' is no recorded sweep"));
}

} // namespace
} // namespace cufuse
