// Both are taken: what brought the other one back named the original of the copied one, too.
// RUN: rm -rf %t && split-file %s %t
// RUN: %cufuse fuse %t/a.cu:k %t/a.cu:k --block 32 --block 64 -o %t/fused.cu
// RUN: %nvcc -std=c++17 -arch=sm_90a -I %t -cubin -o %t/fused.cubin %t/fused.cu

//--- tools.h
#pragma once
namespace tools {
template <int N> __device__ void shift(float *data, int by) {
  __syncthreads();
  data[threadIdx.x] += N * by;
}
template <int N> __device__ void shift(float *data) { data[0] += N; }
} // namespace tools
__device__ inline void start(float *data) { data[threadIdx.x] = 0; }
__device__ inline void start(int *data) { *data = 0; }
//--- a.cu
#include "tools.h"
__global__ void k(float *data, int *count) {
  start(data);
  start(count);
  tools::shift<4>(data, 3);
  tools::shift<4>(data);
}
