// With `#pragma push_macro` and `pop_macro` in a kernel's file, each declaration has the macros that it has there. With nvcc
// at hand, that is refused: its preprocessor does not show them.
// REQUIRES: nvcc
// RUN: rm -rf %t && split-file %s %t
// RUN: %exits 1 %cufuse fuse %t/kernels.cu:three --block 32 -o %t/no.cu 2>&1 | FileCheck %s
// RUN: mkdir -p %t/cuda/bin && %python -c "import os, sys; root = os.path.dirname(os.path.dirname(os.path.realpath( \
// RUN:   sys.argv[1]))); [os.symlink(os.path.join(root, name), os.path.join(sys.argv[2], name)) for name in \
// RUN:   ('include', 'nvvm')]" %nvcc %t/cuda
// RUN: env CUDA_HOME=%t/cuda CUDA_PATH=%t/cuda PATH=/bin %cufuse fuse %t/kernels.cu:three %t/kernels.cu:two --block 32 --block 32 --name both -o %t/both.cu
// RUN: %execute -I %t %t/main.cu %t/both.cu
// CHECK: kernels.cu:14:54: error: three: {{.*}}expands 'SCALE' otherwise than cufuse, which does not see what
// CHECK-SAME: `#pragma pop_macro` restores for nvcc: `#undef` and `#define` it instead [OtherCompilersText]

//--- configured.h
#pragma once
__device__ inline int configured() { return SCALE; }

//--- kernels.cu
#define SCALE 2
__device__ int before() { return SCALE; }
#pragma push_macro("SCALE")
#undef SCALE
#define SCALE 3
#pragma push_macro("UNKNOWN")
#define UNKNOWN 1
__device__ int inside() { return SCALE + UNKNOWN; }
#pragma push_macro("SCALE")
#define SCALE 3
#undef SCALE
#pragma pop_macro("SCALE")
#pragma pop_macro("UNKNOWN")
__global__ void three(int *out) { out[threadIdx.x] = SCALE * 100 + inside() * 10 + before(); }
#pragma pop_macro("SCALE")
#pragma pop_macro("SCALE")
#ifdef UNKNOWN
#error "it was popped"
#endif
#include "configured.h"
enum { UNKNOWN = 7 };
__global__ void two(int *out) { out[threadIdx.x] = SCALE * 1000 + configured() * 100 + inside() * 10 + UNKNOWN; }

//--- main.cu
#include "both.h"
#include <cstdio>
int main() {
  int *data, found[2];
  cudaMalloc(&data, 64 * sizeof(int));
  both::three::Launch a{1, {data}};
  both::two::Launch b{1, {data + 32}};
  if (both::launch(a, b) != cudaSuccess || cudaDeviceSynchronize() != cudaSuccess)
    return 1;
  cudaMemcpy(found, data, sizeof(int), cudaMemcpyDeviceToHost);
  cudaMemcpy(found + 1, data + 32, sizeof(int), cudaMemcpyDeviceToHost);
  if (found[0] != 342 || found[1] != 2247)
    return printf("%d %d\n", found[0], found[1]), 1;
}
