#include "cufuse/Plan/FusionPlan.h"
#include "cufuse/Verify/VerifyFused.h"

#include <gmock/gmock.h>

namespace cufuse {
namespace {

KernelFacts kernel(bool Synchronises) {
  KernelFacts Facts;
  Facts.Name = "k";
  if (Synchronises)
    Facts.Barriers.push_back({"__syncthreads", "k", {}});
  return Facts;
}

FusionPlan planned(std::vector<KernelFacts> Kernels, FusionConfig Config) {
  std::vector<const KernelFacts *> Facts;
  for (const KernelFacts &K : Kernels)
    Facts.push_back(&K);
  auto Plan = planFusion(Facts, Config);
  EXPECT_TRUE(static_cast<bool>(Plan)) << llvm::toString(Plan.takeError());
  return Plan ? *Plan : FusionPlan{};
}

std::string refused(std::vector<KernelFacts> Kernels, FusionConfig Config) {
  std::vector<const KernelFacts *> Facts;
  for (const KernelFacts &K : Kernels)
    Facts.push_back(&K);
  auto Plan = planFusion(Facts, Config);
  return Plan ? "not refused" : llvm::toString(Plan.takeError());
}

/// Does the verifier refuse it?
bool failed(const FusionPlan &Plan) {
  llvm::Error Error = verifyPlan(Plan);
  const bool Failed = static_cast<bool>(Error);
  llvm::consumeError(std::move(Error));
  return Failed;
}

TEST(Plan, PartitionsFollowEachOtherInWholeWarps) {
  const FusionPlan Plan = planned({kernel(true), kernel(true)}, {{{{100, 1, 1}, 1}, {{16, 16, 1}, 1}}, {}, {}});
  ASSERT_EQ(Plan.Partitions.size(), 2u);
  EXPECT_EQ(Plan.Partitions[0].PaddedThreads, 128u);
  EXPECT_EQ(Plan.Partitions[1].First, 128u);
  EXPECT_EQ(Plan.BlockThreads, 384u);
}

TEST(Plan, BarriersAreDenseAndOnlyWhereNeeded) {
  const FusionPlan Plan = planned({kernel(true), kernel(false), kernel(true)},
                                  {{{{64, 1, 1}, 2}, {{64, 1, 1}, 1}, {{64, 1, 1}, 1}}, {}, {}});
  std::vector<unsigned> Barriers;
  for (const PartitionPlan &P : Plan.Partitions)
    Barriers.push_back(P.Barrier);
  EXPECT_EQ(Barriers, (std::vector<unsigned>{1, 2, 0, 3}));
}

TEST(Plan, StrideSynchronisesWhatSharesMemory) {
  KernelFacts Shared = kernel(false);
  Shared.StaticShared.push_back({"s", "int[4]", 16, "k", {}});
  FusionConfig Config{.Constituents = {{{64, 1, 1}, 1}}, .Registers = {}};
  EXPECT_EQ(planned({Shared}, Config).Partitions[0].Barrier, 0u);
  Config.Grid = GridPolicy::Stride;
  EXPECT_EQ(planned({Shared}, Config).Partitions[0].Barrier, 1u);
}

TEST(Plan, RefusesMoreThan1024Threads) {
  EXPECT_NE(
      refused({kernel(false), kernel(false)}, {{{{1000, 1, 1}, 1}, {{1, 1, 1}, 1}}, {}, {}}).find("TooManyThreads"),
      std::string::npos);
}

TEST(Plan, RefusesSixteenBarriers) {
  EXPECT_NE(refused({kernel(true)}, {{{{32, 1, 1}, 16}}, {}, {}}).find("TooManyBarriers"), std::string::npos);
  EXPECT_EQ(refused({kernel(true)}, {{{{32, 1, 1}, 15}}, {}, {}}), "not refused");
}

FusionConfig inBlocks(std::vector<ConstituentConfig> Constituents, GridPolicy Grid = GridPolicy::Match) {
  FusionConfig Config{.Constituents = std::move(Constituents)};
  Config.Shape = Geometry::Blocks;
  Config.Grid = Grid;
  return Config;
}

TEST(Plan, BlocksHoldTheLargestConstituentAndStartAtZero) {
  const FusionPlan Plan = planned({kernel(true), kernel(true)}, inBlocks({{{100, 1, 1}, 2}, {{1000, 1, 1}, 1}}));
  ASSERT_EQ(Plan.Partitions.size(), 3u);
  EXPECT_EQ(Plan.BlockThreads, 1024u);
  EXPECT_EQ(Plan.Partitions[1].First, 128u);
  EXPECT_EQ(Plan.Partitions[2].First, 0u);
  EXPECT_EQ(Plan.Partitions[2].Barrier, 1u);
  EXPECT_FALSE(Plan.Partitions[2].WholeBlock); // 24 threads of the fused block are not its own.
  EXPECT_FALSE(failed(Plan));
}

TEST(Plan, TwoBlocksOf1024ThreadsFitInBlocks) {
  const std::vector<ConstituentConfig> Largest = {{{1024, 1, 1}, 1}, {{32, 32, 1}, 1}};
  EXPECT_EQ(planned({kernel(true), kernel(true)}, inBlocks(Largest)).BlockThreads, 1024u);
  EXPECT_NE(refused({kernel(true), kernel(true)}, {Largest}).find("--geometry blocks"), std::string::npos);
}

TEST(Plan, ConstituentThatIsTheWholeBlockHasItsOwnBarrier) {
  KernelFacts Leaves = kernel(true);
  Leaves.ExitsBeforeBarrier.push_back({"this return", "k", {}});
  const std::vector<ConstituentConfig> Both = {{{256, 1, 1}, 1}, {{128, 1, 1}, 1}};
  FusionPlan Plan = planned({Leaves, Leaves}, inBlocks(Both));
  EXPECT_TRUE(Plan.Partitions[0].WholeBlock);
  EXPECT_EQ(Plan.Partitions[0].Barrier, 0u);
  EXPECT_FALSE(Plan.Partitions[0].DropsOut); // Exited threads do not count for it.
  EXPECT_TRUE(Plan.Partitions[1].DropsOut);
  Plan = planned({Leaves, Leaves}, inBlocks(Both, GridPolicy::Stride));
  EXPECT_TRUE(Plan.Partitions[0].DropsOut); // They come back for the next block.
}

TEST(Plan, BarriersOfDifferentBlocksMayBeTheSame) {
  const FusionPlan Plan = planned({kernel(true), kernel(true)}, inBlocks({{{32, 1, 1}, 10}, {{32, 1, 1}, 15}}));
  EXPECT_EQ(Plan.Partitions[9].Barrier, 10u);
  EXPECT_EQ(Plan.Partitions[10].Barrier, 1u);
  EXPECT_FALSE(failed(Plan));
}

TEST(Plan, LanesOfAWarpPlayBlocksThatMeetByThemselves) {
  KernelFacts Facts = kernel(true);
  Facts.StaticShared.push_back({"s", "float", 4, "k", {}});
  Facts.WarpPrimitives.push_back({"shfl.sync", "k", {}});
  Facts.WarpPrimitives.back().OfBlockReduce = true;
  Facts.PlaysLanes = true;
  const FusionConfig Sixteen = {{{{8, 1, 1}, 16}}};
  FusionPlan Plan = planned({Facts}, Sixteen);
  EXPECT_EQ(Plan.Partitions.size(), 1u);
  EXPECT_TRUE(Plan.Partitions[0].OfLanes);
  EXPECT_EQ(Plan.Partitions[0].Barrier, 0u);
  EXPECT_EQ(Plan.Partitions[0].PaddedThreads, 8u);
  EXPECT_EQ(Plan.BlockThreads, 128u);
  EXPECT_FALSE(failed(Plan));
  Plan.Partitions[0].Barrier = 1;
  EXPECT_TRUE(failed(Plan));
  auto Texts = [&](KernelFacts Of, BlockShape Block, unsigned Copies) {
    return planned({Of}, {{{Block, Copies}}}).Partitions.size();
  };
  EXPECT_EQ(Texts(Facts, {8, 1, 1}, 3), 3u); // the last warp would be of nobody
  EXPECT_EQ(Texts(Facts, {24, 1, 1}, 4), 4u);
  EXPECT_EQ(Texts(Facts, {4, 2, 1}, 4), 4u);
  KernelFacts OfWarp = Facts, Leaves = Facts, Counts = Facts, Shares = Facts;
  OfWarp.WarpPrimitives.back().OfBlockReduce = false;
  EXPECT_EQ(Texts(OfWarp, {8, 1, 1}, 4), 4u);
  EXPECT_EQ(Texts(OfWarp, {32, 1, 1}, 4), 1u);
  Leaves.ExitsBeforeBarrier.push_back({"this return", "k", {}});
  EXPECT_EQ(Texts(Leaves, {8, 1, 1}, 4), 4u);
  Counts.Barriers.push_back({"__syncthreads_count", "k", {}});
  EXPECT_EQ(Texts(Counts, {8, 1, 1}, 4), 4u);
  Shares.PlaysLanes = false;
  EXPECT_EQ(Texts(Shares, {8, 1, 1}, 4), 4u);
  // Beside others only where all of them do.
  EXPECT_EQ(planned({Facts, Facts}, inBlocks({{{8, 1, 1}, 16}, {{8, 1, 1}, 8}})).Partitions.size(), 2u);
  EXPECT_EQ(planned({Facts, Shares}, inBlocks({{{8, 1, 1}, 4}, {{8, 1, 1}, 4}})).Partitions.size(), 8u);
}

TEST(Plan, BlocksWithNothingInCommonArePlayedByOneText) {
  const FusionConfig Four = {{{{64, 1, 1}, 4}}};
  FusionPlan Plan = planned({kernel(false)}, Four);
  EXPECT_EQ(Plan.Partitions.size(), 1u);
  EXPECT_EQ(Plan.Partitions[0].Beside, 4u);
  EXPECT_EQ(Plan.BlockThreads, 256u);
  EXPECT_FALSE(Plan.keepsBlock());
  EXPECT_FALSE(failed(Plan));
  Plan.Partitions[0].Synchronises = true;
  EXPECT_TRUE(failed(Plan));
  EXPECT_EQ(planned({kernel(true)}, Four).Partitions.size(), 4u);
  EXPECT_EQ(planned({kernel(false)}, {{{{40, 1, 1}, 4}}}).Partitions.size(), 4u); // whole warps are one block's
  EXPECT_EQ(planned({kernel(false), kernel(false)}, {{{{64, 1, 1}, 4}, {{64, 1, 1}, 1}}}).Partitions.size(), 5u);
  KernelFacts Shares = kernel(false);
  Shares.StaticShared.push_back({"s", "float", 4, "k", {}});
  EXPECT_EQ(planned({Shares}, Four).Partitions.size(), 4u);
}

TEST(Plan, VerifierSeesPartitionsThatOverlapOnlyWhereTheyMust) {
  FusionPlan Plan = planned({kernel(true), kernel(true)}, inBlocks({{{64, 1, 1}, 2}, {{64, 1, 1}, 1}}));
  FusionPlan SideBySide = Plan;
  SideBySide.Shape = Geometry::Warps;
  EXPECT_TRUE(failed(SideBySide));
  FusionPlan Copies = Plan;
  Copies.Partitions[1].First = 0;
  EXPECT_TRUE(failed(Copies));
  FusionPlan Whole = Plan;
  Whole.Partitions[2].WholeBlock = true;
  EXPECT_TRUE(failed(Whole));
  EXPECT_FALSE(failed(Plan));
}

FusionConfig inTurns(std::vector<ConstituentConfig> Constituents, GridPolicy Grid = GridPolicy::Match) {
  FusionConfig Config = inBlocks(std::move(Constituents), Grid);
  Config.Shape = Geometry::Threads;
  return Config;
}

TEST(Plan, KernelsAreNotedWhereLibrariesFindMoreThanOnePartition) {
  KernelFacts Library = kernel(true);
  Library.LibraryBarriers.push_back("__syncthreads");
  const std::vector<ConstituentConfig> Both = {{{256, 1, 1}, 1}, {{128, 1, 1}, 1}};
  const std::vector<ConstituentConfig> Same = {{{128, 1, 1}, 2}, {{128, 1, 1}, 2}};
  EXPECT_FALSE(planned({Library, Library}, {Both}).NotesKernel);
  EXPECT_FALSE(planned({Library, kernel(true)}, inBlocks(Both)).NotesKernel);
  EXPECT_TRUE(planned({Library, Library}, inBlocks(Both)).NotesKernel);
  EXPECT_FALSE(planned({Library, Library}, inBlocks(Same)).NotesKernel);
  EXPECT_TRUE(planned({Library, Library}, inTurns(Same)).NotesKernel); // they have other barriers
  EXPECT_FALSE(planned({Library, kernel(true)}, inTurns(Same)).NotesKernel);
  FusionConfig Waiting = inTurns(Both, GridPolicy::Stride);
  Waiting.Cooperative = true;
  EXPECT_TRUE(planned({Library, kernel(true)}, Waiting).NotesKernel); // the grid's barrier is the whole block's
  EXPECT_FALSE(planned({kernel(true), kernel(true)}, Waiting).NotesKernel);
}

TEST(Plan, ThreadsPlayAllConstituentsWithBarriersOfTheirOwn) {
  const FusionPlan Plan = planned({kernel(true), kernel(true)}, inTurns({{{64, 1, 1}, 3}, {{256, 1, 1}, 1}}));
  EXPECT_EQ(Plan.BlockThreads, 256u);
  EXPECT_EQ(Plan.Partitions[3].First, 0u);
  EXPECT_EQ(Plan.Partitions[3].Barrier, 4u); // Others may still wait at 1 to 3.
  EXPECT_FALSE(Plan.Partitions[3].WholeBlock);
  EXPECT_FALSE(failed(Plan));
  FusionPlan Shared = Plan;
  Shared.Partitions[3].Barrier = 1;
  EXPECT_TRUE(failed(Shared));
}

TEST(Plan, KernelThatMayNameAnyBarrierHasAllOfThem) {
  KernelFacts Any = kernel(true);
  for (unsigned Barrier = 1; Barrier <= MaxNamedBarriers; ++Barrier)
    Any.NamedBarriers.insert(Barrier);
  const std::vector<ConstituentConfig> Both = {{{128, 1, 1}, 1}, {{256, 1, 1}, 1}};
  const FusionPlan Plan = planned({kernel(false), Any}, {Both});
  EXPECT_TRUE(Plan.Partitions[1].Synchronises);
  EXPECT_EQ(Plan.Partitions[1].Barrier, 0u);
  EXPECT_FALSE(failed(Plan));
  for (const FusionConfig &Config : {FusionConfig{Both}, inTurns(Both)})
    EXPECT_NE(refused({kernel(true), Any}, Config).find("TooManyBarriers"), std::string::npos);
  EXPECT_EQ(refused({kernel(true), Any}, inBlocks(Both)), "not refused");
  // Where threads that the kernel does not have stay, they wait at barrier 0 for the next one.
  EXPECT_EQ(refused({kernel(false), Any}, inTurns(Both)), "not refused");
  EXPECT_NE(refused({Any, kernel(false)}, inTurns(Both)).find("TooManyBarriers"), std::string::npos);
  EXPECT_NE(refused({Any, kernel(true)}, inBlocks(Both, GridPolicy::Pool)).find("TooManyBarriers"), std::string::npos);
  EXPECT_EQ(refused({Any, kernel(true)}, inBlocks(Both)), "not refused");
}

TEST(Plan, OnePartitionOfABlockMayHaveTilesOfSeveralWarps) {
  KernelFacts Tiles = kernel(true);
  Tiles.MultiWarpTiles = true;
  const std::vector<ConstituentConfig> Both = {{{128, 1, 1}, 1}, {{256, 1, 1}, 1}};
  const std::vector<ConstituentConfig> Twice = {{{128, 1, 1}, 2}, {{256, 1, 1}, 1}};
  EXPECT_EQ(refused({Tiles, kernel(true)}, {Both}), "not refused");
  EXPECT_EQ(refused({Tiles, Tiles}, inBlocks(Both)), "not refused");
  for (const FusionConfig &Config : {FusionConfig{Both}, inTurns(Both)})
    EXPECT_NE(refused({Tiles, Tiles}, Config).find("MultiWarpTiles"), std::string::npos);
  for (const FusionConfig &Config : {FusionConfig{Twice}, inBlocks(Twice)})
    EXPECT_NE(refused({Tiles, kernel(true)}, Config).find("MultiWarpTiles"), std::string::npos);
}

TEST(Plan, LanesThatPlayOnMustNotBeWaitedFor) {
  const std::vector<ConstituentConfig> Partial = {{{100, 1, 1}, 1}, {{256, 1, 1}, 1}};
  KernelFacts Warps = kernel(false);
  Warps.WarpPrimitives.push_back({"__shfl_sync", "k", {}});
  EXPECT_EQ(refused({kernel(false), kernel(true)}, inTurns(Partial)), "not refused");
  EXPECT_NE(refused({kernel(true), kernel(true)}, inTurns(Partial)).find("PartialWarp"), std::string::npos);
  EXPECT_NE(refused({Warps, kernel(true)}, inTurns(Partial)).find("PartialWarp"), std::string::npos);
  EXPECT_EQ(refused({kernel(true), kernel(true)}, inBlocks(Partial)), "not refused");
  EXPECT_NE(refused({kernel(false), kernel(true)}, inBlocks(Partial, GridPolicy::Pool)).find("PartialWarp"),
            std::string::npos);
}

TEST(Plan, ThreadsThatPlayOnDoNotExit) {
  KernelFacts Exits = kernel(true);
  Exits.ExitsBeforeWarpPrimitive.push_back({"this return", "k", {}});
  const std::vector<ConstituentConfig> Both = {{{128, 1, 1}, 1}, {{128, 1, 1}, 1}};
  EXPECT_EQ(refused({Exits, kernel(true)}, inBlocks(Both)), "not refused");
  EXPECT_NE(refused({Exits, kernel(true)}, inTurns(Both)).find("ExitBeforeWarpPrimitive"), std::string::npos);
}

TEST(Plan, WholeWarpsMayLeaveWhereRowsAreWholeWarps) {
  KernelFacts Exits = kernel(true);
  Exits.ExitsBeforeWarpPrimitive.push_back({"this return", "k", {}, /*ByWarps=*/true});
  EXPECT_EQ(refused({Exits, kernel(true)}, inTurns({{{64, 2, 1}, 1}, {{128, 1, 1}, 1}})), "not refused");
  EXPECT_NE(refused({Exits, kernel(true)}, inTurns({{{16, 8, 1}, 1}, {{128, 1, 1}, 1}})).find("rows of 16 threads"),
            std::string::npos);
}

TEST(Plan, SignedThreadNumbersLimitTheGridWhereWarpsLeave) {
  KernelFacts Exits = kernel(true);
  Exits.SignedThreadNumber = true;
  const std::vector<ConstituentConfig> Both = {{{64, 2, 1}, 1}, {{128, 1, 1}, 1}};
  const FusionPlan Turns = planned({Exits, kernel(true)}, inTurns(Both));
  EXPECT_EQ(mostBlocksInX(Exits, Turns, 0), 1u << 25);
  EXPECT_EQ(mostBlocksInX(kernel(true), Turns, 1), std::nullopt);
  EXPECT_EQ(mostBlocksInX(Exits, planned({Exits, kernel(true)}, inBlocks(Both)), 0), std::nullopt);
}

TEST(Plan, PoolsSynchroniseWhoeverTakesFromThem) {
  const std::vector<ConstituentConfig> Both = {{{128, 1, 1}, 1}, {{64, 1, 1}, 2}};
  const FusionPlan Plan = planned({kernel(false), kernel(false)}, inBlocks(Both, GridPolicy::Pool));
  EXPECT_TRUE(Plan.Partitions[0].WholeBlock && Plan.Partitions[0].Synchronises);
  EXPECT_EQ(Plan.Partitions[2].Barrier, 2u);
}

TEST(Plan, ThreadsPlayOneBlockOfEachUnlessTheGridWaits) {
  const std::vector<ConstituentConfig> Both = {{{128, 1, 1}, 1}, {{64, 1, 1}, 2}};
  const std::vector<KernelFacts> Kernels = {kernel(false), kernel(false)};
  EXPECT_NE(refused(Kernels, inTurns(Both, GridPolicy::Pool)).find("ThreadsGrid"), std::string::npos);
  FusionConfig Cooperative = inTurns(Both, GridPolicy::Stride);
  EXPECT_NE(refused(Kernels, Cooperative).find("ThreadsGrid"), std::string::npos);
  Cooperative.Cooperative = true;
  EXPECT_TRUE(planned(Kernels, Cooperative).Cooperative);
  Cooperative.Grid = GridPolicy::Match;
  EXPECT_NE(refused(Kernels, Cooperative).find("ThreadsGrid"), std::string::npos);
}

FusionConfig split(std::vector<std::pair<unsigned, unsigned>> ThreadsAndBudgets) {
  FusionConfig Config;
  for (const auto &[Threads, Budget] : ThreadsAndBudgets) {
    Config.Constituents.push_back({{Threads, 1, 1}, 1});
    Config.Constituents.back().RegisterBudget = Budget;
  }
  Config.Registers.Policy = RegisterPolicy::Split;
  return Config;
}

TEST(Plan, BudgetsTakeWholeWarpgroupsAndWhatTheyNeedTogether) {
  FusionPlan Plan = planned({kernel(true), kernel(false)}, split({{384, 32}, {128, 136}}));
  EXPECT_EQ(Plan.Registers.Count, 64u); // (384 * 32 + 128 * 136) / 512 = 58, in steps of 8
  Plan = planned({kernel(true), kernel(true)}, split({{100, 40}, {130, 24}}));
  EXPECT_EQ(Plan.Partitions[0].PaddedThreads, 128u);
  EXPECT_EQ(Plan.Partitions[1].First, 128u);
  EXPECT_EQ(Plan.Partitions[1].PaddedThreads, 160u);
  EXPECT_EQ(Plan.Partitions[1].Reserved, 256u);
  EXPECT_EQ(Plan.BlockThreads, 384u);
  EXPECT_FALSE(failed(Plan));
  for (unsigned First = 24; First <= 248; First += 8)
    for (unsigned Second = 24; Second <= 128; Second += 8) {
      const FusionPlan Each = planned({kernel(false), kernel(false)}, split({{128, First}, {256, Second}}));
      ASSERT_LE(128 * First + 256 * Second, 384 * Each.Registers.Count); // else the block waits for ever
      ASSERT_EQ(Each.Registers.Count % 8, 0u);
      ASSERT_LE(384 * Each.Registers.Count, 65536u);
    }
}

TEST(Plan, VerifierSeesBudgetsThatWouldHang) {
  FusionPlan Plan = planned({kernel(false), kernel(false)}, split({{384, 32}, {128, 136}}));
  EXPECT_FALSE(failed(Plan));
  Plan.Registers.Count = 56;
  EXPECT_TRUE(failed(Plan));
  Plan.Registers.Count = 64;
  Plan.Partitions[1].First = 352; // not at a warpgroup
  EXPECT_TRUE(failed(Plan));
}

TEST(Plan, RefusesImpossibleBudgets) {
  auto Refused = [](FusionConfig Config, const char *Arch = "sm_90a") {
    const KernelFacts One = kernel(false);
    auto Plan = planFusion(std::vector<const KernelFacts *>(Config.Constituents.size(), &One), Config, Arch);
    return Plan ? "not refused" : llvm::toString(Plan.takeError());
  };
  using testing::HasSubstr;
  EXPECT_EQ(Refused(split({{128, 24}, {128, 256}})), "not refused");
  EXPECT_THAT(Refused(split({{128, 16}, {128, 64}})), HasSubstr("16 registers for k"));
  EXPECT_THAT(Refused(split({{128, 64}, {128, 264}})), HasSubstr("264 registers for k"));
  EXPECT_THAT(Refused(split({{128, 64}, {128, 60}})), HasSubstr("60 registers for k"));
  EXPECT_THAT(Refused(split({{512, 128}, {512, 128}})), HasSubstr("128 registers for each of 1024 threads"));
  EXPECT_THAT(Refused(split({{128, 64}})), HasSubstr("only kernels side by side"));
  EXPECT_THAT(Refused(split({{128, 24}, {128, 64}}), "sm_90"), HasSubstr("sm_90 has none"));
  EXPECT_THAT(Refused(split({{128, 24}, {128, 64}}), "sm_80"), HasSubstr("sm_80 has none"));
  EXPECT_EQ(Refused(split({{128, 24}, {128, 64}}), "sm_100a"), "not refused");
  FusionConfig Blocks = split({{128, 24}, {128, 64}});
  Blocks.Shape = Geometry::Blocks;
  EXPECT_THAT(Refused(Blocks), HasSubstr("only kernels side by side"));
}

TEST(Plan, RefusesBindingsThatAreNoNumbers) {
  KernelFacts Kernel = kernel(false);
  Kernel.Parameters = {{"n", "int", 4, 4, {{"", "int", ScalarKind::Signed, 0, 4}}},
                       {"in", "float *", 8, 8, {{"", "float *", ScalarKind::Pointer, 0, 8}}}};
  auto Refused = [&](std::vector<std::pair<std::string, std::string>> Bound) {
    FusionConfig Config{.Constituents = {{{64, 1, 1}, 1}}};
    Config.Constituents[0].Bound = std::move(Bound);
    return refused({Kernel}, Config);
  };
  using testing::HasSubstr;
  for (const char *Value : {"3", "-3", "0x1f", "0.5f", "true", "7ull", "1e3"})
    EXPECT_EQ(Refused({{"n", Value}}), "not refused") << Value;
  for (const char *Value : {"", "-", "3+4", "n", "f()", "1,2", "3)", "3;"})
    EXPECT_THAT(Refused({{"n", Value}}), HasSubstr("WrongBinding")) << Value;
  EXPECT_THAT(Refused({{"m", "3"}}), HasSubstr("k has no parameter m"));
  EXPECT_THAT(Refused({{"in", "0"}}), HasSubstr("in of k is of type float *"));
  EXPECT_THAT(Refused({{"n", "3"}, {"n", "4"}}), HasSubstr("bound twice"));
}

} // namespace
} // namespace cufuse
