// A half takes a float by an operator of its class, not by conversion: an object in the place of the half does, too,
// where a kernel stores it, in a row and in a group.
// RUN: rm -rf %t && split-file %s %t && cd %t
// RUN: %cufuse fuse a.cu:product a.cu:twice --link product.c=twice.in --link 'product.m*n=twice.n' --dead product.c \
// RUN:   --block product=8x8 --name stored -o stored.cu
// RUN: %cufuse fuse a.cu:scaleRow a.cu:sumRow --link scaleRow.out=sumRow.in --link scaleRow.columns=sumRow.columns \
// RUN:   --dead scaleRow.out --block 32 --name row -o row.cu
// RUN: %cufuse fuse a.cu:pairs a.cu:twice --link pairs.out=twice.in --link pairs.n=twice.n --block 32 --name grouped -o grouped.cu
// RUN: %execute --nvcc=-fmad=false -I %S/Inputs -I %t %t/main.cu %t/stored.cu %t/row.cu %t/grouped.cu

//--- a.cu
#include <cuda_fp16.h>
__global__ void product(const float *__restrict__ a, const float *__restrict__ b, half *__restrict__ c, int m, int n,
                        int k) {
  const int row = blockIdx.y * 8 + threadIdx.y, column = blockIdx.x * 8 + threadIdx.x;
  if (row < m && column < n) {
    float sum = 0;
    for (int t = 0; t < k; ++t)
      sum += a[row * k + t] * b[t * n + column];
    if (sum < 0)
      c[row * n + column] = 2.0 * row;
    else
      c[row * n + column] = sum;
  }
}
__global__ void twice(const half *__restrict__ in, half *__restrict__ out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = 2 * __half2float(in[i]);
}
__global__ void scaleRow(const float *__restrict__ x, half *__restrict__ out, int columns) {
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    out[blockIdx.x * columns + i] = x[blockIdx.x * columns + i] * 1.5f;
}
__global__ void sumRow(const half *__restrict__ in, float *__restrict__ out, int columns) {
  float sum = 0;
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    sum += __half2float(in[blockIdx.x * columns + i]);
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    out[blockIdx.x * columns + i] = __half2float(in[blockIdx.x * columns + i]) + sum;
}
__global__ void pairs(const float *__restrict__ x, half *__restrict__ out, int n) {
  const int first = 2 * (blockIdx.x * blockDim.x + threadIdx.x);
  for (int k = 0; k < 2; ++k)
    if (first + k < n)
      out[first + k] = x[first + k] + k;
}

//--- main.cu
#include "both.h"

#include "a.cu"

#include "grouped.h"
#include "row.h"
#include "stored.h"

int main() {
  bool good = true;
  Array<float> x(4096, 7), y(4096);
  Array<half> mid(4096), out(4096);
  for (const dim3 size : {dim3(1, 1), dim3(33, 17), dim3(8, 40)}) {
    const int m = size.y, n = size.x;
    const dim3 grid((n + 7) / 8, (m + 7) / 8);
    Both stored;
    stored.output("stored", out);
    good &= stored.same(
        "stored",
        [&] {
          product<<<grid, dim3(8, 8)>>>(x, x, mid, m, n, 9);
          twice<<<m * n / 64 + 1, 64>>>(mid, out, m * n);
        },
        [&] {
          stored::product_twice::Launch launch{};
          launch.grid = grid;
          launch.arguments = {x, x, m, n, 9, out};
          require(stored::launch(launch), "stored");
        });
    Both row;
    row.output("row", y);
    good &= row.same(
        "row",
        [&] {
          scaleRow<<<m, 32>>>(x, mid, n);
          sumRow<<<m, 32>>>(mid, y, n);
        },
        [&] {
          row::scaleRow_sumRow::Launch launch{};
          launch.grid = m;
          launch.arguments = {x, mid, n, y};
          require(row::launch(launch), "row");
        });
    Both grouped;
    grouped.output("mid", mid), grouped.output("out", out);
    good &= grouped.same(
        "grouped",
        [&] {
          pairs<<<m * n / 64 + 1, 32>>>(x, mid, m * n);
          twice<<<m * n / 64 + 1, 64>>>(mid, out, m * n);
        },
        [&] {
          grouped::pairs_twice::Launch launch{};
          launch.grid = m * n / 64 + 1;
          launch.arguments = {x, mid, m * n, out};
          require(grouped::launch(launch), "grouped");
        });
  }
  return good ? 0 : 1;
}
