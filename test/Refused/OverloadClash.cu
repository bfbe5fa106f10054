// Headers stay included, so that another kernel's header may hold a function that fits a call better: never silently.
// RUN: rm -rf %t && split-file %s %t && mkdir %t/out
// RUN: %exits 1 %cufuse fuse %t/first.cu:first %t/second.cu:second --block 64 --block 64 -o %t/out/out.cu 2>&1 | \
// RUN:   FileCheck %s --implicit-check-not=refused:
// RUN: %exits 1 %cufuse fuse %t/first.cu:first %t/second.cu:second --block 64 --block 64 -o %t/out/out.cu \
// RUN:   --no-line-directives 2>&1 | FileCheck %s --implicit-check-not=refused:
// RUN: ls -A %t/out | count 0
// RUN: %cufuse fuse %t/first.cu:first --block 64 -o %t/out/out.cu
// CHECK: refused: {{[^ ]*}}first.cu:2:{{[0-9]+}}: beside the other kernels' headers, a call means another function: first.cu:2 first -> second.h:2 scale
// CHECK-SAME: [OverloadClash]; name the function's namespace, or convert the arguments to the types of its parameters

//--- first.h
#pragma once
__device__ inline float scale(float value, long by) { return value * by; }
//--- first.cu
#include "first.h"
__global__ void first(float *data) { data[threadIdx.x] = scale(data[threadIdx.x], 3); }
//--- second.h
#pragma once
__device__ inline float scale(float value, int by) { return value / by; }
//--- second.cu
#include "second.h"
__global__ void second(float *data) { data[threadIdx.x] = scale(data[threadIdx.x], 3); }
