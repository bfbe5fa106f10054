#include "cufuse/Gpu/RegisterBound.h"

#include <gtest/gtest.h>

namespace cufuse {
namespace {

const SmLimits Hopper; // 65536 registers, 2048 threads, 228 KB

struct Row {
  unsigned Threads1;
  unsigned Blocks, Registers; ///< b0, r0; 0 where not one block fits.
};

void expectRows(unsigned Registers1, unsigned Registers2, unsigned SharedBytes, std::initializer_list<Row> Rows) {
  for (const Row &R : Rows) {
    const auto Bound =
        hfuseRegisterBound(Hopper, {{R.Threads1, Registers1}, {1024 - R.Threads1, Registers2}}, SharedBytes);
    ASSERT_EQ(Bound.has_value(), R.Blocks > 0) << "d1 = " << R.Threads1;
    if (!Bound)
      continue;
    EXPECT_EQ(Bound->BlocksPerSm, R.Blocks) << "d1 = " << R.Threads1;
    EXPECT_EQ(Bound->RegistersPerThread, R.Registers) << "d1 = " << R.Threads1;
  }
}

// b1 = 65536 / (32 d1), b2 = 65536 / (40 (1024 - d1)), at most 2048 / 1024 = 2 blocks.
TEST(RegisterBound, LightKernelsAreBoundByThreads) {
  expectRows(32, 40, 0,
             {{128, 1, 64},   // b1 = 16, b2 = 1
              {256, 2, 32},   // b1 = 8, b2 = 2
              {384, 2, 32},   // b1 = 5, b2 = 2
              {512, 2, 32},   // b1 = 4, b2 = 3
              {640, 2, 32},   // b1 = 3, b2 = 4
              {768, 2, 32},   // b1 = 2, b2 = 6
              {896, 2, 32}}); // b1 = 2, b2 = 12
}

// b1 = 65536 / (80 d1), b2 = 65536 / (24 (1024 - d1)).
TEST(RegisterBound, HeavyKernelTakesBlocksAndThenDoesNotFit) {
  expectRows(80, 24, 0,
             {{128, 2, 32},  // b1 = 6, b2 = 3
              {256, 2, 32},  // b1 = 3, b2 = 3
              {384, 2, 32},  // b1 = 2, b2 = 4
              {512, 1, 64},  // b1 = 1
              {640, 1, 64},  // b1 = 1
              {768, 1, 64},  // b1 = 1: 61440 registers
              {896, 0, 0}}); // b1 = 0: 71680 registers
}

TEST(RegisterBound, SharedMemoryTakesBlocks) {
  expectRows(32, 32, 114 * 1024, {{512, 2, 32}});
  expectRows(32, 32, 114 * 1024 + 1, {{512, 1, 64}});
  expectRows(32, 32, 228 * 1024, {{512, 1, 64}});
  expectRows(32, 32, 228 * 1024 + 1, {{512, 0, 0}});
}

TEST(RegisterBound, DivisionsRoundDown) {
  // b1 = 65536 / 10240 = 6.4, b2 = 65536 / 6400 = 10.2, 2048 / 384 = 5.3; r0 = 65536 / 1920 = 34.1
  auto Bound = hfuseRegisterBound(Hopper, {{256, 40}, {128, 50}}, 0);
  ASSERT_TRUE(Bound);
  EXPECT_EQ(Bound->BlocksPerSm, 5u);
  EXPECT_EQ(Bound->RegistersPerThread, 34u);
  // 228 / 60 = 3.8; r0 = 65536 / 1152 = 56.9
  Bound = hfuseRegisterBound(Hopper, {{256, 40}, {128, 50}}, 60 * 1024);
  ASSERT_TRUE(Bound);
  EXPECT_EQ(Bound->BlocksPerSm, 3u);
  EXPECT_EQ(Bound->RegistersPerThread, 56u);
}

TEST(RegisterBound, TakesAnyNumberOfKernels) {
  // b = 16, 8, 5; 2048 / 512 = 4; r0 = 65536 / 2048
  auto Bound = hfuseRegisterBound(Hopper, {{128, 32}, {256, 32}, {128, 96}}, 0);
  ASSERT_TRUE(Bound);
  EXPECT_EQ(Bound->BlocksPerSm, 4u);
  EXPECT_EQ(Bound->RegistersPerThread, 32u);
  // alone: b = 65536 / (256 * 100) = 2; r0 = 65536 / 512
  Bound = hfuseRegisterBound(Hopper, {{256, 100}}, 0);
  ASSERT_TRUE(Bound);
  EXPECT_EQ(Bound->BlocksPerSm, 2u);
  EXPECT_EQ(Bound->RegistersPerThread, 128u);
  EXPECT_FALSE(hfuseRegisterBound(Hopper, {}, 0));
}

TEST(RegisterBound, NothingFitsWhereTheBlockExceedsTheMultiprocessor) {
  EXPECT_FALSE(hfuseRegisterBound(smLimits("sm_75"), {{768, 16}, {512, 16}}, 0));
}

// CUDA C++ Programming Guide, "Technical Specifications per Compute Capability".
TEST(RegisterBound, KnowsTheMultiprocessors) {
  const struct {
    const char *Arch;
    unsigned Threads, SharedKilobytes;
  } Rows[] = {{"sm_70", 2048, 96},   {"sm_75", 1024, 64},    {"sm_80", 2048, 164},  {"sm_86", 1536, 100},
              {"sm_87", 1536, 164},  {"sm_89", 1536, 100},   {"sm_90", 2048, 228},  {"sm_90a", 2048, 228},
              {"sm_100", 2048, 228}, {"sm_100a", 2048, 228}, {"sm_120", 1536, 100}, {"sm_120a", 1536, 100}};
  for (const auto &R : Rows) {
    const SmLimits Found = smLimits(R.Arch);
    EXPECT_EQ(Found.Registers, 65536u) << R.Arch;
    EXPECT_EQ(Found.Threads, R.Threads) << R.Arch;
    EXPECT_EQ(Found.SharedBytes, R.SharedKilobytes * 1024) << R.Arch;
  }
}

} // namespace
} // namespace cufuse
