// An #include and a name of a header that are there for the device alone are hidden from the host in the output, too.
// RUN: rm -rf %t && split-file %s %t
// RUN: cd %t && %cufuse fuse a.cu:ofTable a.cu:ofClass b.cu:included --block 64 --block 64 --block 64 -o out.cu
// RUN: cd %t && %nvcc -arch=sm_90a -c -o out.o out.cu

//--- lib.h
#pragma once
namespace lib {
#if __CUDA_ARCH__ >= 800
__device__ inline float fast(float x) { return x * 2; }
struct Wide {
  float v;
};
#endif
} // namespace lib

//--- a.cu
#include "lib.h"
namespace lib {
static __constant__ float table[4] = {1, 2, 3, 4};
__global__ void ofTable(float *x) {
#if __CUDA_ARCH__ >= 800
  x[threadIdx.x] *= fast(table[threadIdx.x & 3]);
#endif
}
struct Scale {
  float by;
  __device__ float of(float x) const {
#if __CUDA_ARCH__ >= 800
    Wide wide{fast(x)};
    return by * wide.v;
#else
    return by * x;
#endif
  }
};
__global__ void ofClass(float *x, Scale scale) { x[threadIdx.x] = scale.of(x[threadIdx.x]); }
} // namespace lib

//--- b.cu
#ifdef __CUDA_ARCH__
#include "device.h"
#endif
__global__ void included(float *x) {
#ifdef __CUDA_ARCH__
  x[threadIdx.x] = twice(x[threadIdx.x]);
#endif
}

//--- device.h
#pragma once
#ifndef __CUDA_ARCH__
#error "for the device alone"
#endif
__device__ inline float twice(float x) { return 2 * x; }
