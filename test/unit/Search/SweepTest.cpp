// Strategies on sweeps that were recorded on a GPU, one for each file in Sweeps/.
#include "RecordedSweep.h"
#include "ReplayEvaluator.h"
#include "cufuse/Plan/ConfigNames.h"
#include "cufuse/Search/Search.h"
#include "cufuse/Support/Error.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace cufuse {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

const fs::path Sweeps = fs::path(CUFUSE_SOURCE_DIR) / "test/unit/Search/Sweeps";

std::vector<std::string> sweepNames() {
  std::vector<std::string> Names;
  for (const fs::directory_entry &Entry : fs::directory_iterator(Sweeps))
    if (Entry.path().extension() == ".json")
      Names.push_back(Entry.path().stem().string());
  std::sort(Names.begin(), Names.end());
  return Names;
}

std::string textOf(const std::string &Name) {
  std::ostringstream Text;
  Text << std::ifstream(Sweeps / (Name + ".json")).rdbuf();
  return Text.str();
}

struct Found {
  std::string Key;
  double Microseconds = 0; ///< As recorded, a full measurement before a short one.
  size_t Measured = 0;
  unsigned Waits = 0;
};

/// Counts how often the compilers have to wait for all results before they get more.
struct WaitCounter : Evaluator {
  explicit WaitCounter(ReplayEvaluator &World) : World(World) {}
  void screen(llvm::ArrayRef<Candidate> Candidates, TakeEvaluation Take) override { World.screen(Candidates, Take); }
  void measure(NextCandidates Next, Effort How, TakeEvaluation Take) override {
    Waits += How == Effort::Short;
    std::vector<Candidate> Asked;
    auto Noted = [&] {
      std::vector<Candidate> Some = Next();
      Asked.insert(Asked.end(), Some.begin(), Some.end());
      return Some;
    };
    World.measure(Noted, How, [&](size_t I, const Evaluation &Result) {
      Evaluation Refusal;
      Refusal.Why = "refused";
      return Take(I, Asked[I].Config.Shape == Refused ? Refusal : Result);
    });
  }
  ReplayEvaluator &World;
  unsigned Waits = 0;
  std::optional<Geometry> Refused;
};

class Sweep : public testing::TestWithParam<std::string> {
protected:
  /// The strategy chooses from what was recorded: the sweep may be of another day's space.
  Found search(const char *Strategy, ReplayEvaluator World, Budget Limit = {},
               std::optional<Geometry> Refused = {}) const {
    const auto How = llvm::cantFail(makeStrategy(Strategy));
    Trace Record;
    SearchSeams Seams;
    Seams.Now = [] { return 0.0; };
    WaitCounter Counted(World);
    Counted.Refused = Refused;
    Search S(Recorded.What, World.candidates(), Counted, Record, Limit, Seams);
    How->run(S);
    Found Result;
    Result.Waits = Counted.Waits;
    Result.Measured = S.measuredCount();
    const auto Best = S.best();
    if (!Best) {
      ADD_FAILURE() << Strategy << " found nothing";
      return Result;
    }
    Result.Key = S.candidates()[*Best].key();
    bool Full = false;
    for (const TraceEntry &Entry : Recorded.Entries)
      if (Entry.Tried.key() == Result.Key && Entry.Measured && !Full) {
        Full = Entry.Measured == Effort::Full;
        Result.Microseconds = Entry.Result.Microseconds;
      }
    return Result;
  }
  const RecordedSweep Recorded = llvm::cantFail(parseSweep(textOf(GetParam()), GetParam()));
};
INSTANTIATE_TEST_SUITE_P(Recorded, Sweep, testing::ValuesIn(sweepNames()), [](const auto &Info) {
  std::string Name = Info.param;
  std::replace_if(Name.begin(), Name.end(), [](unsigned char C) { return !std::isalnum(C); }, '_');
  return Name;
});

TEST_P(Sweep, AutoIsWithinOnePercentOfExhaustiveInAQuarterOfItsMeasurements) {
  const Found All = search("exhaustive", ReplayEvaluator(Recorded.Entries)),
              Few = search("auto", ReplayEvaluator(Recorded.Entries));
  EXPECT_LE(Few.Microseconds, 1.01 * All.Microseconds) << Few.Key << " instead of " << All.Key;
  EXPECT_LE(Few.Measured * 4, All.Measured);
  EXPECT_LE(Few.Waits, 6u);
}

TEST_P(Sweep, AutoIsWithinTwoPercentOfExhaustiveInAHundredMeasurements) {
  Budget Few;
  Few.Measured = 100; // as in a search of seconds
  for (std::uint64_t Seed : {1, 2}) {
    const Found All = search("exhaustive", ReplayEvaluator(Recorded.Entries)),
                Early = search("auto", ReplayEvaluator(Recorded.Entries, Seed), Few);
    EXPECT_LE(Early.Microseconds, 1.02 * All.Microseconds) << Early.Key << " instead of " << All.Key;
  }
}

TEST_P(Sweep, AutoTurnsAwayFromWhatTheFuserRefuses) {
  for (Geometry Refused : {Geometry::Blocks, Geometry::Warps, Geometry::Threads}) {
    const Found All = search("exhaustive", ReplayEvaluator(Recorded.Entries), {}, Refused),
                Few = search("auto", ReplayEvaluator(Recorded.Entries), {}, Refused);
    EXPECT_LE(Few.Microseconds, 1.01 * All.Microseconds) << Few.Key << " instead of " << All.Key;
    EXPECT_LE(Few.Waits, 12u) << "without " << nameOf(Refused).str();
  }
}

TEST_P(Sweep, TwoRunsOfAutoAgreeWithinTwoPercent) {
  const Found One = search("auto", ReplayEvaluator(Recorded.Entries, 1)),
              Two = search("auto", ReplayEvaluator(Recorded.Entries, 2));
  EXPECT_NEAR(One.Microseconds, Two.Microseconds, 0.02 * std::min(One.Microseconds, Two.Microseconds))
      << One.Key << " and " << Two.Key;
}

TEST_P(Sweep, EveryStrategyRuns) {
  const Found All = search("exhaustive", ReplayEvaluator(Recorded.Entries));
  for (const char *Strategy : {"random", "hfuse"})
    EXPECT_EQ(search(Strategy, ReplayEvaluator(Recorded.Entries)).Measured, All.Measured) << Strategy;
}

TEST_P(Sweep, IsSmallEnoughToBeKept) { EXPECT_LE(textOf(GetParam()).size(), 300'000u); }

TEST(RecordedSweep, WrongFieldsAreNamed) {
  std::string Text = textOf("synthetic");
  auto Wrong = [&](const std::string &From, const std::string &To) {
    std::string Changed = Text;
    Changed.replace(Changed.find(From), From.size(), To);
    auto Parsed = parseSweep(Changed, "x.json");
    return Parsed ? std::string("nothing") : llvm::toString(Parsed.takeError());
  };
  EXPECT_THAT(Wrong("\"cufuse_sweep\":1", "\"cufuse_sweep\":2"), HasSubstr("sweep.cufuse_sweep"));
  EXPECT_THAT(Wrong("\"rows\"", "\"lines\""), HasSubstr("sweep.rows"));
  EXPECT_THAT(Wrong("[[\"", "[[\"x"), HasSubstr("sweep.rows[0][0][0]"));
  EXPECT_THAT(llvm::toString(parseSweep("{", "x.json").takeError()), HasSubstr("'x.json' is no recorded sweep"));
}

} // namespace
} // namespace cufuse
