// Philox 4x32-10 (Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC 2011): the generator
// of cuRAND, PyTorch and Triton. Counter-based: what an element gets depends on its counter and the seed alone, in
// whatever order and kernel the elements are computed.
#pragma once

#include <cstdint>

/// Four words for the counter (counter, 0, 0, 0) and the key (seed, 0).
__device__ __forceinline__ uint4 philox(std::uint32_t counter, std::uint32_t seed) {
  uint4 c = make_uint4(counter, 0u, 0u, 0u);
  std::uint32_t key0 = seed, key1 = 0u;
#pragma unroll
  for (int round = 0; round < 10; ++round) {
    const std::uint32_t high0 = __umulhi(0xD2511F53u, c.x), low0 = 0xD2511F53u * c.x;
    const std::uint32_t high1 = __umulhi(0xCD9E8D57u, c.z), low1 = 0xCD9E8D57u * c.z;
    c = make_uint4(high1 ^ c.y ^ key0, low1, high0 ^ c.w ^ key1, low0);
    key0 += 0x9E3779B9u;
    key1 += 0xBB67AE85u;
  }
  return c;
}
