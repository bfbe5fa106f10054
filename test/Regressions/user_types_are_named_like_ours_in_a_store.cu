// What stands where a producer stores has types and members of its own, and the user's types may have their names.
// RUN: rm -rf %t && split-file %s %t && cd %t
// RUN: %cufuse fuse --distinct --vertical kernels.cu:reverse kernels.cu:twice --link reverse.out=twice.in --block 64 -o out.cu
// RUN: %cufuse fuse --distinct --vertical kernels.cu:wide kernels.cu:moved --link wide.out=moved.in --block 64 -o out.cu
// RUN: %cufuse fuse --distinct --vertical kernels.cu:made kernels.cu:reversed --link made.out=reversed.in --dead made.out --block 64 \
// RUN:   -o out.cu

//--- types.h
#pragma once
struct Element {
  float v;
};
struct Value {
  float v;
};
struct element {
  int by;
};
struct offset {
  int by;
};
struct memory {
  int by;
};

//--- kernels.cu
#include "types.h"

__global__ void reverse(const float *__restrict__ x, Element *__restrict__ out) {
  __shared__ float all[64];
  all[threadIdx.x] = x[blockIdx.x * 64 + threadIdx.x];
  __syncthreads();
  out[blockIdx.x * 64 + threadIdx.x] = Element{all[63 - threadIdx.x]};
}
__global__ void twice(const Element *__restrict__ in, Value *__restrict__ out, int n, offset o) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = Value{in[i].v * o.by};
}

__global__ void wide(const float4 *__restrict__ x, float *__restrict__ out) {
  __syncthreads();
  reinterpret_cast<float4 *>(out)[blockIdx.x * 64 + threadIdx.x] = x[blockIdx.x * 64 + 63 - threadIdx.x];
}
__global__ void moved(const float *__restrict__ in, Value *__restrict__ out, int n, offset o, element p) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = Value{in[i] + o.by + p.by};
}

__global__ void made(const memory *__restrict__ x, element *__restrict__ out, int n, offset o) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = element{x[i].by + o.by};
}
__global__ void reversed(const element *__restrict__ in, float *__restrict__ out) {
  __shared__ element all[64];
  all[threadIdx.x] = in[blockIdx.x * 64 + threadIdx.x];
  __syncthreads();
  out[blockIdx.x * 64 + threadIdx.x] = all[63 - threadIdx.x].by;
}
