// A __constant__ structure whose type is in a header or in the file.
// RUN: split-file %s %t
// RUN: %cufuse fuse %t/a.cu:useHeader %t/b.cu:useHeader --block 64 --block 64 -o %t.cu -- -rdc=true
// RUN: %nvcc -Werror all-warnings -arch=sm_90a -rdc=true -I%t -cubin -o %t.cubin %t.cu

//--- params.h
#pragma once
struct Params {
  float scale;
};
//--- a.cu
#include "params.h"
__constant__ Params Global;
__global__ void useHeader(float *data) { data[threadIdx.x] *= Global.scale; }
void fill(Params p) { cudaMemcpyToSymbol(Global, &p, sizeof p); }
//--- b.cu
#include "params.h"
extern __constant__ Params Global;
__global__ void useHeader(float *data) { data[threadIdx.x] += Global.scale; }
