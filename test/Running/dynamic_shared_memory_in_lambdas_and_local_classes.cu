// The array needs no capture, so lambdas that copy or capture nothing, and classes, may name what a function declares.
// RUN: split-file %s %t
// RUN: %cufuse fuse %t/kernels.cu:inLambdas %t/kernels.cu:'inClass<int>' --block 64 --block 96 --copies 2 --copies 1 \
// RUN:   --name match -o %t/match.cu
// RUN: %cufuse fuse %t/kernels.cu:inLambdas %t/kernels.cu:'inClass<int>' --block 64 --block 96 --geometry blocks \
// RUN:   --grid-policy pool --name pool -o %t/pool.cu
// RUN: %cufuse fuse %t/kernels.cu:inLambdas %t/kernels.cu:'inClass<int>' --block 64 --block 96 --geometry threads \
// RUN:   --name threads -o %t/threads.cu
// RUN: FileCheck %s --input-file=%t/match.cu
// RUN: %execute -I %S/Inputs -I %t %t/main.cu %t/match.cu %t/pool.cu %t/threads.cu

// CHECK: int (&words)[] = cufuse_partition::dynamicShared<int[]>(cufuse_dynamicOffset);
// CHECK: auto copies = [=](int k) { return cufuse_partition::dynamicShared<int[]>(cufuse_dynamicOffset)[k] + i; };
// CHECK: auto refers = [&](int k) { return words[k]; };
// CHECK: auto begins = [first = words + 1] { return *first; };
// CHECK: auto inMacro = [] { return (cufuse_partition::dynamicShared<int[]>(cufuse_dynamicOffset)[blockDim.x - 1]); };

//--- kernels.cu
#define LAST (words[blockDim.x - 1])
#define TWICE(x) ((x) + (x))
template <typename A, typename B> struct Two {
  A a;
  B b;
};
__global__ void inLambdas(const int *in, int *out) {
  extern __shared__ int words[];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  words[threadIdx.x] = in[i];
  __syncthreads();
  auto copies = [=](int k) { return words[k] + i; };
  auto refers = [&](int k) { return words[k]; };
  auto begins = [first = words + 1] { return *first; };
  auto inMacro = [] { return LAST; };
  auto argument = [](auto k) { return TWICE(words[k]); };
  extern __shared__ Two<int, int> pairs[];
  auto comma = [=](int k) { return TWICE(pairs[k / 2].b); };
  auto nested = [=](int k) { return [&] { return words[k]; }() * 5; };
  auto own = [](int k) {
    extern __shared__ int words[];
    return words[k] * 7;
  };
  auto store = [=] { words[threadIdx.x] = i; };
  const int sum = copies(threadIdx.x ^ 1) + refers(threadIdx.x ^ 2) + begins() + inMacro() +
                  argument(threadIdx.x ^ 3) + comma(threadIdx.x) + nested(threadIdx.x ^ 4) + own(threadIdx.x ^ 5);
  __syncthreads();
  store();
  __syncthreads();
  out[i] = sum + words[threadIdx.x ^ 6];
}

template <typename T> __device__ T inHelper(int k) {
  extern __shared__ T memory[];
  return [=](int j) { return memory[j]; }(k);
}
template <typename T> __global__ void inClass(const T *in, T *out) {
  extern __shared__ T memory[];
  struct Other {
    int k;
    __device__ T value() const { return memory[k]; }
  };
  memory[threadIdx.x] = in[blockIdx.x * blockDim.x + threadIdx.x];
  __syncthreads();
  const Other other{static_cast<int>(blockDim.x - 1 - threadIdx.x)};
  out[blockIdx.x * blockDim.x + threadIdx.x] = other.value() * 3 + inHelper<T>(threadIdx.x ^ 1);
}

//--- main.cu
#include "both.h"
#include "kernels.cu"

#include "match.h"
#include "pool.h"
#include "threads.h"

int main() {
  Array<int> in(4096), a(4096), b(4096);
  Both both;
  both.output("a", a), both.output("b", b);
  bool good = true;
  auto unfused = [&] {
    inLambdas<<<11, 64, 64 * sizeof(int)>>>(in, a);
    inClass<int><<<7, 96, 96 * sizeof(int)>>>(in, b);
  };
  good &= both.same("match", unfused, [&] {
    require(match::launch({11, 64 * sizeof(int), {in, a}}, {7, 96 * sizeof(int), {in, b}}), "match");
  });
  good &= both.same("pool", unfused, [&] {
    require(pool::launch({11, 64 * sizeof(int), {in, a}}, {7, 96 * sizeof(int), {in, b}}), "pool");
  });
  good &= both.same("threads", unfused, [&] {
    require(threads::launch({11, 64 * sizeof(int), {in, a}}, {7, 96 * sizeof(int), {in, b}}), "threads");
  });
  return good ? 0 : 1;
}
