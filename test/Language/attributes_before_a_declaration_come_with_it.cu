// In brackets of either kind, of functions, variables, types and the kernel itself.
// RUN: %cufuse fuse %s:kernel --block 64 -o %t.cu
// RUN: %FileCheck %s < %t.cu
// RUN: %nvcc -Werror all-warnings -arch=sm_90a -cubin -o %t.cubin %t.cu

// CHECK: {{^}}{{\[\[}}maybe_unused, gnu::aligned(16)]] __constant__ const float Table
[[maybe_unused, gnu::aligned(16)]] __constant__ const float Table[8] = {1, 2, 3, 4};
// CHECK: {{^}}alignas(16) __constant__ const float Standard
alignas(16) __constant__ const float Standard[8] = {1, 2, 3, 4};
// CHECK: {{^}}__attribute__((used, aligned(16))) __constant__ const float Gnu
__attribute__((used, aligned(16))) __constant__ const float Gnu[8] = {1, 2, 3, 4};
// CHECK: {{^}}{{\[\[}}nodiscard]] {{\[\[}}gnu::noinline]] __device__ float twice
[[nodiscard]] [[gnu::noinline]] __device__ float twice(float x) { return 2 * x; }
// CHECK: {{^}}{{\[\[}}maybe_unused]] typedef float Value;
[[maybe_unused]] typedef float Value;

// CHECK: {{^}}{{\[\[}}maybe_unused]] __device__ __forceinline__ void kernel
[[maybe_unused]] __global__ void kernel(float4 *data) {
  const int i = threadIdx.x % 2 * 4;
  const float4 *tables[] = {(const float4 *)(Table + i), (const float4 *)(Standard + i), (const float4 *)(Gnu + i)};
  data[threadIdx.x] = *tables[threadIdx.x % 3];
  data[threadIdx.x].x = twice(Value(1));
}
