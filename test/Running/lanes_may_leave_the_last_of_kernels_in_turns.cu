// Behind the last kernel that the same threads play, nothing follows: a lane that leaves it exits, as it does in its own
// launch.
// RUN: split-file %s %t
// RUN: %cufuse fuse %t/kernels.cu:scaled %t/kernels.cu:sum_early --block 64 --block 96 --geometry threads --name longer \
// RUN:   -o %t/longer.cu
// RUN: %cufuse fuse %t/kernels.cu:by_rows %t/kernels.cu:sum_early --block 96 --block 96 --geometry threads --turns by_rows=2 \
// RUN:   --copies sum_early=2 --name turns -o %t/turns.cu
// RUN: %execute -I %S/Inputs -I %t %t/main.cu %t/longer.cu %t/turns.cu
// RUN: FileCheck %s --input-file %t/turns.cu --check-prefix=TYPES
// RUN: %nvcc -Werror all-warnings -arch=sm_90a -ptx -I %t -o %t/turns.ptx %t/turns.cu
// RUN: %cufuse check %t/turns.cu --ptx %t/turns.ptx

// Only the last exits.
// TYPES: using cufuse_partition = turns::CufusePartition<0,
// TYPES: using cufuse_partition = turns::CufuseLastPartition<0,

// Others would be waited for: before another kernel, for the next of several turns, or where threads leave before a barrier, too.
// RUN: %exits 1 %cufuse fuse %t/kernels.cu:sum_early %t/kernels.cu:scaled --block 96 --block 64 --geometry threads \
// RUN:   -o %t/none.cu 2>&1 | FileCheck %s
// RUN: %exits 1 %cufuse fuse %t/kernels.cu:scaled %t/kernels.cu:sum_early --block 64 --block 96 --geometry threads \
// RUN:   --turns sum_early=2 -o %t/none.cu 2>&1 | FileCheck %s
// RUN: %exits 1 %cufuse fuse %t/kernels.cu:scaled %t/kernels.cu:sum_and_meet --block 64 --block 64 --geometry threads \
// RUN:   -o %t/none.cu 2>&1 | FileCheck %s
// CHECK: error: lanes may leave a block before a warp primitive, and would rejoin for the next block: sum_

//--- kernels.cu
__device__ int warp_sum(int value) {
  for (int step = 16; step > 0; step /= 2)
    value += __shfl_xor_sync(0xffffffff, value, step);
  return value;
}

__global__ void scaled(const int *in, int *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = in[i] * 3;
}

// Whole warps leave, and go on to the next block.
__global__ void by_rows(const int *in, int *out, int rows) {
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  if (row >= rows)
    return;
  out[row * 32 + threadIdx.x % 32] = warp_sum(in[row * 32 + threadIdx.x % 32]);
}

__global__ void sum_early(const int *in, int *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  out[i] = __ballot_sync(0xffffffff, in[i] > 500) + warp_sum(1) * 0;
}

__global__ void sum_and_meet(const int *in, int *out, int n) {
  __shared__ int sums[2];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const unsigned chosen = __ballot_sync(0xffffffff, in[i] % 2);
  if (threadIdx.x % 32 == 0)
    sums[threadIdx.x / 32] = __popc(chosen);
  __syncthreads();
  out[i] = sums[0];
}

//--- main.cu
#include "both.h"
#include "kernels.cu"

#include "longer.h"
#include "turns.h"

int main() {
  Array<int> in(4096), a(4096), b(4096);
  Both both;
  both.output("a", a), both.output("b", b);
  bool good = both.same(
      "longer", [&] { scaled<<<9, 64>>>(in, a, 550), sum_early<<<4, 96>>>(in, b, 300); },
      [&] { require(longer::launch({9, {in, a, 550}}, {4, {in, b, 300}}), "longer"); });
  good &= both.same(
      "turns", [&] { by_rows<<<9, 96>>>(in, a, 23), sum_early<<<7, 96>>>(in, b, 599); },
      [&] { require(turns::launch({9, {in, a, 23}}, {7, {in, b, 599}}), "turns"); });
  return good ? 0 : 1;
}
