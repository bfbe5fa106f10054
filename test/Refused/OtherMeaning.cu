// Headers stay included, so that another kernel's header may hold a function that fits a call better, or another value
// for a name: never silently.
// RUN: rm -rf %t && split-file %s %t && mkdir %t/out
// RUN: %exits 1 %cufuse fuse %t/first.cu:first %t/second.cu:second --block 64 --block 64 -o %t/out/out.cu 2>&1 | \
// RUN:   FileCheck %s '--implicit-check-not={{(error|refused):}}'
// RUN: %exits 1 %cufuse fuse %t/first.cu:first %t/second.cu:second --block 64 --block 64 -o %t/out/out.cu \
// RUN:   --no-line-directives 2>&1 | FileCheck %s '--implicit-check-not={{(error|refused):}}'
// RUN: %exits 1 %cufuse fuse %t/wide.cu:wide %t/narrow.cu:narrow --block 64 --block 64 -o %t/out/out.cu 2>&1 | \
// RUN:   FileCheck %s --check-prefix=VALUE '--implicit-check-not={{(error|refused):}}'
// RUN: %exits 1 %cufuse fuse %t/named.cu:named --block 64 -o %t/out/out.cu 2>&1 | \
// RUN:   FileCheck %s --check-prefix=NAMED '--implicit-check-not={{(error|refused):}}'
// RUN: ls -A %t/out | count 0
// RUN: %cufuse fuse %t/first.cu:first --block 64 -o %t/out/out.cu
// CHECK: {{[^ ]*}}first.h:2:{{[0-9]+}}: error: in the fused file, the same text would mean something else: of first,
// CHECK-SAME: it is `fmul` in its file, and `fdiv` in the output, in `scale`, and is there {{[^ ]*}}second.h:2:
// CHECK-SAME: [OtherMeaning]
// CHECK: note: rename what the files name alike, or name its namespace
// VALUE: {{[^ ]*}}wide.cu:2:{{[0-9]+}}: error: in the fused file, the same text would mean something else: of wide,
// VALUE-SAME: the number is 3 in its file, and 7 in the output
// NAMED: {{[^ ]*}}named.cu:2:{{[0-9]+}}: error: named: in the fused file, the same text would mean something else: __BASE_FILE__ is
// NAMED-SAME: the fused file there [OtherMeaning]

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
//--- wide.h
#pragma once
#define WIDTH 3
//--- wide.cu
#include "wide.h"
__global__ void wide(int *data) { data[threadIdx.x] += WIDTH; }
//--- narrow.h
#pragma once
#define WIDTH 7
//--- narrow.cu
#include "narrow.h"
__global__ void narrow(int *data) { data[threadIdx.x] = WIDTH; }
//--- named.cu
__device__ inline int firstOf(const char *text) { return text[0]; }
__global__ void named(int *data) { data[threadIdx.x] = firstOf(__BASE_FILE__); }
