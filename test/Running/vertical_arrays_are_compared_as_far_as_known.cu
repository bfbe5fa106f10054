// Without --distinct: rows that are loaded backwards by unsigned indices, which the launch asks to fit; and a table of
// which nobody knows what is used, beside arrays that the launch compares.
// RUN: rm -rf %t && split-file %s %t
// RUN: %cufuse fuse --vertical %t/steps.cu:rows %t/steps.cu:backwards --block 64 --name reversed -o %t/reversed.cu
// RUN: %cufuse fuse --vertical %t/steps.cu:twice %t/steps.cu:gather --block 64 --dead twice.y --name looked -o %t/looked.cu
// RUN: %execute -D SAMPLE_NO_MAIN -I %S/Inputs -I %t -I %samples/elementwise %t/main.cu %t/reversed.cu %t/looked.cu

//--- steps.cu
__global__ void rows(const float *x, float *y, int cols) {
  for (int i = threadIdx.x; i < cols; i += blockDim.x)
    y[blockIdx.x * cols + i] = x[blockIdx.x * cols + i] * 2;
}
__global__ void backwards(const float *y, float *z, int cols) {
  for (int i = threadIdx.x; i < cols; i += blockDim.x)
    z[blockIdx.x * cols + i] = y[blockIdx.x * cols + cols - 1 - i];
}
__global__ void twice(const float *x, float *y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = x[i] * 2;
}
__global__ void gather(const float *y, const int *order, const float *table, float *z, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    z[i] = y[i] + table[order[i]];
}
void launches(const float *x, float *y, float *z, const int *order, const float *table, int count, int cols, int n) {
  rows<<<count, 64>>>(x, y, cols);
  backwards<<<count, 64>>>(y, z, cols);
  twice<<<(n + 63) / 64, 64>>>(x, y, n);
  gather<<<(n + 63) / 64, 64>>>(y, order, table, z, n);
}

//--- main.cu
#include "both.h"

#include "steps.cu"

#include "looked.h"
#include "reversed.h"

int main() {
  bool good = true;
  for (const int cols : {1, 64, 150}) {
    const int count = 3, n = count * cols;
    Array<float> x(n, 5), y(n, 7), z(n, 3), table(8, 2);
    Array<int> order(n, 8);
    Both both;
    both.output("z", z);
    good &= both.same(
        "reversed",
        [&] {
          rows<<<count, 64>>>(x, y, cols);
          backwards<<<count, 64>>>(y, z, cols);
        },
        [&] {
          reversed::rows_backwards::Launch launch{};
          launch.grid = dim3(count);
          auto &given = launch.arguments;
          given.x = x, given.y = y, given.z = z, given.cols = cols;
          require(reversed::launch(launch), "reversed");
        });
    good &= both.same(
        "looked",
        [&] {
          twice<<<(n + 63) / 64, 64>>>(x, y, n);
          gather<<<(n + 63) / 64, 64>>>(y, order, table, z, n);
        },
        [&] {
          looked::twice_gather::Launch launch{};
          auto &given = launch.arguments;
          given.x = x, given.order = order, given.table = table, given.z = z, given.n = n;
          require(looked::launch(launch), "looked");
        });
    // What shares memory is launched apart.
    looked::twice_gather::Launch shared{};
    auto &given = shared.arguments;
    given.x = z, given.order = order, given.table = table, given.z = z, given.n = n;
    if (n > 1 && looked::launch(shared) == cudaSuccess)
      good = false;
  }
  return good ? 0 : 1;
}
