// Intrinsics of the host's processor are macros of one compiler, and functions of another: nvcc and Clang mean the same.
// REQUIRES: nvcc
// RUN: %cufuse fuse %s:twice %s:thrice --block 64 --block 64 --name both -o %t.cu -- -Xcompiler -mavx2
// RUN: FileCheck %s --input-file %t.cu
// RUN: %nvcc -arch=sm_90a -Xcompiler -mavx2 -ptx -o %t.ptx %t.cu
// CHECK: void twice(
// CHECK-NOT: _mm
#include <cpuid.h>
#include <immintrin.h>

#define REVERSED(a) _mm_shuffle_ps(a, a, _MM_SHUFFLE(0, 1, 2, 3))
void onHost(const float *x, float *y) {
  __m128 v = REVERSED(_mm_loadu_ps(x));
  __m256 all = _mm256_permute_ps(_mm256_castps128_ps256(v), 5);
  _mm_prefetch(reinterpret_cast<const char *>(y), _MM_HINT_T0);
  _mm_storeu_ps(y, _mm256_extractf128_ps(all, 0));
  unsigned a, b, c, d;
  __cpuid(0, a, b, c, d);
}
__global__ void twice(float *y) { y[blockIdx.x * blockDim.x + threadIdx.x] *= 2; }
__global__ void thrice(float *y) { y[blockIdx.x * blockDim.x + threadIdx.x] *= 3; }
