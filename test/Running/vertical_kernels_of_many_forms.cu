// What a kernel may look like, as producer and as consumer: templates, half precision, structures as elements and as
// parameters, namespaces, macros, tables, the same kernel twice, two intermediates, stores on both sides of a condition.
// RUN: rm -rf %t && split-file %s %t
// RUN: cd %t && %cufuse fuse --vertical 'a.cu:forms::make<__half, 4>' 'b.cu:twice<__half>' 'b.cu:twice<__half>' \
// RUN:   c.cu:widen --link make.out=twice_0.x --link twice_0.y=twice_1.x --link twice_1.y=widen.in \
// RUN:   --link make.count=twice_0.count --link make.count=twice_1.count --link make.count=widen.n \
// RUN:   --dead make.out --dead twice_0.y --block 64 --name chain -o chain.cu
// RUN: cd %t && %cufuse fuse --vertical c.cu:pairs c.cu:lengths 'b.cu:twice<float>' --link pairs.both=lengths.in \
// RUN:   --link pairs.sum=twice.x --link pairs.n=lengths.n --link pairs.n=twice.count --block 96 --name forks -o forks.cu
// RUN: cd %t && %cufuse fuse --vertical c.cu:rows c.cu:widen --link rows.out=widen.in --link 'rows.count*columns=widen.n' \
// RUN:   --block 32 --name byrow -o byrow.cu
// RUN: %execute -I %S/Inputs -I %t %t/main.cu %t/chain.cu %t/forks.cu %t/byrow.cu

//--- a.cu
#include <cuda_fp16.h>
namespace forms {
#define TABLE {1, 2, 3, 4, 5}
__constant__ const float table[] = TABLE;
template <typename T> struct Scale {
  T by;
  int shift;
};
template <typename T> __device__ T scaled(T x, const Scale<T> &scale) { return x * scale.by; }

template <typename T, int N> __global__ void make(Scale<T> scale, T *__restrict__ out, size_t count) {
  const size_t i = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= count)
    return;
  if (const size_t third = i % 3; third == 0) {
    out[i] = scaled(T(table[i % 5]), scale);
    return;
  }
  T sum = 0;
  for (int j = 0; j < N; ++j)
    sum = sum + T(static_cast<int>(i % 7) + j);
  out[i] = sum;
}
} // namespace forms

//--- b.cu
#include "own.h"
#define EACH(i, n)                                                                                                      \
  for (OWN i_ = blockIdx.x * blockDim.x + threadIdx.x, i = i_; i_ < (n); i_ += blockDim.x * gridDim.x, i = i_)
template <typename T> __global__ void twice(const T *__restrict__ x, T *__restrict__ y, size_t count) {
  EACH(i, count) {
    const T value = x[i];
    y[i] = value + x[i];
  }
}

//--- own.h
#pragma once
#include <cuda_fp16.h>
#define OWN size_t
struct Pair {
  float a, b;
};

//--- c.cu
#include <cuda_fp16.h>
#include "own.h"
#define TABLE 3
__global__ void widen(const __half *__restrict__ in, float *__restrict__ out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  while (i < n) {
    out[i] = __half2float(in[i]) + TABLE;
    i += blockDim.x * gridDim.x;
  }
}

__global__ void pairs(Pair *__restrict__ both, float *__restrict__ sum, int n) {
  const int i = threadIdx.x + blockIdx.x * blockDim.x;
  if (i < n) {
    const Pair made{static_cast<float>(i), 2};
    both[i] = made;
    switch (i & 3) {
    case 0:
    case 1:
      sum[i] = made.a + made.b;
      break;
    case 2: {
      const float more = made.a;
      sum[i] = more + 3;
      break;
    }
    default:
      sum[i] = made.b;
    }
  }
}
__global__ void lengths(const Pair *__restrict__ in, float *__restrict__ out, int n) {
  const int i = threadIdx.x + blockIdx.x * blockDim.x;
  if (!(i < n))
    return;
  const Pair p = in[i];
  out[i] = p.a * p.a + in[i].b;
}

// A block for each row: how many there are, the launch says.
__global__ void rows(__half *__restrict__ out, int count, int columns) {
  for (int column = threadIdx.x; column < columns; column += blockDim.x)
    out[blockIdx.x * columns + column] = __half(static_cast<float>(blockIdx.x * 3 + column));
}

//--- main.cu
#include "both.h"

#include "a.cu"
#undef TABLE
#include "b.cu"
#include "c.cu"

#include "byrow.h"
#include "chain.h"
#include "forks.h"

int main() {
  constexpr int n = 333;
  Array<__half> a(n), b(n), c(n);
  Array<float> d(n), e(n), f(n);
  Pair *all = nullptr;
  require(cudaMalloc(reinterpret_cast<void **>(&all), n * sizeof(Pair)), "cudaMalloc");
  bool good = true;
  Both chained;
  chained.output("second", c), chained.output("out", d);
  good &= chained.same(
      "chain",
      [&] {
        forms::make<__half, 4><<<6, 64>>>(forms::Scale<__half>{__half(2), 1}, a, n);
        twice<__half><<<2, 64>>>(a, b, n);
        twice<__half><<<3, 32>>>(b, c, n);
        widen<<<1, 96>>>(c, d, n);
      },
      [&] {
        chain::make_twice_twice_widen::Launch launch{};
        launch.grid = 6;
        launch.arguments.scale = {__half(2), 1};
        launch.arguments.count = n;
        launch.arguments.y = c;
        launch.arguments.out = d;
        require(chain::launch(launch), "chain");
      });
  Both forked;
  forked.output("sum", d), forked.output("lengths", e), forked.output("twice", f);
  good &= forked.same(
      "forks",
      [&] {
        pairs<<<4, 96>>>(all, d, n);
        lengths<<<4, 96>>>(all, e, n);
        twice<float><<<1, 96>>>(d, f, n);
      },
      [&] {
        forks::pairs_lengths_twice::Launch launch{};
        launch.grid = 4;
        launch.arguments.both = all;
        launch.arguments.sum = d;
        launch.arguments.n = n;
        launch.arguments.out = e;
        launch.arguments.y = f;
        require(forks::launch(launch), "forks");
      });
  Both by;
  by.output("rows", a), by.output("out", d);
  byrow::rows_widen::Launch launch{};
  launch.grid = 9;
  launch.arguments = {a, 9, 37, d};
  good &= by.same(
      "rows",
      [&] {
        rows<<<9, 32>>>(a, 9, 37);
        widen<<<1, 96>>>(a, d, 333);
      },
      [&] { require(byrow::launch(launch), "rows"); });
  launch.grid = 8;
  good &= byrow::launch(launch) == cudaErrorInvalidConfiguration;
  return good ? 0 : 1;
}
