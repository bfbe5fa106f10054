// An option that may be given several times takes one value each time, so that kernels may follow it.
// RUN: %cufuse fuse %s:one --block 64 %s:two --block 32x2 -o %t.cu
// RUN: %FileCheck %s < %t.cu

// CHECK: one, block 64
// CHECK: two, block 32x2

__global__ void one(float *data) { data[threadIdx.x] += 1; }
__global__ void two(float *data) { data[threadIdx.x] += threadIdx.y; }
