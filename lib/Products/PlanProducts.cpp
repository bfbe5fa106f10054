#include "cufuse/Products/PlanProducts.h"

#include <fmt/core.h>

#include <algorithm>
#include <numeric>
#include <optional>

namespace cufuse {

namespace {

/// The largest N, K and L that registers hold, or unrolled loops may have.
constexpr std::int64_t MostK = 256, MostL = 256;
/// Shared memory of a block (CUDA C++ Programming Guide, technical specifications), of sm_80 and of sm_90.
constexpr unsigned OfSm80 = 163 * 1024, OfSm90 = 227 * 1024;
constexpr std::int64_t Multiprocessors = 132; // of an H100
/// What was measured to be faster by the whole grid than by a library: rows, and elements of weights for up to 64 rows,
/// which load them once, and for more, without and with gates.
constexpr std::int64_t LeastRows = 16, MostRows = 128, MostForFew = 8 << 20, MostForMany = 5 << 20,
                       MostOfGates = 9 << 20;
/// The same of windows: pixels times elements of weights.
constexpr std::int64_t MostOfWindows = 160 << 20;

unsigned roundUp(std::int64_t Value, unsigned To) { return static_cast<unsigned>((Value + To - 1) / To * To); }

/// As CufuseProducts of ProductsByWgmma.cuh has them.
struct WarpgroupBytes {
  WarpgroupBytes(const ProductFacts &First, const ProductFacts &Second)
      : A(roundUp(First.K, 64) * 128),
        Chunk((First.InRows ? roundUp(First.K, 16) : roundUp(First.K, 64)) * 128 + roundUp(Second.N, 64) * 128) {}
  unsigned A, Chunk;
  unsigned all(unsigned Slots) const { return Slots * Chunk + 2 * 2 * A + (Slots + 2) * 16 + 1024; }
};

/// Registers of a thread for operands and sums; what else it has, `Others`.
unsigned registers(const ProductFacts &First, const ProductFacts &Second, bool Ahead) {
  constexpr unsigned Others = 32, Operand = 16, Sums = 32;
  return roundUp(First.K, 16) / 4 + roundUp(Second.N, 64) / 2 + (Ahead ? 2 : 1) * Sums + Operand + Others;
}

llvm::Expected<ProductsPlan> byWarpgroups(const ProductFacts &First, const ProductFacts &Second,
                                          const SourcePlace &Where) {
  const WarpgroupBytes Bytes(First, Second);
  const unsigned Chunks = roundUp(First.N, 64) / 64;
  ProductsPlan Plan;
  Plan.By = ProductsPlan::Way::Warpgroups;
  Plan.Threads = 384;
  Plan.Rows = 128;
  Plan.Slice = 64;
  // Many chunks would make much code, of which the cache does not hold enough.
  Plan.Ahead = Chunks > 1 && Chunks <= 16 && registers(First, Second, true) <= ProductsPlan::Computing;
  Plan.Slots = std::min(Chunks, 6u);
  while (Plan.Slots > 0 && Bytes.all(Plan.Slots) > OfSm90)
    --Plan.Slots;
  Plan.SharedBytes = Bytes.all(Plan.Slots);
  if (Plan.Slots >= std::min(Chunks, 3u) && registers(First, Second, false) <= ProductsPlan::Computing)
    return Plan;
  return badInput(fmt::format("k = {} of the first product and n = {} of the second are more than registers hold",
                              First.K, Second.N),
                  "leave these products to a library", Where);
}

llvm::Expected<ProductsPlan> byWarps(const ProductFacts &First, const ProductFacts &Second, const SourcePlace &Where) {
  const unsigned N = roundUp(First.N, 64), K = roundUp(First.K, 64), L = roundUp(Second.N, 64);
  ProductsPlan Plan;
  Plan.Warps = 8;
  Plan.Threads = Plan.Warps * 32;
  for (Plan.Tiles = K / 4 + L / 2 <= 64 ? 2 : 1; Plan.Tiles > 0; --Plan.Tiles) {
    Plan.Rows = Plan.Warps * Plan.Tiles * 16;
    const unsigned long long Bytes = 2ull * N * (K + L) + 2ull * Plan.Rows * K;
    Plan.SharedBytes = static_cast<unsigned>(Bytes);
    if (Bytes <= OfSm80)
      return Plan;
  }
  return badInput(fmt::format("n · (k + l) = {} · ({} + {}) elements of weights are more than {} KB of shared memory",
                              First.N, First.K, Second.N, OfSm80 / 1024),
                  "write it for sm_90a, whose kernel loads them in parts, or leave these products to a library", Where);
}

/// As CufuseProducts of ProductsByCluster.cuh has them.
struct ClusterBytes {
  ClusterBytes(const ProductFacts &First, const ProductFacts &Second, const ProductsPlan &Plan) {
    const unsigned K = roundUp(First.K, 64), N = roundUp(Plan.Slice, 64), L = roundUp(Second.N, 64);
    const unsigned AandB = (Plan.Rows * K + (First.InRows ? K * N : Plan.Slice * K)) * 2;
    const unsigned Loaded = AandB + (Second.InRows ? Plan.Slice * L : L * N) * 2;
    const unsigned Each = roundUp(Second.N / 8, Plan.Blocks),
                   Parts = std::min(Plan.Warps / std::min(Plan.Slice / 16, Plan.Warps), 4u);
    const unsigned OfE = Plan.Blocks > 1 ? Each * Plan.Rows * 32 : 0;
    const unsigned Least = Loaded + Plan.Rows * (Plan.Slice * 2 + 16) +
                           (Parts > 1 ? Parts * Plan.Rows * Plan.Slice * 4 : 0) + roundUp(K / 64 + 2, 2) * 8 + 1024;
    const bool Apart = Least + OfE <= OfSm90;
    All = Least + (Apart ? OfE : 0);
    Fits = Least <= OfSm90 && (Apart || OfE <= AandB);
  }
  unsigned All = 0;
  bool Fits = false;
};

/// As CufuseProducts of ProductsFromMemory.cuh has them: the same cluster, whose threads have few weights each. It was
/// measured for clusters that divide the columns between the products into few for each block.
ProductsPlan fromMemory(const ProductFacts &First, const ProductFacts &Second, ProductsPlan Plan) {
  constexpr std::int64_t MostPieces = 40, Warps = 8;
  const std::int64_t Chunks = (First.K + 31) / 32, ChunksC = (Plan.Slice + 31) / 32;
  const std::int64_t Parts = Chunks < 2                      ? 1
                             : Chunks < 4                    ? 2
                             : Chunks < 8 || Plan.Slice > 32 ? 4
                                                             : 8,
                     WarpsC = Warps / Parts;
  const std::int64_t OfA = (Chunks + Parts - 1) / Parts, OfC = (Plan.Slice / 8 + WarpsC - 1) / WarpsC;
  const std::int64_t OfE = (Second.N / 8 + Warps - 1) / Warps, Each = (Second.N / 8 + Plan.Blocks - 1) / Plan.Blocks;
  if (Plan.Warps != Warps || Plan.Blocks == 1 || First.InRows || Second.InRows || First.Windows.Size > 0 ||
      OfA * (2 * Plan.Tiles + OfC) + ChunksC * OfE > MostPieces)
    return Plan;
  Plan.By = ProductsPlan::Way::FromMemory;
  const std::int64_t OfParts = Parts > 1 ? Parts * Plan.Rows * Plan.Slice * 4 : 0;
  Plan.SharedBytes =
      static_cast<unsigned>(Plan.Rows * (Plan.Slice * 2 + 16) + OfParts + Plan.Blocks * Each * Plan.Tiles * 512 + 16);
  return Plan;
}

/// For so few rows that no more than two blocks are on each multiprocessor: of all that hold their weights at once, the
/// one that is estimated to be the fastest.
std::optional<ProductsPlan> byCluster(const ProductFacts &First, const ProductFacts &Second, std::int64_t M) {
  constexpr unsigned MostRowsOfBox = 256;
  std::optional<ProductsPlan> Best;
  double Least = 0;
  for (unsigned Tiles : {1u, 2u})
    for (unsigned Blocks : {1u, 2u, 4u, 8u}) { // more must be asked for, and are not on every device
      ProductsPlan Plan;
      Plan.By = ProductsPlan::Way::Cluster;
      Plan.Tiles = Tiles;
      Plan.Rows = 16 * Tiles;
      Plan.Blocks = Blocks;
      Plan.Slice = roundUp((First.N + Blocks - 1) / Blocks, 16);
      Plan.Warps = Plan.Slice <= 64 ? 8 : 4; // of few columns, some have parts of the sums, which are long chains
      Plan.Threads = Plan.Warps * 32;
      const ClusterBytes Bytes(First, Second, Plan);
      Plan.SharedBytes = Bytes.All;
      const std::int64_t All = (M + Plan.Rows - 1) / Plan.Rows * Blocks;
      if (!Bytes.Fits || Plan.Slice > MostRowsOfBox || All > Multiprocessors * (Bytes.All <= OfSm90 / 2 ? 2 : 1))
        continue;
      // Nanoseconds, fitted to what an H200 took: products of a multiprocessor, and the exchange.
      const double Products = static_cast<double>(Plan.Rows) * Plan.Slice * static_cast<double>(First.K + Second.N);
      const double Time = Products * (All > Multiprocessors ? 2.1 : 1) / 830 +
                          (Blocks > 1 ? 325 + Plan.Rows * static_cast<double>(Second.N) / 20 : 0);
      if (!Best || Time < Least) {
        Best = Plan;
        Least = Time;
      }
    }
  return Best;
}

/// As CufuseProducts of ProductsByGrid.cuh has them; none if they do not fit.
std::optional<ProductsPlan> inTurns(const ProductFacts &First, const ProductFacts &Second, ProductsPlan Plan) {
  const std::array<std::int64_t, 2> Inner = {First.K, First.N}, Width = {First.N, Second.N};
  unsigned Slot = 0, OfParts = 0, Panels = 0, Blocks = 0;
  for (unsigned I = 0; I < 2; ++I) {
    const auto [Columns, Parts] = Plan.Turns[I];
    const unsigned All = roundUp(Inner[I], 64) / 64, Each = (Columns / 16 + Parts - 1) / Parts;
    if (All % Parts != 0)
      return std::nullopt;
    const unsigned Factors = I == 0 ? Plan.Factors : 1;
    Slot = std::max(Slot, (64 + Factors * Columns) * 128);
    OfParts = std::max(OfParts, Factors * (Parts - 1) * Each * 4096);
    Panels += All / Parts;
    Blocks = std::max(Blocks, roundUp(Width[I], Columns) / Columns * Plan.Tiles * Parts);
    Plan.Blocks = std::lcm(Plan.Blocks, Parts);
  }
  Plan.Clusters = (Blocks + Plan.Blocks - 1) / Plan.Blocks;
  constexpr unsigned Barriers = 24, Alignment = 1024;
  Plan.Slots = std::min((OfSm90 - Alignment - OfParts - Barriers) / (Slot + 16), Panels);
  Plan.SharedBytes = Plan.Slots * (Slot + 16) + OfParts + Barriers + Alignment;
  // Larger clusters leave some multiprocessors of an H100 without a block; of 6, 17 at most run at once.
  const std::int64_t Most = Plan.Blocks > 4 && Plan.Blocks != 8 ? 0
                            : Plan.Blocks == 3                  ? 117
                            : Plan.Blocks > 2                   ? 120
                                                                : Multiprocessors;
  return Plan.Slots >= 3 && Plan.Clusters * Plan.Blocks <= Most ? std::optional(Plan) : std::nullopt;
}

/// For up to 128 rows with more weights than a cluster holds: of all shapes, the one that is estimated to be the
/// fastest. Larger weights are left to a library, and what was not measured.
std::optional<ProductsPlan> byGrid(const ProductFacts &First, unsigned Factors, const ProductFacts &Second,
                                   std::int64_t M) {
  if (M < LeastRows || (M > MostRows && First.Windows.Size == 0) || First.InRows || Second.InRows ||
      First.N * (Factors * First.K + Second.N) > (M <= 64       ? MostForFew
                                                  : Factors > 1 ? MostOfGates
                                                                : MostForMany))
    return std::nullopt;
  std::optional<ProductsPlan> Best;
  double Least = 0;
  // Cycles, fitted to what an H200 took: of what is loaded, the longer the more blocks read the same, and of an
  // exchange.
  const unsigned Tiles = roundUp(M, 64) / 64;
  const auto Loaded = [](std::int64_t Inner, unsigned Rows, unsigned Parts) {
    return 2.0 * Rows * static_cast<double>(Inner) / Parts / 33;
  };
  const auto Shared = [&](unsigned Parts) { return 1 + 0.25 * std::min(Tiles, 2u) / Parts; };
  const auto Exchange = [](unsigned Columns, unsigned Parts) {
    return Parts > 1 ? 300 + 64.0 * Columns * 4 * (Parts - 1) / Parts / 11.5 : 0;
  };
  for (unsigned PartsC : {1u, 2u, 3u, 4u, 8u})
    for (unsigned PartsE : {1u, 2u, 3u, 4u, 8u})
      for (unsigned ColumnsC = 16; ColumnsC <= 128; ColumnsC += 16)
        for (unsigned ColumnsE = 16; ColumnsE <= 128; ColumnsE += 16) {
          ProductsPlan Plan;
          Plan.By = ProductsPlan::Way::Grid;
          Plan.Tiles = Tiles;
          Plan.Rows = Plan.Tiles * 64;
          Plan.Threads = 288;
          Plan.Factors = Factors;
          Plan.Turns = {ProductsPlan::Turn{ColumnsC, PartsC}, ProductsPlan::Turn{ColumnsE, PartsE}};
          const auto Fitting = inTurns(First, Second, Plan);
          if (!Fitting)
            continue;
          // D is loaded while blocks wait for each other.
          const double Meanwhile = 3000;
          const double Time = Loaded(First.K, 64 + Factors * ColumnsC, PartsC) * Shared(PartsC) +
                              Loaded(First.N, 64, PartsE) * Shared(PartsE) + Exchange(Factors * ColumnsC, PartsC) +
                              Exchange(ColumnsE, PartsE) + 30.0 * Fitting->Blocks +
                              std::max(0.0, Loaded(First.N, ColumnsE, PartsE) - Meanwhile);
          if (!Best || Time < Least) {
            Best = Fitting;
            Least = Time;
          }
        }
  return Best;
}

/// As CufuseProducts of AttentionByWgmma.cuh has them; none if registers or shared memory do not hold it.
std::optional<ProductsPlan> attentionOfWarpgroups(const ProductFacts &First, const ProductFacts &Second) {
  constexpr unsigned Others = 32, RowSlots = 2, Groups = 2;
  const unsigned K16 = roundUp(First.K, 16), K = roundUp(First.K, 64), L = roundUp(Second.N, 64);
  ProductsPlan Plan;
  Plan.By = ProductsPlan::Way::AttentionOfWarpgroups;
  Plan.Threads = 384;
  Plan.Rows = Groups * 64;
  Plan.Slots = 2; // four take no less time
  for (Plan.Slice = 128; Plan.Slice >= 64; Plan.Slice /= 2) {
    const unsigned Chunk = ((First.InRows ? K16 : K) + L) * Plan.Slice * 2;
    Plan.SharedBytes = Plan.Slots * Chunk + RowSlots * Groups * K * 128 + (2 * Plan.Slots + RowSlots) * 16 + 1024;
    if (K16 / 4 + L / 2 + Plan.Slice / 2 + Plan.Slice / 4 + Others <= ProductsPlan::Computing &&
        Plan.SharedBytes <= OfSm90)
      return Plan;
  }
  return std::nullopt;
}

/// As CufuseProducts of Attention.cuh has them. What a thread has of the results is in registers. More rows in a block
/// load keys less often, but leave multiprocessors without a block where there are few.
llvm::Expected<ProductsPlan> byAttention(const ProductFacts &First, const ProductFacts &Second, std::int64_t M,
                                         llvm::StringRef Arch, const SourcePlace &Where) {
  const unsigned K = roundUp(First.K, 64), L = roundUp(Second.N, 64);
  if (K > MostK || L > MostL)
    return badInput(
        fmt::format("k = {} of the first product or n = {} of the second is more than {}", First.K, Second.N, MostK),
        "leave these products to a library", Where);
  if (const auto Plan = Arch == "sm_90a" ? attentionOfWarpgroups(First, Second) : std::nullopt)
    return *Plan;
  ProductsPlan Plan;
  Plan.By = ProductsPlan::Way::Attention;
  Plan.Tiles = L <= 128 ? 2 : 1;
  Plan.Slice = 32; // 64 at a time take registers that there are not: up to 1.5 times as long on an H200
  for (Plan.Warps = 8;; Plan.Warps = 4) {
    Plan.Threads = Plan.Warps * 32;
    Plan.Rows = Plan.Warps * Plan.Tiles * 16;
    Plan.SharedBytes = Plan.Rows * K * 2 + 2 * 64 * (K + L) * 2;
    const bool Fills = M / Plan.Rows >= Multiprocessors && (First.Rows == 0 || First.Rows >= Plan.Rows);
    if (Plan.Warps == 4 || (Fills && Plan.SharedBytes <= OfSm80))
      return Plan;
  }
}

} // namespace

llvm::Expected<ProductsPlan> planProducts(const ProductFacts &First, unsigned Factors, const ProductFacts &Second,
                                          std::int64_t M, llvm::StringRef Arch, const SourcePlace &Where) {
  const bool Plain = Second.Softmax.empty() && First.Rows == 0, IsOfWindows = First.Windows.Size > 0;
  unsigned Number = 0;
  Arch.drop_front(3).consumeInteger(10, Number);
  if (Number < 80)
    return badInput(fmt::format("products of matrices are fused for sm_80 and later, and this is {}", Arch.str()),
                    "leave them to a library", Where);
  if (Factors > 1) {
    if (const auto Plan = Plain && !IsOfWindows && Arch == "sm_90a" ? byGrid(First, Factors, Second, M) : std::nullopt)
      return *Plan;
    return badInput(fmt::format("gates are fused with their products for sm_90a, where {} to {} rows meet weights of "
                                "up to {} Mi elements, or up to 64 rows {} Mi, that are `transposed: true`",
                                LeastRows, MostRows, MostOfGates >> 20, MostForFew >> 20),
                    "let a library multiply both weights as one matrix of twice the columns, and fuse the kernels "
                    "behind it",
                    Where);
  }
  if (!Second.Softmax.empty() && !IsOfWindows)
    return byAttention(First, Second, M, Arch, Where);
  if (First.Rows > 0)
    return badInput("products in a batch are computed with a softmax between them only",
                    "leave them to a library, or fuse those of one matrix", Where);
  const std::int64_t Weights = First.N * (First.K + Second.N);
  const bool Fits = Plain && (!IsOfWindows || M * Weights <= MostOfWindows);
  if (const auto Plan = Fits && Number >= 90 ? byCluster(First, Second, M) : std::nullopt)
    return fromMemory(First, Second, *Plan);
  if (const auto Plan = Fits && Arch == "sm_90a" ? byGrid(First, 1, Second, M) : std::nullopt)
    return *Plan;
  if (IsOfWindows)
    return badInput(fmt::format("windows of {} pixels meet {} elements of weights: for sm_90a, those are fused whose "
                                "product is up to {} Mi, with `transposed: true`",
                                M, Weights, MostOfWindows >> 20),
                    "leave the convolution to a library, and fuse the kernels behind it", Where);
  if (First.K > MostK || Second.N > MostL)
    return badInput(
        fmt::format("k = {} of the first product or n = {} of the second is more than {}", First.K, Second.N, MostK),
        "leave these products to a library: what lies between is a small part of their time", Where);
  return Arch == "sm_90a" ? byWarpgroups(First, Second, Where) : byWarps(First, Second, Where);
}

} // namespace cufuse
