// Pointwise producers computed where kernels of many kinds load: a transposition, a stencil, a reduction by rows, a gather,
// a matrix product that has consumers, too; elements that no producer makes come from memory.
// RUN: rm -rf %t && split-file %s %t && cd %t
// RUN: %cufuse fuse --distinct --vertical a.cu:scale a.cu:shift '%samples/transpose/transpose.cu:transposeTiled<float>' \
// RUN:   --link scale.out=shift.in --link shift.out=transposeTiled.in --link scale.n=shift.n \
// RUN:   --link 'transposeTiled.width*height=scale.n' --dead scale.out --dead shift.out --name turned -o turned.cu
// RUN: %cufuse fuse --distinct --vertical a.cu:scale a.cu:stencil --link scale.out=stencil.in --dead scale.out --recompute any \
// RUN:   --block 64 --name halo -o halo.cu
// RUN: %cufuse fuse --distinct --vertical a.cu:scale a.cu:gather --link scale.out=gather.in --dead scale.out --recompute any \
// RUN:   --block 64 --name chosen -o chosen.cu
// RUN: %cufuse fuse --distinct --vertical a.cu:scale a.cu:sums a.cu:shift --link scale.out=sums.in --link sums.out=shift.in \
// RUN:   --dead scale.out --block sums=64 --name rows -o rows.cu
// RUN: %cufuse fuse --distinct --vertical a.cu:scale a.cu:shift a.cu:gemm a.cu:shift --link scale.out=gemm.a --link shift_0.out=gemm.b \
// RUN:   --link 'gemm.m*k=scale.n' --link 'gemm.k*n=shift_0.n' --link gemm.c=shift_1.in --link 'gemm.m*n=shift_1.n' \
// RUN:   --dead scale.out --dead shift_0.out --dead gemm.c --recompute 3 --block gemm=16x16 --name product -o product.cu
// RUN: %execute -D SAMPLE_NO_MAIN -I %S/Inputs -I %t -I %samples/transpose %t/main.cu %t/turned.cu %t/halo.cu %t/rows.cu \
// RUN:   %t/product.cu %t/chosen.cu

//--- a.cu
__global__ void scale(const float *__restrict__ x, float *__restrict__ out, float by, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = x[i] * by;
}
__global__ void shift(const float *__restrict__ in, float *__restrict__ out, float by, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
    out[i] = in[i] + by;
}
__global__ void stencil(const float *__restrict__ in, const int *__restrict__ from, float *__restrict__ out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float *here = &in[i];
  if (i < n)
    out[i] = __ldg(here) + in[i == 0 ? 0 : i - 1] + *(here + 1) + in[from[i]];
}
__global__ void gather(const float *__restrict__ in, const int *__restrict__ from, float *__restrict__ out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = in[from[i]] + in[max(i - 1, 0)];
}
__global__ void sums(const float *__restrict__ in, float *__restrict__ out, int count, int columns) {
  __shared__ float parts[64];
  float sum = 0;
  const float *row = in + blockIdx.x * columns;
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    sum += row[i];
  parts[threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.x < count)
    for (int i = 1; i < 64; ++i)
      sum = parts[i] + 2 * sum;
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    out[blockIdx.x * columns + i] = parts[i % 64];
}
__global__ void gemm(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c, int m, int n,
                     int k) {
  __shared__ float tileA[16][16], tileB[16][16];
  const int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
  float sum = 0;
  for (int t = 0; t < (k + 15) / 16; ++t) {
    const int inner = t * 16 + threadIdx.x, depth = t * 16 + threadIdx.y;
    tileA[threadIdx.y][threadIdx.x] = 0;
    tileB[threadIdx.y][threadIdx.x] = 0;
    if (row < m && inner < k)
      tileA[threadIdx.y][threadIdx.x] = a[row * k + inner];
    if (depth < k && column < n)
      tileB[threadIdx.y][threadIdx.x] = b[depth * n + column];
    __syncthreads();
    for (int j = 0; j < 16; ++j)
      sum += tileA[threadIdx.y][j] * tileB[j][threadIdx.x];
    __syncthreads();
  }
  if (row < m && column < n)
    c[row * n + column] = sum;
}

//--- main.cu
#include "both.h"

#include "a.cu"

#include "transpose.cu"

#include "chosen.h"
#include "halo.h"
#include "product.h"
#include "rows.h"
#include "turned.h"

int main() {
  constexpr int room = 2048;
  bool good = true;
  Array<float> x(room, 7), a(room), b(room), c(room), d(room);
  Array<int> from(room, 40);
  for (const dim3 size : {dim3(1, 1), dim3(33, 17), dim3(32, 40)}) {
    const int width = size.x, height = size.y, n = width * height;
    const dim3 tiles((width + 31) / 32, (height + 31) / 32);
    Both turned;
    turned.output("turned", c);
    good &= turned.same(
        "turned",
        [&] {
          scale<<<n / 64 + 1, 64>>>(x, a, 3, n);
          shift<<<2, 64>>>(a, b, 5, n);
          transposeTiled<float><<<tiles, dim3(32, 8)>>>(b, c, width, height);
        },
        [&] {
          turned::scale_shift_transposeTiled::Launch launch{};
          launch.grid = tiles, launch.block = dim3(32, 8);
          launch.arguments = {x, 3, nullptr, 5, c, width, height};
          require(turned::launch(launch), "turned");
        });
    Both rows;
    rows.output("sums", a), rows.output("shifted", b);
    good &= rows.same(
        "rows",
        [&] {
          scale<<<n / 64 + 1, 64>>>(x, d, 3, n);
          sums<<<height, 64>>>(d, a, 3, width);
          shift<<<1, 64>>>(a, b, 1, n);
        },
        [&] {
          rows::scale_sums_shift::Launch launch{};
          launch.grid = height;
          launch.arguments = {x, nullptr, 3, n, a, 3, width, b, 1, n};
          require(rows::launch(launch), "rows");
        });
  }
  for (int n : {1, 64, 65, 399}) {
    // One element more than are made is loaded.
    const int made = n < 40 ? 41 : n;
    Both halo;
    halo.output("out", c);
    good &= halo.same(
        "halo",
        [&] {
          cudaMemset(a, 0, room * sizeof(float));
          scale<<<made / 64 + 1, 64>>>(x, a, 3, made);
          stencil<<<n / 64 + 1, 64>>>(a, from, c, n);
        },
        [&] {
          cudaMemset(a, 0, room * sizeof(float));
          halo::scale_stencil::Launch launch{};
          launch.grid = n / 64 + 1;
          launch.arguments = {x, a, 3, made, from, c, n};
          require(halo::launch(launch), "halo");
        });
    Both chosen;
    chosen.output("out", c);
    good &= chosen.same(
        "chosen",
        [&] {
          scale<<<made / 64 + 1, 64>>>(x, a, 3, made);
          gather<<<n / 64 + 1, 64>>>(a, from, c, n);
        },
        [&] {
          chosen::scale_gather::Launch launch{};
          launch.grid = n / 64 + 1;
          launch.arguments = {x, nullptr, 3, made, from, c, n};
          require(chosen::launch(launch), "chosen");
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
          scale<<<m * k / 64 + 1, 64>>>(x, a, 2, m * k);
          shift<<<1, 64>>>(x, b, 1, k * n);
          gemm<<<grid, dim3(16, 16)>>>(a, b, c, m, n, k);
          shift<<<1, 64>>>(c, d, 3, m * n);
        },
        [&] {
          product::scale_shift_gemm_shift::Launch launch{};
          launch.grid = grid;
          auto &arguments = launch.arguments;
          arguments.x = x, arguments.scale_by = 2;
          arguments.in = x, arguments.shift_0_by = 1;
          arguments.m = m, arguments.n = n, arguments.gemm_k = k;
          arguments.out = d, arguments.shift_1_by = 3;
          require(product::launch(launch), "product");
          launch.grid.x = 4; // more often than allowed
          if (product::launch(launch) != cudaErrorInvalidConfiguration)
            std::exit(2);
        });
  }
  return good ? 0 : 1;
}
