// A header given directly, a kernel of an included header, symbols that must not be defined twice, block-using helpers.
// RUN: split-file %s %t
// RUN: %cufuse fuse %t/sub/kernels.cuh:direct %t/main.cu:included '%t/main.cu:templated<float>' --block 64 --block 64 --block 64 -o %t.cu
// RUN: %nvcc -Werror all-warnings -arch=sm_90a -I%t -I%t/sub -cubin -o %t.cubin %t.cu

//--- sub/common.h
#pragma once
struct Span {
  float *data;
  int size;
};
inline __host__ __device__ int roundUp(int n) { return (n + 31) / 32 * 32; }
//--- sub/kernels.cuh
#pragma once
#include "common.h"
#include "../detail/index.cuh"
__device__ float plainHelper(float x) { return x + 1; }
__global__ void direct(Span span) {
  if (index() < span.size)
    span.data[index()] = plainHelper(span.data[index()]) + roundUp(span.size);
}
__global__ void included(Span span) {
  if (index() < span.size)
    span.data[index()] -= plainHelper(1);
}
template <typename T> __global__ void templated(T *data, int n) {
  for (int i = index(); i < n; i += stride<T>())
    data[i] *= T(2);
}
//--- detail/index.cuh
#ifndef INDEX_CUH
#define INDEX_CUH
static inline __device__ int index() { return blockIdx.x * blockDim.x + threadIdx.x; }
template <typename T> __device__ int stride() { return gridDim.x * blockDim.x; }
#endif
//--- main.cu
#include "sub/kernels.cuh"
void go(Span span) {
  included<<<1, 64>>>(span);
  templated<<<1, 64>>>(span.data, span.size);
}
