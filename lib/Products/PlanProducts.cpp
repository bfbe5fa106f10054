#include "cufuse/Products/PlanProducts.h"

#include <fmt/core.h>

#include <algorithm>

namespace cufuse {

namespace {

/// The largest N, K and L that registers hold, or unrolled loops may have.
constexpr std::int64_t MostK = 256, MostL = 256;
/// Shared memory of a block (CUDA C++ Programming Guide, technical specifications), of sm_80 and of sm_90.
constexpr unsigned OfSm80 = 163 * 1024, OfSm90 = 227 * 1024;

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
  Plan.ByWarpgroups = true;
  Plan.Threads = 384;
  Plan.Rows = 128;
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

} // namespace

llvm::Expected<ProductsPlan> planProducts(const ProductFacts &First, const ProductFacts &Second, llvm::StringRef Arch,
                                          const SourcePlace &Where) {
  if (First.K > MostK || Second.N > MostL)
    return badInput(
        fmt::format("k = {} of the first product or n = {} of the second is more than {}", First.K, Second.N, MostK),
        "leave these products to a library: what lies between is a small part of their time", Where);
  return Arch == "sm_90a" ? byWarpgroups(First, Second, Where) : byWarps(First, Second, Where);
}

} // namespace cufuse
