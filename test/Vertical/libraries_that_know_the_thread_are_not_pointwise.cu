// Libraries know by assembly of their own where a thread is, and which threads are with it: a kernel that asks them is no
// function of the element.
// RUN: %cufuse inspect --full %s | FileCheck %s

#include <cooperative_groups.h>
#include <cuda/ptx>
// CHECK-LABEL: {{^}}byLane(
// CHECK: shape            opaque
// CHECK-NEXT: not pointwise    {{.*}}: it reads or works with other threads: inline assembly, {{.*}}%laneid
__global__ void byLane(const float *__restrict__ in, float *__restrict__ out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = in[i] + cuda::ptx::get_sreg_laneid();
}
// CHECK-LABEL: {{^}}byRank(
// CHECK: shape            opaque
// CHECK: not pointwise    {{.*}}: threads of a warp work together: __activemask
__global__ void byRank(const float *__restrict__ in, float *__restrict__ out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = in[i] + cooperative_groups::coalesced_threads().thread_rank();
}
// CHECK-LABEL: {{^}}byMask(
// CHECK: shape            opaque
// CHECK-NEXT: not pointwise    {{.*}}: threads of a warp work together: __activemask
__global__ void byMask(const float *__restrict__ in, float *__restrict__ out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = in[i] + __popc(__activemask());
}
