// Clang's headers give some other types than nvcc's, and so would other overloads be taken, and copied.
// RUN: rm -rf %t && mkdir %t
// RUN: %cufuse fuse %s:types %s:leaves --block 64 --block 64 -o %t/out.cu
// RUN: FileCheck %s < %t/out.cu
// CHECK-NOT: kind(float)
// CHECK-NOT: kind(unsigned)
#include <cmath>
__device__ int kind(float) { return 1; }
__device__ int kind(unsigned) { return 2; }
// CHECK: kind(double)
__device__ int kind(double) { return 3; }
// CHECK: kind(int)
__device__ int kind(int) { return 4; }
// CHECK: kind(long)
__device__ int kind(long) { return 5; }

// CHECK: kind(std::pow(
__global__ void types(const float *x, int *y) {
  y[0] = kind(std::pow(x[0], 2));
  y[1] = kind(__reduce_add_sync(~0u, y[2]));
  y[3] = kind(clock());
}

// With an unsigned sum, the exit would be none.
// CHECK: void leaves(
// CHECK: return cufuse_partition::leave();
__global__ void leaves(const int *x, int *y) {
  __shared__ int all[64];
  if (__reduce_add_sync(~0u, x[threadIdx.x]) < 0)
    return;
  all[threadIdx.x] = threadIdx.x;
  __syncthreads();
  y[threadIdx.x] = all[threadIdx.x ^ 32];
}
