// Part of a namespace stays behind an include, the other part is copied; both are found, overloads included.
// RUN: split-file %s %t
// RUN: %cufuse fuse %t/a.cu:lib::apply %t/a.cu:lib::detail::deep --block 64 --block 64 -o %t.cu
// RUN: %FileCheck %s < %t.cu
// RUN: %nvcc -Werror all-warnings -arch=sm_90a -I%t -cubin -o %t.cubin %t.cu

// CHECK: #include "lib.h"

//--- lib.h
#pragma once
namespace lib {
struct Shape {
  int width;
};
constexpr int Unit = 4;
__host__ __device__ inline int area(int a) { return a * Unit; }
__host__ __device__ inline int only(int a) { return a + 1; }
template <typename T> __device__ T clampTo(T v, T hi) { return v > hi ? hi : v; }
namespace detail {
__host__ __device__ inline int half(int a) { return a / 2; }
} // namespace detail
} // namespace lib
//--- a.cu
#include "lib.h"
namespace lib {
__device__ float area(float a) { return a * Unit; }
__global__ void apply(float *data, Shape shape) {
  data[threadIdx.x] = area(data[threadIdx.x]) + area(shape.width) + only(1) + detail::half(4) + clampTo(1, 2);
  static_assert(sizeof(area(1.0f)) == 4 && sizeof(lib::only(1)) == 4, "");
}
namespace detail {
__device__ double half(double a) { return a / 2; }
__global__ void deep(double *data, const Shape *shapes) { data[threadIdx.x] = half(data[threadIdx.x]) + half(3) + shapes->width + area(2); }
} // namespace detail
} // namespace lib
