// Dependent kernels that are one are compiled for one value of an argument, too, and are right for every other.
// RUN: rm -rf %t && split-file %s %t && cd %t
// RUN: %cufuse fuse --vertical kernels.cu:scaled kernels.cu:shifted --link scaled.out=shifted.in --link scaled.n=shifted.n \
// RUN:   --dead scaled.out --block 64 --bind scaled_shifted.columns=8 --bind scaled_shifted.shifted_by=0.5f \
// RUN:   --name loop -o %t/loop.cu
// RUN: %cufuse fuse --vertical kernels.cu:largest kernels.cu:divided --link largest.x=divided.x \
// RUN:   --link largest.out=divided.by --link largest.columns=divided.columns --block 64 \
// RUN:   --bind largest_divided.columns=100 --name rows -o %t/rows.cu
// RUN: FileCheck %s --input-file=%t/loop.cu
// RUN: %execute -I %S/Inputs -I %t %t/main.cu %t/loop.cu %t/rows.cu
// CHECK: const bool bound = sameBits(columns,

//--- kernels.cu
__global__ void scaled(const float *__restrict__ x, const float *__restrict__ by, float *__restrict__ out, int n,
                       int columns) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = x[i] * by[i % columns];
}
__global__ void shifted(const float *__restrict__ in, float *__restrict__ out, float by, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = in[i] + by;
}

__global__ void largest(const float *__restrict__ x, float *__restrict__ out, int columns) {
  __shared__ float parts[64];
  float value = 0;
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    value = fmaxf(value, x[blockIdx.x * columns + i]);
  parts[threadIdx.x] = value;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int i = 0; i < 64; ++i)
      value = fmaxf(value, parts[i]);
    out[blockIdx.x] = value;
  }
}
__global__ void divided(const float *__restrict__ x, const float *__restrict__ by, float *__restrict__ out, int columns) {
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    out[blockIdx.x * columns + i] = x[blockIdx.x * columns + i] / (1 + by[blockIdx.x]);
}

//--- main.cu
#include "both.h"

#include "kernels.cu"

#include "loop.h"
#include "rows.h"

int main() {
  constexpr int n = 300, grid = 5;
  Array<float> x(n), by(n, 9), middle(n), y(n);
  Both both;
  both.output("y", y);
  bool good = true;
  for (int columns : {8, 9}) {
    loop::scaled_shifted::Launch given{};
    given.grid = grid;
    given.arguments.x = x, given.arguments.scaled_by = by, given.arguments.n = n;
    given.arguments.columns = columns, given.arguments.shifted_by = 0.5f, given.arguments.out = y;
    good &= both.same(
        "loop",
        [&] {
          scaled<<<grid, 64>>>(x, by, middle, n, columns);
          shifted<<<grid, 64>>>(middle, y, 0.5f, n);
        },
        [&] { require(loop::launch(given, nullptr), "loop"); });
  }
  for (int columns : {100, 99}) {
    rows::largest_divided::Launch given{};
    given.grid = 3;
    given.arguments.x = x, given.arguments.columns = columns, given.arguments.largest_out = middle;
    given.arguments.divided_out = y;
    good &= both.same(
        "rows",
        [&] {
          largest<<<3, 64>>>(x, middle, columns);
          divided<<<3, 64>>>(x, middle, y, columns);
        },
        [&] { require(rows::launch(given, nullptr), "rows"); });
  }
  return good ? 0 : 1;
}
