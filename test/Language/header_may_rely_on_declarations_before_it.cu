// A header that uses types and macros which the file declares before it includes it.
// RUN: split-file %s %t
// RUN: %cufuse fuse %t/a.cu:doubled %t/a.cu:named --block 64 --block 64 -o %t.cu
// RUN: %nvcc -Werror all-warnings -arch=sm_90a -I%t -cubin -o %t.cubin %t.cu

//--- late.h
#pragma once
inline __device__ Real late(Early e) { return e.x * FACTOR; }
//--- a.cu
#define FACTOR 2
typedef float Real;
struct Early {
  Real x;
};
#include "late.h"
__global__ void doubled(Real *data, Early e) { data[threadIdx.x] = late(e); }
__global__ void named(Real *data) { data[threadIdx.x] = late(Early{data[threadIdx.x]}); }
