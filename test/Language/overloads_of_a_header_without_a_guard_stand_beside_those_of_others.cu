// A header without an include guard is copied, and what it includes is not: each call finds the operators of both, once.
// RUN: split-file %s %t
// RUN: %cufuse fuse %t/add.cu:add %t/one.cu:one --block 64 --block 64 -o %t.cu
// RUN: FileCheck %s --input-file=%t.cu
// RUN: %nvcc -arch=sm_90a -I%t -cubin -o %t.cubin %t.cu
// CHECK: #include "guarded.h"
// CHECK: using ::operator+;
// CHECK-NOT: operator+=

//--- guarded.h
#pragma once
static __device__ uint2 operator+(uint2 a, uint2 b) { return {a.x + b.x, a.y + b.y}; }
static __device__ void operator+=(uint2 &a, uint2 b) { a = a + b; }
//--- vectors.h
#include "guarded.h"
static __device__ uint2 operator+(const uint2 a, const unsigned b) { return {a.x + b, a.y + b}; }
//--- add.cu
#include "vectors.h"
__global__ void add(uint2 *a, const uint2 *b) {
  a[threadIdx.x] += b[threadIdx.x];
  a[threadIdx.x] = a[threadIdx.x] + 3u;
}
//--- one.cu
__global__ void one(float *data) { data[threadIdx.x] = 1; }
