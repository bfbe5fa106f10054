// A hardware barrier named by number is refused, also in a helper.
// RUN: rm -rf %t && mkdir %t
// RUN: %exits 1 %cufuse fuse %s:halves --block 128 -o %t/out.cu 2>&1 | FileCheck %s --implicit-check-not=refused:
// RUN: ls -A %t | count 0
// RUN: %cufuse fuse %s:whole --block 128 -o %t/out.cu
__device__ void wait_for_half(unsigned half) {
  // CHECK: refused: {{[^ ]*}}:[[#@LINE+2]]:3: halves: a hardware barrier is named by number: __barrier_sync_count in
  // CHECK-SAME: wait_for_half [NamedBarrier]; use __syncthreads()
  __barrier_sync_count(1 + half, 64);
}

__global__ void halves(float *data) {
  data[threadIdx.x] += 1;
  wait_for_half(threadIdx.x / 64);
  data[threadIdx.x] *= data[threadIdx.x ^ 1];
}

__global__ void whole(float *data) {
  data[threadIdx.x] += 1;
  __syncthreads();
  data[threadIdx.x] *= data[threadIdx.x ^ 1];
}
