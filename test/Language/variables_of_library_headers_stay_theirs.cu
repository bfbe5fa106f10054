// A library keeps a table of its own in a system header: every object has one, so nothing is shared and nothing copied.
// RUN: split-file %s %t
// RUN: %cufuse fuse %t/a.cu:draws %t/a.cu:looks --block 64 --block 64 -o %t.cu -- -isystem %t/library
// RUN: %FileCheck %s < %t.cu
// RUN: %nvcc -Werror all-warnings -arch=sm_90a -isystem %t/library -cubin -o %t.cubin %t.cu

// CHECK: #include <table.h>
// CHECK-NOT: Matrix

//--- library/table.h
#pragma once
static __device__ unsigned Matrix[4] = {1, 2, 3, 4};
static unsigned HostMatrix[4] = {1, 2, 3, 4};
static inline __host__ __device__ unsigned draw(int i) {
#ifdef __CUDA_ARCH__
  return Matrix[i % 4];
#else
  return HostMatrix[i % 4];
#endif
}
//--- a.cu
#include <table.h>
__global__ void draws(unsigned *data) { data[threadIdx.x] = draw(threadIdx.x); }
__global__ void looks(unsigned *data) { data[threadIdx.x] = draw(1) + draw(2); }
