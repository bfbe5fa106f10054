// The least number as a template argument, types behind names of the output, functions of types, an alignment behind
// the name of dynamic shared memory.
// RUN: split-file %s %t
// RUN: %cufuse fuse '%t/kernels.cu:numbers<-9223372036854775807ll-1,-5>' %t/kernels.cu:histogram::histogram --block 64 --block 64 \
// RUN:   --name spelled -o %t/spelled.cu
// RUN: %cufuse fuse %t/kernels.cu:given %t/kernels.cu:called %t/kernels.cu:aligned --block 64 --block 64 --block 64 --name hard \
// RUN:   -o %t/hard.cu
// RUN: %execute --nvcc=-Xcompiler=-w -I %S/Inputs -I %t %t/main.cu %t/spelled.cu %t/hard.cu

//--- types.h
#pragma once
namespace histogram {
struct Config {
  int base;
};
} // namespace histogram
struct Arguments {
  int base;
};

struct Element {
  int value;
};

//--- kernels.cu
#include "types.h"
template <long long Least, int Other> __global__ void numbers(const int *in, int *out) {
  const long long sum = in[threadIdx.x] + Least + Other;
  out[blockIdx.x * 64 + threadIdx.x] = static_cast<int>(sum >> 40) + static_cast<int>(sum);
}
namespace histogram {
__global__ void histogram(const int *in, int *out, Config config) {
  out[blockIdx.x * 64 + threadIdx.x] = in[threadIdx.x] + config.base;
}
} // namespace histogram
__global__ void given(const int *in, int *out, Arguments arguments) {
  out[blockIdx.x * 64 + threadIdx.x] = in[threadIdx.x] * arguments.base;
}
__global__ void called(const int *in, int *out, int (*compare)(Element, const Element *)) {
  out[blockIdx.x * 64 + threadIdx.x] = in[threadIdx.x] + (compare == nullptr);
}
__global__ void aligned(const int *in, int *out) {
  extern __shared__ unsigned char raw[] __attribute__((aligned(16)));
  int *tile = reinterpret_cast<int *>(raw);
  tile[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[blockIdx.x * 64 + threadIdx.x] = tile[63 - threadIdx.x];
}

//--- main.cu
#include "both.h"
#include "kernels.cu"

#include "hard.h"
#include "spelled.h"

int main() {
  Array<int> in(1024), a(1024), b(1024), c(1024);
  Both both;
  both.output("a", a), both.output("b", b), both.output("c", c);
  int (*none)(Element, const Element *) = nullptr;
  constexpr long long Least = -9223372036854775807ll - 1;
  bool good = both.same(
      "spelled", [&] { numbers<Least, -5><<<7, 64>>>(in, a), histogram::histogram<<<5, 64>>>(in, b, histogram::Config{3}); },
      [&] { require(spelled::launch({7, {in, a}}, {5, {in, b, {3}}}), "spelled"); });
  good &= both.same(
      "hard", [&] { given<<<7, 64>>>(in, a, Arguments{3}), called<<<5, 64>>>(in, b, none), aligned<<<3, 64, 256>>>(in, c); },
      [&] { require(hard::launch({7, {in, a, {3}}}, {5, {in, b, nullptr}}, {3, 256, {in, c}}), "hard"); });
  return good ? 0 : 1;
}
