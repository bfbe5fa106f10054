// What reads the block in a header may be a default argument or a member's initialiser: then it is copied, too.
// RUN: rm -rf %t && split-file %s %t
// RUN: %cufuse fuse %t/kernels.cu:lanes %t/kernels.cu:places --block 48 --block 64 --name f -o %t/f.cu
// RUN: %execute -I %S/Inputs -I %t %t/main.cu %t/f.cu

//--- block.h
#pragma once
inline __device__ unsigned lane(unsigned thread = threadIdx.x);
inline __device__ unsigned lane(unsigned thread) { return thread % 32; }
template <typename T> __device__ T added(T value, unsigned thread = threadIdx.x) { return value + thread; }
struct Reader {
  __device__ unsigned operator()(unsigned thread = threadIdx.x) const { return thread; }
};
struct Place {
  unsigned thread = threadIdx.x, threads = blockDim.x;
  uint3 block = blockIdx;
};

//--- kernels.cu
#include "block.h"
__global__ void lanes(int *out) {
  out[blockIdx.x * blockDim.x + threadIdx.x] = lane() + 100 * lane(3) + added(1000) + 10000 * Reader()();
}
__global__ void places(int *out) {
  const Place place{}, other{5};
  out[place.block.x * place.threads + place.thread] = other.thread + 100 * other.block.x;
}

//--- main.cu
#include "both.h"

#include "kernels.cu"

#include "f.h"
int main() {
  Array<int> a(5 * 48), b(3 * 64);
  Both both;
  both.output("lanes", a);
  both.output("places", b);
  return both.same(
             "headers",
             [&] {
               lanes<<<5, 48>>>(a);
               places<<<3, 64>>>(b);
             },
             [&] {
               f::lanes::Launch first{dim3(5)};
               first.arguments = {a};
               f::places::Launch second{dim3(3)};
               second.arguments = {b};
               require(f::launch(first, second), "f");
             })
             ? 0
             : 1;
}
