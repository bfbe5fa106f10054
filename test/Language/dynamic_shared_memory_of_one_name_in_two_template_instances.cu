// The element type of the dynamic shared memory depends on the template, so that one file can hold one instance only.
// RUN: split-file %s %t
// RUN: %cufuse fuse '%t/a.cu:sums<float>' '%t/b.cu:sums<double>' --block 64 --block 64 -o %t.cu
// RUN: %nvcc -Werror all-warnings -arch=sm_90a -I%t -cubin -o %t.cubin %t.cu

//--- sums.cuh
#pragma once
template <typename T> __global__ void sums(T *data) {
  extern __shared__ T values[];
  values[threadIdx.x] = data[threadIdx.x];
  __syncthreads();
  data[threadIdx.x] = values[threadIdx.x ^ 1];
}
//--- a.cu
#include "sums.cuh"
//--- b.cu
#include "sums.cuh"
