// Dropout with a counter-based generator: what happens to an element depends on its index and the seed alone, so it is
// the same in whatever order and kernel the elements are computed.
#include <cstdint>

/// Two rounds of 32-bit mixing of (seed, index): the finalizer of MurmurHash3 (Appleby).
__device__ __forceinline__ std::uint32_t mixed(std::uint32_t seed, std::uint32_t index) {
  std::uint32_t h = seed ^ (index * 0x9e3779b9u);
  for (int round = 0; round < 2; ++round) {
    h ^= h >> 16;
    h *= 0x85ebca6bu;
    h ^= h >> 13;
    h *= 0xc2b2ae35u;
    h ^= h >> 16;
  }
  return h;
}

/// Elements are kept with probability 1 - p, and then scaled by 1 / (1 - p).
__global__ void dropout(const float *__restrict__ in, float *__restrict__ out, float p, unsigned seed, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const float uniform = mixed(seed, i) * 0x1p-32f, scale = 1.0f / (1.0f - p);
  out[i] = uniform < p ? 0.0f : in[i] * scale;
}
