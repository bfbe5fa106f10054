#include "cufuse/Plan/FusedLaunch.h"

#include "cufuse/Cuda/OnHost.h"

#include <gtest/gtest.h>

#include <cstring>

namespace cufuse {
namespace {

KernelFacts kernel(const char *Name, bool Dynamic = false) {
  KernelFacts Facts;
  Facts.Name = Name;
  Facts.Parameters = {{"in", "const float *"}, {"n", "int"}};
  Facts.Reads[static_cast<size_t>(Builtin::BlockIdx)] = {true, true, false};
  if (Dynamic)
    Facts.DynamicShared.push_back({"s", "float[]", 0, Name, {}});
  return Facts;
}

struct Case {
  std::vector<KernelFacts> Kernels = {kernel("a", true), kernel("b")};
  FusionConfig Config{.Constituents = {{{256, 1, 1}, 1}, {{128, 1, 1}, 1}}};
  std::vector<ConstituentLaunch> Launches = {{{100, 3, 1}, 1000}, {{70, 1, 1}, 200}};

  llvm::Expected<FusedLaunch> launch(unsigned Resident = 2) const {
    std::vector<const KernelFacts *> Facts;
    for (const KernelFacts &K : Kernels)
      Facts.push_back(&K);
    auto Plan = planFusion(Facts, Config);
    return Plan ? launchOf(Facts, *Plan, "pair", Launches, Resident, 132) : Plan.takeError();
  }
  FusedLaunch launched(unsigned Resident = 2) const {
    auto Launch = launch(Resident);
    EXPECT_TRUE(static_cast<bool>(Launch)) << llvm::toString(Launch.takeError());
    return Launch ? *Launch : FusedLaunch{};
  }
};

template <typename Value> Value value(const FusedParameter &P) {
  Value V{};
  EXPECT_EQ(P.Bytes.size(), sizeof(Value));
  std::memcpy(&V, P.Bytes.data(), std::min(P.Bytes.size(), sizeof(Value)));
  return V;
}

unsigned taken(const emitted::CufuseShare &Share, unsigned Blocks) {
  unsigned Sum = 0;
  for (unsigned Block = 0; Block < Blocks; ++Block) {
    unsigned Number = Block;
    Sum += Share.takes(Number);
  }
  return Sum;
}

TEST(FusedLaunch, WarpsAreAsManyBlocksAsTheLargestGrid) {
  Case Each;
  const FusedLaunch Launch = Each.launched();
  EXPECT_EQ(Launch.Kernel, "_ZN4pair5fusedE");
  EXPECT_EQ(Launch.Grid[0], 300u);
  EXPECT_EQ(Launch.Block[0], 384u);
  EXPECT_EQ(Launch.DynamicBytes, 1000u) << "b has none";
  // Arguments and grid of a; those of b.
  ASSERT_EQ(Launch.Parameters.size(), 6u);
  EXPECT_EQ(Launch.Parameters[1].Constituent, 0);
  EXPECT_EQ(Launch.Parameters[1].Name, "n");
  EXPECT_EQ(Launch.Parameters[3].Constituent, 1);
  const auto Grid = value<emitted::CufuseGrid>(Launch.Parameters[2]);
  EXPECT_EQ(Grid.blocks, 300u);
  EXPECT_EQ(Grid.inPlane(205).y, 2u);
  Each.Kernels[1] = kernel("b", true);
  const FusedLaunch Both = Each.launched();
  EXPECT_EQ(Both.DynamicBytes, 1024u + 256u);
  ASSERT_EQ(Both.Parameters.size(), 7u);
  EXPECT_EQ(value<unsigned>(Both.Parameters[6]), 1024u) << "where that of b starts";
}

TEST(FusedLaunch, StrideFillsTheDeviceAndNoMore) {
  Case Each;
  Each.Config.Grid = GridPolicy::Stride;
  EXPECT_EQ(Each.launched(2).Grid[0], 264u);
  EXPECT_EQ(Each.launched(3).Grid[0], 300u);
  auto None = Each.launch(0);
  EXPECT_NE(llvm::toString(None.takeError()).find("0 blocks"), std::string::npos);
}

TEST(FusedLaunch, BlocksAreTheSumOfTheGridsAndShareTheMemory) {
  Case Each;
  Each.Config.Shape = Geometry::Blocks;
  Each.Config.Constituents[1].Copies = 2;
  const FusedLaunch Launch = Each.launched();
  EXPECT_EQ(Launch.Grid[0], 300u + 35u);
  EXPECT_EQ(Launch.Block[0], 256u);
  EXPECT_EQ(Launch.DynamicBytes, 1000u);
  ASSERT_EQ(Launch.Parameters.size(), 7u);
  const auto Share = value<emitted::CufuseShare>(Launch.Parameters[3]);
  EXPECT_EQ(taken(Share, 335), 300u);
}

TEST(FusedLaunch, ResidentRolesAreAtMostSoManyPerMultiprocessor) {
  Case Each;
  Each.Config.Shape = Geometry::Blocks;
  Each.Config.Grid = GridPolicy::Stride;
  Each.Config.Constituents[0].ResidentBlocks = 3;
  Each.Launches = {{{4 * 3 * 132, 1, 1}, 1000}, {{132, 1, 1}, 200}};
  const FusedLaunch Launch = Each.launched();
  EXPECT_EQ(Launch.Grid[0], 4u * 132u);
  ASSERT_EQ(Launch.Parameters.size(), 8u);
  EXPECT_EQ(value<unsigned>(Launch.Parameters[3]), 3u * 132u);
  EXPECT_EQ(value<unsigned>(Launch.Parameters[7]), 132u);
}

TEST(FusedLaunch, ResidentRolesShareTheirBlocksEvenly) {
  Case Each;
  Each.Config.Shape = Geometry::Blocks;
  Each.Config.Grid = GridPolicy::Stride;
  Each.Config.Constituents[0].ResidentBlocks = 3;
  Each.Config.Constituents[1].ResidentBlocks = 0;
  Each.Launches = {{{1000, 1, 1}, 1000}, {{70, 1, 1}, 200}};
  const FusedLaunch Launch = Each.launched();
  EXPECT_EQ(value<unsigned>(Launch.Parameters[3]), 334u) << "3 rounds, as 396 blocks would need";
  EXPECT_EQ(Launch.Grid[0], 334u + 70u);
  for (unsigned Blocks : {1u, 131u, 132u, 133u, 5000u, 0x7fffffffu})
    for (unsigned Most : {1u, 7u, 132u, 4224u}) {
      const unsigned Players = emitted::inEvenRounds(Blocks, Most), Rounds = (Blocks + Most - 1) / Most;
      EXPECT_LE(Players, Most);
      EXPECT_EQ((Blocks + Players - 1) / Players, Rounds) << Blocks << " in " << Most;
      EXPECT_TRUE(Players == 1 || (Blocks + Players - 2) / (Players - 1) > Rounds) << Blocks << " in " << Most;
    }
}

TEST(FusedLaunch, PoolsAreZeroedCountersBehindEverything) {
  Case Each;
  Each.Config.Grid = GridPolicy::Pool;
  FusedLaunch Launch = Each.launched(2);
  EXPECT_EQ(Launch.Grid[0], 264u);
  EXPECT_EQ(Launch.Parameters.back().ZeroedBytes, 2u * 4u);
  EXPECT_EQ(Launch.Parameters.back().Constituent, -1);
  Each.Config.Shape = Geometry::Blocks;
  Launch = Each.launched(3);
  EXPECT_EQ(Launch.Grid[0], 370u); // No more than there are blocks to play.
  EXPECT_EQ(Launch.Parameters.back().ZeroedBytes, (2u + TicketSlots) * 4u);
  Each.Config.ResidentBlocks = 1;
  EXPECT_EQ(Each.launched(3).Grid[0], 132u);
}

TEST(FusedLaunch, TurnsMakeTheGridSmaller) {
  Case Each;
  Each.Config.Shape = Geometry::Threads;
  Each.Config.Constituents[0].Turns = 4;
  Each.Config.Constituents[1].Copies = 2;
  EXPECT_EQ(Each.launched().Grid[0], 75u); // 300 / 4; 35 for the other
  Each.Config.Constituents[0].Turns = 16;
  EXPECT_EQ(Each.launched().Grid[0], 35u);
  // The blocks that are played are numbered in 32 bits, also those that do not exist.
  Each.Launches[1].Grid[0] = 0x7fffffff;
  auto TooMany = Each.launch();
  EXPECT_NE(llvm::toString(TooMany.takeError()).find("a fused grid of 1073741824 blocks"), std::string::npos);
  Each.Config.Constituents[0].Turns = 3;
  EXPECT_EQ(Each.launched().Grid[0], 0x40000000u);
  Each.Config.Constituents[0] = {{128, 1, 1}, 8};
  auto Places = Each.launch();
  EXPECT_TRUE(llvm::errorToBool(Places.takeError())) << "all play at the places of the larger grid";
  Each.Config.Grid = GridPolicy::Stride;
  Each.Config.Cooperative = true;
  EXPECT_EQ(Each.launched().Grid[0], 264u);
}

TEST(FusedLaunch, OneKernelAloneKeepsItsGridAndBlock) {
  Case Each;
  Each.Kernels.pop_back();
  Each.Config.Constituents = {{{16, 16, 1}, 1}};
  Each.Launches.pop_back();
  const FusedLaunch Launch = Each.launched();
  EXPECT_EQ(Launch.Grid, (std::array<std::uint32_t, 3>{100, 3, 1}));
  EXPECT_EQ(Launch.Block, (std::array<std::uint32_t, 3>{16, 16, 1}));
  EXPECT_EQ(Launch.Parameters.size(), 2u);
}

TEST(FusedLaunch, RefusesThreadNumbersThatAreNegative) {
  Case Each;
  Each.Kernels[1].SignedThreadNumber = true;
  Each.Config.Grid = GridPolicy::Stride;
  Each.Launches[1].Grid = {1u << 24, 1, 1};
  Each.launched();
  Each.Launches[1].Grid = {(1u << 24) + 1, 1, 1};
  EXPECT_NE(llvm::toString(Each.launch().takeError()).find("b cannot be launched"), std::string::npos);
}

TEST(FusedLaunch, RefusesWhatTheLauncherRefuses) {
  Case Each;
  Each.Launches[0].Grid = {1, 1, 2}; // z is not read
  EXPECT_NE(llvm::toString(Each.launch().takeError()).find("a cannot be launched with a grid of 1x1x2"),
            std::string::npos);
  Each = {};
  Each.Launches[0].DynamicBytes = 1ull << 40;
  EXPECT_NE(llvm::toString(Each.launch().takeError()).find("dynamic shared memory"), std::string::npos);
  Each = {};
  Each.Config.Shape = Geometry::Blocks;
  Each.Launches = {{{0x7fffffff, 1, 1}, 0}, {{1, 1, 1}, 0}};
  EXPECT_NE(llvm::toString(Each.launch().takeError()).find("fused grid"), std::string::npos);
}

} // namespace
} // namespace cufuse
