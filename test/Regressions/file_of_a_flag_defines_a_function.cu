// A function that is no inline one, from a file that -include names: it is copied, and macros of the command line stay what
// they are, those that are called like something in the output, too.
// RUN: rm -rf %t && split-file %s %t
// RUN: %cufuse fuse %t/a.cu:twice %t/a.cu:half --block 64 --block 64 -o %t/out.cu -- -Dblocks=64 -include %t/steps.h
// RUN: %nvcc -arch=sm_90a -Wno-deprecated-gpu-targets -Dblocks=64 -include %t/steps.h -cubin -o %t/out.cubin %t/out.cu

//--- steps.h
#ifndef STEPS_H
#define STEPS_H
__device__ int doubled(int x) { return 2 * x; }
#endif

//--- a.cu
__global__ void twice(int *out) { out[blockIdx.x * blocks + threadIdx.x] = doubled(threadIdx.x); }
__global__ void half(int *out) { out[blockIdx.x * blocks + threadIdx.x] = doubled(threadIdx.x) / 4; }
