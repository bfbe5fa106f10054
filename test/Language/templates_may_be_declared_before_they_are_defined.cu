// A header declares a template, and the kernel's file defines it behind the kernel: arguments of the header's types find
// the header's declaration, too.
// RUN: rm -rf %t && split-file %s %t && cd %t
// RUN: %cufuse fuse sums.cu:sums --block 64 -o fused.cu
// RUN: FileCheck %s --input-file fused.cu
// RUN: %nvcc -Werror all-warnings -arch=sm_90a -cubin -o fused.cubin fused.cu
// CHECK: out[threadIdx.x] = ::fused_sums_text::cufuse_sums::sum(points, threadIdx.x);

//--- point.h
#pragma once
struct Point {
  float x, y;
};
template <typename T> __host__ __device__ float sum(const T *points, int i);

//--- sums.cu
#include "point.h"
__global__ void sums(const Point *points, float *out) { out[threadIdx.x] = sum(points, threadIdx.x); }
template <typename T> __host__ __device__ float sum(const T *points, int i) { return points[i].x + points[i].y; }
