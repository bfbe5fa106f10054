// `b < rows` of an element's row `i / columns` bounds the elements, and its column is below `columns` wherever it is.
// RUN: rm -rf %t && mkdir %t
// RUN: %cufuse fuse %s:addBias %s:twice --link addBias.x=twice.x --link addBias.rows*columns=twice.n --block 64 --name inside \
// RUN:   -o %t/inside.cu && FileCheck %s --check-prefix=INSIDE --input-file=%t/inside.cu
// INSIDE: const long long elements = static_cast<long long>(columns) * rows;
// One row less than there is an element for; a column that ends before the row does is none of these.
// RUN: %cufuse fuse %s:lessRows %s:twice --link lessRows.x=twice.x --link lessRows.rows*columns=twice.n --block 64 --name less \
// RUN:   -o %t/less.cu 2>&1 | FileCheck %s --check-prefix=TURN
// RUN: %cufuse fuse %s:lessColumns %s:twice --link lessColumns.x=twice.x --link lessColumns.rows*columns=twice.n --block 64 \
// RUN:   --name columns -o %t/columns.cu
// TURN: In turn,
// RUN: %emulate --seed 1 --seed 2 -I %t -D FUSED %s %t/inside.cu %t/less.cu %t/columns.cu | FileCheck %s
// CHECK: 12 right
__global__ void addBias(float *x, const float *bias, int rows, int columns) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, b = i / columns, c = i % columns;
  if (b < rows && c < columns)
    x[i] += bias[c];
}
__global__ void lessRows(float *x, const float *bias, int rows, int columns) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i / columns < rows - 1)
    x[i] += bias[i % columns];
}
__global__ void lessColumns(float *x, const float *bias, int rows, int columns) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i / columns < rows && i % columns < columns - 1)
    x[i] += bias[i % columns];
}
__global__ void twice(float *x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    x[i] *= 2;
}

#ifdef FUSED
#include "columns.h"
#include "inside.h"
#include "less.h"

#include <cstdio>
#include <vector>

int main() {
  int right = 0;
  for (const auto &[rows, columns] : {std::pair(3, 5), {1, 1}, {7, 64}, {130, 1}}) {
    const int n = rows * columns, blocks = (n + 63) / 64;
    std::vector<float> before(n + 64), bias(columns);
    for (int i = 0; i < n + 64; ++i)
      before[i] = i % 13;
    for (int i = 0; i < columns; ++i)
      bias[i] = i + 1;
    float *x, *y, *b;
    cudaMalloc(&x, before.size() * sizeof(float));
    cudaMalloc(&y, before.size() * sizeof(float));
    cudaMalloc(&b, columns * sizeof(float));
    cudaMemcpy(b, bias.data(), columns * sizeof(float), cudaMemcpyHostToDevice);
    auto same = [&](auto apart, auto fused) {
      std::vector<float> one(before.size()), two(before.size());
      cudaMemcpy(x, before.data(), before.size() * sizeof(float), cudaMemcpyHostToDevice);
      cudaMemcpy(y, before.data(), before.size() * sizeof(float), cudaMemcpyHostToDevice);
      apart<<<blocks, 64>>>(x, b, rows, columns);
      twice<<<blocks, 64>>>(x, n);
      const cudaError_t error = fused(y);
      cudaMemcpy(one.data(), x, one.size() * sizeof(float), cudaMemcpyDeviceToHost);
      cudaMemcpy(two.data(), y, two.size() * sizeof(float), cudaMemcpyDeviceToHost);
      right += error == cudaSuccess && one == two;
    };
    same(addBias, [&](float *of) { return inside::addBias_twice::launch(of, b, rows, columns); });
    same(lessRows, [&](float *of) { return less::lessRows_twice::launch(dim3(blocks), of, b, rows, columns); });
    same(lessColumns, [&](float *of) { return columns::lessColumns_twice::launch(of, b, rows, columns); });
  }
  printf("%d right\n", right);
}
#endif
