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
// RUN: %exits 1 %cufuse fuse %t/counted.cu:counted %t/overloads.cu:overloads --block 64 --block 64 -o %t/out/out.cu 2>&1 | \
// RUN:   FileCheck %s --check-prefix=COUNTED '--implicit-check-not={{(error|refused):}}'
// RUN: %exits 1 %cufuse fuse %t/tries.cu:tries %t/overloads.cu:overloads --block 64 --block 64 -o %t/out/out.cu 2>&1 | \
// RUN:   FileCheck %s --check-prefix=TRIES '--implicit-check-not={{(error|refused):}}'
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
// Overloads of another file, for either side, change constants and what a template's head finds.
// COUNTED: {{[^ ]*}}counted.cu:3:{{[0-9]+}}: error: in the fused file, the same text would mean something else: of counted,
// COUNTED-SAME: the number is 3 in its file, and 4 in the output
// TRIES: {{[^ ]*}}tries.cu:2:{{[0-9]+}}: error: in the fused file, the same text would mean something else: of tries,
// TRIES-SAME: the number is 2 in its file, and 1 in the output

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
//--- value.h
#pragma once
struct Value {
  int value;
};
constexpr int warps(long) { return 3; }
template <typename T> __device__ auto prints(T *t, int) -> decltype(print(*t), 1) { return 1; }
template <typename T> __device__ int prints(T *t, long) { return 2; }
//--- counted.cu
#include "value.h"
constexpr int Warps = warps(1);
__global__ void counted(int *data) { data[threadIdx.x] = Warps; }
//--- tries.cu
#include "value.h"
__global__ void tries(int *data, Value *value) { data[threadIdx.x] = prints(value, 0); }
//--- overloads.h
#pragma once
#include "value.h"
__device__ constexpr int warps(int) { return 4; }
inline void print(const Value &) {}
//--- overloads.cu
#include "overloads.h"
__global__ void overloads(int *data) { data[threadIdx.x] = warps(1); }
