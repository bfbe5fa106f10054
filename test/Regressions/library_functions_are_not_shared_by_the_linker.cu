// A header of a library is included with the block's threads rebound. In relocatable code, the linker would take one of
// the copies that all files have of an inline function for all of them.
// RUN: split-file %s %t
// RUN: %cufuse fuse %t/kernels.cu:reversed %t/kernels.cu:filled --block 64 --block 96 -o %t/out.cu -- -isystem %t/library
// RUN: FileCheck %s --input-file %t/out.cu
// RUN: nvcc -std=c++17 -arch=sm_90a -isystem %t/library -cubin -o %t/out.cubin %t/out.cu
// RUN: not nvcc -std=c++17 -arch=sm_90a -isystem %t/library -rdc=true -cubin -o %t/out.cubin %t/out.cu 2>&1 | FileCheck %s --check-prefix=RDC
// RUN: not %cufuse fuse %t/kernels.cu:reversed %t/kernels.cu:filled --block 64 --block 96 -o %t/out.cu \
// RUN:   -- -isystem %t/library -rdc=true 2>&1 | FileCheck %s --check-prefix=REFUSED
// CHECK: #ifdef __CUDACC_RDC__
// CHECK-NEXT: #error "other uses a part of the block here: the linker must not take another file's instead. Compile without -rdc=true"
// CHECK-NEXT: #endif
// RDC: error{{.*}}other uses a part of the block here
// REFUSED-DAG: other is compiled once for the whole program (-rdc=true) [LibraryUsesBlock]
// REFUSED-DAG: viaEven is compiled once for the whole program (-rdc=true) [LibraryUsesBlock]

//--- library/inline.cuh
#pragma once
__device__ inline int other(const int *values) { return values[blockDim.x - 1 - threadIdx.x]; }
__device__ __forceinline__ int mine(const int *values) { return values[threadIdx.x]; }
static __device__ int own(const int *values) { return values[threadIdx.x]; }
// Two that call each other: whichever is asked first, both use the block.
__device__ inline int viaOdd(const int *values, int depth);
__device__ inline int viaEven(const int *values, int depth) { return depth ? viaOdd(values, depth - 1) : 0; }
__device__ inline int viaOdd(const int *values, int depth) {
  return depth ? viaEven(values, depth - 1) : values[threadIdx.x];
}

//--- kernels.cu
#include <inline.cuh>
__global__ void reversed(const int *in, int *out) {
  out[blockIdx.x * blockDim.x + threadIdx.x] = other(in) + mine(in) + own(in) + viaEven(in, 3);
}
__global__ void filled(int *out) { out[blockIdx.x * blockDim.x + threadIdx.x] = 3; }
