// Kernels by row may have a class of the kernel's file by value, whose members may have the built-ins' names; a number may
// be a __grid_constant__.
// RUN: rm -rf %t && split-file %s %t
// RUN: cd %t && %cufuse fuse --vertical k.cu:normalize k.cu:bend --link normalize.out=bend.in \
// RUN:   --link normalize.columns=bend.columns --in-registers --block 128 --name rows -o rows.cu
// RUN: cd %t && %cufuse fuse k.cu:bend k.cu:plain --block 128 --block 64 --name beside -o beside.cu
// RUN: %execute -I %S/Inputs -I %t %t/main.cu %t/rows.cu %t/beside.cu

//--- k.cu
struct Shape {
  dim3 gridDim, blockDim;
  uint3 threadIdx;
  float least;
};
__global__ void normalize(const float *in, float *out, int columns, Shape shape) {
  __shared__ float sums[128];
  const float *row = in + blockIdx.x * columns;
  float sum = 0;
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    sum += row[i] * row[i];
  sums[threadIdx.x] = sum;
  __syncthreads();
  for (int k = blockDim.x / 2; k > 0; k /= 2) {
    if (threadIdx.x < k)
      sums[threadIdx.x] += sums[threadIdx.x + k];
    __syncthreads();
  }
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    out[blockIdx.x * columns + i] = row[i] * rsqrtf(sums[0] + shape.least) + shape.blockDim.x;
}
__global__ void bend(const float *in, float *out, int columns, const __grid_constant__ float by) {
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    out[blockIdx.x * columns + i] = fmaxf(in[blockIdx.x * columns + i], 0.f) * by;
}
__device__ float at(const float *value) { return *value; }
__global__ void plain(const float *in, float *out, const __grid_constant__ float by) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i] * at(&by);
}

//--- main.cu
#include "both.h"
#include "k.cu"

#include "beside.h"
#include "rows.h"

int main() {
  Array<float> in(9 * 700), a(9 * 700), b(9 * 700);
  const Shape shape{dim3(9), dim3(128), {1, 2, 3}, 0.5f};
  Both both;
  both.output("a", a), both.output("b", b);
  bool good = true;
  rows::normalize_bend::Launch launch{9, {in, a, 0, {}, b, 3}};
  launch.arguments.shape = shape;
  for (const int columns : {128, 300, 700}) {
    launch.arguments.columns = columns;
    good &= both.same(
        "rows", [&] { normalize<<<9, 128>>>(in, a, columns, shape), bend<<<9, 128>>>(a, b, columns, 3); },
        [&] { require(rows::launch(launch), "rows"); });
  }
  good &= both.same(
      "beside", [&] { bend<<<9, 128>>>(in, a, 700, 2), plain<<<50, 64>>>(in, b, 5); },
      [&] { require(beside::launch({9, {in, a, 700, 2}}, {50, {in, b, 5}}), "beside"); });
  return good ? 0 : 1;
}
