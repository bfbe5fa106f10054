// nvlink 13.0 takes the constant memory of two objects for one where it is equal and has up to 64 bytes, but lays out
// both: readers of the second get zeros. A fused file has copies of its kernels' tables.
// RUN: split-file %s %t
// RUN: %cufuse fuse %t/one.cu:plain --block 64 --name f1 -o %t/f1.cu -- -rdc=true
// RUN: %cufuse fuse '%t/one.cu:templated<float>' %t/one.cu:plain --block 64 --block 64 --name f2 -o %t/f2.cu -- -rdc=true
// RUN: %cufuse fuse %t/two.cu:both --block 64 --name f3 -o %t/f3.cu -- -rdc=true
// RUN: %cufuse fuse %t/three.cu:in_the_kernel --block 64 --name f4 -o %t/f4.cu -- -rdc=true
// RUN: %cufuse fuse %t/four.cu:other --block 64 --name f6 -o %t/f6.cu -- -rdc=true
// RUN: %cufuse fuse %t/two.cu:none --block 64 --name f5 -o %t/f5.cu
// RUN: not grep moreConstants %t/f5.cu
// RUN: cd %t && %nvcc -std=c++17 -arch=sm_90 -dc one.cu two.cu three.cu f1.cu f2.cu f3.cu f4.cu four.cu f6.cu
// RUN: cd %t && %nvcc -arch=sm_90 -dlink -cubin -o l1.cubin one.o f1.o && %python %S/Inputs/constants_inside.py l1.cubin 3
// RUN: cd %t && %nvcc -arch=sm_90 -dlink -cubin -o l2.cubin f2.o one.o && %python %S/Inputs/constants_inside.py l2.cubin 4
// RUN: cd %t && %nvcc -arch=sm_90 -dlink -cubin -o l3.cubin two.o f3.o && %python %S/Inputs/constants_inside.py l3.cubin 5
// RUN: cd %t && %nvcc -arch=sm_90 -dlink -cubin -o l4.cubin f4.o three.o && %python %S/Inputs/constants_inside.py l4.cubin 3
// RUN: cd %t && %nvcc -arch=sm_90 -dlink -cubin -o l5.cubin one.o f1.o f2.o && %python %S/Inputs/constants_inside.py l5.cubin 6
// RUN: cd %t && %nvcc -arch=sm_90 -dlink -cubin -o l6.cubin f6.o four.o && %python %S/Inputs/constants_inside.py l6.cubin 3
// Compiled without -rdc=true, there is nothing to link.
// RUN: cd %t && %nvcc -std=c++17 -arch=sm_90 -cubin -o f1.cubin f1.cu && %python %S/Inputs/constants_inside.py f1.cubin 1

//--- one.cu
__constant__ const float table[4] = {1, 2, 3, 4};
template <typename T> __global__ void templated(T *out) { out[threadIdx.x] = table[threadIdx.x % 4]; }
__global__ void plain(float *out) { out[threadIdx.x] = table[threadIdx.x % 4]; }
void launch(float *out) {
  templated<<<1, 64>>>(out);
  plain<<<1, 64>>>(out);
}

//--- two.cu
namespace tables {
__constant__ const float small[] = {1, 2, 3};
__constant__ const short smaller[] = {1, 2};
} // namespace tables
__global__ void both(float *out) {
  out[threadIdx.x] = tables::small[threadIdx.x % 3] + tables::smaller[threadIdx.x % 2];
}
__global__ void none(float *out) { out[threadIdx.x] = 0; }
void launchBoth(float *out) { both<<<1, 64>>>(out); }

//--- three.cu
__global__ void in_the_kernel(int *out) {
  static __constant__ const int own[] = {1, 2, 3, 4, 5};
  out[threadIdx.x] = own[threadIdx.x % 5];
}
void launchThree(int *out) { in_the_kernel<<<1, 64>>>(out); }

//--- four.cu
#include "table.h"
__global__ void other(float *out) { out[threadIdx.x] = OWN; }
__global__ void reader(float *out) { out[threadIdx.x] = inHeader[threadIdx.x % 8]; }
void launchFour(float *out) { other<<<1, 64>>>(out), reader<<<1, 64>>>(out); }

//--- table.h
#pragma once
#define OWN 7
static __constant__ const float inHeader[8] = {1, 2, 3, 4, 5, 6, 7, 8};
