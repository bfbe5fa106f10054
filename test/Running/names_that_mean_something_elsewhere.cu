// Functions of a library that are called like CUDA's atomics and shuffles have its threads, and kernels may be called like
// functions of the output.
// RUN: split-file %s %t
// RUN: %cufuse fuse %t/kernels.cu:shifted %t/kernels.cu:counted --block 64 --block 96 --name library -o %t/library.cu \
// RUN:   -- -isystem %t/library
// RUN: %cufuse fuse %t/kernels.cu:rank %t/kernels.cu:inPlane --block 40 --block 64 --name names -o %t/names.cu \
// RUN:   -- -isystem %t/library
// RUN: %execute -I %S/Inputs -I %t -I %t/library %t/main.cu %t/library.cu %t/names.cu

//--- library/counting.cuh
#pragma once
__device__ inline void atomicAddPerBlock(int *counter, int value) {
  if (threadIdx.x == 0)
    atomicAdd(counter, value);
}
__device__ inline int __shfl_other(const int *values) { return values[blockDim.x - 1 - threadIdx.x]; }

//--- kernels.cu
#include <counting.cuh>
__global__ void shifted(const int *in, int *out) {
  out[blockIdx.x * blockDim.x + threadIdx.x] = __shfl_other(in) + 1;
}
__global__ void counted(int *out) { atomicAddPerBlock(out, 3); }
__global__ void rank(const int *in, int *out) { out[blockIdx.x * 40 + threadIdx.x] = in[threadIdx.x] + 1; }
__global__ void inPlane(const int *in, int *out) {
  out[(blockIdx.y * gridDim.x + blockIdx.x) * 64 + threadIdx.x] = in[threadIdx.x] + 2;
}

//--- main.cu
#include "both.h"
#include "kernels.cu"

#include "library.h"
#include "names.h"

int main() {
  Array<int> in(1024), a(1024), b(1024);
  Both both;
  both.output("a", a), both.output("b", b);
  bool good = both.same("library", [&] { shifted<<<7, 64>>>(in, a), counted<<<5, 96>>>(b); },
                        [&] { require(library::launch({7, {in, a}}, {5, {b}}), "library"); });
  good &= both.same("names", [&] { rank<<<7, 40>>>(in, a), inPlane<<<dim3(3, 2), 64>>>(in, b); },
                    [&] { require(names::launch({7, {in, a}}, {dim3(3, 2), {in, b}}), "names"); });
  return good ? 0 : 1;
}
