// In turn: rows that are counted from where they begin, and the interior of three dimensions behind a margin.
// RUN: rm -rf %t && split-file %s %t
// RUN: %cufuse fuse --vertical %t/steps.cu:bias %t/steps.cu:norm --block 64 --name rows -o %t/rows.cu
// RUN: %cufuse fuse --vertical %t/steps.cu:along %t/steps.cu:across --block 8x4x2 --name inside -o %t/inside.cu
// RUN: %execute -D SAMPLE_NO_MAIN -I %S/Inputs -I %t -I %samples/elementwise %t/main.cu %t/rows.cu %t/inside.cu

//--- steps.cu
#define LARGER(x, y) ((x) > (y) ? (x) : (y))
__global__ void bias(float *m, const float *b, unsigned n) {
  const unsigned begin = blockIdx.x * n, end = begin + n;
  for (unsigned i = begin + threadIdx.x; i < end; i += blockDim.x)
    m[i] += b[i - begin];
}
__global__ void norm(float *m, const float *g, unsigned n) {
  __shared__ float parts[64];
  const unsigned begin = blockIdx.x * n, end = begin + n;
  float sum = 0;
  for (unsigned i = begin + threadIdx.x; i < end; i += blockDim.x)
    sum += m[i] * m[i];
  parts[threadIdx.x] = sum;
  __syncthreads();
  float total = 0;
  for (int i = 0; i < 64; ++i)
    total += parts[i];
  for (unsigned i = begin + threadIdx.x; i < end; i += blockDim.x)
    m[i] = m[i] / total * g[i - begin];
}
__global__ void along(float *f, const float *c, int l, int m, int n) {
  const int first = (int)blockIdx.x * (int)blockDim.x, i = LARGER(first, 0) + (int)threadIdx.x,
            j = blockIdx.y * blockDim.y + threadIdx.y, k = blockIdx.z * blockDim.z + threadIdx.z;
  if (i >= 4 && j >= 4 && k >= 4 && i < n - 4 && j < m - 4 && k < l - 4)
    f[(k * m + j) * n + i] = c[(k * m + j) * n + i + 4] - c[(k * m + j) * n + i - 4];
}
__global__ void across(float *f, const float *c, int l, int m, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y,
            k = blockIdx.z * blockDim.z + threadIdx.z;
  if (i >= 4 && j >= 4 && k >= 4 && i < n - 4 && j < m - 4 && k < l - 4)
    f[(k * m + j) * n + i] += c[((k + 4) * m + j) * n + i] - c[((k - 4) * m + j) * n + i];
}
void launches(float *m, const float *b, const float *g, unsigned rows, unsigned columns, float *f, const float *c, int l,
              int k, int n, dim3 grid) {
  bias<<<rows, 64>>>(m, b, columns);
  norm<<<rows, 64>>>(m, g, columns);
  along<<<grid, dim3(8, 4, 2)>>>(f, c, l, k, n);
  across<<<grid, dim3(8, 4, 2)>>>(f, c, l, k, n);
}

//--- main.cu
#include "both.h"

#include "steps.cu"

#include "inside.h"
#include "rows.h"

int main() {
  bool good = true;
  for (const int n : {9, 64, 150}) {
    const int count = 5;
    Array<float> m(count * n, 5), b(n, 7), g(n, 3);
    Both both;
    both.output("m", m);
    good &= both.same(
        "rows",
        [&] {
          bias<<<count, 64>>>(m, b, n);
          norm<<<count, 64>>>(m, g, n);
        },
        [&] {
          rows::bias_norm::Launch launch{};
          launch.grid = dim3(count);
          auto &given = launch.arguments;
          given.bias_m = m, given.b = b, given.n = n, given.g = g;
          require(rows::launch(launch), "rows");
        });
  }
  const int l = 11, m = 10, n = 21;
  const dim3 grid((n + 7) / 8, (m + 3) / 4, (l + 1) / 2);
  Array<float> f(l * m * n, 9), c(l * m * n, 4);
  Both both;
  both.output("f", f);
  good &= both.same(
      "inside",
      [&] {
        along<<<grid, dim3(8, 4, 2)>>>(f, c, l, m, n);
        across<<<grid, dim3(8, 4, 2)>>>(f, c, l, m, n);
      },
      [&] {
        inside::along_across::Launch launch{};
        launch.grid = grid;
        auto &given = launch.arguments;
        given.along_f = f, given.c = c, given.l = l, given.m = m, given.n = n;
        require(inside::launch(launch), "inside");
      });
  return good ? 0 : 1;
}
