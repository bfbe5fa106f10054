// Both headers are read by one compilation; a call keeps the function that it called in its own file.
// RUN: rm -rf %t && split-file %s %t
// RUN: %cufuse fuse %t/a.cu:one %t/b.cu:two --block 32 --block 64 -o %t/fused.cu
// RUN: %nvcc -std=c++17 -arch=sm_90a -I %t -ptx -o %t/fused.ptx %t/fused.cu
// RUN: FileCheck %s --input-file %t/fused.ptx
// one's store adds 1234; what two's header would make of it is -1234.
// CHECK-NOT: -1234
// CHECK: 1234
// CHECK-NOT: -1234

//--- a.cu
template <typename T> __device__ void store(T *p, long by) { p[threadIdx.x].x += by; }
__global__ void one(int4 *p) { store(p, 1234); }
//--- b.h
#pragma once
__device__ inline void store(int4 *p, int by) { p[0].x += -by; }
//--- b.cu
#include "b.h"
__global__ void two(int4 *p) { store(p, p[1].y); }
