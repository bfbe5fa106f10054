#include "SampleResult.h"
#include "cufuse/Report/Report.h"
#include "cufuse/Search/GraphSpace.h"
#include "cufuse/Search/Json.h"
#include "cufuse/Search/Verdict.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cufuse {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

constexpr std::uint64_t Bytes = 400'000'000;

/// Kernels 0, 1, 2, … each of which reads what the one before it has written.
Problem chain(unsigned Kernels) {
  Problem P;
  P.Gpu.DramBytesPerMicrosecond = 4e6;
  P.Graph.emplace();
  for (unsigned I = 0; I <= Kernels; ++I) {
    GraphArray Array{"array" + std::to_string(I), Bytes, {}, {}, I > 0 && I < Kernels};
    if (I < Kernels)
      Array.Readers = {I};
    if (I > 0)
      Array.Writers = {I - 1};
    P.Graph->Arrays.push_back(Array);
  }
  for (unsigned I = 0; I < Kernels; ++I) {
    P.Constituents.push_back({"k" + std::to_string(I), {{.Block = {256}, .Blocks = 1000, .Counters = {}}}});
    if (I > 0)
      P.Graph->Links.emplace_back(I - 1, I);
  }
  return P;
}

TEST(Graph, EveryChoiceOfLinksIsTriedOnce) {
  EXPECT_THAT(chooseLinks(*chain(3).Graph, 3),
              ElementsAre(Launches{{0, 1, 2}}, Launches{{0}, {1, 2}}, Launches{{0, 1}, {2}}));
  EXPECT_THAT(chooseLinks(*chain(5).Graph, 5), SizeIs(15));
  GraphFacts Twice = *chain(3).Graph; // a diamond's short cut joins what the other two join
  Twice.Links.emplace_back(0, 2);
  EXPECT_THAT(chooseLinks(Twice, 3), SizeIs(4));
}

TEST(Graph, OfManyLinksSomeChoicesAreTried) {
  // All, each by itself, and those up to each: 9 + 8, and the first one is both.
  const std::vector<Launches> Choices = chooseLinks(*chain(10).Graph, 10);
  EXPECT_THAT(Choices, SizeIs(17));
  EXPECT_THAT(Choices.front(), SizeIs(1));
  EXPECT_THAT(Choices.back(), SizeIs(9));
}

TEST(Graph, LaunchesWaitForWhatTheyRead) {
  Problem P = chain(3);
  EXPECT_EQ(inOrder(*P.Graph, {{2}, {1}, {0}}), (Launches{{0}, {1}, {2}}));
  // The second would have to run between the first and the third.
  EXPECT_EQ(inOrder(*P.Graph, {{0, 2}, {1}}), std::nullopt);
  // One that overwrites an input runs behind those that read it.
  P.Graph->Arrays[0].Writers = {2};
  P.Graph->Arrays[2].Readers = {};
  EXPECT_EQ(inOrder(*P.Graph, {{0}, {1}, {2}}), (Launches{{0}, {1}, {2}}));
  EXPECT_TRUE(dependsOn(*P.Graph, 2, 0));
  EXPECT_FALSE(dependsOn(*P.Graph, 2, 1));
}

TEST(Graph, WhatIsDeadWithinALaunchIsNotMoved) {
  Problem P = chain(3);
  EXPECT_EQ(bytesMoved(*P.Graph, {0}), 2 * Bytes);
  EXPECT_EQ(bytesMoved(*P.Graph, {0, 1, 2}), 2 * Bytes);
  P.Graph->Arrays[1].Dead = false; // stored, and not loaded again
  EXPECT_EQ(bytesMoved(*P.Graph, {0, 1, 2}), 3 * Bytes);
  P.Graph->Arrays[1] = {"shared", Bytes, {1, 2}, {0}, true};
  EXPECT_EQ(bytesMoved(*P.Graph, {0, 1}), 3 * Bytes) << "the third still reads it";
  P.Graph->Arrays[0].Writers = {0}; // in place
  EXPECT_EQ(bytesMoved(*P.Graph, {0}), 3 * Bytes);
}

TEST(Graph, TheModelCountsBytesLaunchesAndSpills) {
  const Problem P = chain(3);
  const LaunchGroup All{{"k0", "k1", "k2"}, 1, {256}}, Wide{{"k0", "k1", "k2"}, 4, {256}};
  const double Fused = predictLaunches(P, All, {}), Separate = predictSeparate(P);
  EXPECT_NEAR(Separate / Fused, 3, 0.1);
  EXPECT_LT(predictLaunches(P, Wide, {}), Fused);
  ResourceUse Spilling;
  Spilling.SpillStores = Spilling.SpillLoads = 10'000;
  EXPECT_GT(predictLaunches(P, All, Spilling), Fused);
  EXPECT_NEAR(leastMicroseconds(P), 200, 1e-9);
}

TEST(Graph, WidthsAndBlocksAreTriedWithEveryChoice) {
  const Problem P = chain(3);
  const std::vector<Candidate> All = enumerateGraphSpace(P, [](llvm::ArrayRef<unsigned> Group) {
    return Group.size() == 3 ? GroupWays{{1, 4}, {{256}, {512}}} : GroupWays{{1}, {{128}}};
  });
  std::vector<std::string> Keys;
  for (const Candidate &C : All)
    Keys.push_back(C.key());
  EXPECT_THAT(Keys, ElementsAre("k0+k1+k2 x1 256", "k0+k1+k2 x1 512", "k0+k1+k2 x4 256", "k0+k1+k2 x4 512",
                                "k0 | k1+k2 x1 128", "k0+k1 x1 128 | k2"));
}

Candidate fused(unsigned Vectorize) { return {{}, {{{"k0", "k1"}, Vectorize, {256}}, {{"k2"}, 1, {256}}}}; }

TuneResult result(double Fused) {
  TuneResult R;
  R.What = chain(3);
  R.Baselines.push_back({Schedule::Serial, SoloLevel::Given, measured(600), {}});
  R.Tried.push_back({fused(4), Effort::Full, measured(Fused), 0, 1});
  R.SpaceSize = 1;
  return R;
}

TEST(Graph, TheVerdictNamesTheLaunches) {
  const Summary S = summarize(result(400));
  EXPECT_EQ(S.What, Advice::Fuse);
  EXPECT_THAT(S.Sentence, HasSubstr("Fuse k0, k1 and k2: k0 and k1 in one kernel of 256 threads, 4 elements each; then "
                                    "k2 alone. That takes 400.00 µs, 1.50 times as fast as serial launches as given"));
  EXPECT_NEAR(S.Limit.Microseconds, 200, 1e-9);
  EXPECT_NEAR(S.Limit.share(400), 0.5, 1e-9);
  EXPECT_THAT(htmlReport(result(400), S), HasSubstr("the arrays that stay are moved once"));
}

TEST(Graph, WhatIsNotFasterIsNotFused) {
  const Summary S = summarize(result(600));
  EXPECT_EQ(S.What, Advice::LeaveAlone);
  EXPECT_THAT(S.Sentence, HasSubstr("Do not fuse k0, k1 and k2: the best choice of links takes 600.00 µs"));
  TuneResult Refused = result(600);
  Refused.Tried[0].Result = {};
  Refused.Tried[0].Result.Why = "k0+k1: refused";
  EXPECT_THAT(summarize(Refused).Sentence, HasSubstr("Do not fuse k0, k1 and k2: no link can be fused"));
}

TEST(Graph, TheModelSaysNotToFuseWhatSpillsTooMuch) {
  TuneResult R = result(0);
  R.Modelled = true;
  R.Baselines.clear();
  EXPECT_EQ(summarize(R).Winner->Which.key(), fused(4).key());
  R.Tried[0].Result.Resources.emplace().SpillStores = 100'000'000;
  const Summary S = summarize(R);
  EXPECT_FALSE(S.Winner.has_value());
  EXPECT_THAT(S.Sentence, HasSubstr("Nothing was measured: 1 candidates for k0, k1 and k2 are "
                                    "ranked by the model. By the model: do not fuse."));
}

TEST(Graph, ResultsAreReadAgain) {
  const TuneResult R = result(400);
  const std::string Text = jsonReport(R, summarize(R));
  auto Again = parseTuneResult(Text, "result");
  ASSERT_TRUE(static_cast<bool>(Again)) << llvm::toString(Again.takeError());
  ASSERT_TRUE(Again->What.Graph.has_value());
  EXPECT_EQ(Again->What.Graph->Links, R.What.Graph->Links);
  EXPECT_EQ(Again->What.Graph->Arrays[1].Writers, R.What.Graph->Arrays[1].Writers);
  EXPECT_TRUE(Again->What.Graph->Arrays[1].Dead);
  EXPECT_EQ(Again->Tried[0].Tried.key(), "k0+k1 x4 256 | k2");
  EXPECT_EQ(jsonReport(*Again, summarize(*Again)), Text);
}

} // namespace
} // namespace cufuse
