// An array that a kernel of the loop loads may be changed by a later one, and by one that has it by two names; a product may
// stand on either side of a link; rows may be counted by a dimension that the block does not have.
// RUN: rm -rf %t && split-file %s %t && cd %t
// RUN: %cufuse fuse kernels.cu:squared kernels.cu:added --link squared.x=added.x --link squared.y=added.y \
// RUN:   --link squared.n=added.n --dead squared.y --block 32 --name residual -o residual.cu
// RUN: %cufuse fuse kernels.cu:added kernels.cu:clamp --link added.x=clamp.in --link added.x=clamp.out \
// RUN:   --link added.n=clamp.n --distinct --block 32 --name clamped -o clamped.cu
// RUN: %cufuse fuse kernels.cu:squared kernels.cu:biased --link squared.y=biased.in --link 'biased.rows*columns=squared.n' \
// RUN:   --dead squared.y --block 32 --name product -o product.cu
// RUN: %cufuse fuse kernels.cu:norm kernels.cu:times --link norm.out=times.in --link norm.columns=times.columns \
// RUN:   --dead norm.out --block 32 --name rows -o rows.cu
// RUN: %execute -I %S/Inputs -I %t main.cu residual.cu clamped.cu product.cu rows.cu
// What is loaded again behind the store has been changed.
// RUN: %exits 2 %cufuse fuse kernels.cu:added kernels.cu:again --link added.x=again.in --link added.x=again.out \
// RUN:   --link added.n=again.n --distinct --block 32 -o no.cu 2>&1 | FileCheck %s --check-prefix=AGAIN
// AGAIN: again.in and again.out to the same memory

//--- kernels.cu
__global__ void squared(const float *__restrict__ x, float *__restrict__ y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = x[i] * x[i];
}
__global__ void added(float *__restrict__ x, const float *__restrict__ y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    x[i] += y[i];
}
__global__ void clamp(const float *in, float *out, float most, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = in[i] > most ? most : in[i];
}
__global__ void again(const float *in, float *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    out[i] = 2 * in[i];
    out[i] = in[i] + 1;
  }
}
__global__ void biased(const float *__restrict__ in, const float *__restrict__ bias, float *__restrict__ out, int rows,
                       int columns) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < rows * columns)
    out[i] = in[i] + bias[i % columns];
}
__global__ void norm(const float *__restrict__ x, float *__restrict__ out, int columns) {
  const int row = blockIdx.x * blockDim.y + threadIdx.y;
  __shared__ float parts[32];
  float sum = 0;
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    sum += x[row * columns + i];
  parts[threadIdx.x] = sum;
  __syncthreads();
  for (int k = 1; k < 32; ++k)
    sum = k == 1 ? parts[0] + parts[1] : sum + parts[k];
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    out[row * columns + i] = x[row * columns + i] - sum;
}
__global__ void times(const float *__restrict__ in, const float *__restrict__ by, float *__restrict__ out, int rows,
                      int columns) {
  const int row = blockIdx.x * blockDim.y + threadIdx.y;
  if (row >= rows)
    return;
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    out[row * columns + i] = in[row * columns + i] * by[i];
}

//--- main.cu
#include "both.h"

#include "kernels.cu"

#include "clamped.h"
#include "product.h"
#include "residual.h"
#include "rows.h"

int main() {
  constexpr int rows = 5, columns = 70, n = rows * columns, grid = n / 32 + 1;
  Array<float> x(n), y(n), middle(n);
  bool good = true;
  Both both;
  both.output("x", x);
  both.output("y", y);

  residual::squared_added::Launch residual{};
  residual.grid = 3;
  residual.arguments.x = x, residual.arguments.n = n;
  good &= both.same(
      "residual",
      [&] {
        squared<<<grid, 32>>>(x, middle, n);
        added<<<grid, 32>>>(x, middle, n);
      },
      [&] { require(residual::launch(residual, nullptr), "residual"); });

  clamped::added_clamp::Launch clamped{};
  clamped.grid = 3;
  clamped.arguments.added_x = x, clamped.arguments.y = y, clamped.arguments.n = n;
  clamped.arguments.most = 700;
  good &= both.same(
      "clamped",
      [&] {
        added<<<grid, 32>>>(x, y, n);
        clamp<<<grid, 32>>>(x, x, 700, n);
      },
      [&] { require(clamped::launch(clamped, nullptr), "clamped"); });

  product::squared_biased::Launch product{};
  product.grid = 3;
  product.arguments.x = x, product.arguments.bias = middle, product.arguments.out = y;
  product.arguments.rows = rows, product.arguments.columns = columns;
  Array<float> bias(columns);
  product.arguments.bias = bias;
  good &= both.same(
      "product",
      [&] {
        squared<<<grid, 32>>>(x, middle, n);
        biased<<<grid, 32>>>(middle, bias, y, rows, columns);
      },
      [&] { require(product::launch(product, nullptr), "product"); });

  rows::norm_times::Launch scaled{};
  scaled.grid = rows;
  scaled.arguments.x = x, scaled.arguments.columns = columns;
  scaled.arguments.times_by = bias, scaled.arguments.out = y, scaled.arguments.rows = rows;
  good &= both.same(
      "rows",
      [&] {
        norm<<<rows, 32>>>(x, middle, columns);
        times<<<rows, 32>>>(middle, bias, y, rows, columns);
      },
      [&] { require(rows::launch(scaled, nullptr), "rows"); });
  return good ? 0 : 1;
}
