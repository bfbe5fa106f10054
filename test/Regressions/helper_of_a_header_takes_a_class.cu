// Argument-dependent lookup would find the helper that stays in the header, too.
// RUN: rm -rf %t && split-file %s %t
// RUN: %cufuse fuse %t/a.cu:direct %t/a.cu:generic %t/a.cu:nested --block 32 --block 64 --block 96 -o %t/fused.cu
// RUN: %nvcc -std=c++17 -arch=sm_90a -I %t -cubin -o %t/fused.cubin %t/fused.cu
// RUN: FileCheck %s --input-file %t/fused.cu
// CHECK: _direct::put(p, p[1]);
// CHECK: _direct::own(p, p[2]);
// CHECK: {{^}}  plain(f);
// CHECK: _nested::shapes::area(p)

//--- tools.h
#pragma once
__device__ inline void plain(float *f) { f[threadIdx.x] = 1; }
__device__ inline void put(float4 *p, float4 v) { p[threadIdx.x] = v; }
template <int N, class T> __device__ void store(T *p, T v, int by = 0xf) {
  p[threadIdx.x * N + by] = v;
  __syncthreads();
}
template <int N, class T> __device__ void both(T *p, T v) { store<N, T>(p, v); }
namespace shapes {
struct Box {
  float x, y;
};
enum class Side { Left, Right };
__device__ inline float area(Box *box) { return box[threadIdx.x].x * box[threadIdx.x].y; }
__device__ inline float width(Side side) { return side == Side::Left ? threadIdx.x : 0; }
} // namespace shapes
//--- a.cu
#include <cuda_fp16.h>
#include "tools.h"
__device__ void own(float4 *p, float4 v) { p[threadIdx.x] = v; }
__global__ void direct(float4 *p, float *f) {
  put(p, p[1]);
  own(p, p[2]);
  plain(f);
}
__global__ void generic(float4 *p, half2 *h) {
  both<3>(p, p[1]);
  both<4>(h, h[1]);
}
__global__ void nested(shapes::Box *p) {
  p->x = area(p) + shapes::area(p) + width(shapes::Side::Right);
}
