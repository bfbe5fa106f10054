// A loop over a row by vectors, `c < columns`, stays in it where the row is whole vectors: the launch is asked for that.
// RUN: rm -rf %t && split-file %s %t && cd %t
// RUN: %cufuse fuse kernels.cu:add kernels.cu:centre --link add.out=centre.in --link 'centre.rows*columns=add.n' --block 32x4 \
// RUN:   --name rows -o %t/rows.cu 2>&1 | FileCheck %s
// CHECK: In memory: add.out. It can be launched with 4 * ((centre.columns + 3) / 4)
// RUN: %execute -I %t %t/main.cu %t/rows.cu

//--- kernels.cu
__global__ void add(float *out, const float *a, const float *b, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = a[i] + b[i];
}
// A warp has a row, and a block four.
__global__ void centre(float *out, const float *in, int rows, int columns) {
  const int row = blockIdx.x * blockDim.y + threadIdx.y;
  if (row >= rows)
    return;
  in += row * columns, out += row * columns;
  float sum = 0;
  for (int c = 4 * threadIdx.x; c < columns; c += 4 * 32) {
    const float4 v = *reinterpret_cast<const float4 *>(in + c);
    sum += v.x + v.y + v.z + v.w;
  }
  for (int reach = 16; reach > 0; reach /= 2)
    sum += __shfl_xor_sync(~0u, sum, reach);
  for (int c = threadIdx.x; c < columns; c += 32)
    out[c] = in[c] - sum / columns;
}
//--- main.cu
#include "rows.h"

#include <cmath>
#include <cstdio>

int main() {
  const int rows = 6, columns = 136, n = rows * columns;
  float x[n], y[n], found[n], *a, *b, *sum, *out;
  for (float **each : {&a, &b, &sum, &out})
    cudaMalloc(reinterpret_cast<void **>(each), sizeof found);
  for (int i = 0; i < n; ++i)
    x[i] = static_cast<float>(i % 7), y[i] = static_cast<float>(i / columns);
  cudaMemcpy(a, x, sizeof x, cudaMemcpyHostToDevice);
  cudaMemcpy(b, y, sizeof y, cudaMemcpyHostToDevice);
  // Where the last vector of a row would be the next one's, too.
  if (rows::add_centre::launch(dim3(2), sum, a, b, out, rows, columns - 2, 0) != cudaErrorInvalidConfiguration)
    return std::puts("a row of other than whole vectors is launched"), 1;
  if (rows::add_centre::launch(dim3(2), sum, a, b, out, rows, columns, 0) != cudaSuccess ||
      cudaMemcpy(found, out, sizeof found, cudaMemcpyDeviceToHost) != cudaSuccess)
    return std::puts("not launched"), 1;
  for (int row = 0; row < rows; ++row) {
    float all = 0;
    for (int c = 0; c < columns; ++c)
      all += x[row * columns + c] + y[row * columns + c];
    for (int c = 0; c < columns; ++c)
      if (const int i = row * columns + c; std::fabs(found[i] - (x[i] + y[i] - all / columns)) > 1e-4f)
        return std::printf("%d: %f in place of %f\n", i, found[i], x[i] + y[i] - all / columns), 1;
  }
}
