#include "cufuse/Fusion/FusionPlan.h"
#include "cufuse/Fusion/VerifyFused.h"

#include <gtest/gtest.h>

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

TEST(Plan, OneLibraryUserAtATimeOutsideWarps) {
  KernelFacts Library = kernel(true);
  Library.LibraryBarriers.push_back("__syncthreads");
  const std::vector<ConstituentConfig> Both = {{{256, 1, 1}, 1}, {{128, 1, 1}, 1}};
  EXPECT_EQ(refused({Library, kernel(true)}, inBlocks(Both)), "not refused");
  EXPECT_EQ(refused({Library, Library}, {Both}), "not refused");
  EXPECT_NE(refused({Library, Library}, inBlocks(Both)).find("LibrariesNeedWarps"), std::string::npos);
}

} // namespace
} // namespace cufuse
