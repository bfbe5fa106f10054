// Where consumers stand at a producer's stores, the producer may use a library that takes all threads for its block, in
// every grid policy.
// RUN: rm -rf %t && split-file %s %t && cd %t
// RUN: %cufuse fuse --vertical kernels.cu:reversed kernels.cu:twice --link reversed.out=twice.in --dead reversed.out \
// RUN:   --block 64 --grid-policy stride --name stride -o %t/stride.cu
// RUN: %cufuse fuse --vertical kernels.cu:reversed kernels.cu:twice --link reversed.out=twice.in --dead reversed.out \
// RUN:   --block 64 --grid-policy pool --name pool -o %t/pool.cu
// RUN: %execute -I %S/Inputs -I %t %t/main.cu %t/stride.cu %t/pool.cu

//--- kernels.cu
#include <cooperative_groups.h>

__global__ void reversed(const float *__restrict__ x, float *__restrict__ out) {
  __shared__ float all[64];
  const auto block = cooperative_groups::this_thread_block();
  all[block.thread_rank()] = x[block.group_index().x * 64 + threadIdx.x];
  block.sync();
  out[blockIdx.x * 64 + threadIdx.x] = all[63 - threadIdx.x];
}
__global__ void twice(const float *__restrict__ in, float *__restrict__ out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = in[i] * 2;
}

//--- main.cu
#include "both.h"

#include "kernels.cu"

#include "pool.h"
#include "stride.h"

template <typename Launch> bool check(cudaError_t (*launch)(const Launch &, cudaStream_t), const char *name) {
  constexpr int grid = 500, n = grid * 64;
  Array<float> x(n), middle(n), y(n);
  Launch given{};
  given.grid = grid, given.arguments.x = x, given.arguments.n = n, given.arguments.out = y;
  Both both;
  both.output("y", y);
  return both.same(
      name,
      [&] {
        reversed<<<grid, 64>>>(x, middle);
        twice<<<grid, 64>>>(middle, y, n);
      },
      [&] { require(launch(given, nullptr), name); });
}

int main() {
  const bool stride = check(stride::launch, "stride");
  return check(pool::launch, "pool") && stride ? 0 : 1;
}
