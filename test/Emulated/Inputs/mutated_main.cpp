// Runs the kernels of mutated.cu alone and fused, on different grids, and says which of them differs.
#include "fused.h"

#include <cstdio>
#include <vector>

__global__ void sums(const unsigned *in, unsigned *out, unsigned n);
__global__ void turned(const unsigned *in, unsigned *out, unsigned n);

namespace {

struct Data {
  std::vector<unsigned> values;
  unsigned *in, *expected, *out;

  explicit Data(unsigned n) : values(n) {
    for (unsigned i = 0; i < n; ++i)
      values[i] = i * 2654435761u >> 7;
    cudaMalloc(&in, bytes());
    cudaMalloc(&expected, bytes());
    cudaMalloc(&out, bytes());
    cudaMemcpy(in, values.data(), bytes(), cudaMemcpyHostToDevice);
  }
  std::size_t bytes() const { return values.size() * sizeof(unsigned); }
  bool differs(const char *name) const {
    for (std::size_t i = 0; i < values.size(); ++i)
      if (out[i] != expected[i]) {
        std::fprintf(stderr, "%s differs first at %zu\n", name, i);
        return true;
      }
    return false;
  }
};

} // namespace

int main() {
  const unsigned sumsBlocks = 7, turnedBlocks = 11;
  const std::size_t sumsBytes = SUMS_BLOCK * sizeof(unsigned), turnedBytes = 512 * sizeof(unsigned);
  // The last blocks are partial.
  Data a(sumsBlocks * SUMS_BLOCK - 5), b(turnedBlocks * 96 - 9);
  sums<<<sumsBlocks, SUMS_BLOCK, sumsBytes>>>(a.in, a.expected, a.values.size());
  turned<<<turnedBlocks, dim3(16, 6), turnedBytes>>>(b.in, b.expected, b.values.size());

  fused::sums::Launch sumsLaunch{};
  sumsLaunch.grid = sumsBlocks;
  sumsLaunch.dynamicSharedBytes = sumsBytes;
  sumsLaunch.arguments = {a.in, a.out, static_cast<unsigned>(a.values.size())};
  fused::turned::Launch turnedLaunch{};
  turnedLaunch.grid = turnedBlocks;
  turnedLaunch.dynamicSharedBytes = turnedBytes;
  turnedLaunch.arguments = {b.in, b.out, static_cast<unsigned>(b.values.size())};
  if (cudaGetLastError() != cudaSuccess || fused::launch(sumsLaunch, turnedLaunch, nullptr) != cudaSuccess)
    return 3;
  const bool wrong = a.differs("sums") | b.differs("turned");
  if (!wrong)
    std::puts("equal");
  return wrong;
}
