// Behind a kernel that has stored an array in the same launch, `__ldg` loads what is there now: across the grid, and in turn.
// RUN: rm -rf %t && split-file %s %t && cd %t
// RUN: %cufuse fuse --vertical kernels.cu:squared kernels.cu:mirrored --cooperative --block 64 --block 64 --name grid -o grid.cu
// RUN: %cufuse fuse --vertical kernels.cu:squared kernels.cu:rowMirrored --block 64 --name turn -o turn.cu
// RUN: %execute -I %S/Inputs -I %t main.cu grid.cu turn.cu

//--- kernels.cu
#include <cuda_fp16.h>
#define LDG(array, index) __ldg(array + index)
__device__ __forceinline__ float doubled(const float *p) { return 2 * __ldg(p); }
__global__ void squared(const int *in, float *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = in[i] * in[i];
}
__global__ void mirrored(const float *__restrict__ in, const float *by, float *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = LDG(in, n - 1 - i) * doubled(by + i);
}
__global__ void rowMirrored(const float *__restrict__ in, float *out, int columns) {
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    out[blockIdx.x * columns + i] = __ldg(&in[blockIdx.x * columns + columns - 1 - i]);
}
inline void acrossTheGrid(const int *x, float *y, const float *by, float *z, int n) {
  squared<<<(n + 63) / 64, 64>>>(x, y, n);
  mirrored<<<(n + 63) / 64, 64>>>(y, by, z, n);
}
inline void inTurn(const int *x, float *y, float *z, int rows, int columns) {
  squared<<<(rows * columns + 63) / 64, 64>>>(x, y, rows * columns);
  rowMirrored<<<rows, 64>>>(y, z, columns);
}

//--- main.cu
#include "both.h"

#include "kernels.cu"

#include "grid.h"
#include "turn.h"

int main() {
  constexpr int rows = 9, columns = 150, n = rows * columns;
  Array<int> x(n);
  Array<float> y(n), by(n), z(n);
  bool good = true;
  Both compared;
  compared.output("y", y);
  compared.output("z", z);
  grid::squared::Launch first{};
  first.grid = (n + 63) / 64;
  first.arguments.in = x, first.arguments.out = y, first.arguments.n = n;
  grid::mirrored::Launch second{};
  second.grid = first.grid;
  second.arguments.by = by, second.arguments.out = z;
  good &= compared.same(
      "grid", [&] { acrossTheGrid(x, y, by, z, n); },
      [&] { require(grid::launch(first, second, nullptr), "grid"); });
  good &= compared.same(
      "turn", [&] { inTurn(x, y, z, rows, columns); },
      [&] { require(turn::squared_rowMirrored::launch(rows, x, y, n, z, columns), "turn"); });
  return good ? 0 : 1;
}
