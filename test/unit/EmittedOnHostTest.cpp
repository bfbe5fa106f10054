// CUDA text of outputs, compiled for the CPU as it stands in the files that the emitter reads: every file, and both sides
// of every `#ifdef`. What it computes is checked where that takes no PTX; test/Emulated runs the rest.
#include "cufuse/Kernel/Named.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <cstring>
#include <tuple>
#include <type_traits>

#define __device__
#define __forceinline__ inline
#define __constant__
#define __shared__ static
#define __align__(Bytes) __attribute__((aligned(Bytes)))
#define __CUDACC_RDC__

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"

struct uint3 {
  unsigned x, y, z;
};
struct dim3 {
  unsigned x = 1, y = 1, z = 1;
};
static uint3 threadIdx;
static dim3 blockDim;
static uint3 blockIdx;
static dim3 gridDim;
static void __syncthreads() {}
static void __threadfence() {}
static unsigned waitedFor;
static void __syncwarp(unsigned mask) { waitedFor = mask; }
static unsigned char cufuse_dynamicShared[64];
static int __syncthreads_count(int predicate) { return predicate != 0; }
static int __syncthreads_and(int predicate) { return predicate != 0; }
static int __syncthreads_or(int predicate) { return predicate != 0; }
template <typename Value> static Value atomicAdd(Value *at, Value more) { return std::exchange(*at, *at + more); }
template <typename Value> static Value atomicExch(Value *at, Value now) { return std::exchange(*at, now); }
static std::size_t __cvta_generic_to_shared(const void *at) { return reinterpret_cast<std::size_t>(at); }
namespace cub {
enum BlockReduceAlgorithm { BLOCK_REDUCE_RAKING, BLOCK_REDUCE_WARP_REDUCTIONS };
template <typename T, int X, BlockReduceAlgorithm = BLOCK_REDUCE_WARP_REDUCTIONS, int Y = 1, int Z = 1>
struct BlockReduce {
  static constexpr int threads = X * Y * Z;
};
} // namespace cub
namespace cuda {
struct access_property {
  struct persisting {};
};
template <typename T> const T *associate_access_property(const T *p, access_property::persisting) { return p; }
} // namespace cuda

namespace {

#define CUFUSE_PADDED
#define CUFUSE_ODD
/// A partition that needs little.
namespace bare {
#include "../../lib/Cuda/Partition.cuh"
} // namespace bare

/// One of lanes of a warp.
namespace lanes {
#define CUFUSE_LANES
#define CUFUSE_BESIDE
#define CUFUSE_COPY 16
#include "../../lib/Cuda/Partition.cuh"
#undef CUFUSE_COPY
#undef CUFUSE_BESIDE
#undef CUFUSE_LANES
#define CUFUSE_BLOCK 8
#include "../../lib/Cuda/BlockReduce.cuh"
#undef CUFUSE_BLOCK
} // namespace lanes

#define CUFUSE_EXIT
/// One that is the whole block.
namespace whole {
#define CUFUSE_KEEPS_BLOCK
#define CUFUSE_KEEPS_SIZE
#define CUFUSE_WHOLE
#include "../../lib/Cuda/Partition.cuh"

#include "../../lib/Cuda/DropOutPartition.cuh"
#include "../../lib/Cuda/LastPartition.cuh"
#undef CUFUSE_KEEPS_BLOCK
#undef CUFUSE_KEEPS_SIZE
#undef CUFUSE_WHOLE
} // namespace whole

/// One that needs everything, beside some that are the whole block.
namespace all {
#define CUFUSE_NAMED barrier == 3 ? 0 : 1
#define CUFUSE_BULK_COPIES
#define CUFUSE_PLAYS_ONCE
#define CUFUSE_WHOLE_THREADS 256
#include "../../lib/Cuda/Partition.cuh"

#include "../../lib/Cuda/DropOutPartition.cuh"
#include "../../lib/Cuda/LastPartition.cuh"
#include "../../lib/Cuda/Registers.cuh"
#include "../../lib/Cuda/Ticket.cuh"
using cufuse_partition = CufusePartition<32, 1, 8, 4, 2>;
namespace text {
#define CUFUSE_NAMES
#include "../../lib/Cuda/Barriers.cuh"
#undef CUFUSE_NAMED
} // namespace text
namespace text_of_all_barriers {
#define CUFUSE_ALL_BARRIERS
#include "../../lib/Cuda/Barriers.cuh"
} // namespace text_of_all_barriers
#include "../../lib/Cuda/PaddedConstants.cuh"
} // namespace all

#define CUFUSE_MOVES
#include "../../lib/Cuda/Pointer.cuh"

#include "../../lib/Cuda/Casts.cuh"
#include "../../lib/Cuda/ElementGroups.cuh"
#include "../../lib/Cuda/Elements.cuh"
#include "../../lib/Cuda/ElementsInMemory.cuh"
#include "../../lib/Cuda/Place.cuh"
#include "../../lib/Cuda/ScalarAccess.cuh"
#define CUFUSE_HOLDS
#define CUFUSE_FAILS
#define CUFUSE_ONCE
#include "../../lib/Cuda/Turn.cuh"
namespace as_element {
#include "../../lib/Cuda/ElementPartition.cuh"
} // namespace as_element

namespace arguments {
#define CUFUSE_HEAD alignas(8) Pair
#define CUFUSE_NAME Pair
#define CUFUSE_FIELDS                                                                                                  \
  int a;                                                                                                               \
  float b
#define CUFUSE_KIND is_class<Value>::value
#define CUFUSE_TAKEN T &&
#define CUFUSE_BYTES 8
#define CUFUSE_ALIGNMENT 8
#define CUFUSE_SAME &&offsetof(Value, b) == 4
#define CUFUSE_PLACES &&offsetof(Pair, b) == 4
#include "../../lib/Cuda/ArgumentType.cuh"
#undef CUFUSE_NAME
#undef CUFUSE_FIELDS
} // namespace arguments

namespace rows {
using cufuse_partition = as_element::CufuseElementPartition;
#define CUFUSE_BLOCK 4
#include "../../lib/Cuda/Row.cuh"

#include "../../lib/Cuda/RowAccess.cuh"
#include "../../lib/Cuda/RowParts.cuh"
namespace evict_last {
#define CUFUSE_EVICT_LAST
#include "../../lib/Cuda/RowAccess.cuh"
} // namespace evict_last
} // namespace rows

/// With room for two.
namespace barriers {
enum cudaError_t { cudaSuccess, cudaErrorMemoryAllocation };
constexpr unsigned CufusePlaces = 2;
static unsigned long long cufuse_arrivals[CufusePlaces];
#include "../../lib/Cuda/GridBarrierPlaces.cuh"
#include "../../lib/Cuda/LastBlock.cuh"
} // namespace barriers

template <typename Partition> void expectThreadsOfCuda(unsigned First, dim3 Size) {
  unsigned Rank = 0;
  for (unsigned Z = 0; Z < Size.z; ++Z)
    for (unsigned Y = 0; Y < Size.y; ++Y)
      for (unsigned X = 0; X < Size.x; ++X, ++Rank) {
        ::threadIdx = {First + Rank, 0, 0};
        const uint3 Thread = Partition::threadIdx();
        EXPECT_EQ(Partition::rank(), Rank);
        EXPECT_EQ(std::tie(Thread.x, Thread.y, Thread.z), std::tie(X, Y, Z)) << "rank " << Rank;
      }
  const dim3 Block = Partition::blockDim();
  EXPECT_EQ(std::tie(Block.x, Block.y, Block.z), std::tie(Size.x, Size.y, Size.z));
}

TEST(EmittedOnHost, LastBlocksAreTheLastOfTheirLaunch) {
  threadIdx.x = 0;
  for (unsigned Blocks : {1u, 2u, 5u})
    for (unsigned First = 0; First < Blocks; ++First) // whichever begins, and in the next launch again
      for (unsigned I = 0; I < Blocks; ++I) {
        gridDim.x = Blocks;
        blockIdx.x = (First + I) % Blocks;
        EXPECT_EQ(barriers::CufuseLastBlock::is(1), I + 1 == Blocks) << Blocks << " blocks, from " << First;
      }
  EXPECT_EQ(barriers::cufuse_arrivals[0], 0u);
}

TEST(EmittedOnHost, LanesHaveTheirOwnPlaceAndBarrier) {
  threadIdx.x = 43;
  using Partition = lanes::CufusePartition<0, 0, 8, 1, 1>;
  EXPECT_EQ(Partition::rank(), 3u);
  EXPECT_EQ(Partition::copy(), 5u);
  EXPECT_EQ(Partition::Copies, 16u);
  Partition::sync();
  EXPECT_EQ(waitedFor, 0xff00u);
  lanes::CufusePartition<0, 0, 32, 1, 1>::sync();
  EXPECT_EQ(waitedFor, 0xffffffffu);
  EXPECT_EQ((lanes::cub::BlockReduce<float, 1024>::threads), 8);
  using lanes::cub::BLOCK_REDUCE_RAKING; // sums in another order, which goes by how many there are
  EXPECT_EQ((lanes::cub::BlockReduce<float, 1024, BLOCK_REDUCE_RAKING>::threads), 1024);
  EXPECT_EQ((lanes::cub::BlockReduce<float, 8, lanes::cub::BLOCK_REDUCE_WARP_REDUCTIONS, 4>::threads), 32);
  threadIdx.x = 0;
}

TEST(EmittedOnHost, ThreadsOfAPartitionAreNumberedAsThoseOfABlock) {
  expectThreadsOfCuda<bare::CufusePartition<0, 1, 48, 1, 1>>(0, {48, 1, 1});
  expectThreadsOfCuda<bare::CufusePartition<0, 1, 5, 3, 2>>(0, {5, 3, 2});
  expectThreadsOfCuda<all::CufusePartition<96, 2, 7, 9, 1>>(96, {7, 9, 1});
  expectThreadsOfCuda<all::CufusePartition<128, 2, 8, 4, 2>>(128, {8, 4, 2}); // the rank is a remainder
  expectThreadsOfCuda<all::CufusePartition<160, 2, 8, 4, 2>>(160, {8, 4, 2}); // and a difference
}

TEST(EmittedOnHost, APartitionThatIsTheBlockHasItsThreads) {
  using Partition = whole::CufusePartition<0, 0, 5, 3, 2>;
  ::threadIdx = {4, 2, 1};
  ::blockDim = {5, 3, 2};
  EXPECT_EQ(Partition::rank(), 29u);
  EXPECT_EQ(Partition::threadIdx().y, 2u);
  EXPECT_EQ(Partition::blockDim().z, 2u);
}

TEST(EmittedOnHost, ArgumentsTakeTheValuesOfTheKernelsTypes) {
  struct alignas(8) Own {
    int a;
    float b;
    explicit operator bool() const { return false; }
  };
  arguments::Pair pair{1, 2};
  EXPECT_EQ(pair.a, 1);
  pair = Own{3, 4};
  EXPECT_EQ(pair.a, 3);
  EXPECT_EQ(pair.b, 4);
  pair = {5, 6};
  EXPECT_EQ(pair.b, 6);
}

TEST(EmittedOnHost, NamedBarriersFollowThePartitionsOwn) {
  EXPECT_EQ(all::text::cufuse_barrier(3), 2u);
  EXPECT_EQ(all::text::cufuse_barrier(5), 3u);
  EXPECT_EQ(all::text_of_all_barriers::cufuse_barrier(5), 5u);
}

struct Two {
  int a, b;
};

template <typename T, typename Kind> cufuse_pointer<T, Kind> pointerTo(const Kind &Of) { return {Of}; }

TEST(EmittedOnHost, ArraysHaveBarriersOfTheirOwn) {
  unsigned First = 9, Second = 9, Again = 9;
  const char *const Array = reinterpret_cast<const char *>(0x1000);
  EXPECT_EQ(barriers::placeOf(First, Array), barriers::cudaSuccess);
  EXPECT_EQ(barriers::placeOf(Second, Array + 0x200), barriers::cudaSuccess); // its place is taken
  EXPECT_EQ(barriers::placeOf(Again, Array), barriers::cudaSuccess);
  EXPECT_EQ(First, Again);
  EXPECT_NE(First, Second);
  EXPECT_EQ(barriers::placeOf(Again, Array + 0x400), barriers::cudaErrorMemoryAllocation);
}

TEST(EmittedOnHost, PointersAreMovedAsPointersAre) {
  int Shared = 0, Memory[9] = {};
  auto Moved = pointerTo<int>(CufuseScalarStore<int, true>{&Shared, Memory + 4});
  *Moved++ = 1;
  *++Moved = 2;
  Moved -= 3;
  *Moved-- = 3;
  Moved += 5;
  *--Moved = 4;
  EXPECT_EQ((std::vector<int>(Memory, Memory + 9)), (std::vector<int>{0, 0, 0, 3, 1, 0, 4, 0, 0}));
  int Element = 5;
  auto Same = pointerTo<int>(CufuseElement<int>{&Element});
  Same += 7;
  *(Same - 2) += 1;
  EXPECT_EQ(Same[1], 6);
}

TEST(EmittedOnHost, GroupsReadAndWriteTheirElementsWhetherAllExistOrNot) {
  int Elements[4] = {10, 11, 12, 13};
  const auto Ints = pointerTo<int>(CufuseElements<int, 4, false>{Elements, true});
  const auto Whole = cufuse_as<Two>(Ints);
  EXPECT_EQ(static_cast<Two>(Whole[1]).b, 13);
  EXPECT_EQ(static_cast<Two>(*(Whole + 1)).a, 12);
  Whole[0] = Two{20, 21};
  Whole[1] = Whole[0];
  EXPECT_EQ(Elements[3], 21);
  // In memory, `at` is the element itself.
  const auto Part = pointerTo<int>(CufuseElements<int, 4, true>{Elements, false});
  EXPECT_EQ(Part[0], 20);
  EXPECT_EQ(Part[2], 20);
  EXPECT_EQ(cufuse_as<const Two>(Ints)[1].a, 20);
}

TEST(EmittedOnHost, AccessesOfSeveralElementsMoveAllOfThem) {
  alignas(16) float Memory[9] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
  float Registers[4];
  EXPECT_TRUE(cufuseAligned<4>(Memory + 4));
  EXPECT_FALSE(cufuseAligned<4>(Memory + 1));
  EXPECT_EQ((CufusePack<float, 3>::bytes), 12);
  EXPECT_EQ(alignof(CufusePack<float, 3>::Type), 4u);
  cufuseLoad<4>(Registers, Memory + 4);
  EXPECT_EQ(Registers[3], 7);
  cufuseStore<4>(Registers, Memory);
  EXPECT_EQ(Memory[3], 7);
  EXPECT_EQ(Memory[4], 4);
}

TEST(EmittedOnHost, ConditionsOnTheBoundAreKnownOnlyInWholeTurns) {
  CufuseTurn Whole{true}, Last{false};
  EXPECT_TRUE(Whole.inside(false));
  EXPECT_FALSE(Whole.beyond(true));
  EXPECT_TRUE(Whole.once(false));
  EXPECT_FALSE(Whole.once(true));
  for (bool Written : {false, true}) {
    EXPECT_EQ(Last.inside(Written), Written);
    EXPECT_EQ(Last.beyond(Written), Written);
    EXPECT_EQ(Last.once(Written), Written);
  }
}

/// The elements that one thread of a block of four visits in a row, and those it then has in registers.
template <bool EvictLast> void expectRow(unsigned Length, unsigned Turns, unsigned Full) {
  for (unsigned Thread = 0; Thread < 4; ++Thread) {
    ::threadIdx = {Thread, 0, 0};
    unsigned Turn = 0;
    const rows::CufuseRow Row{Turns, Full, &Turn};
    std::vector<int> Memory(Length), Stored(Length, -1), Registers(8, -1), Own(8, -1);
    for (unsigned I = 0; I < Length; ++I)
      Memory[I] = I;
    if constexpr (EvictLast)
      rows::evict_last::cufuseLoadRow(Row, Registers.data(), Memory.data(), Length);
    else
      rows::cufuseLoadRow(Row, Registers.data(), Memory.data(), Length);
    const auto Load = pointerTo<int>(rows::CufuseRowLoad<int>{Row, Registers.data(), Memory.data()});
    const auto Live = pointerTo<int>(rows::CufuseRowStore<int, true>{Row, Own.data(), Stored.data()});
    std::vector<unsigned> Visited;
    for (unsigned I = Thread; Row.next(I, I < Length); I += 4) {
      Visited.push_back(I);
      EXPECT_EQ(Load[I], int(I));
      EXPECT_EQ(*(Load + I), int(I));
      Live[I] = 2 * I;
      EXPECT_EQ(Stored[I], int(2 * I));
      if (Turns > 0) {
        EXPECT_EQ(Own[I / 4], int(2 * I));
      }
    }
    std::vector<unsigned> Expected;
    for (unsigned I = Thread; I < Length; I += 4)
      Expected.push_back(I);
    EXPECT_EQ(Visited, Expected) << Length << ", thread " << Thread;
  }
}

TEST(EmittedOnHost, RowsVisitEveryElementOnceInRegistersAndInMemory) {
  for (unsigned Length = 17; Length <= 32; ++Length) {
    expectRow<false>(Length, 8, Length == 32 ? 8 : 4);
    expectRow<true>(Length, 8, Length == 32 ? 8 : 4);
    expectRow<false>(Length, 0, 0);
  }
}

TEST(EmittedOnHost, ScalarsAreSharedAndStoredWhereTheyAreLive) {
  int Shared = 0, Memory[2] = {-1, -1};
  pointerTo<int>(CufuseScalarStore<int, true>{&Shared, Memory})[1] = 5;
  EXPECT_EQ(Memory[1], 5);
  *pointerTo<int>(CufuseScalarStore<int, false>{&Shared, nullptr}) = 7;
  EXPECT_EQ(pointerTo<int>(CufuseScalarLoad<int>{&Shared})[3], 7);
}

#define CUFUSE_NODE producer
#define CUFUSE_PARAMETER out
#define CUFUSE_WHERE to memory
#define CUFUSE_ELEMENT float
namespace stores {
#define CUFUSE_WIDE
#define CUFUSE_TYPE CufuseAt_producer_out
#define CUFUSE_FIELDS float *memory
#define CUFUSE_CALLS memory[index] = 2 * value
#include "../../lib/Cuda/Sink.cuh"
#undef CUFUSE_TYPE
#undef CUFUSE_CALLS
} // namespace stores
namespace loads {
#define CUFUSE_TYPE CufuseAt_consumer_in
#undef CUFUSE_FIELDS
#define CUFUSE_FIELDS float factor
#define CUFUSE_CALLS const float made = factor * element
#define CUFUSE_MADE made
#include "../../lib/Cuda/Source.cuh"
#undef CUFUSE_CALLS
#undef CUFUSE_TYPE
} // namespace loads
namespace tiles {
#undef CUFUSE_WIDE
#include "../../lib/Cuda/Tile.cuh"
#define CUFUSE_TILED
#define CUFUSE_TILE CufuseTile<float, 4, 2, 2, 1>
#define CUFUSE_TYPE CufuseAt_consumer_in
#define CUFUSE_CALLS const float made = factor * (100 * y + x) + element * 0
#include "../../lib/Cuda/Source.cuh"
#undef CUFUSE_CALLS
} // namespace tiles

TEST(EmittedOnHost, StoresGoToTheConsumersWithTheirIndex) {
  float Memory[8] = {};
  const auto To = pointerTo<float>(stores::CufuseAt_producer_out{Memory});
  To[1] = 3;
  EXPECT_EQ(Memory[1], 6);
  *(To + 4 - 1) = 5;
  EXPECT_EQ(Memory[3], 10);
  struct Pair {
    float a, b;
  };
  (cufuse_as<Pair>(To) + 2)[1] = Pair{1, 2};
  EXPECT_EQ(Memory[6], 2);
  EXPECT_EQ(Memory[7], 4);
}

TEST(EmittedOnHost, LoadsAreComputedInsideTheBoundAndReadBeyondIt) {
  float Memory[5] = {0, 0, 0, 0, 99};
  const auto From = pointerTo<float>(loads::CufuseAt_consumer_in{3, Memory, 4});
  EXPECT_EQ(From[2], 6);
  EXPECT_EQ(*(From + 3), 9);
  EXPECT_EQ(From[4], 99);
  struct Pair {
    float a, b;
  };
  const Pair Last = (cufuse_as<const Pair>(From) + 1)[0], Beyond = *cufuse_as<Pair>(From + 3);
  EXPECT_EQ(Last.a, 6);
  EXPECT_EQ(Last.b, 9);
  EXPECT_EQ(Beyond.a, 9);
  EXPECT_EQ(Beyond.b, 99);
}

TEST(EmittedOnHost, NeighboursAreFoundInTheTileOfTheBlock) {
  for (const auto &[Width, Height] : {std::pair(8, 5), {11, 3}, {23, 1}, {3, 4}, {1, 7}})
    for (int Y = 0; Y < 3; ++Y)
      for (int X = 0; X < 6; ++X) {
        float Values[8 * 4];
        const tiles::CufuseAt_consumer_in Source{1, nullptr, {Values, X * 4 - 2, Y * 2 - 1, Width}};
        auto ForThreads = [](auto Do) {
          for (threadIdx.y = 0; threadIdx.y < 2; ++threadIdx.y)
            for (threadIdx.x = 0; threadIdx.x < 4; ++threadIdx.x)
              Do(threadIdx.x, threadIdx.y);
        };
        ForThreads([&](int, int) { Source.tile.fill(Source, Height); });
        ForThreads([&](int OfX, int OfY) {
          for (int Row = Y * 2 + OfY - 1; Row <= Y * 2 + OfY + 1; ++Row)
            for (int Column = X * 4 + OfX - 2; Column <= X * 4 + OfX + 2; ++Column)
              if (Row >= 0 && Row < Height && Column >= 0 && Column < Width)
                EXPECT_EQ(pointerTo<float>(Source)[Row * Width + Column], 100 * Row + Column);
        });
      }
  threadIdx = {};
}

#pragma GCC diagnostic pop

using cufuse::emitted;

TEST(Emitted, DirectivesOfOursChooseLinesAndOthersStay) {
  constexpr const char *File = "a\n"
                               "#ifdef CUFUSE_X\n"
                               "#if __CUDA_ARCH__ >= 900\n"
                               "b\n"
                               "#else\n"
                               "c\n"
                               "#endif\n"
                               "#else\n"
                               "d\n"
                               "#endif\n"
                               "#ifndef CUFUSE_Y\n"
                               "e\n"
                               "#endif\n";
  EXPECT_EQ(emitted(File).text(), "a\nd\ne");
  EXPECT_EQ(emitted(File, {{"X", true}, {"Y", false}}).text(), "a\n#if __CUDA_ARCH__ >= 900\nb\n#else\nc\n#endif\ne");
  EXPECT_EQ(emitted(File, {{"X", false}, {"Y", true}}).text(), "a\nd");
}

TEST(Emitted, ValuesStandWhereTheyAreNamedAndLinesMayBeNone) {
  constexpr const char *File = "struct CUFUSE_TYPE {\n  CUFUSE_FIELDS;\n  CUFUSE_TYPE *a = CUFUSE_VALUE;\n};\n";
  EXPECT_EQ(emitted(File, {{"TYPE", "T"}, {"FIELDS", ""}, {"VALUE", "{}"}}).text(), "struct T {\n  T *a = {};\n};");
  EXPECT_EQ(emitted(File, {{"TYPE", "T"}, {"FIELDS", "  int x;\n  int y;"}, {"VALUE", cufuse::OutputText::constant(5)}})
                .structure(),
            "struct T {\n  int x;\n  int y;\n  T *a = ;\n};");
}

TEST(Emitted, WhatNothingNamesIsLeftOut) {
  constexpr const char *File = "/// A class.\n"
                               "template <int N>\n"
                               "struct Class {\n"
                               "  int member;\n"
                               "#ifdef CUFUSE_X\n"
                               "  /// By another.\n"
                               "  static constexpr int inner = 2;\n"
                               "  static_assert(N > 0 &&\n"
                               "                N < 9);\n"
                               "#endif\n"
                               "  struct Pair {\n"
                               "    int a;\n"
                               "  } pair;\n"
                               "  int outer(int x) {\n"
                               "    return x +\n"
                               "           inner; // not other\n"
                               "  }\n"
                               "  int other() { return x.inner; }\n"
                               "};\n";
  const std::string Head = "/// A class.\ntemplate <int N>\nstruct Class {\n  int member;\n",
                    Size = "  static_assert(N > 0 &&\n                N < 9);\n",
                    Pair = "  struct Pair {\n    int a;\n  } pair;\n";
  std::set<std::string> Named = {"x"};
  EXPECT_TRUE(cufuse::emittedAsNamed(File, {{"X", true}}, Named).empty());
  Named = {"Class", "x"};
  EXPECT_EQ(cufuse::emittedAsNamed(File, {{"X", true}}, Named).text(), Head + Size + Pair + "};");
  Named = {"Class", "outer"};
  EXPECT_EQ(cufuse::emittedAsNamed(File, {{"X", true}}, Named).text(),
            Head + "  /// By another.\n  static constexpr int inner = 2;\n" + Size + Pair +
                "  int outer(int x) {\n    return x +\n           inner; // not other\n  }\n};");
  EXPECT_TRUE(Named.contains("inner") && !Named.contains("other"));
  Named = {"Class", "other"};
  EXPECT_EQ(cufuse::emittedAsNamed(File, {{"X", false}}, Named).text(),
            Head + Pair + "  int other() { return x.inner; }\n};");
}

} // namespace
