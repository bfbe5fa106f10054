// What a header declares inside extern "C" has the linkage of C in the output and in its header, too.
// RUN: rm -rf %t && split-file %s %t && cd %t
// RUN: %cufuse fuse scaled.cu:scaled counted.cu:counted --block 64 --block 64 --name fused -o fused.cu
// RUN: FileCheck %s --input-file fused.h --check-prefix=HEADER
// RUN: FileCheck %s --input-file fused.cu
// RUN: %nvcc -Werror all-warnings -arch=sm_90a -cubin -o fused.cubin fused.cu
// RUN: %nvcc -Werror all-warnings -arch=sm_90a -c -o user.o user.cu
// RUN: %exits 1 %cufuse fuse counted.cu:counted other.cu:other --block 64 --block 64 -o no.cu 2>&1 | \
// RUN:   FileCheck %s --check-prefix=OTHER
// OTHER: other.cu:1:1: error: {{.*}}count.h, by other macros, packing or linkage at {{.*}} [HeaderConfiguration]

// HEADER: extern "C" {
// HEADER-NEXT: #include "tool.h"
// HEADER-NEXT: }
// CHECK: }
// CHECK-NEXT: extern "C" {
// CHECK-NEXT: #include "count.h"
// CHECK-NEXT: }
// CHECK-NEXT: #include "plain.h"

//--- scaled.cu
#ifdef __cplusplus
extern "C" {
#endif
#include "tool.h"
#ifdef __cplusplus
}
#endif
__global__ void scaled(float *data, Tool tool) { data[threadIdx.x] *= tool.factor; }

//--- counted.cu
extern "C" {
#include "count.h"
}
#include "plain.h"
__global__ void counted(int *data) { data[threadIdx.x] = twice(next(data[threadIdx.x])); }

//--- tool.h
#pragma once
typedef struct {
  float factor;
} Tool;
void sharpen(Tool *tool);

//--- count.h
#pragma once
static __device__ __forceinline__ int next(int number) { return number + 1; }
void count(void);

//--- plain.h
#pragma once
template <typename T> __device__ T twice(T value) { return 2 * value; }

//--- user.cu
#include "fused.h"
extern "C" void sharpen(Tool *tool);
fused::scaled::Launch launchOf(float *data) {
  Tool tool = {2};
  sharpen(&tool);
  return {1, {data, tool}};
}

//--- other.cu
#include "count.h"
__global__ void other(int *data) { data[threadIdx.x] = next(1); }
