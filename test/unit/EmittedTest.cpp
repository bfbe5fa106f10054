// The arithmetic that stands in every output: the files that the emitter writes, compiled for the CPU.
#include "cufuse/Cuda/OnHost.h"

#include <gtest/gtest.h>

#include <random>

namespace {

using namespace cufuse::emitted;

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
    const CufuseGrid Grid = gridOf(Size, 3);
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
  EXPECT_EQ(gridOf({0, 1, 1}, 3).blocks, 0u);
  EXPECT_EQ(gridOf({1, 1, 0}, 3).blocks, 0u);
  EXPECT_EQ(gridOf({65536, 32768, 1}, 3).blocks, 0u);
  EXPECT_EQ(gridOf({65535, 32768, 1}, 3).blocks, 65535u * 32768);
  EXPECT_EQ(gridOf({0xffffffff, 0xffffffff, 0xffffffff}, 3).blocks, 0u);
}

TEST(Emitted, GridsExtendOnlyWhereTheKernelReadsThem) {
  EXPECT_EQ(gridOf({4, 2, 1}, 1).blocks, 0u);
  EXPECT_EQ(gridOf({4, 2, 1}, 2).blocks, 8u);
  EXPECT_EQ(gridOf({4, 2, 2}, 2).blocks, 0u);
  EXPECT_EQ(gridOf({4, 1, 2}, 3).blocks, 8u);
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

/// Which kernel each block of an interleaved launch plays, as the launcher and the kernel decide it.
struct Interleaving {
  std::vector<unsigned> Sizes;
  unsigned All = 0;
  std::vector<CufuseShare> Shares;

  Interleaving(std::vector<unsigned> Sizes, unsigned Multiprocessors) : Sizes(Sizes) {
    for (unsigned Size : Sizes)
      All += Size;
    unsigned Left = All;
    for (size_t I = 0; I + 1 < Sizes.size(); Left -= Sizes[I++])
      Shares.push_back(shareOf(Sizes[I], Left, All, Multiprocessors));
  }
  /// The kernel, and the number of its block.
  std::pair<unsigned, unsigned> at(unsigned Block) const {
    for (unsigned I = 0; I < Shares.size(); ++I)
      if (Shares[I].takes(Block))
        return {I, Block};
    return {static_cast<unsigned>(Shares.size()), Block};
  }
};

void checkCoverage(const Interleaving &Blocks) {
  std::vector<unsigned> Next(Blocks.Sizes.size());
  for (unsigned Block = 0; Block < Blocks.All; ++Block) {
    const auto [Kernel, Own] = Blocks.at(Block);
    ASSERT_EQ(Own, Next[Kernel]++) << "block " << Block;
  }
  ASSERT_EQ(Next, Blocks.Sizes);
}

TEST(Emitted, InterleavingPlaysEveryBlockOfEveryKernelOnceAndInOrder) {
  std::mt19937 Random(2);
  for (unsigned A = 1; A < 24; ++A)
    for (unsigned B = 1; B < 24; ++B)
      for (unsigned Multiprocessors : {1u, 2u, 3u, 132u})
        checkCoverage(Interleaving({A, B}, Multiprocessors));
  for (unsigned Multiprocessors : {1u, 2u, 7u, 108u, 132u, 1000u}) {
    checkCoverage(Interleaving({1, 100000}, Multiprocessors));
    checkCoverage(Interleaving({100000, 1}, Multiprocessors));
    checkCoverage(Interleaving({1, 1, 50000, 3}, Multiprocessors));
    for (int I = 0; I < 50; ++I)
      checkCoverage(Interleaving({unsigned(Random() % 5000 + 1), unsigned(Random() % 5000 + 1)}, Multiprocessors));
    for (int I = 0; I < 20; ++I)
      checkCoverage(Interleaving({unsigned(Random() % 999 + 1), unsigned(Random() % 99 + 1), unsigned(Random() % 9 + 1),
                                  unsigned(Random() % 5000 + 1)},
                                 Multiprocessors));
  }
}

TEST(Emitted, InterleavingOfTheLargestGridsIsExact) {
  std::mt19937 Random(3);
  for (unsigned Own : {1u, 2u, 132u, 0x3fffffffu, 0x40000000u, 0x55555555u, Largest - 132, Largest - 1})
    for (unsigned Multiprocessors : {1u, 132u}) {
      const CufuseShare Share = shareOf(Own, Largest, Largest, Multiprocessors);
      auto Before = [&](unsigned Block) {
        unsigned Own = Block;
        return Share.takes(Own) ? Own : Block - Own;
      };
      EXPECT_EQ(Before(0), 0u);
      ASSERT_EQ(Before(Largest), Own);
      auto Check = [&](unsigned Block) { ASSERT_LE(Before(Block + 1) - Before(Block), 1u) << Block; };
      for (unsigned Near = 0; Near < 100; ++Near) {
        Check(Near);
        Check(Largest - 1 - Near);
        if (Share.turn > Near)
          Check(Share.turn - 1 - Near);
        if (Share.turn + Near < Largest)
          Check(Share.turn + Near);
      }
      for (int I = 0; I < 10000; ++I)
        Check(Random() % Largest);
    }
}

/// The largest distance, in blocks, of a kernel's part from its due among up to `Window` blocks that a multiprocessor
/// plays one after the other, the blocks going round the multiprocessors.
double unevenness(const Interleaving &Blocks, unsigned Multiprocessors, unsigned Window) {
  double Worst = 0;
  for (unsigned Multiprocessor = 0; Multiprocessor < Multiprocessors; ++Multiprocessor)
    for (unsigned Kernel = 0; Kernel < Blocks.Sizes.size(); ++Kernel) {
      const double Due = double(Blocks.Sizes[Kernel]) / Blocks.All;
      std::vector<double> Excess = {0};
      for (unsigned Block = Multiprocessor; Block < Blocks.All; Block += Multiprocessors)
        Excess.push_back(Excess.back() + (Blocks.at(Block).first == Kernel) - Due);
      for (size_t Begin = 0; Begin < Excess.size(); ++Begin)
        for (size_t End = Begin; End < Excess.size() && End <= Begin + Window; ++End)
          Worst = std::max(Worst, std::abs(Excess[End] - Excess[Begin]));
    }
  return Worst;
}

TEST(Emitted, InterleavingGivesEveryMultiprocessorItsPartOfBothKernelsAtAnyTime) {
  // Ratios in step with the multiprocessors are those that go wrong: blocks by parity give 16 of 32.
  for (const std::vector<unsigned> &Sizes : std::vector<std::vector<unsigned>>{{5280, 5280},
                                                                               {2640, 5280},
                                                                               {5280, 1760},
                                                                               {6600, 1320},
                                                                               {132, 132 * 131},
                                                                               {100, 13300},
                                                                               {80 * 132, 132},
                                                                               {132, 132},
                                                                               {66, 66},
                                                                               {999, 1001},
                                                                               {4000, 8007},
                                                                               {264, 10560},
                                                                               {8778, 66},
                                                                               {3000, 4567}})
    EXPECT_LE(unevenness(Interleaving(Sizes, 132), 132, 32), 3) << Sizes[0] << " and " << Sizes[1];
  for (unsigned Multiprocessors : {78u, 108u, 114u, 132u, 148u})
    EXPECT_LE(
        unevenness(Interleaving({40 * Multiprocessors, 40 * Multiprocessors}, Multiprocessors), Multiprocessors, 32), 3)
        << Multiprocessors;
  EXPECT_LE(unevenness(Interleaving({4000, 4000, 4000}, 132), 132, 32), 4);
  EXPECT_LE(unevenness(Interleaving({1000, 2000, 3000}, 132), 132, 32), 5);
}

TEST(Emitted, InterleavingKeepsTheProportionFromTheFirstBlockToTheLast) {
  for (const auto &[A, B] : {std::pair(5000u, 5000u), {30u, 2640u}, {2640u, 30u}, {200u, 13200u}, {132u, 174108u}}) {
    const Interleaving Blocks({A, B}, 132);
    unsigned Own = 0;
    for (unsigned Block = 0; Block < Blocks.All; ++Block) {
      Own += Blocks.at(Block).first == 0;
      const double Due = double(Block + 1) * A / Blocks.All;
      ASSERT_LE(std::abs(Own - Due), 1 + 0.18 * std::min(A, B)) << A << ", " << B << ": block " << Block;
    }
  }
}

} // namespace
