// A kernel may read a member of an element that another one makes: at its loads, of a row, and of a row's value.
// RUN: rm -rf %t && split-file %s %t && cd %t
// RUN: %cufuse fuse --vertical kernels.cu:packed kernels.cu:reversed --link packed.out=reversed.in --dead packed.out --recompute 2 \
// RUN:   --block 64 --name loads -o %t/loads.cu
// RUN: %cufuse fuse --vertical kernels.cu:pairs kernels.cu:first kernels.cu:less --link pairs.out=first.in \
// RUN:   --link pairs.out=less.in --link first.out=less.first --link pairs.columns=first.columns \
// RUN:   --link pairs.columns=less.columns --dead pairs.out --dead first.out --block 64 --name rows -o %t/rows.cu
// RUN: %execute -I %S/Inputs -I %t %t/main.cu %t/loads.cu %t/rows.cu

//--- kernels.cu
__global__ void packed(const float *__restrict__ x, float2 *__restrict__ out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = make_float2(x[i], i);
}
__global__ void reversed(const float2 *__restrict__ in, float *__restrict__ out) {
  __shared__ float all[64];
  const float2 *own = in + blockIdx.x * 64;
  all[threadIdx.x] = own[threadIdx.x].x + 2 * in[blockIdx.x * 64 + threadIdx.x].y;
  __syncthreads();
  out[blockIdx.x * 64 + threadIdx.x] = all[63 - threadIdx.x];
}

__global__ void pairs(const float *__restrict__ x, float2 *__restrict__ out, int columns) {
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    out[blockIdx.x * columns + i] = make_float2(x[blockIdx.x * columns + i], i);
}
__global__ void first(const float2 *__restrict__ in, float2 *__restrict__ out, int columns) {
  __shared__ float sum;
  if (threadIdx.x == 0)
    sum = 0;
  __syncthreads();
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    if (in[blockIdx.x * columns + i].y == 0)
      sum = in[blockIdx.x * columns + i].x;
  __syncthreads();
  if (threadIdx.x == 0)
    out[blockIdx.x] = make_float2(sum, columns);
}
__global__ void less(const float2 *__restrict__ in, const float2 *__restrict__ first, float *__restrict__ out, int columns) {
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    out[blockIdx.x * columns + i] = in[blockIdx.x * columns + i].x - first[blockIdx.x].x * first[blockIdx.x].y;
}

//--- main.cu
#include "both.h"

#include "kernels.cu"

#include "loads.h"
#include "rows.h"

int main() {
  constexpr int grid = 3, n = grid * 64, columns = 200;
  Array<float> x(grid * columns), y(grid * columns);
  Array<float> middle(grid * columns * 2), values(grid * 2);
  float2 *const elements = reinterpret_cast<float2 *>(middle.data), *const firsts = reinterpret_cast<float2 *>(values.data);
  Both both;
  both.output("y", y);
  loads::packed_reversed::Launch atLoads{};
  atLoads.grid = grid;
  atLoads.arguments.x = x, atLoads.arguments.n = n, atLoads.arguments.out = y;
  bool good = both.same(
      "loads",
      [&] {
        packed<<<grid, 64>>>(x, elements, n);
        reversed<<<grid, 64>>>(elements, y);
      },
      [&] { require(loads::launch(atLoads, nullptr), "loads"); });
  rows::pairs_first_less::Launch byRow{};
  byRow.grid = grid;
  byRow.arguments.x = x, byRow.arguments.columns = columns, byRow.arguments.out = y;
  good &= both.same(
      "rows",
      [&] {
        pairs<<<grid, 64>>>(x, elements, columns);
        first<<<grid, 64>>>(elements, firsts, columns);
        less<<<grid, 64>>>(elements, firsts, y, columns);
      },
      [&] { require(rows::launch(byRow, nullptr), "rows"); });
  return good ? 0 : 1;
}
