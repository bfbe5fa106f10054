// What a condition leaves out may be prose, with quotes that nothing ends. gcc, asked for directives alone, takes what
// stands behind such a quote for a literal of many lines.
// RUN: rm -rf %t && split-file %s %t
// RUN: cd %t/sub && %cufuse fuse main.cu:add main.cu:scale --block 64 --block 64 --no-line-directives -o fused.cu -- -I../inc
// RUN: cd %t/sub && %nvcc -arch=sm_90a -I../inc -c -o fused.o fused.cu
// So may what a flag includes before the file.
// RUN: cd %t/sub && %cufuse fuse main.cu:add main.cu:scale --block 64 --block 64 -o before.cu -- -I../inc -include ../before.h
// RUN: cd %t/sub && %cufuse fuse main.cu:add --block 64 -o found.cu -- -I../inc -include deeper.h
// RUN: cd %t/sub && %exits 1 %cufuse fuse main.cu:add main.cu:scale --block 64 --block 64 -o none.cu -- -I../inc -DKEPT 2>&1 | \
// RUN:   FileCheck %s
// CHECK: {{error: .*main.cu|main.cu:.* error: }}

//--- inc/numbers.h
#pragma once
#include "deeper.h"
#if 0
The author's words: don't read "this.
#endif
#define THREE 3
//--- inc/deeper.h
#pragma once
#ifdef __clang__
It isn't for the device's compiler
#else
__device__ inline int four() { return 4; }
#endif
//--- before.h
#if 0
it's prose
#endif
//--- sub/main.cu
#include "../inc/numbers.h"
#include <deeper.h>
#if 0
don't use this kernel
#endif
#ifdef KEPT
can't be read
#endif
// it's a comment
const char *const Words = "it's \" fine" " 'too'";
constexpr char Quote = '\'';
constexpr int Many = 1'000;
__global__ void add(int *x) { x[threadIdx.x] += THREE + four(); }
__global__ void scale(int *x) { x[threadIdx.x] *= THREE * Many; }
