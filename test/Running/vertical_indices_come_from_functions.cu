// The thread's place may come from functions, templates, functions of these, and lambdas: in one loop, where a matrix
// product stores and loads, and by row. As elements, functions take the block from the kernel that calls them.
// RUN: rm -rf %t && split-file %s %t && cd %t
// RUN: %cufuse fuse --vertical a.cu:byFunction a.cu:byTemplate a.cu:byArguments a.cu:byLambda --link byFunction.out=byTemplate.in \
// RUN:   --link byTemplate.out=byArguments.in --link byArguments.out=byLambda.in --link byFunction.n=byTemplate.n \
// RUN:   --link byTemplate.n=byArguments.n --link byArguments.n=byLambda.n --dead byFunction.out --dead byTemplate.out \
// RUN:   --dead byArguments.out --vectorize 4 --block 64 --name chain -o chain.cu
// RUN: FileCheck %s --input-file=chain.cu
// CHECK-DAG: __device__ int gid(const uint3 blockIdx) { return blockIdx.x * blockDim.x + threadIdx.x; }
// CHECK-DAG: const int i = gid(blockIdx);
// CHECK-DAG: template <typename T> __device__ T total(const uint3 blockIdx, const dim3 gridDim) {
// CHECK-DAG: __device__ inline long first(const uint3 blockIdx, const dim3 gridDim, long scale) { return scale * gid(blockIdx, gridDim)
// RUN: %cufuse fuse --vertical a.cu:byTemplate a.cu:gemm a.cu:byFunction --link byTemplate.out=gemm.a --link gemm.c=byFunction.in \
// RUN:   --link 'gemm.m*k=byTemplate.n' --link 'gemm.m*n=byFunction.n' --dead byTemplate.out --dead gemm.c --recompute any \
// RUN:   --block gemm=16x16 --name product -o product.cu
// RUN: %cufuse fuse --vertical a.cu:byFunction a.cu:sums a.cu:byLambda --link byFunction.out=sums.in \
// RUN:   --link sums.out=byLambda.in --dead sums.out --dead byFunction.out --block sums=64 --name rows -o rows.cu
// RUN: %cufuse fuse --vertical a.cu:byFunction a.cu:byGroup a.cu:byTemplate --link byFunction.out=byGroup.in \
// RUN:   --link byGroup.out=byTemplate.in --link byFunction.n=byGroup.n --link byGroup.n=byTemplate.n --dead byFunction.out \
// RUN:   --dead byGroup.out --vectorize 8 --block 64 --name groups -o groups.cu
// RUN: %nvcc -Werror all-warnings -arch=sm_90 -cubin -o chain.cubin chain.cu
// RUN: %execute -I %S/Inputs -I %t %t/main.cu %t/chain.cu %t/product.cu %t/rows.cu %t/groups.cu

//--- index.cuh
#pragma once
template <typename T> __device__ T total(void) { return static_cast<T>(blockDim.x) * gridDim.x; }

//--- a.cu
#include "index.cuh"
__device__ int gid();
__global__ void byFunction(const float *__restrict__ in, float *__restrict__ out, float by, int n) {
  const int i = gid();
  if (i < n)
    out[i] = in[i] * by;
}
__device__ int gid() { return blockIdx.x * blockDim.x + threadIdx.x; }
namespace inner {
__device__ inline long first(long scale) { return scale * gid() / scale; }
} // namespace inner
__global__ void byTemplate(const float *__restrict__ in, float *__restrict__ out, int n) {
  for (long i = inner::first(1); i < n; i += total<long>())
    out[i] = in[i] + i;
}
__device__ int get_index(int thread, int block, int threads) { return block * threads + thread; }
__global__ void byArguments(const float *__restrict__ in, float *__restrict__ out, int n) {
  const int i = get_index(threadIdx.x, blockIdx.x, blockDim.x);
  if (i < n)
    out[i] = in[i] - 7;
}
__global__ void byLambda(const float *__restrict__ in, float *__restrict__ out, int n) {
  const auto at = [&] { return gid() + 0 * blockIdx.x; };
  if (at() < n)
    out[at()] = in[at()] * 3;
}
__device__ int first() { return 4 * gid(); }
__global__ void byGroup(const float *__restrict__ in, float *__restrict__ out, int n) {
  if (first() + 4 <= n) {
    const float4 v = *reinterpret_cast<const float4 *>(in + first());
    *reinterpret_cast<float4 *>(out + first()) = make_float4(v.x + 1, v.y + 2, v.z + 3, v.w + 4);
  } else {
    for (int i = first(); i < n; ++i)
      out[i] = in[i] + i % 4 + 1;
  }
}
__device__ int rowOf() { return blockIdx.x; }
__global__ void sums(const float *__restrict__ in, float *__restrict__ out, int columns) {
  __shared__ float parts[64];
  float sum = 0;
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    sum += in[rowOf() * columns + i];
  parts[threadIdx.x] = sum;
  __syncthreads();
  for (int k = 0; k < 64; ++k)
    sum += parts[k];
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    out[rowOf() * columns + i] = sum;
}
__device__ int rowOfTile() { return blockIdx.y * 16 + threadIdx.y; }
__device__ int columnOfTile() { return blockIdx.x * 16 + threadIdx.x; }
__global__ void gemm(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c, int m, int n,
                     int k) {
  const int row = rowOfTile(), column = columnOfTile();
  float sum = 0;
  for (int j = 0; j < k; ++j)
    if (row < m && column < n)
      sum += a[row * k + j] * b[j * n + column];
  if (row < m && column < n)
    c[row * n + column] = sum;
}

//--- main.cu
#include "both.h"

#include "a.cu"

#include "chain.h"
#include "groups.h"
#include "product.h"
#include "rows.h"

int main() {
  constexpr int room = 2048;
  bool good = true;
  Array<float> x(room, 7), a(room), b(room), c(room), d(room), e(room, 5);
  for (int n : {1, 63, 64, 65, 1000}) {
    Both chain;
    chain.output("out", d);
    good &= chain.same(
        "chain",
        [&] {
          byFunction<<<n / 64 + 1, 64>>>(x, a, 3, n);
          byTemplate<<<2, 64>>>(a, b, n);
          byArguments<<<n / 64 + 1, 64>>>(b, c, n);
          byLambda<<<n / 64 + 1, 64>>>(c, d, n);
        },
        [&] {
          chain::byFunction_to_byLambda::Launch launch{};
          launch.grid = 2;
          launch.arguments.in = x, launch.arguments.byFunction_by = 3, launch.arguments.n = n;
          launch.arguments.out = d;
          require(chain::launch(launch), "chain");
        });
    Both groups;
    groups.output("out", d);
    good &= groups.same(
        "groups",
        [&] {
          byFunction<<<n / 64 + 1, 64>>>(x, a, 3, n);
          byGroup<<<n / 256 + 1, 64>>>(a, b, n);
          byTemplate<<<1, 64>>>(b, d, n);
        },
        [&] {
          groups::byFunction_byGroup_byTemplate::Launch launch{};
          launch.grid = 3;
          launch.arguments.in = x, launch.arguments.byFunction_by = 3, launch.arguments.n = n;
          launch.arguments.out = d;
          require(groups::launch(launch), "groups");
        });
  }
  for (const dim3 size : {dim3(1, 1, 1), dim3(33, 40, 17)}) {
    const int m = size.x, n = size.y, k = size.z;
    const dim3 grid((n + 15) / 16, (m + 15) / 16);
    Both product;
    product.output("product", d);
    good &= product.same(
        "product",
        [&] {
          byTemplate<<<2, 64>>>(x, a, m * k);
          gemm<<<grid, dim3(16, 16)>>>(a, e, c, m, n, k);
          byFunction<<<m * n / 64 + 1, 64>>>(c, d, 2, m * n);
        },
        [&] {
          product::byTemplate_gemm_byFunction::Launch launch{};
          launch.grid = grid;
          auto &arguments = launch.arguments;
          arguments.in = x;
          arguments.b = e, arguments.m = m, arguments.n = n, arguments.gemm_k = k;
          arguments.out = d, arguments.byFunction_by = 2;
          require(product::launch(launch), "product");
        });
  }
  for (const int width : {1, 64, 100}) {
    const int height = 7, n = width * height;
    Both rows;
    rows.output("rows", d);
    good &= rows.same(
        "rows",
        [&] {
          byFunction<<<n / 64 + 1, 64>>>(x, a, 3, n);
          sums<<<height, 64>>>(a, b, width);
          byLambda<<<n / 64 + 1, 64>>>(b, d, n);
        },
        [&] {
          rows::byFunction_sums_byLambda::Launch launch{};
          launch.grid = height;
          auto &arguments = launch.arguments;
          arguments.in = x, arguments.byFunction_by = 3, arguments.byFunction_n = n;
          arguments.columns = width;
          arguments.out = d, arguments.byLambda_n = n;
          require(rows::launch(launch), "rows");
        });
  }
  return good ? 0 : 1;
}
