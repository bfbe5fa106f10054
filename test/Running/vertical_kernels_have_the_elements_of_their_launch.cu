// Rows of a kernel with a grid of rows go on to one without a bound, whose grid is computed for all their elements: a
// block plays its row of both, and nothing behind it. The launch knows how many elements that is.
// RUN: rm -rf %t && split-file %s %t && cd %t
// RUN: %cufuse fuse --vertical kernels.cu:scales kernels.cu:normalise --distinct --name normed -o normed.cu 2>&1 | FileCheck %s
// CHECK: normalise has no bound, and is taken to have the rows*columns elements that its grid is computed for
// CHECK: note: In turn, a block its part of every kernel: scales, then normalise.
// Of a kernel that plays its own blocks, too.
// RUN: %cufuse fuse --vertical kernels.cu:plus kernels.cu:pairs --distinct --name twice -o twice.cu
// RUN: %execute -I %S/Inputs -I . main.cu normed.cu twice.cu

//--- kernels.cu
template <typename T> T ceilDiv(T all, T part) { return (all + part - 1) / part; }

__global__ void scales(float *scale, const float *in, int columns) {
  __shared__ float part[64];
  float sum = 0;
  for (int i = threadIdx.x; i < columns; i += 64)
    sum += in[blockIdx.x * columns + i];
  part[threadIdx.x] = sum;
  __syncthreads();
  for (int half = 32; half > 0; half /= 2) {
    if (threadIdx.x < half)
      part[threadIdx.x] += part[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0)
    scale[blockIdx.x] = part[0] + 1;
}
__global__ void normalise(float *out, const float *in, const float *scale, int rows, int columns) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i] * scale[i / columns];
}
inline void run(float *out, float *scale, const float *in, int rows, int columns) {
  scales<<<rows, 64>>>(scale, in, columns);
  const int block = 32, grid = ceilDiv(rows * columns, block);
  normalise<<<grid, block>>>(out, in, scale, rows, columns);
}
__global__ void plus(float *all, const float *in, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  all[i] = in[i] + 1;
}
__global__ void pairs(float *all, int half) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  all[2 * i + 1] = all[2 * i] * 2;
}
inline void add(float *all, const float *in, int n) {
  plus<<<(n + 255) / 256, 256>>>(all, in, n);
  const int half = n / 2;
  pairs<<<(half + 127) / 128, 128>>>(all, half);
}

//--- main.cu
#include "both.h"

#include "kernels.cu"
#include "normed.h"
#include "twice.h"

int main() {
  bool good = true;
  const int sizes[][2] = {{4, 64}, {3, 96}, {32, 1}, {1, 32}, {8, 100}, {32, 33}};
  for (const auto &size : sizes) {
    const int rows = size[0], columns = size[1];
    Array<float> in(rows * columns, 7), scale(rows), out(rows * columns + 32);
    Both each;
    each.output("scale", scale), each.output("out", out);
    good &= each.same(
        "rows", [&] { run(out, scale, in, rows, columns); },
        [&] { require(normed::scales_normalise::launch(rows, 64, scale, in, columns, out, rows, nullptr), "rows"); });
    // Other rows than those of the launch.
    good &= normed::scales_normalise::launch(rows, 64, scale, in, columns, out, rows + 1, nullptr) ==
            cudaErrorInvalidConfiguration;
    good &= normed::scales_normalise::launch(rows + 1, 64, scale, in, columns, out, rows, nullptr) ==
            cudaErrorInvalidConfiguration;
  }
  Array<float> in(2048, 7), all(2048);
  Both each;
  each.output("all", all);
  good &= each.same(
      "twice", [&] { add(all, in, 1024); },
      [&] { require(twice::plus_pairs::launch(4, 256, all, in, 1024, 512, nullptr), "twice"); });
  // So many elements have more blocks.
  good &= twice::plus_pairs::launch(4, 256, all, in, 1025, 512, nullptr) == cudaErrorInvalidConfiguration;
  return good ? 0 : 1;
}
