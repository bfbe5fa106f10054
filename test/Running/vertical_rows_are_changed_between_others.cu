// A kernel by row may change in place what a kernel before it has made, and another may take that behind it: all of them
// have one row in registers.
// RUN: split-file %s %t
// RUN: %cufuse fuse --vertical %t/kernels.cu:twice %t/kernels.cu:add %t/kernels.cu:greater --block 32 --in-registers --name one -o %t/one.cu
// RUN: %cufuse fuse --vertical %t/kernels.cu:twice %t/kernels.cu:add %t/kernels.cu:greater --block 32 --in-registers --reassociate \
// RUN:   --dead add.y --name wide -o %t/wide.cu
// RUN: %cufuse fuse --vertical %t/kernels.cu:twice %t/kernels.cu:add %t/kernels.cu:greater --block 32 --in-registers --reassociate \
// RUN:   --name kept -o %t/kept.cu
// RUN: FileCheck %s --input-file=%t/one.cu
// RUN: %execute -I %t %t/main.cu %t/kernels.cu %t/one.cu %t/wide.cu %t/kept.cu
// CHECK: float rowOf_twice_y[kept];
// CHECK-NOT: rowOf_add_y
// CHECK: cufuse_add::add(row,
// CHECK-NEXT: cufuseStoreRow(row, rowOf_twice_y, twice_y + first, length);
// CHECK: cufuse_greater::greater({}, uint3{element, 0, 0}, z, {row, rowOf_twice_y, twice_y}, n);

//--- kernels.cu
__global__ void twice(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = x[i] * 2;
}
__global__ void add(float *y, const float *x, float *sums, int columns) {
  __shared__ float parts[32];
  float sum = 0;
  for (int i = threadIdx.x; i < columns; i += blockDim.x) {
    const float t = y[blockIdx.x * columns + i] + x[blockIdx.x * columns + i];
    y[blockIdx.x * columns + i] = t;
    sum += t;
  }
  parts[threadIdx.x] = sum;
  __syncthreads();
  for (int k = 16; k > 0; k /= 2) {
    if (threadIdx.x < k)
      parts[threadIdx.x] += parts[threadIdx.x + k];
    __syncthreads();
  }
  if (threadIdx.x == 0)
    sums[blockIdx.x] = parts[0];
}
__global__ void greater(float *z, const float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    z[i] = z[i] < y[i] ? y[i] : z[i];
}
void three(float *x, float *y, float *z, float *sums, int rows, int columns) {
  twice<<<(rows * columns + 31) / 32, 32>>>(x, y, rows * columns);
  add<<<rows, 32>>>(y, x, sums, columns);
  greater<<<(rows * columns + 31) / 32, 32>>>(z, y, rows * columns);
}

//--- main.cu
#include "kept.h"
#include "one.h"
#include "wide.h"
#include <cmath>
#include <cstdio>
#include <vector>
void three(float *, float *, float *, float *, int, int);
constexpr int Rows = 3, Most = 5000;
struct Data {
  float *x, *y, *z, *sums;
  Data() {
    for (float **at : {&x, &y, &z, &sums}) {
      std::vector<float> host(Rows * Most);
      for (size_t i = 0; i < host.size(); ++i)
        host[i] = (i * 7919 + 131 * (at - &x)) % 997 / 50.f - 9;
      cudaMalloc(at, host.size() * sizeof(float));
      cudaMemcpy(*at, host.data(), host.size() * sizeof(float), cudaMemcpyHostToDevice);
    }
  }
};
static bool same(const float *x, const float *y, float within = 0) {
  std::vector<float> a(Rows * Most), b(Rows * Most);
  cudaMemcpy(a.data(), x, a.size() * sizeof(float), cudaMemcpyDeviceToHost);
  cudaMemcpy(b.data(), y, b.size() * sizeof(float), cudaMemcpyDeviceToHost);
  for (size_t i = 0; i < a.size(); ++i)
    if (!(std::fabs(a[i] - b[i]) <= within * (1 + std::fabs(a[i]))))
      return false;
  return true;
}
#define REQUIRE(condition)                                                                                             \
  if (!(condition)) {                                                                                                  \
    std::printf("%d columns: %s\n", columns, #condition);                                                              \
    return 1;                                                                                                          \
  }
int main() {
  for (int columns : {1, 31, 32, 100, 128, 1000, Most}) {
    const int n = Rows * columns;
    Data apart, once, dead, live;
    three(apart.x, apart.y, apart.z, apart.sums, Rows, columns);
    REQUIRE(!one::twice_add_greater::launch(Rows, once.x, once.y, n, once.sums, columns, once.z, nullptr));
    REQUIRE(same(apart.y, once.y) && same(apart.z, once.z) && same(apart.sums, once.sums));
    REQUIRE(!wide::twice_add_greater::launch(Rows, dead.x, dead.y, n, dead.sums, columns, dead.z, nullptr));
    REQUIRE(same(apart.z, dead.z) && same(apart.sums, dead.sums, 1e-4f));
    REQUIRE(!kept::twice_add_greater::launch(Rows, live.x, live.y, n, live.sums, columns, live.z, nullptr));
    REQUIRE(same(apart.y, live.y) && same(apart.z, live.z) && same(apart.sums, live.sums, 1e-4f));
  }
  std::puts("same");
}
