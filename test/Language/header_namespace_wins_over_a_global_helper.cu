// A name in a namespace whose part stays behind an include hides the global one of the same name, as it did.
// RUN: split-file %s %t
// RUN: %cufuse fuse %t/a.cu:lib::apply --block 64 -o %t.cu
// RUN: %nvcc -Werror all-warnings -arch=sm_90a -I%t -cubin -o %t.cubin %t.cu

//--- lib.h
#pragma once
namespace lib {
__host__ __device__ constexpr int area(int a) { return a; }
constexpr int Unit = 4;
struct Shape {
  char c;
};
} // namespace lib
//--- a.cu
#include "lib.h"
__host__ __device__ constexpr int area(int a) { return 2 * a; }
constexpr int Unit = 8;
struct Shape {
  double d;
};
namespace lib {
__global__ void apply(float *data) {
  static_assert(area(1) == 1 && Unit == 4 && sizeof(Shape) == 1, "of lib");
  static_assert(::area(1) == 2 && ::Unit == 8 && sizeof(::Shape) == 8, "of the file");
  data[threadIdx.x] += area(1) + ::area(1);
}
} // namespace lib
