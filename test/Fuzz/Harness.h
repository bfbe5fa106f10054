// What the generated programs share: buffers of one kernel's launch, and their comparison bit for bit.
#pragma once

#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

inline void require(cudaError_t error, const char *what) {
  if (error == cudaSuccess)
    return;
  std::printf("error: %s: %s\n", what, cudaGetErrorString(error));
  std::fflush(stdout);
  std::exit(1);
}

/// Where the kernel has some: else there is no such field.
template <typename Launch>
auto giveShared(Launch &launch, unsigned bytes, int) -> decltype(void(launch.dynamicSharedBytes)) {
  launch.dynamicSharedBytes = bytes;
}
template <typename Launch> void giveShared(Launch &, unsigned, long) {}

/// One launch of a kernel with memory of its own.
struct Side {
  static constexpr unsigned InputWords = 509, SumWords = 80,
                            GuardWords = 64; // Kernels read up to so much behind the input.

  dim3 grid, block;
  unsigned shared, seed, n = InputWords;
  unsigned *in, *out, *sums;
  std::size_t outBytes, sumBytes = sizeof(unsigned) * (SumWords + GuardWords);

  Side(dim3 grid, dim3 block, unsigned shared, unsigned seed) : grid(grid), block(block), shared(shared), seed(seed) {
    outBytes = sizeof(unsigned) * (4ull * grid.x * grid.y * grid.z * block.x * block.y * block.z + GuardWords);
    std::vector<unsigned> host(InputWords + GuardWords);
    unsigned state = seed * 2654435761u + 1u;
    for (unsigned &word : host)
      word = state = (state ^ (state >> 15)) * 2246822519u + 3u;
    require(cudaMalloc(&in, sizeof(unsigned) * host.size()), "cudaMalloc");
    require(cudaMalloc(&out, outBytes), "cudaMalloc");
    require(cudaMalloc(&sums, sumBytes), "cudaMalloc");
    require(cudaMemcpy(in, host.data(), sizeof(unsigned) * host.size(), cudaMemcpyHostToDevice), "cudaMemcpy");
    clear();
  }
  ~Side() {
    cudaFree(in);
    cudaFree(out);
    cudaFree(sums);
  }
  Side(const Side &) = delete;

  /// A state that no correct run leaves behind; every sum starts the same.
  void clear() const {
    require(cudaMemset(out, 0xA5, outBytes), "cudaMemset");
    require(cudaMemset(sums, 0x11, sumBytes), "cudaMemset");
  }
  std::vector<unsigned> take() const {
    std::vector<unsigned> host((outBytes + sumBytes) / sizeof(unsigned));
    require(cudaMemcpy(host.data(), out, outBytes, cudaMemcpyDeviceToHost), "cudaMemcpy");
    require(cudaMemcpy(host.data() + outBytes / sizeof(unsigned), sums, sumBytes, cudaMemcpyDeviceToHost),
            "cudaMemcpy");
    return host;
  }
};

inline void finished(const char *what) {
  require(cudaGetLastError(), what);
  require(cudaDeviceSynchronize(), what);
}

/// Says whether a kernel computed alone what it computed fused; the first word that differs, where one does.
inline bool same(const char *pair, const char *kernel, const std::vector<unsigned> &alone,
                 const std::vector<unsigned> &fused) {
  for (std::size_t i = 0; i < alone.size(); ++i)
    if (alone[i] != fused[i]) {
      std::printf("%s differs: %s: word %zu of %zu is %08x alone and %08x fused\n", pair, kernel, i, alone.size(),
                  alone[i], fused[i]);
      return false;
    }
  return true;
}
