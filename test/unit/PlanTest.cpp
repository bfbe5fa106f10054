#include "cufuse/Fusion/FusionPlan.h"

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

} // namespace
} // namespace cufuse
