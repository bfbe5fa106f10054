// Kernels that are launched in place by two parameters, first and last, element by element and by row, compute what they do apart.
// RUN: rm -rf %t && split-file %s %t && cd %t
// RUN: %cufuse fuse --vertical kernels.cu:scaled kernels.cu:minus --block 32 --name both -o both_in_place.cu
// RUN: %cufuse fuse --vertical kernels.cu:centred kernels.cu:times --block 32 --name rows -o rows_in_place.cu
// RUN: %cufuse fuse --vertical kernels.cu:reset kernels.cu:scaled --block 32 --name turn -o turn_in_place.cu
// RUN: %cufuse fuse --vertical kernels.cu:shifted kernels.cu:reset kernels.cu:minus --block 32 --name late -o late_in_place.cu
// RUN: %cufuse fuse --vertical kernels.cu:scaled kernels.cu:rowSums --block 32 --name sums -o sums_in_place.cu
// RUN: %execute -I %S/Inputs -I %t main.cu both_in_place.cu rows_in_place.cu turn_in_place.cu late_in_place.cu sums_in_place.cu

//--- kernels.cu
__global__ void scaled(const float *in, float by, float *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = in[i] * by;
}
__global__ void minus(const float *a, const float *b, float *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = a[i] - b[i];
}
__global__ void centred(const float *in, float *out, int columns) {
  __shared__ float parts[32];
  const float *row = in + blockIdx.x * columns;
  float sum = 0;
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    sum += row[i];
  parts[threadIdx.x] = sum;
  __syncthreads();
  for (int k = sum = 0; k < blockDim.x; ++k)
    sum += parts[k];
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    out[blockIdx.x * columns + i] = row[i] - sum / columns;
}
__global__ void times(const float *a, const float *b, float *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = a[i] * b[i];
}
// What is loaded behind the store has been changed.
__global__ void reset(const float *in, float *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    out[i] = 3;
    out[i] = 2 * in[i] + i;
  }
}
__global__ void shifted(const float *in, float *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = in[i] + 1;
}
__global__ void rowSums(const float *x, float *sums, int columns) {
  __shared__ float parts[32];
  float sum = 0;
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    sum += x[blockIdx.x * columns + i];
  parts[threadIdx.x] = sum;
  __syncthreads();
  for (int k = 1; threadIdx.x == 0 && k < blockDim.x; ++k)
    sum += parts[k];
  if (threadIdx.x == 0)
    sums[blockIdx.x] = sum;
}
inline void bothInPlace(float *x, float *y, int n) {
  scaled<<<(n + 31) / 32, 32>>>(x, 0.5f, x, n);
  minus<<<(n + 31) / 32, 32>>>(y, x, y, n);
}
inline void rowsInPlace(float *x, const float *y, int rows, int columns) {
  centred<<<rows, 32>>>(x, x, columns);
  times<<<(rows * columns + 31) / 32, 32>>>(x, y, x, rows * columns);
}
inline void turnInPlace(float *x, int n) {
  reset<<<(n + 31) / 32, 32>>>(x, x, n);
  scaled<<<(n + 31) / 32, 32>>>(x, 0.25f, x, n);
}
inline void lateInPlace(float *x, float *y, int n) {
  shifted<<<(n + 31) / 32, 32>>>(y, x, n);
  reset<<<(n + 31) / 32, 32>>>(x, x, n);
  minus<<<(n + 31) / 32, 32>>>(x, y, y, n);
}
inline void sumsInPlace(float *x, float *sums, int rows, int columns) {
  scaled<<<(rows * columns + 31) / 32, 32>>>(x, 0.75f, x, rows * columns);
  rowSums<<<rows, 32>>>(x, sums, columns);
}

//--- main.cu
#include "both.h"

#include "kernels.cu"

#include "both_in_place.h"
#include "late_in_place.h"
#include "rows_in_place.h"
#include "sums_in_place.h"
#include "turn_in_place.h"

int main() {
  constexpr int rows = 5, columns = 70, n = rows * columns;
  Array<float> x(n), y(n);
  bool good = true;
  Both compared;
  compared.output("x", x);
  compared.output("y", y);
  good &= compared.same(
      "both", [&] { bothInPlace(x, y, n); },
      [&] { require(both::scaled_minus::launch(0.5f, x, n, y), "both"); });
  good &= compared.same(
      "rows", [&] { rowsInPlace(x, y, rows, columns); },
      [&] { require(rows::centred_times::launch(rows, x, columns, y, n), "rows"); });
  good &= compared.same(
      "turn", [&] { turnInPlace(x, n); },
      [&] { require(turn::reset_scaled::launch(x, n, 0.25f), "turn"); });
  good &= compared.same(
      "late", [&] { lateInPlace(x, y, n); },
      [&] { require(late::shifted_reset_minus::launch(y, x, n), "late"); });
  good &= compared.same(
      "sums", [&] { sumsInPlace(x, y, rows, columns); },
      [&] { require(sums::scaled_rowSums::launch(rows, 0.75f, x, n, y, columns), "sums"); });
  return good ? 0 : 1;
}
