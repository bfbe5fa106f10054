// A function whose code another file of the program has may use the block, which nobody here can see.
// RUN: rm -rf %t && split-file %s %t && cd %t
// RUN: %exits 1 %cufuse fuse k.cu:calls k.cu:next --block 64 --block 64 -o out.cu -- -rdc=true 2>&1 | \
// RUN:   FileCheck %s '--implicit-check-not={{(error|refused):}}'
// CHECK: k.cu:3:20: error: calls: a function is called that another file defines and that may use the thread block:
// CHECK-SAME: elsewhere in calls [CodeElsewhere]
// CHECK: note: define it in a header
// RUN: %cufuse fuse k.cu:defined k.cu:next --block 64 --block 64 -o out.cu -- -rdc=true

//--- elsewhere.h
__device__ int elsewhere(int v);
__device__ inline int here(int v) { return v + 1; }
//--- k.cu
#include "elsewhere.h"
__global__ void calls(int *x) {
  x[threadIdx.x] = elsewhere(2);
}
__global__ void defined(int *x) { x[threadIdx.x] = here(2); }
__global__ void next(int *x) { x[threadIdx.x] = 1; }
