// The first kernel's file defines a macro of the name that the second kernel's header defines.
// RUN: rm -rf %t && split-file %s %t
// RUN: %cufuse fuse %t/first.cu:first %t/second.cu:second --block 32 --block 32 -o %t/out.cu
// RUN: %nvcc -Werror all-warnings -arch=sm_90a -cubin -I%t -o %t/out.cubin %t/out.cu
// RUN: FileCheck %s --input-file=%t/out.cu
// CHECK: #pragma push_macro("SIZE")
// CHECK: #pragma pop_macro("SIZE")

//--- first.cu
#define SIZE 16
__global__ void first(float *data) { data[threadIdx.x % SIZE] = SIZE; }
//--- size.h
#pragma once
#define SIZE 8
#define AREA (SIZE * SIZE)
//--- second.cu
#include "size.h"
__global__ void second(float *data) { data[threadIdx.x % SIZE] = AREA; }
