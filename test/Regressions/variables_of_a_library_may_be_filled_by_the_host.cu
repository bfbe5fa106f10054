// A library that only a flag calls a system's fills its own variables from the host, or changes them in device code: the
// fused file would have others.
// RUN: rm -rf %t && mkdir %t
// RUN: split-file %s %t.files
// RUN: %exits 1 %cufuse fuse %t.files/a.cu:looks --block 64 -o %t/out.cu -- -isystem %t.files/library 2>&1 | FileCheck %s
// RUN: %exits 1 %cufuse fuse %t.files/a.cu:counts --block 64 -o %t/out.cu -- -isystem %t.files/library 2>&1 | \
// RUN:   FileCheck %s --check-prefix=COUNT '--implicit-check-not={{(error|refused):}}'
// RUN: ls -A %t | count 0
// RUN: %cufuse fuse %t.files/a.cu:reads --block 64 -o %t/out.cu -- -isystem %t.files/library

// CHECK-DAG: {{[^ ]*}}tables.cuh:2:{{[0-9]+}}: error: looks: a variable that outlives the launch is not visible outside its file: squares
// CHECK-DAG: {{[^ ]*}}tables.cuh:3:{{[0-9]+}}: error: looks: a variable that outlives the launch is not visible outside its file: seed
// COUNT: {{[^ ]*}}tables.cuh:4:{{[0-9]+}}: error: counts: {{.*}}: calls [HostSharedInternal]

//--- library/tables.cuh
#pragma once
static __constant__ int squares[64];
static __device__ int seed = 1;
static __device__ int calls = 0;
static __device__ int primes[4] = {2, 3, 5, 7};
inline void fillSquares() {
  int values[64], start = 9;
  for (int i = 0; i < 64; ++i)
    values[i] = i * i;
  cudaMemcpyToSymbol(squares, values, sizeof(values));
  cudaMemcpyToSymbol(seed, &start, sizeof(start));
}
__device__ inline int square(int i) { return squares[i & 63] + seed; }
__device__ inline int count() { return atomicAdd(&calls, 1); }
__device__ inline int prime(int i) { return primes[i & 3]; }

//--- a.cu
#include <tables.cuh>
__global__ void looks(int *out) { out[threadIdx.x] = square(threadIdx.x); }
__global__ void counts(int *out) { out[threadIdx.x] = count(); }
__global__ void reads(int *out) { out[threadIdx.x] = prime(threadIdx.x); }
