// The launcher's header includes what the arguments need. A header of the project may rely on what stands before it: those
// of the toolkit among it, which other compilers need not be able to read, are for nvcc alone, unless it names their things.
// RUN: rm -rf %t && split-file %s %t
// RUN: %cufuse fuse %t/kernels.cu:sum %t/kernels.cu:fill --block 64 --block 64 --name f -o %t/f.cu
// RUN: FileCheck %s --input-file=%t/f.h
// RUN: %nvcc -I%t -c -o %t/main.o %t/main.cpp
// RUN: %nvcc -Werror all-warnings -arch=sm_90a -I%t -c -o %t/f.o %t/f.cu
// CHECK: {{^}}#include <cuda_fp16.h>
// CHECK-NEXT: #ifdef __CUDACC__
// CHECK-NEXT: #include <cub/block/block_reduce.cuh>
// CHECK-NEXT: #endif
// CHECK-NEXT: #include "params.h"

//--- params.h
#pragma once
struct Params {
  const int *in;
  __half *out;
  int n;
};
//--- kernels.cu
#include <cuda_fp16.h>
#include <cub/block/block_reduce.cuh>
#include "params.h"
__global__ void sum(Params p) {
  using Reduce = cub::BlockReduce<int, 64>;
  __shared__ typename Reduce::TempStorage memory;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int total = Reduce(memory).Sum(i < p.n ? p.in[i] : 0);
  if (threadIdx.x == 0)
    p.out[blockIdx.x] = __int2half_rn(total);
}
__global__ void fill(int *out) { out[threadIdx.x] = 1; }

//--- main.cpp
#include "f.h"
int main() {
  Params p{};
  return f::launch({1, {p}}, {1, {nullptr}}) != cudaSuccess;
}
