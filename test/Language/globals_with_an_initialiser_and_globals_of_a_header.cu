// __device__ variables without rdc where the file alone can see them; const tables of a header; inline variables.
// RUN: split-file %s %t
// RUN: %cufuse fuse %t/a.cu:reads %t/b.cu:reads --block 64 --block 64 -o %t.cu
// RUN: %nvcc -Werror all-warnings -arch=sm_90a -I%t -cubin -o %t.cubin %t.cu

//--- tables.h
#pragma once
static __constant__ int Primes[4] = {2, 3, 5, 7};
__device__ constexpr float Half = 0.5f;
inline __device__ int prime(int i) { return Primes[i % 4]; }
//--- a.cu
#include "tables.h"
__device__ const unsigned Seeds[2] = {1, 2};
__global__ void reads(float *data) { data[threadIdx.x] = Seeds[threadIdx.x & 1] * Half + prime(threadIdx.x); }
//--- b.cu
#include "tables.h"
namespace {
__constant__ float Local[2] = {1, 2};
}
__global__ void reads(float *data) { data[threadIdx.x] = Local[threadIdx.x & 1] * Half + Primes[0]; }
