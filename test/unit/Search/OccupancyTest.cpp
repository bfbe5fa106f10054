#include "cufuse/Gpu/Occupancy.h"

#ifdef CUFUSE_CUDA_OCCUPANCY
#include CUFUSE_CUDA_OCCUPANCY
#endif
#include <gtest/gtest.h>

#include <climits>
#include <random>

namespace cufuse {
namespace {

const SmLimits Hopper;

TEST(Occupancy, EachResourceLimits) {
  auto Of = [](unsigned Threads, unsigned Registers, std::uint64_t Shared, unsigned Barriers) {
    return occupancyOf(Hopper, {Threads, Registers, Shared, Barriers});
  };
  EXPECT_EQ(Of(256, 32, 0, 1).Blocks, 8u); // 2048 threads
  EXPECT_EQ(Of(32, 16, 0, 1).Blocks, 32u);
  // 33 registers are given as 40: 16384 / (40 · 32) = 12 warps in each quarter, 48 in all.
  EXPECT_EQ(Of(256, 33, 0, 1).Blocks, 6u);
  EXPECT_EQ(Of(256, 33, 0, 1).Warps, 48u);
  // 100 KB and the driver's 1 KB; two of them.
  EXPECT_EQ(Of(128, 32, 100 * 1024, 1).Blocks, 2u);
  EXPECT_EQ(Of(128, 32, 113 * 1024, 1).Blocks, 2u);
  EXPECT_EQ(Of(128, 32, 113 * 1024 + 1, 1).Blocks, 1u);
  EXPECT_EQ(Of(128, 32, 227 * 1024 + 1, 1).Blocks, 0u);
  EXPECT_EQ(Of(64, 16, 0, 3).Blocks, 21u); // 64 barriers
}

TEST(Occupancy, WhatCannotRunHasNoBlock) {
  EXPECT_EQ(occupancyOf(Hopper, {1025, 16, 0, 0}).Blocks, 0u);
  EXPECT_EQ(occupancyOf(Hopper, {0, 16, 0, 0}).Blocks, 0u);
  EXPECT_EQ(occupancyOf(Hopper, {1024, 72, 0, 0}).Blocks, 0u);
}

TEST(Occupancy, RegistersForAResidencyAllowItAndEightMoreDoNot) {
  for (unsigned Threads = 32; Threads <= 1024; Threads += 32)
    for (unsigned Blocks = 1; Blocks <= 2048 / Threads && Blocks <= 32; ++Blocks) {
      const unsigned Registers = registersForResidency(Hopper, Threads, Blocks);
      ASSERT_GE(Registers, 32u) << Threads << " x " << Blocks;
      EXPECT_GE(occupancyOf(Hopper, {Threads, Registers, 0, 0}).Blocks, Blocks);
      if (Registers < 248)
        EXPECT_LT(occupancyOf(Hopper, {Threads, Registers + 8, 0, 0}).Blocks, Blocks);
    }
  EXPECT_EQ(registersForResidency(Hopper, 1024, 1), 64u);
  EXPECT_EQ(registersForResidency(Hopper, 512, 4), 32u);
  EXPECT_EQ(registersForResidency(Hopper, 1024, 3), 0u);
}

TEST(Occupancy, ArchitecturesHaveTheirOwnLimits) {
  EXPECT_EQ(smLimits("sm_90a").SharedBytes, 228u * 1024);
  EXPECT_EQ(smLimits("sm_80").SharedBytes, 164u * 1024);
  EXPECT_EQ(smLimits("sm_86").Blocks, 16u);
  EXPECT_EQ(smLimits("sm_89").Blocks, 24u);
  EXPECT_EQ(smLimits("sm_120a").Threads, 1536u);
  EXPECT_EQ(smLimits("sm_75").Threads, 1024u);
}

#ifdef CUFUSE_CUDA_OCCUPANCY
TEST(Occupancy, AgreesWithTheCalculatorOfTheToolkit) {
  std::mt19937 Random(7);
  auto Below = [&](unsigned Limit) { return static_cast<unsigned>(Random() % Limit); };
  for (auto [Arch, Major, Minor] : {std::tuple("sm_75", 7, 5),
                                    {"sm_80", 8, 0},
                                    {"sm_86", 8, 6},
                                    {"sm_89", 8, 9},
                                    {"sm_90", 9, 0},
                                    {"sm_100", 10, 0},
                                    {"sm_110", 11, 0},
                                    {"sm_120", 12, 0}}) {
    const SmLimits Sm = smLimits(Arch);
    cudaOccDeviceProp Device;
    Device.computeMajor = Major;
    Device.computeMinor = Minor;
    Device.maxThreadsPerBlock = 1024;
    Device.maxThreadsPerMultiprocessor = static_cast<int>(Sm.Threads);
    Device.regsPerBlock = 65536;
    Device.regsPerMultiprocessor = static_cast<int>(Sm.Registers);
    Device.warpSize = 32;
    Device.sharedMemPerBlock = 48 * 1024;
    Device.sharedMemPerMultiprocessor = Sm.SharedBytes;
    Device.numSms = 132;
    Device.sharedMemPerBlockOptin = Sm.BlockSharedBytes;
    Device.reservedSharedMemPerBlock = Sm.ReservedShared;
    cudaOccDeviceState State;
    State.carveoutConfig = SHAREDMEM_CARVEOUT_MAX_SHARED;
    for (unsigned I = 0; I < 4000; ++I) {
      const BlockUse Use{1 + Below(1024), 16 + Below(240), Below(3) ? Below(20'000) : Below(240 * 1024), 1 + Below(4)};
      cudaOccFuncAttributes Function;
      Function.maxThreadsPerBlock = 1024;
      Function.numRegs = static_cast<int>(Use.Registers);
      Function.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
      Function.maxDynamicSharedSizeBytes = Use.SharedBytes;
      Function.numBlockBarriers = static_cast<int>(Use.Barriers);
      cudaOccResult Result;
      ASSERT_EQ(cudaOccMaxActiveBlocksPerMultiprocessor(&Result, &Device, &Function, &State,
                                                        static_cast<int>(Use.Threads), Use.SharedBytes),
                CUDA_OCC_SUCCESS);
      EXPECT_EQ(occupancyOf(Sm, Use).Blocks, static_cast<unsigned>(Result.activeBlocksPerMultiprocessor))
          << Arch << ": " << Use.Threads << " threads, " << Use.Registers << " registers, " << Use.SharedBytes
          << " bytes, " << Use.Barriers << " barriers";
    }
  }
}
#endif

} // namespace
} // namespace cufuse
