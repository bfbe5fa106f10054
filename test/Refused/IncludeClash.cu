// Two files that reach different headers by the same #include are refused together, and each is fine alone.
// RUN: rm -rf %t && mkdir %t
// RUN: split-file %s %t.files
// RUN: %exits 1 %cufuse fuse %t.files/a/scale.cu:scale %t.files/b/shift.cu:shift --block 64 --block 64 \
// RUN:   -o %t/out.cu 2>&1 | FileCheck %s '--implicit-check-not={{(error|refused):}}'
// RUN: ls -A %t | count 0
// RUN: %cufuse fuse %t.files/a/scale.cu:scale --block 64 -o %t/out.cu
// RUN: %cufuse fuse %t.files/b/shift.cu:shift --block 64 -o %t/out.cu

// CHECK: {{[^ ]*}}shift.cu:1:1: error: the same #include names different files for different kernels: #include "config.h" is
// CHECK-SAME: {{[^ ]*}}a/config.h and {{[^ ]*}}b/config.h [IncludeClash]
// CHECK: note: rename one of the files

//--- a/scale.cu
#include "config.h"
__global__ void scale(Element *data) { data[threadIdx.x] *= FACTOR; }

//--- a/config.h
#pragma once
typedef float Element;
#define FACTOR 2

//--- b/shift.cu
#include "config.h"
__global__ void shift(Element *data) { data[threadIdx.x] += OFFSET; }

//--- b/config.h
#pragma once
typedef double Element;
#define OFFSET 3
