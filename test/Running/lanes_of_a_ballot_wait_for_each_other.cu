// A primitive that names the lanes of a ballot waits for nobody else where all of them come there, by the ballot's condition: the
// others may go on to the next block.
// RUN: rm -rf %t && split-file %s %t
// RUN: %cufuse fuse %t/kernels.cu:taken %t/kernels.cu:counted --block 64 --block 96 --grid-policy stride --name f -o %t/f.cu
// RUN: %execute -I %S/Inputs -I %t %t/main.cu %t/f.cu
// RUN: %exits 1 %cufuse fuse %t/kernels.cu:other %t/kernels.cu:counted --block 64 --block 96 --grid-policy stride --name f -o %t/g.cu 2>&1 \
// RUN:   | FileCheck %s --check-prefix=REFUSED '--implicit-check-not={{(error|refused):}}'
// RUN: %exits 1 %cufuse fuse %t/kernels.cu:gone %t/kernels.cu:counted --block 64 --block 96 --grid-policy stride --name f -o %t/g.cu 2>&1 \
// RUN:   | FileCheck %s --check-prefix=REFUSED '--implicit-check-not={{(error|refused):}}'
// REFUSED: error: {{.*}} skips __shfl_sync, {{.*}} [ExitBeforeWarpPrimitive]

//--- kernels.cu
__global__ void taken(const int *x, int *count, int *ranks, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
  const bool takes = i < n && x[i] % 3 == 0;
  const size_t mask = __ballot_sync(0xffffffff, takes);
  if (takes) {
    const int leader = __ffs(mask) - 1;
    int base = 0;
    if (lane == leader)
      base = atomicAdd(count + blockIdx.x, __popc(mask));
    base = __shfl_sync(mask, base, leader);
    ranks[i] = base % 32 + __popc(mask & ((1u << lane) - 1));
  }
}
__global__ void counted(const int *x, int *sums, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned mask = __ballot_sync(0xffffffff, i < n);
  if (i < n)
    sums[i] = x[i] + __popc(__match_any_sync(mask, x[i] % 5));
}
__global__ void other(const int *x, int *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned mask = __ballot_sync(0xffffffff, i < n + 3);
  if (i < n)
    out[i] = __shfl_sync(mask, x[i], 0);
}
__global__ void gone(const int *x, int *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned mask = __ballot_sync(0xffffffff, i < n);
  if (i < n) {
    if (x[i] == 7)
      return;
    out[i] = __shfl_sync(mask, x[i], 0);
  }
}

//--- main.cu
#include "both.h"

#include "kernels.cu"

#include "f.h"
int main() {
  const int n = 64 * 300 - 21, m = 96 * 250 - 50;
  Array<int> x(96 * 300), counts(300, 1), ranks(64 * 300), sums(96 * 250);
  Both both;
  both.output("counts", counts);
  both.output("sums", sums);
  return both.same(
             "ballots",
             [&] {
               taken<<<300, 64>>>(x, counts, ranks, n);
               counted<<<250, 96>>>(x, sums, m);
             },
             [&] {
               f::taken::Launch first{dim3(300)};
               first.arguments = {x, counts, ranks, n};
               f::counted::Launch second{dim3(250)};
               second.arguments = {x, sums, m};
               require(f::launch(first, second), "f");
             })
             ? 0
             : 1;
}
