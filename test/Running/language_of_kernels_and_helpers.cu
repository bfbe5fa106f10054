// Kernels and helpers in every dress: each keeps its meaning in its partition.
// RUN: split-file %s %t
// RUN: %cufuse fuse %t/kernels.cu:'variadic<int, short, unsigned>' %t/kernels.cu:lambdas %t/kernels.cu:memory \
// RUN:   --block 64 --block 16x4 --block 96 --name match -o %t/match.cu
// RUN: %cufuse fuse %t/kernels.cu:objects %t/kernels.cu:c_kernel %t/kernels.cu:apart::declared --block 64 --block 100 --block 64 \
// RUN:   --copies 2 --copies 1 --copies 1 --grid-policy stride --name stride -o %t/stride.cu
// RUN: %cufuse fuse %t/kernels.cu:messages %t/kernels.cu:objects --block 64 --block 64 --name checked -o %t/checked.cu
// RUN: %nvcc -Werror all-warnings -std=c++17 -arch=sm_90a -cubin -o %t/match.cubin -I%t %t/match.cu
// RUN: %nvcc -Werror all-warnings -std=c++17 -arch=sm_90a -cubin -o %t/stride.cubin -I%t %t/stride.cu
// RUN: %nvcc -Werror all-warnings -std=c++17 -arch=sm_90a -cubin -o %t/checked.cubin -I%t %t/checked.cu
// RUN: %execute -I %S/Inputs -I %t %t/main.cu %t/match.cu %t/stride.cu %t/checked.cu | FileCheck %s
// CHECK: thread 40 of 64 has 41
// CHECK-NEXT: match: same
// CHECK: stride: same
// CHECK: thread 40 of 64 has 41
// CHECK-NEXT: thread 40 of 64 has 41
// CHECK-NEXT: checked: same

//--- kernels.h
#pragma once
namespace apart {
__global__ void declared(const int *in, int *out);
}
//--- kernels.cu
#include "kernels.h"
#include <cassert>
#include <cstdio>

template <typename T> __device__ int one(T value) {
  if constexpr (sizeof(T) == 2)
    return value * int(blockDim.x);
  else
    return value + int(blockIdx.x);
}
template <typename... T> __global__ void variadic(const int *in, int *out, T... values) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i] + (one(values) + ... + 0) * int(sizeof...(values)) + int(gridDim.x);
}

template <typename Function> __device__ int twice(Function function, int value) { return function(function(value)); }
__global__ void lambdas(const int *in, int *out) {
  auto place = [] { return (blockIdx.x * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x; };
  auto add = [](auto value) { return value + threadIdx.y * gridDim.x; };
  auto meet = [&](int value) {
    __shared__ int last;
    if (threadIdx.x == 15 && threadIdx.y == 3)
      last = value;
    __syncthreads();
    const int read = last;
    __syncthreads();
    return read;
  };
  out[place()] = twice(add, in[place()]) + meet(in[place()]);
}

struct alignas(16) Quad {
  int v[4];
};
union Either {
  Quad quads[24];
  short halves[192];
  struct {
    int first[64], second[32];
  } parts;
};
__global__ void memory(const int *in, int *out) {
  __shared__ char odd;
  __shared__ Either either;
  alignas(64) __shared__ unsigned char line[96];
  static const int table[4] = {3, 1, 4, 1};
  odd = 1;
  line[threadIdx.x] = threadIdx.x;
  (threadIdx.x < 64 ? either.parts.first[threadIdx.x] : either.parts.second[threadIdx.x - 64]) =
      in[blockIdx.x * 96 + threadIdx.x];
  __syncthreads();
  out[blockIdx.x * 96 + threadIdx.x] = either.quads[threadIdx.x / 4].v[3 - threadIdx.x % 4] * table[threadIdx.x % 4] +
                                       line[95 - threadIdx.x] +
                                       int(reinterpret_cast<unsigned long long>(&line) % 64 + odd) +
                                       either.halves[2 * threadIdx.x];
}

struct Index {
  int block = blockIdx.x, size = blockDim.x;
  __device__ int whole(int thread = threadIdx.x) const { return block * size + thread; }
  __device__ static int warp() { return threadIdx.x / 32; }
};
struct Reader {
  const int *in;
  __device__ int operator()(int offset = blockDim.x - 1 - threadIdx.x) const { return in[blockIdx.x * blockDim.x + offset]; }
};
namespace {
template <class Base> struct Summed : Base {
  __device__ int sum() const { return (*this)() + (*this)(0) + Index::warp(); }
};
__device__ int step(int a, int b = gridDim.x) { return a * b; }
} // namespace
__global__ void objects(const int *in, int *out) {
  const Index index;
  out[index.whole()] = step(Summed<Reader>{{in}}.sum()) + step(index.whole(7), 3);
}

extern "C" __device__ int c_helper(int value) { return value + threadIdx.x; }
extern "C" __global__ void c_kernel(const int *in, int *out) {
  __shared__ int tile[100];
  tile[threadIdx.x] = c_helper(in[blockIdx.x * 100 + threadIdx.x]);
  __syncthreads();
  out[blockIdx.x * 100 + threadIdx.x] = tile[99 - threadIdx.x];
}

__global__ void apart::declared(const int *in, int *out) {
  out[blockIdx.x * blockDim.x + threadIdx.x] = step(in[threadIdx.x]) + warpSize;
}

__global__ void messages(const int *in, int *out) {
  assert(blockDim.x == 64 && threadIdx.x < 64);
  if (blockIdx.x == 2 && threadIdx.x == 40)
    printf("thread %u of %u has %d\n", threadIdx.x, blockDim.x, 41);
  out[blockIdx.x * 64 + threadIdx.x] = in[threadIdx.x] + 1;
}

//--- main.cu
#include "both.h"
#include "kernels.cu"

#include "checked.h"
#include "match.h"
#include "stride.h"

int main() {
  Array<int> in(8192), a(8192), b(8192), c(8192);
  Both both;
  both.output("a", a), both.output("b", b), both.output("c", c);
  messages<<<3, 64>>>(in, c);
  require(cudaDeviceSynchronize(), "messages");
  std::fflush(stdout);
  bool good = true;
  good &= both.same(
      "match",
      [&] {
        variadic<int, short, unsigned><<<9, 64>>>(in, a, 5, short(3), 7u);
        lambdas<<<7, dim3(16, 4)>>>(in, b), memory<<<11, 96>>>(in, c);
      },
      [&] { require(match::launch({9, {in, a, 5, 3, 7u}}, {7, {in, b}}, {11, {in, c}}), "match"); });
  good &= both.same("stride", [&] { objects<<<9, 64>>>(in, a), c_kernel<<<8, 100>>>(in, b), apart::declared<<<5, 64>>>(in, c); },
                    [&] { require(stride::launch({9, {in, a}}, {8, {in, b}}, {5, {in, c}}), "stride"); });
  good &= both.same("checked", [&] { messages<<<4, 64>>>(in, a), objects<<<9, 64>>>(in, b); },
                    [&] { require(checked::launch({4, {in, a}}, {9, {in, b}}), "checked"); });
  return good ? 0 : 1;
}
