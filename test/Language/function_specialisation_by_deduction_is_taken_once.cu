// Explicit specialisations of function templates, with their arguments written or deduced, behind their first use.
// RUN: %cufuse fuse %s:uses --block 64 -o %t.cu
// RUN: %FileCheck %s < %t.cu
// RUN: %nvcc -Werror all-warnings -arch=sm_90a -cubin -o %t.cubin %t.cu

// CHECK-COUNT-1: template <> __device__ int width<float>()
// CHECK-COUNT-1: template <> __device__ int deduced(float)
// CHECK-NOT: template <>

template <typename T> __device__ int width() { return 1; }
template <> __device__ int width<float>() { return 2; }
template <typename T> __device__ int deduced(T) { return 1; }
template <> __device__ int deduced(float) { return 2; }
__global__ void uses(int *data) { data[threadIdx.x] = width<float>() + width<int>() + deduced(1.0f) + deduced(1); }
