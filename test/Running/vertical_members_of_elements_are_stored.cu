// A kernel may store members of elements, by name or by an operator of their class: what else the element has stays.
// RUN: rm -rf %t && split-file %s %t && cd %t
// RUN: %cufuse fuse --vertical kernels.cu:advance kernels.cu:energy --link advance.p=energy.p --link advance.n=energy.n \
// RUN:   --distinct --block 128 --name elements -o %t/elements.cu
// RUN: %cufuse fuse --vertical kernels.cu:scale kernels.cu:multiply --link scale.x=multiply.in --link scale.x=multiply.out \
// RUN:   --link scale.n=multiply.n --distinct --block 128 --name twice -o %t/twice.cu
// RUN: %cufuse fuse --vertical kernels.cu:weigh kernels.cu:spread --link weigh.p=spread.p --link weigh.columns=spread.columns \
// RUN:   --distinct --block 64 --name rows -o %t/rows.cu
// RUN: %execute -I %S/Inputs -I %t %t/main.cu %t/elements.cu %t/twice.cu %t/rows.cu
// RUN: FileCheck %s --input-file %t/elements.cu
// CHECK: In memory: advance.p.
//
// Another thread's members are another's.
// RUN: %exits 1 %cufuse fuse --vertical kernels.cu:advance kernels.cu:neighbour --link advance.p=neighbour.p \
// RUN:   --link advance.n=neighbour.n --distinct --block 128 --name none -o %t/none.cu 2>&1 | FileCheck %s --check-prefix=OTHER
// OTHER: in turn: a block may use what another kernel stores

//--- kernels.cu
inline __device__ void operator*=(float2 &a, float b) {
  a.x *= b;
  a.y *= b;
}

__global__ void advance(float4 *p, const float *v, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    p[i].x += v[i];
    p[i].w = p[i].x * 2;
  }
}
__global__ void energy(const float4 *p, float *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = p[i].x + p[i].y * p[i].w;
}
__global__ void neighbour(const float4 *p, float *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = p[n - 1 - i].x;
}

__global__ void scale(float2 *x, float factor, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
    x[i] *= factor;
}
__global__ void multiply(float2 *out, const float2 *in, const float *y, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
    out[i] = make_float2(in[i].x * y[i], in[i].y);
}

__global__ void weigh(float4 *p, int columns) {
  __shared__ float all[64];
  all[threadIdx.x] = p[blockIdx.x * columns + threadIdx.x].y;
  __syncthreads();
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    p[blockIdx.x * columns + i].z = all[63 - threadIdx.x] + p[blockIdx.x * columns + i].x;
}
__global__ void spread(const float4 *p, float *out, int columns) {
  __shared__ float all[64];
  all[threadIdx.x] = p[blockIdx.x * columns + 63 - threadIdx.x].z;
  __syncthreads();
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    out[blockIdx.x * columns + i] = all[i % 64] + p[blockIdx.x * columns + i].w;
}

//--- main.cu
#include "both.h"

#include "kernels.cu"

#include "elements.h"
#include "rows.h"
#include "twice.h"

int main() {
  constexpr int lines = 3, columns = 100, n = lines * columns;
  Array<float> particles(4 * n), y(n), v(n);
  float4 *const p = reinterpret_cast<float4 *>(particles.data);
  float2 *const pairs = reinterpret_cast<float2 *>(particles.data);
  Both both;
  both.output("particles", particles);
  both.output("y", y);
  elements::advance_energy::Launch each{};
  each.arguments.p = p, each.arguments.v = v, each.arguments.n = n, each.arguments.out = y;
  bool good = both.same(
      "elements",
      [&] {
        advance<<<3, 128>>>(p, v, n);
        energy<<<3, 128>>>(p, y, n);
      },
      [&] { require(elements::launch(each, nullptr), "elements"); });
  twice::scale_multiply::Launch two{};
  two.arguments.scale_x = pairs, two.arguments.factor = 3, two.arguments.n = n, two.arguments.y = v;
  good &= both.same(
      "twice",
      [&] {
        scale<<<2, 128>>>(pairs, 3, n);
        multiply<<<2, 128>>>(pairs, pairs, v, n);
      },
      [&] { require(twice::launch(two, nullptr), "twice"); });
  rows::weigh_spread::Launch byRow{};
  byRow.grid = lines;
  byRow.arguments.p = p, byRow.arguments.columns = columns, byRow.arguments.out = y;
  good &= both.same(
      "rows",
      [&] {
        weigh<<<lines, 64>>>(p, columns);
        spread<<<lines, 64>>>(p, y, columns);
      },
      [&] { require(rows::launch(byRow, nullptr), "rows"); });
  return good ? 0 : 1;
}
