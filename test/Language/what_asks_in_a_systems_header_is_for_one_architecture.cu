// A header behind -isystem is a user's, too: what its conditions make of the architecture is for the one that was read.
// RUN: rm -rf %t && split-file %s %t && cd %t
// RUN: %cufuse fuse k.cu:called k.cu:plain --block 64 --block 64 -o o.cu -- -isystem sys && FileCheck %s --input-file=o.cu
// RUN: %cufuse fuse k.cu:scaled k.cu:plain --block 64 --block 64 -o p.cu -- -isystem sys && FileCheck %s --input-file=p.cu
// RUN: %cufuse fuse k.cu:named k.cu:plain --block 64 --block 64 -o q.cu -- -isystem sys && FileCheck %s --input-file=q.cu
// RUN: %cufuse fuse k.cu:other k.cu:plain --block 64 --block 64 -o r.cu -- -isystem sys
// RUN: FileCheck %s --check-prefix=ANY --input-file=r.cu
// CHECK: #error "the kernels ask for the architecture, and were fused for sm_90
// ANY-NOT: #error "the kernels ask for

//--- sys/scale.h
#pragma once
#if __CUDA_ARCH__ >= 900
inline __device__ float scaleOf(float x) { return x * 2; }
#define SCALE 2
#include "more.h"
#else
inline __device__ float scaleOf(float x) { return x * 3; }
#define SCALE 3
#endif
//--- sys/more.h
inline __device__ float more(float x) { return x * 2; }
//--- k.cu
#include <scale.h>
__global__ void called(float *x) { x[threadIdx.x] = scaleOf(x[threadIdx.x]); }
__global__ void scaled(float *x) { x[threadIdx.x] *= SCALE; }
__global__ void named(float *x) { x[threadIdx.x] = more(x[threadIdx.x]); }
__global__ void other(float *x) { x[threadIdx.x] -= 1; }
__global__ void plain(float *x) { x[threadIdx.x] += 1; }
