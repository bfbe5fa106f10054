// What only the host reads of a copied function may name functions that the output does not have: nvcc reads it, too. What
// depends on which device it is stays.
// RUN: rm -rf %t && mkdir %t
// RUN: %cufuse fuse %s:fast %s:plain --block 64 --block 64 -o %t/out.cu
// RUN: FileCheck %s --input-file=%t/out.cu --implicit-check-not=slow
// RUN: %nvcc -arch=sm_90a -Wno-deprecated-gpu-targets -c -o %t/out.o %t/out.cu

// CHECK: float exponential(float x)
// CHECK-NEXT: #ifdef __CUDA_ARCH__
// CHECK-NEXT: return __expf(x);
// CHECK-NEXT: #else
// CHECK-EMPTY:
// CHECK-NEXT: #endif
// CHECK: #if __CUDA_ARCH__ >= 600
// CHECK: #else
// CHECK-NEXT: return 1;
#include <cmath>
static float slow(float x) { return std::exp(x); }
__host__ __device__ float exponential(float x) {
#ifdef __CUDA_ARCH__
  return __expf(x);
#else
  return slow(x);
#endif
}
__device__ float one() {
#if __CUDA_ARCH__ >= 600
  return 2 / 2;
#else
  return 1;
#endif
}
__global__ void fast(float *data) { data[threadIdx.x] = exponential(data[threadIdx.x]); }
__global__ void plain(float *data) { data[threadIdx.x] = one(); }
