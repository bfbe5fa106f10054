// A macro whose name no text holds, since `##` forms it where another macro is expanded, is needed like any other.
// RUN: rm -rf %t && mkdir %t
// RUN: %cufuse fuse %s:joined %s:listed --block 64 --block 64 -o %t/out.cu
// RUN: FileCheck %s --input-file %t/out.cu
// RUN: %nvcc -Werror all-warnings -arch=sm_90a -cubin -o %t/out.cubin %t/out.cu

// What nothing forms stays behind.
// CHECK-NOT: LIMIT_c
// CHECK: #define LIMIT_b 11
// CHECK-NOT: LIMIT_c
// CHECK: #undef LIMIT_b
// CHECK: #define RATE_fast 8
// CHECK: #define RATE_slow 2

#define GLUED(left, right) left##right
#define GLUE(left, right) GLUED(left, right)
#define WHICH b
constexpr int LIMIT_a = 3;
#define LIMIT_b 11
#define LIMIT_c 13
__global__ void joined(int *data) {
  static_assert(GLUE(LIMIT_, WHICH) == 11 && GLUED(LIMIT_, a) == 3, "");
  data[threadIdx.x] = GLUE(LIMIT_, WHICH);
}

#define RATES(DO) DO(fast) DO(slow)
#define FUNCTION(name)                                                                                                 \
  __device__ int name(int x) { return x * RATE_##name; }
#define RATE_fast 8
#define RATE_slow 2
RATES(FUNCTION)
__global__ void listed(int *data) { data[threadIdx.x] = fast(data[threadIdx.x]) + slow(3); }
