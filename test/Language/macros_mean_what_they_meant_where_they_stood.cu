// Macros redefined, undefined, used only inside other macros, shadowing one of a header, expanding to a helper.
// RUN: %cufuse fuse %s:before %s:after --block 64 --block 64 -o %t.cu
// RUN: %FileCheck %s < %t.cu
// RUN: %nvcc -Werror all-warnings -arch=sm_90a -cubin -o %t.cubin %t.cu




#include <cfloat>

#define WIDTH 4
#define DOUBLED (2 * WIDTH)
#undef FLT_MAX
#define FLT_MAX 5.0f
#define CALL(f, ...) f(__VA_ARGS__)
#define HELP(x) CALL(help, x)
#define CAT_(a, b) a##b
#define CAT(a, b) CAT_(a, b)

__device__ float help(float x) { return x + DOUBLED + threadIdx.x; }
__device__ float NAMEd() { return 1.0f; }

__global__ void before(float *data) {
  static_assert(DOUBLED == 8, "the first WIDTH");
  static_assert(FLT_MAX == 5.0f, "ours");
  data[threadIdx.x] = HELP(data[threadIdx.x]) + CAT(NAME, d)();
}

#undef WIDTH
#define WIDTH 16
#undef HELP
#define HELP(x) (x)

__global__ void after(float *data) {
  static_assert(DOUBLED == 32, "the second WIDTH");
#undef WIDTH
#define WIDTH 1
  static_assert(DOUBLED == 2, "the third WIDTH");
  data[threadIdx.x] = HELP(data[threadIdx.x]);
}
// CHECK: push_macro("FLT_MAX")
// CHECK: #define WIDTH 4
// CHECK: static_assert(DOUBLED == 8
// CHECK: #undef WIDTH
// CHECK: #define WIDTH 16
// CHECK: static_assert(DOUBLED == 32
