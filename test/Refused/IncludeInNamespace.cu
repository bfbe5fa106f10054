// A file included inside a namespace is refused; one included inside a declaration is part of its text.
// RUN: rm -rf %t && mkdir %t
// RUN: split-file %s %t.files
// RUN: %exits 1 %cufuse fuse %t.files/namespace.cu:apply --block 64 -o %t/out.cu 2>&1 | \
// RUN:   FileCheck %s '--implicit-check-not={{(error|refused):}}'
// RUN: ls -A %t | count 0
// RUN: %cufuse fuse %t.files/linkage.cu:apply --block 64 -o %t/out.cu
// RUN: %cufuse fuse %t.files/careful.cu:apply --block 64 -o %t/out.cu
// RUN: %cufuse fuse %t.files/initializer.cu:apply --block 64 -o %t/out.cu

// CHECK: {{[^ ]*}}namespace.cu:2:{{[0-9]+}}: error: apply: a file is included inside a namespace: weight.inc in table
// CHECK-SAME: [IncludeInNamespace]
// CHECK: note: include it at file scope

//--- namespace.cu
namespace table {
#include "weight.inc"
} // namespace table
__global__ void apply(float *data) { data[threadIdx.x] *= table::weight(threadIdx.x); }

//--- weight.inc
__device__ inline float weight(int i) { return 1.0f / (1 + i); }

//--- initializer.cu
__constant__ const float weights[] = {
#include "weights.inc"
};
__global__ void apply(float *data) { data[threadIdx.x] *= weights[threadIdx.x % 4]; }

//--- weights.inc
1, 2, 4, 8

//--- linkage.cu
extern "C" {
#include "tool.h"
}
__global__ void apply(float *data, Tool tool) { data[threadIdx.x] *= tool.factor; }

//--- tool.h
#pragma once
struct Tool {
  float factor;
};
void sharpen(struct Tool *tool);

//--- careful.cu
extern "C" {
#include "careful.h"
}
__global__ void apply(float *data, Tool tool) { data[threadIdx.x] *= tool.factor; }

//--- careful.h
#pragma once
extern "C" {
#include "tool.h"
}
