// A function that is a template argument is known at the call: it may synchronise, and read the block.
// RUN: split-file %s %t
// RUN: %cufuse fuse %t/kernels.cu:'played<rotate>' %t/kernels.cu:'twice<&early>' %t/kernels.cu:'referred<rotate>' \
// RUN:   --block 64 --block 96 --block 32 --copies 1 --copies 1 --copies 2 --name match -o %t/match.cu
// RUN: %cufuse fuse %t/kernels.cu:'played<rotate>' %t/kernels.cu:'twice<&early>' %t/kernels.cu:'referred<rotate>' \
// RUN:   --block 64 --block 96 --block 32 --grid-policy stride --name stride -o %t/stride.cu
// RUN: %cufuse fuse %t/kernels.cu:handed %t/kernels.cu:'passed<rotate, rotate>' %t/kernels.cu:'played<rotate>' \
// RUN:   --block 64 --block 96 --block 64 --copies 2 --copies 1 --copies 1 --name given -o %t/given.cu
// RUN: %execute -I %S/Inputs -I %t %t/main.cu %t/match.cu %t/stride.cu %t/given.cu

// So is one that a pointer holds which nothing else does, be it a lambda; and constructors that no expression calls.
// RUN: %cufuse fuse %t/kernels.cu:'kept<rotate>' %t/kernels.cu:keptBehind %t/kernels.cu:lambdas %t/kernels.cu:filled \
// RUN:   --block 64 --block 64 --block 96 --block 32 --grid-policy stride --name held -o %t/held.cu
// RUN: %cufuse fuse %t/kernels.cu:filled %t/kernels.cu:lambdas --block 32 --block 96 --copies 3 --copies 1 --grid-policy pool \
// RUN:   --name pool -o %t/pool.cu
// RUN: %execute -I %S/Inputs -I %t %t/held_main.cu %t/held.cu %t/pool.cu

// Which of two it holds, only the run knows.
// RUN: %exits 1 %cufuse fuse %t/kernels.cu:chosen --block 64 -o %t/none.cu 2>&1 | FileCheck %s
// CHECK: error: chosen: a function that synchronises is called through a pointer: rotate [BarrierThroughPointer]

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
__device__ void nothing(int *) {}
__global__ void chosen(int *out) {
  auto step = out[0] ? rotate : nothing;
  step(out);
}

__device__ int apply(int (*f)(int *, int), int *tile, int v) { return f(tile, v); }
__global__ void lambdas(const int *in, int *out) {
  __shared__ int tile[96];
  int (*const turned)(int *, int) = [](int *tile, int v) {
    tile[threadIdx.x] = v;
    __syncthreads();
    return tile[blockDim.x - 1 - threadIdx.x] + static_cast<int>(blockIdx.x);
  };
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int first = turned(tile, in[i]);
  auto sum = +[](int *tile, int v) {
    __syncthreads();
    tile[threadIdx.x] = v;
    asm volatile("bar.sync 0;" ::: "memory");
    unsigned me;
    asm("mov.u32 %0, %%tid.x;" : "=r"(me));
    return tile[me ^ 1] * 3;
  };
  out[i] = apply(sum, tile, first);
}

struct Place {
  int at;
  __device__ Place(int by = 1) : at(blockIdx.x * blockDim.x + threadIdx.x * by) { __syncthreads(); }
};
struct Derived : Place {
  using Place::Place;
};
__global__ void filled(const int *in, int *out) {
  __shared__ int tile[32];
  Place places[2] = {};
  tile[threadIdx.x] = in[places[1].at];
  Derived derived(1);
  out[derived.at] = tile[blockDim.x - 1 - threadIdx.x];
}

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

//--- held_main.cu
#include "both.h"
#include "kernels.cu"

#include "held.h"
#include "pool.h"

int main() {
  Array<int> in(4096), a(64), b(64), c(4096), d(4096);
  Both both;
  both.output("a", a), both.output("b", b), both.output("c", c), both.output("d", d);
  bool good = true;
  good &= both.same(
      "held", [&] { kept<rotate><<<1, 64>>>(a), keptBehind<<<1, 64>>>(b), lambdas<<<9, 96>>>(in, c), filled<<<13, 32>>>(in, d); },
      [&] { require(held::launch({1, {a}}, {1, {b}}, {9, {in, c}}, {13, {in, d}}), "held"); });
  good &= both.same("pool", [&] { filled<<<13, 32>>>(in, d), lambdas<<<9, 96>>>(in, c); },
                    [&] { require(pool::launch({13, {in, d}}, {9, {in, c}}), "pool"); });
  return good ? 0 : 1;
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
    require(match::launch({11, {in, a}}, {7, {in, b, 600}}, {9, {in, c}}), "match");
  });
  good &= both.same("stride", unfused, [&] {
    require(stride::launch({11, {in, a}}, {7, {in, b, 600}}, {9, {in, c}}), "stride");
  });
  good &= both.same(
      "given", [&] { handed<<<9, 64>>>(in, a), passed<rotate, rotate><<<7, 96>>>(in, b), played<rotate><<<5, 64>>>(in, c); },
      [&] { require(given::launch({9, {in, a}}, {7, {in, b}}, {5, {in, c}}), "given"); });
  return good ? 0 : 1;
}
