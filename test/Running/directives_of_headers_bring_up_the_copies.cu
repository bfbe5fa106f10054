// Functions and classes of a header that use the block are copied. `using namespace` in the header, inline namespaces and
// unnamed ones inside others must lead to the copies, and to nothing of the header beside them.
// RUN: rm -rf %t && split-file %s %t
// RUN: %cufuse fuse %t/a.cu:reversed %t/b.cu:shifted --block 64 --block 64 --name pair -o %t/pair.cu
// RUN: FileCheck %s --input-file=%t/pair.cu
// RUN: %execute -I %S/Inputs -I %t %t/main.cu %t/pair.cu
// CHECK: using namespace detail; using detail::place;
// CHECK: inline namespace {
// CHECK: using namespace lib; using lib::now::Block;

//--- lib.h
#pragma once
namespace lib {
namespace detail {
inline __device__ int place() { return blockIdx.x * blockDim.x + threadIdx.x; }
inline __device__ int twice(int value) { return 2 * value; }
} // namespace detail
using namespace detail;
namespace {
__device__ int *scratch() {
  __shared__ int all[64];
  return all;
}
} // namespace
inline namespace now {
struct Block {
  static __device__ int mirrored() { return blockDim.x - 1 - threadIdx.x; }
};
} // namespace now
namespace inner {
using namespace lib;
inline __device__ int mirrored() { return Block::mirrored(); }
} // namespace inner
} // namespace lib

//--- a.cu
#include "lib.h"
__global__ void reversed(const int *in, int *out) {
  int *own = lib::scratch();
  own[threadIdx.x] = in[lib::place()];
  __syncthreads();
  out[lib::place()] = own[lib::inner::mirrored()] + lib::inner::Block::mirrored();
}
//--- b.cu
#include "lib.h"
__global__ void shifted(const int *in, int *out) {
  int *own = lib::scratch();
  own[threadIdx.x] = lib::twice(in[lib::place()]);
  __syncthreads();
  out[lib::place()] = own[(threadIdx.x + 5) % 64];
}

//--- main.cu
#include "both.h"
#include "a.cu"
#include "b.cu"

#include "pair.h"

int main() {
  Array<int> in(4096), a(4096), b(4096);
  Both both;
  both.output("a", a), both.output("b", b);
  return both.same("both", [&] { reversed<<<9, 64>>>(in, a), shifted<<<7, 64>>>(in, b); },
                   [&] { require(pair::launch({9, {in, a}}, {7, {in, b}}), "both"); })
             ? 0
             : 1;
}
