// Threads that leave drop out of an mbarrier, which GPUs before sm_80 do not have.
// RUN: rm -rf %t && mkdir %t
// RUN: %exits 1 %cufuse fuse %s:early --block 128 --arch sm_75 -o %t/out.cu 2>&1 | \
// RUN:   FileCheck %s '--implicit-check-not={{(error|refused):}}'
// RUN: ls -A %t | count 0
// RUN: %cufuse fuse %s:early --block 128 --arch sm_80 -o %t/out.cu
__global__ void early(const float *in, float *out, int n) {
  __shared__ float tile[128];
  // CHECK: {{[^ ]*}}:[[#@LINE+4]]:{{[0-9]+}}: error: early: threads may leave before a barrier that others wait at: this
  // CHECK-SAME: branch skips a barrier of the block, {{[^ ]*}}:[[#@LINE+6]] [ExitNeedsMbarrier]
  // CHECK: note: compile for sm_80 or later, or
  // CHECK-SAME: guard the work with `if` instead of returning
  if (threadIdx.x >= n)
    return;
  tile[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = tile[n - 1 - threadIdx.x];
}
