// The arithmetic that stands in every output: the files that the emitter writes, compiled for the CPU.
#include <gtest/gtest.h>

#include <cstddef>
#include <random>

namespace {

#define __device__
#define __forceinline__
struct uint3 {
  unsigned x, y, z;
};
struct dim3 {
  unsigned x = 1, y = 1, z = 1;
};

#include "../../lib/Fusion/Emitted/Grid.cuh"
#include "../../lib/Fusion/Emitted/Launcher.cuh"

constexpr unsigned Largest = 0x7fffffff;

TEST(Emitted, DivisionByAnyGridIsExact) {
  std::mt19937 Random(1);
  auto Check = [](unsigned D, unsigned N) { ASSERT_EQ(divisorOf(D).divide(N), N / D) << N << " / " << D; };
  std::vector<unsigned> Divisors = {1, 2, 3, 5, 7, 641, 65535, 65536, 65537, Largest - 1, Largest};
  for (unsigned Bit = 1; Bit < 31; ++Bit)
    for (unsigned D : {(1u << Bit) - 1, 1u << Bit, (1u << Bit) + 1})
      Divisors.push_back(D);
  for (int I = 0; I < 2000; ++I)
    Divisors.push_back(Random() % Largest + 1);
  for (unsigned D : Divisors) {
    for (unsigned N : {0u, 1u, D - 1, D, Largest / D * D - 1, Largest / D * D, Largest - 1, Largest})
      if (N <= Largest)
        Check(D, N);
    for (int I = 0; I < 100; ++I)
      Check(D, Random() & Largest);
  }
}

TEST(Emitted, EveryVirtualBlockIsPlayedOnceInTheOrderOfCuda) {
  for (const dim3 Size : {dim3{1, 1, 1}, dim3{7, 1, 1}, dim3{5, 3, 1}, dim3{1, 9, 2}, dim3{13, 11, 7}}) {
    const CufuseGrid Grid = gridOf(Size, true, true);
    ASSERT_EQ(Grid.blocks, Size.x * Size.y * Size.z);
    unsigned Block = 0;
    for (unsigned Z = 0; Z < Size.z; ++Z)
      for (unsigned Y = 0; Y < Size.y; ++Y)
        for (unsigned X = 0; X < Size.x; ++X, ++Block) {
          const uint3 Space = Grid.inSpace(Block);
          EXPECT_EQ(std::tie(Space.x, Space.y, Space.z), std::tie(X, Y, Z));
          if (Size.z > 1)
            continue;
          const uint3 Plane = Grid.inPlane(Block);
          EXPECT_EQ(std::tie(Plane.x, Plane.y, Plane.z), std::tie(X, Y, Z));
        }
  }
}

TEST(Emitted, GridsThatNoKernelCanHaveHaveNoBlocks) {
  EXPECT_EQ(gridOf({0, 1, 1}, true, true).blocks, 0u);
  EXPECT_EQ(gridOf({1, 1, 0}, true, true).blocks, 0u);
  EXPECT_EQ(gridOf({65536, 32768, 1}, true, true).blocks, 0u);
  EXPECT_EQ(gridOf({65535, 32768, 1}, true, true).blocks, 65535u * 32768);
  EXPECT_EQ(gridOf({0xffffffff, 0xffffffff, 0xffffffff}, true, true).blocks, 0u);
}

TEST(Emitted, GridsExtendOnlyWhereTheKernelReadsThem) {
  EXPECT_EQ(gridOf({4, 2, 1}, false, false).blocks, 0u);
  EXPECT_EQ(gridOf({4, 2, 1}, true, false).blocks, 8u);
  EXPECT_EQ(gridOf({4, 2, 2}, true, false).blocks, 0u);
  EXPECT_EQ(gridOf({4, 1, 2}, false, true).blocks, 8u);
}

TEST(Emitted, PartsOfDynamicSharedMemoryAreAlignedAndHoldWhatWasAskedFor) {
  EXPECT_EQ(strideOf(0, 128), 0u);
  for (std::size_t Alignment : {128, 1024})
    for (std::size_t Bytes = 1; Bytes < 3000; ++Bytes) {
      const std::size_t Stride = strideOf(Bytes, Alignment);
      ASSERT_EQ(Stride % Alignment, 0u);
      ASSERT_GE(Stride, Bytes);
      ASSERT_LT(Stride, Bytes + Alignment);
    }
}

TEST(Emitted, SizesThatWouldWrapAroundStayTooLarge) {
  EXPECT_GT(strideOf(~std::size_t(0), 128), std::size_t(Largest));
  EXPECT_GT(strideOf(std::size_t(Largest) + 1, 1024), std::size_t(Largest));
}

} // namespace
