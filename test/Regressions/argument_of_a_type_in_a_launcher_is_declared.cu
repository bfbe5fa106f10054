// The launcher's header includes what declares the arguments of a template that a parameter's type has, even behind the
// template's own header.
// RUN: rm -rf %t && mkdir %t && cd %S
// RUN: %cufuse fuse %s:scale %s:shift --block 32 --block 64 -o %t/fused.cu
// RUN: FileCheck %s --input-file=%t/fused.h
// RUN: %nvcc -std=c++17 -arch=sm_90a -I %S -cubin -o %t/fused.cubin %t/fused.cu
#include "Inputs/group_of.h"
#include <cuda_fp16.h>
// CHECK: #include "Inputs/group_of.h"
// CHECK: #include <cuda_fp16.h>
// CHECK: ::Group<__half, ::Pair<::__half2>> *data;
__global__ void scale(Group<__half, Pair<__half2>> *data) { data[threadIdx.x].a *= __float2half(2.0f); }
__global__ void shift(float *data) { data[threadIdx.x] += 1; }
