// A kernel whose library takes its threads for the block would have the grid's barrier take them for it, too.
// RUN: rm -rf %t && mkdir %t
// RUN: %exits 1 %cufuse fuse --vertical %s:make %s:take --link make.out=take.in --cooperative --block 64 --block 64 \
// RUN:   -o %t/out.cu 2>&1 | FileCheck %s '--implicit-check-not={{(error|refused):}}'
// RUN: ls -A %t | count 0
#include <cooperative_groups.h>

// CHECK: {{.*}}GridBarrierLibrary.cu:[[@LINE+2]]:17: error: the kernel uses a library that would take its threads for the whole block at the grid barrier: make [GridBarrierLibrary]
// CHECK: note: use threadIdx and __syncthreads(), or launch the kernel separately
__global__ void make(float *out) { out[cooperative_groups::this_thread_block().thread_rank()] = 1.0f; }

__global__ void take(const float *in, float *out) { out[threadIdx.x] = in[63 - threadIdx.x]; }
