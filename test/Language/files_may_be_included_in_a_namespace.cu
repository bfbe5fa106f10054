// What a file means that is included inside a namespace, a declaration or `extern "C"`, it means in the output.
// RUN: rm -rf %t && mkdir %t
// RUN: split-file %s %t.files
// RUN: %cufuse fuse %t.files/namespace.cu:apply %t.files/linkage.cu:apply %t.files/careful.cu:apply \
// RUN:   %t.files/initializer.cu:apply --block 64 --block 64 --block 64 --block 64 -o %t/out.cu
// RUN: FileCheck %s --input-file %t/out.cu
// CHECK: namespace table {
// CHECK: float weight(int i)

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
