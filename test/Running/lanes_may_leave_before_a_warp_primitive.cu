// The hardware waits for lanes that have not exited, and only for these: a lane that returns does exit.
// RUN: split-file %s %t
// RUN: %cufuse fuse %t/kernels.cu:sum_early %t/kernels.cu:sum_and_meet --block 96 --block 64 --name fused -o %t/fused.cu
// RUN: %execute -I %S/Inputs -I %t %t/main.cu %t/fused.cu
// RUN: %exits 1 %cufuse fuse %t/kernels.cu:sum_early --block 96 --grid-policy stride -o %t/none.cu 2>&1 | FileCheck %s
// CHECK: {{.*}}kernels.cu:9:9: error: lanes may leave a block before a warp primitive, and would rejoin for the next
// CHECK-SAME: block: sum_early: this branch skips __ballot_sync, {{.*}} [ExitBeforeWarpPrimitive]
// CHECK: note: use --grid-policy match

//--- kernels.cu
__device__ int warp_sum(int value) {
  for (int step = 16; step > 0; step /= 2)
    value += __shfl_xor_sync(0xffffffff, value, step);
  return value;
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
  const unsigned here = __activemask();
  const unsigned chosen = __ballot_sync(0xffffffff, in[i] % 2);
  if (threadIdx.x % 32 == 0)
    sums[threadIdx.x / 32] = __popc(chosen & here);
  __syncthreads();
  out[i] = sums[0];
}

//--- main.cu
#include "both.h"
#include "kernels.cu"

#include "fused.h"

int main() {
  Array<int> in(4096), a(4096), b(4096);
  Both both;
  both.output("a", a), both.output("b", b);
  const bool good = both.same(
      "match", [&] { sum_early<<<4, 96>>>(in, a, 300), sum_and_meet<<<6, 64>>>(in, b, 330); },
      [&] { require(fused::launch({4, {in, a, 300}}, {6, {in, b, 330}}), "fused"); });
  return good ? 0 : 1;
}
