// Two files that reach different headers by the same #include <...>, by the folders of their flags, are refused together, and
// each is fine alone.
// RUN: rm -rf %t && mkdir %t && split-file %s %t.files
// RUN: sed -i 's|@ROOT@|%t.files|g' %t.files/compile_commands.json
// RUN: %exits 1 %cufuse fuse %t.files/scale.cu:scale %t.files/shift.cu:shift --block 64 --block 64 -p %t.files \
// RUN:   -o %t/out.cu 2>&1 | FileCheck %s '--implicit-check-not={{(error|refused):}}'
// RUN: ls -A %t | count 0
// RUN: %cufuse fuse %t.files/scale.cu:scale --block 64 -p %t.files -o %t/out.cu
// RUN: %cufuse fuse %t.files/shift.cu:shift --block 64 -p %t.files -o %t/out.cu

// CHECK: {{[^ ]*}}shift.cu:1:1: error: the same #include names different files for different kernels: #include
// CHECK-SAME: <config.h> is {{[^ ]*}}a/config.h and {{[^ ]*}}b/config.h [IncludeClash]
// CHECK: note: rename one of the files

//--- compile_commands.json
[{"directory": "@ROOT@", "file": "@ROOT@/scale.cu", "command": "nvcc -I@ROOT@/a -x cu -c @ROOT@/scale.cu -o a.o"},
 {"directory": "@ROOT@", "file": "@ROOT@/shift.cu", "command": "nvcc -I@ROOT@/b -x cu -c @ROOT@/shift.cu -o b.o"}]

//--- scale.cu
#include <config.h>
__global__ void scale(Element *data) { data[threadIdx.x] *= FACTOR; }

//--- a/config.h
#pragma once
typedef float Element;
#define FACTOR 2

//--- shift.cu
#include <config.h>
__global__ void shift(Element *data) { data[threadIdx.x] += OFFSET; }

//--- b/config.h
#pragma once
typedef double Element;
#define OFFSET 3
