// A function that is a template argument is known at the call: it may synchronise, and read the block.
// RUN: split-file %s %t
// RUN: %cufuse fuse %t/kernels.cu:'played<rotate>' %t/kernels.cu:'twice<&early>' %t/kernels.cu:'referred<rotate>' \
// RUN:   --block 64 --block 96 --block 32 --copies 1 --copies 1 --copies 2 --name match -o %t/match.cu
// RUN: %cufuse fuse %t/kernels.cu:'played<rotate>' %t/kernels.cu:'twice<&early>' %t/kernels.cu:'referred<rotate>' \
// RUN:   --block 64 --block 96 --block 32 --grid-policy stride --name stride -o %t/stride.cu
// RUN: %cufuse fuse %t/kernels.cu:handed %t/kernels.cu:'passed<rotate, rotate>' %t/kernels.cu:'played<rotate>' \
// RUN:   --block 64 --block 96 --block 64 --copies 2 --copies 1 --copies 1 --name given -o %t/given.cu
// RUN: %execute -I %S/Inputs -I %t %t/main.cu %t/match.cu %t/stride.cu %t/given.cu

// As a value, nobody follows it, wherever the parameter has come from.
// RUN: %exits 1 %cufuse fuse %t/kernels.cu:'kept<rotate>' --block 64 -o %t/none.cu 2>&1 | FileCheck %s
// RUN: %exits 1 %cufuse fuse %t/kernels.cu:keptBehind --block 64 -o %t/none.cu 2>&1 | FileCheck %s --check-prefix=BEHIND
// CHECK: error: kept: a function that synchronises is called through a pointer: rotate [BarrierThroughPointer]
// BEHIND: error: keptBehind: a function that synchronises is called through a pointer: rotate [BarrierThroughPointer]

//--- kernels.cu
__device__ void rotate(int *tile) {
  const int other = tile[(threadIdx.x + blockIdx.x) % blockDim.x];
  __syncthreads();
  tile[threadIdx.x] = other;
  __syncthreads();
}
__device__ int early(const int *in, int *tile) {
  tile[threadIdx.x] = in[blockIdx.x * blockDim.x + threadIdx.x];
  return __syncthreads_count(tile[threadIdx.x] > 500);
}

template <void (*F)(int *)> __global__ void played(const int *in, int *out) {
  __shared__ int tile[64];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  tile[threadIdx.x] = in[i];
  __syncthreads();
  F(tile);
  out[i] = tile[threadIdx.x];
}

template <auto F> __global__ void twice(const int *in, int *out, int n) {
  __shared__ int tile[96];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  out[i] = F(in, tile) * 3;
  if (in[i] % 5 == 0)
    return;
  out[i] += F(in, tile);
}

template <void (&F)(int *)> __global__ void referred(const int *in, int *out) {
  __shared__ int tile[32];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  tile[threadIdx.x] = in[i];
  __syncthreads();
  F(tile);
  out[i] = tile[threadIdx.x];
}

template <void (*F)(int *)> __global__ void kept(int *out) {
  auto step = F;
  step(out);
}
template <void (*F)(int *)> __device__ void keeps(int *out) {
  auto step = F;
  step(out);
}
__global__ void keptBehind(int *out) { keeps<rotate>(out); }

// One template hands it on to the next, as a pointer, a reference, of a pack, or with its class.
template <void (*F)(int *)> __device__ void once(int *tile) { F(tile); }
template <void (&F)(int *)> __device__ void again(int *tile) { once<F>(tile), once<&F>(tile); }
template <void (*F)(int *), int N> struct Times {
  static __device__ void run(int *tile) {
    once<F>(tile);
    Times<F, N - 1>::run(tile);
  }
};
template <void (*F)(int *)> struct Times<F, 0> {
  static __device__ void run(int *) {}
};
template <void (*... Fs)(int *)> __device__ void all(int *tile) { (once<Fs>(tile), ...); }
template <auto... Fs> __device__ void allOf(int *tile) { all<Fs...>(tile); }

__global__ void handed(const int *in, int *out) {
  __shared__ int tile[64];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  tile[threadIdx.x] = in[i];
  __syncthreads();
  again<rotate>(tile);
  Times<rotate, 3>::run(tile);
  out[i] = tile[threadIdx.x];
}
template <void (*... Fs)(int *)> __global__ void passed(const int *in, int *out) {
  __shared__ int tile[96];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  tile[threadIdx.x] = in[i];
  __syncthreads();
  allOf<Fs...>(tile);
  out[i] = tile[threadIdx.x];
}

//--- main.cu
#include "both.h"
#include "kernels.cu"

#include "given.h"
#include "match.h"
#include "stride.h"

int main() {
  Array<int> in(4096), a(4096), b(4096), c(4096);
  Both both;
  both.output("a", a), both.output("b", b), both.output("c", c);
  bool good = true;
  auto unfused = [&] {
    played<rotate><<<11, 64>>>(in, a);
    twice<&early><<<7, 96>>>(in, b, 600);
    referred<rotate><<<9, 32>>>(in, c);
  };
  good &= both.same("match", unfused, [&] {
    require(match::launch({11, 0, {in, a}}, {7, 0, {in, b, 600}}, {9, 0, {in, c}}), "match");
  });
  good &= both.same("stride", unfused, [&] {
    require(stride::launch({11, 0, {in, a}}, {7, 0, {in, b, 600}}, {9, 0, {in, c}}), "stride");
  });
  good &= both.same(
      "given", [&] { handed<<<9, 64>>>(in, a), passed<rotate, rotate><<<7, 96>>>(in, b), played<rotate><<<5, 64>>>(in, c); },
      [&] { require(given::launch({9, 0, {in, a}}, {7, 0, {in, b}}, {5, 0, {in, c}}), "given"); });
  return good ? 0 : 1;
}
