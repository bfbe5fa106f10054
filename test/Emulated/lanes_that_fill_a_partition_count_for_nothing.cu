// Blocks of 40 and of 8x5 threads: the last warp of each partition has fillers, which leave before the others meet
// under masks that name all lanes.
// RUN: rm -rf %t && mkdir %t
// RUN: %cufuse fuse %s:sums %s:plane --block 40 --block 8x5 --grid-policy stride --name fused -o %t/fused.cu
// RUN: %emulate --seed 1 --seed 2 --seed 3 -I %t -D FUSED %s %t/fused.cu
// RUN: %python %S/Inputs/substitute.py %t/fused.cu "if (fused_text::cufuse_sums::cufuse_partition::rank() >= 40)" "if (fused_text::cufuse_sums::cufuse_partition::rank() >= 39)" > %t/wrong.cu
// RUN: %exits 1 %emulate -I %t -D FUSED %s %t/wrong.cu 2>&1 | %FileCheck %s --check-prefix=WRONG

// WRONG: differs

#ifdef FUSED
#include "fused.h"
#endif

#include <cstdio>

__global__ void sums(const unsigned *in, unsigned *out) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = __reduce_add_sync(~0u, in[i]) + __popc(__ballot_sync(~0u, 1));
}
__global__ void plane(const unsigned *in, unsigned *out) {
  const unsigned i = (blockIdx.x * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  out[i] = __shfl_down_sync(~0u, in[i], 3, 8) + 100 * __reduce_max_sync(~0u, in[i]);
}

int main() {
  constexpr unsigned n = 9 * 40;
  unsigned *in, *out[4];
  cudaMalloc(&in, n * sizeof(unsigned));
  for (unsigned *&each : out)
    cudaMalloc(&each, n * sizeof(unsigned));
  for (unsigned i = 0; i < n; ++i)
    in[i] = i * i % 101;
  sums<<<9, 40>>>(in, out[0]);
  plane<<<9, dim3(8, 5)>>>(in, out[1]);
#ifdef FUSED
  fused::sums::Launch first{9, {in, out[2]}};
  fused::plane::Launch second{9, {in, out[3]}};
  if (fused::launch(first, second, nullptr) != cudaSuccess)
    return 3;
  for (unsigned i = 0; i < n; ++i)
    if (out[0][i] != out[2][i] || out[1][i] != out[3][i]) {
      std::printf("%u differs\n", i);
      return 1;
    }
#endif
}
