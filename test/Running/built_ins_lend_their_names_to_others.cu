// Members, parameters, variables and enumerators may have the built-ins' names: what the text says of the built-ins is
// called otherwise there, also in its macros and its assembly, and in functions that read the grid's indices.
// RUN: split-file %s %t
// RUN: %cufuse fuse %t/kernels.cu:members %t/kernels.cu:parameters %t/kernels.cu:locals %t/kernels.cu:plain \
// RUN:   --block 64 --block 16x4 --block 96 --block 64 --name match -o %t/match.cu
// RUN: %cufuse fuse %t/kernels.cu:members %t/kernels.cu:parameters %t/kernels.cu:locals --block 64 --block 16x4 \
// RUN:   --block 96 --grid-policy stride --name stride -o %t/stride.cu
// RUN: %cufuse fuse %t/kernels.cu:parameters --block 16x4 --name alone -o %t/alone.cu
// RUN: %cufuse fuse %t/kernels.cu:doubled %t/kernels.cu:shifted --link doubled.out=shifted.in \
// RUN:   --link doubled.size=shifted.size --block 64 --name chain -o %t/chain.cu
// RUN: FileCheck %s --input-file=%t/match.cu
// RUN: %execute -I %S/Inputs -I %t %t/main.cu %t/match.cu %t/stride.cu %t/alone.cu %t/chain.cu
// What has none of these names is as it was.
// CHECK: return where.blockDim.x * cufuse_blockIdx.x + cufuse_threadIdx.x;
// CHECK: #define ROW cufuse_threadIdx.y
// CHECK: asm("mov.u32 %0, %1;" : "=r"(column) : "r"(cufuse_threadIdx.x));
// CHECK: void locals(const uint3 cufuse_blockIdx, const int *in, int *out, Reads reads) {
// CHECK: namespace cufuse_plain {
// CHECK: out[blockIdx.x * blockDim.x + threadIdx.x] =

//--- shape.h
#pragma once
struct Shape {
  dim3 gridDim, blockDim;
};

//--- kernels.cu
#include "shape.h"

struct Place {
  uint3 threadIdx;
  int blockIdx;
  __device__ Place() : threadIdx(::threadIdx), blockIdx(::blockIdx.x) {}
  __device__ int number(int size) const { return blockIdx * size + threadIdx.x; }
};
template <unsigned By> struct Own {
  static __device__ unsigned rank() { return ::threadIdx.x / By; }
  static __device__ uint3 threadIdx() { return uint3{rank(), 0, 0}; }
};
static __device__ int number(const Shape &where) { return where.blockDim.x * blockIdx.x + threadIdx.x; }
__global__ void members(const int *in, int *out, Shape where) {
  const Place place;
  __shared__ int tile[64];
  tile[place.threadIdx.x] = in[number(where)] + where.gridDim.y * 3;
  __syncthreads();
  out[place.number(blockDim.x)] = tile[63 - threadIdx.x] + (gridDim.x == where.gridDim.x) + Own<2>::threadIdx().x;
}

#define ROW threadIdx.y
__host__ __device__ inline int flat(dim3 gridDim, uint3 blockIdx, dim3 blockDim, uint3 threadIdx) {
  return ((blockIdx.y * gridDim.x + blockIdx.x) * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
}
__global__ void parameters(const int *in, int *out) {
  unsigned column;
  asm("mov.u32 %0, %%tid.x;" : "=r"(column));
  auto twice = [](unsigned threadIdx) { return 2 * threadIdx; };
  const int i = flat(gridDim, blockIdx, blockDim, threadIdx);
  out[i] = in[i] + twice(ROW) * 16 + column;
}

enum class Reads { threadIdx, blockDim };
template <int blockDim> __device__ int larger(int value) { return value + blockDim; }
__global__ void locals(const int *in, int *out, Reads reads) {
  const uint3 threadIdx = ::threadIdx, blockIdx = ::blockIdx;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  int sum = reads == Reads::blockDim ? larger<5>(in[i]) : 0;
  for (int threadIdx = 0; threadIdx < 3; ++threadIdx)
    sum += threadIdx * in[i];
  out[i] = sum;
}

__global__ void plain(const int *in, int *out) {
  out[blockIdx.x * blockDim.x + threadIdx.x] = in[blockIdx.x * blockDim.x + threadIdx.x] + 1;
}

__global__ void doubled(const int *in, int *out, int size, Shape where) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < size)
    out[i] = 2 * in[i] + where.blockDim.x;
}
__global__ void shifted(const int *in, int *out, int size) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < size)
    out[i] = in[i] + 7;
}

//--- main.cu
#include "both.h"
#include "kernels.cu"

#include "alone.h"
#include "chain.h"
#include "match.h"
#include "stride.h"

int main() {
  Array<int> in(4096), a(4096), b(4096), c(4096), d(4096);
  const Shape where{dim3(9), dim3(64)};
  Both both;
  both.output("a", a), both.output("b", b), both.output("c", c), both.output("d", d);
  bool good = true;
  good &= both.same(
      "match",
      [&] {
        members<<<9, 64>>>(in, a, where), parameters<<<7, dim3(16, 4)>>>(in, b);
        locals<<<5, 96>>>(in, c, Reads::blockDim), plain<<<11, 64>>>(in, d);
      },
      [&] { require(match::launch({9, {in, a, where}}, {7, {in, b}}, {5, {in, c, Reads::blockDim}}, {11, {in, d}}), "match"); });
  good &= both.same(
      "stride",
      [&] {
        members<<<9, 64>>>(in, a, where), parameters<<<7, dim3(16, 4)>>>(in, b);
        locals<<<5, 96>>>(in, c, Reads::threadIdx);
      },
      [&] { require(stride::launch({9, {in, a, where}}, {7, {in, b}}, {5, {in, c, Reads::threadIdx}}), "stride"); });
  good &= both.same("alone", [&] { parameters<<<7, dim3(16, 4)>>>(in, b); },
                    [&] { require(alone::launch({7, {in, b}}), "alone"); });
  good &= both.same("chain", [&] { doubled<<<9, 64>>>(in, a, 570, where), shifted<<<9, 64>>>(a, b, 570); },
                    [&] { require(chain::doubled_shifted::launch(in, a, 570, where, b), "chain"); });
  return good ? 0 : 1;
}
