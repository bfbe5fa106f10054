// A pragma about loops that stands where none follows: nvcc ignores it, and so must what Clang makes of the text behind it.
// RUN: %cufuse fuse %s:unrolled %s:'generic<float>' %s:further --block 64 --block 64 --block 64 -o %t.cu
// RUN: %FileCheck %s < %t.cu
// RUN: %nvcc -arch=sm_90a -cubin -o %t.cubin %t.cu

// CHECK: #pragma unroll Turns
// CHECK-NEXT: FOR(i, 8)
// CHECK: #pragma unroll Turns / 2
// CHECK-NEXT: for
constexpr int Turns = 4;
#define FOR(i, n) for (int i = 0; i < n; ++i)
#define KERNEL __global__ void
#pragma unroll
__global__ void unrolled(float *data) {
#pragma unroll
  float sum = 0;
#pragma unroll Turns // N turns
  FOR(i, 8)
    sum += data[i];
  data[threadIdx.x] = sum;
}
#pragma clang loop unroll(full)
namespace {
#pragma nounroll

/* the next one's */ template <typename T> __global__ void generic(T *data) {
#pragma unroll Turns / 2
  for (int i = 0; i < 4; ++i)
    data[threadIdx.x] *= 2;
}
} // namespace
template __global__ void generic(float *);
#pragma unroll 2
KERNEL further(float *data) { data[threadIdx.x] += 1; }
