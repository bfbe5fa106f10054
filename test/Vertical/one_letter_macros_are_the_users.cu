// A header of the project may define macros of one letter: nothing that is written around the kernels has such a name.
// RUN: rm -rf %t && split-file %s %t && cd %t
// RUN: %cufuse fuse --vertical a.cu:shift a.cu:scale --link shift.out=scale.in --link shift.n=scale.n --vectorize 4 \
// RUN:   --block 64 --name loop -o loop.cu
// RUN: %cufuse fuse --vertical a.cu:scaleFour a.cu:scaleFour --link scaleFour_0.out=scaleFour_1.in \
// RUN:   --link scaleFour_0.n=scaleFour_1.n --block 64 --name groups -o groups.cu
// RUN: %cufuse fuse --vertical a.cu:turn a.cu:shift --link turn.out=shift.in --link 'turn.rows*columns=shift.n' \
// RUN:   --block turn=16x16 --name stores -o stores.cu
// RUN: %cufuse fuse --vertical a.cu:sums a.cu:centred --link sums.in=centred.in --link sums.sum=centred.sum \
// RUN:   --link sums.columns=centred.columns --block 32 --name rows -o rows.cu
// RUN: FileCheck %s --input-file=loop.cu
// CHECK: out[i] = in[i] + N;

//--- letters.h
#pragma once
#define A 1
#define B 2
#define C 3
#define D 4
#define E 5
#define F 6
#define K 7
#define M 8
#define N 9
#define P 10
#define R 11
#define S 12
#define T 13
#define U 14
#define V 15
#define W 16
#define X 17
//--- a.cu
#include "letters.h"
__global__ void shift(const float *__restrict__ in, float *__restrict__ out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = in[i] + N;
}
__global__ void scale(const float *__restrict__ in, float *__restrict__ out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = in[i] * T;
}
__global__ void scaleFour(const float *__restrict__ in, float *__restrict__ out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n / 4) {
    const float4 v = reinterpret_cast<const float4 *>(in)[i];
    reinterpret_cast<float4 *>(out)[i] = make_float4(V * v.x, V * v.y, V * v.z, V * v.w);
  }
}
__global__ void turn(const float *__restrict__ in, float *__restrict__ out, int rows, int columns) {
  const int r = blockIdx.y * blockDim.y + threadIdx.y, c = blockIdx.x * blockDim.x + threadIdx.x;
  if (r < rows && c < columns)
    out[r * columns + c] = in[c * rows + r];
}
__global__ void sums(const float *__restrict__ in, float *__restrict__ sum, int columns) {
  __shared__ float parts[32];
  float own = 0;
  for (int c = threadIdx.x; c < columns; c += blockDim.x)
    own += in[blockIdx.x * columns + c];
  parts[threadIdx.x] = own;
  __syncthreads();
  if (threadIdx.x == 0) {
    float all = 0;
    for (int t = 0; t < 32; ++t)
      all += parts[t];
    sum[blockIdx.x] = all;
  }
}
__global__ void centred(const float *__restrict__ in, const float *__restrict__ sum, float *__restrict__ out,
                        int columns) {
  for (int c = threadIdx.x; c < columns; c += blockDim.x)
    out[blockIdx.x * columns + c] = in[blockIdx.x * columns + c] - sum[blockIdx.x] / columns;
}
