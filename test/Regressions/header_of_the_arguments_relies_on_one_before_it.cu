// The launcher's header includes what the argument types' header relies on.
// RUN: rm -rf %t && split-file %s %t
// RUN: %cufuse fuse %t/main.cu:kernel --block 32 -o %t/out.cu
// RUN: %nvcc -arch=sm_90a -cubin -I%t -o %t/out.cubin %t/out.cu

//--- scalar.h
#pragma once
typedef float Scalar;
//--- pair.h
#pragma once
struct Pair {
  Scalar a, b;
};
//--- main.cu
#include "scalar.h"
#include "pair.h"
__global__ void kernel(Pair *data) { data[threadIdx.x].a = 1; }
