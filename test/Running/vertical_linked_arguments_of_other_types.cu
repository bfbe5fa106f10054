// What one kernel takes as a constant pointer another takes as its own; numbers are linked to those of another size or
// without sign. The fused kernels compute what the launches do, in every form, and the launcher refuses numbers that a
// conversion would change. A parameter without name, beside one that has the name it is given; packs.
// RUN: rm -rf %t && split-file %s %t && cd %t
// RUN: %cufuse fuse --vertical kernels.cu:scaled kernels.cu:shifted --link scaled.y=shifted.in --link scaled.w=shifted.w \
// RUN:   --link scaled.n=shifted.n --dead scaled.y --block 64 --name loop -o %t/loop.cu
// RUN: %cufuse fuse --vertical kernels.cu:turned kernels.cu:shifted --link turned.y=shifted.in --link turned.w=shifted.w \
// RUN:   --link turned.n=shifted.n --dead turned.y --block 64 --name stores -o %t/stores.cu
// RUN: %cufuse fuse --vertical kernels.cu:scaled kernels.cu:reversed --link scaled.y=reversed.in --link scaled.w=reversed.w \
// RUN:   --link scaled.n=reversed.n --dead scaled.y --block 64 --name loads -o %t/loads.cu
// RUN: %cufuse fuse --vertical kernels.cu:total kernels.cu:share --link total.out=share.sum --link total.x=share.x \
// RUN:   --link total.columns=share.columns --block 32 --name rows -o %t/rows.cu
// RUN: %cufuse fuse --vertical kernels.cu:area kernels.cu:shifted --link area.y=shifted.in --link area.rows*columns=shifted.n \
// RUN:   --dead area.y --block 16x4 --name areas -o %t/areas.cu
// RUN: %cufuse fuse --vertical kernels.cu:unnamed kernels.cu:shifted --link unnamed.y=shifted.in --link unnamed.arg0=shifted.n \
// RUN:   --dead unnamed.y --block 64 --name names -o %t/names.cu
// RUN: %cufuse fuse --vertical kernels.cu:sized kernels.cu:averaged --link sized.y=averaged.in --link sized.n=averaged.n \
// RUN:   --link sized.rows*columns=averaged.area --dead sized.y --block 64 --name products -o %t/products.cu
// RUN: %exits 1 %cufuse fuse --vertical kernels.cu:shifted 'kernels.cu:packed<float,float>' --link shifted.out=packed.x \
// RUN:   --link shifted.n=packed.n --block 64 -o %t/no.cu 2>&1 | FileCheck %s
// CHECK: kernels.cu:{{.*}}: error: linked parameters have different types: shifted.out is float *, packed.x is const float *
// RUN: %execute --nvcc=-fmad=false -I %S/Inputs -I %t %t/main.cu %t/loop.cu %t/stores.cu %t/loads.cu %t/rows.cu %t/areas.cu \
// RUN:   %t/names.cu %t/products.cu

//--- kernels.cu
#include <cstddef>
using real = float;

__global__ void scaled(const float *__restrict__ x, const real *__restrict__ w, float *__restrict__ y, size_t n) {
  const size_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = x[i] * w[1];
}
__global__ void shifted(float *__restrict__ in, real *__restrict__ w, float *__restrict__ out, unsigned n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = in[i] + w[0];
}
__global__ void turned(const float *__restrict__ x, const real *__restrict__ w, float *__restrict__ y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  __syncthreads();
  if (i < n)
    y[i] = x[n - 1 - i] * w[0];
}
__global__ void reversed(float *__restrict__ in, real *__restrict__ w, float *__restrict__ out, long long n) {
  const long long i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = in[n - 1 - i] + w[0];
}
/// One block of 32 threads for each row.
__global__ void total(const float *__restrict__ x, float *__restrict__ out, int columns) {
  __shared__ float parts[32];
  float part = 0;
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    part += x[blockIdx.x * columns + i];
  parts[threadIdx.x] = part;
  __syncthreads();
  if (threadIdx.x == 0) {
    float sum = 0;
    for (int i = 0; i < 32; ++i)
      sum += parts[i];
    out[blockIdx.x] = sum;
  }
}
__global__ void share(float *__restrict__ x, float *__restrict__ sum, float *__restrict__ out, int columns) {
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    out[blockIdx.x * columns + i] = x[blockIdx.x * columns + i] / sum[blockIdx.x];
}
__global__ void area(const float *__restrict__ x, float *__restrict__ y, unsigned rows, unsigned columns) {
  const unsigned row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
  __syncthreads();
  if (row < rows && column < columns)
    y[row * columns + column] = x[column * rows + row];
}
__global__ void unnamed(int, const float *__restrict__ x, float *__restrict__ y, int arg0) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < arg0)
    y[i] = x[i] * 3;
}
__global__ void sized(const float *__restrict__ x, float *__restrict__ y, int rows, int columns, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = x[i] * (rows - columns + 2);
}
__global__ void averaged(const float *__restrict__ in, float *__restrict__ out, long long area, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = in[i] + area / 1048576;
}
template <typename... T>
__global__ void packed(float *__restrict__ y, int n, const T *__restrict__... x) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = (x[i] + ...);
}

//--- main.cu
#include "both.h"

#include "kernels.cu"

#include "areas.h"
#include "loads.h"
#include "loop.h"
#include "names.h"
#include "products.h"
#include "rows.h"
#include "stores.h"

#include <climits>
#include <cstdint>

int main() {
  constexpr int room = 1200, rowCount = 3;
  Array<float> x(room * rowCount, 7), w(2, 9), middle(room), y(room * rowCount), sums(rowCount);
  bool good = true;
  auto refused = [&](const char *what, cudaError_t error) {
    if (error != cudaErrorInvalidConfiguration)
      std::printf("%s: not refused\n", what), good = false;
  };
  Both both;
  both.output("y", y);
  for (int n : {0, 1, 63, 64, 65, 1000}) {
    const int grid = n / 64 + 1;
    loop::scaled_shifted::Launch inLoop{};
    inLoop.grid = grid;
    inLoop.arguments.x = x, inLoop.arguments.w = w, inLoop.arguments.n = n;
    inLoop.arguments.out = y;
    good &= both.same(
        "loop",
        [&] {
          scaled<<<grid, 64>>>(x, w, middle, n);
          shifted<<<grid, 64>>>(middle, w, y, n);
        },
        [&] { require(loop::launch(inLoop, nullptr), "loop"); }, n == 0);
    for (size_t wrong : {SIZE_MAX, size_t(1) << 32, (size_t(1) << 32) + 5}) {
      inLoop.arguments.n = wrong;
      refused("loop", loop::launch(inLoop, nullptr));
    }

    stores::turned_shifted::Launch atStores{};
    atStores.grid = grid;
    atStores.arguments.x = x, atStores.arguments.w = w, atStores.arguments.n = n;
    atStores.arguments.out = y;
    good &= both.same(
        "stores",
        [&] {
          turned<<<grid, 64>>>(x, w, middle, n);
          shifted<<<grid, 64>>>(middle, w, y, n);
        },
        [&] { require(stores::launch(atStores, nullptr), "stores"); }, n == 0);
    atStores.arguments.n = -5;
    refused("stores", stores::launch(atStores, nullptr));

    loads::scaled_reversed::Launch atLoads{};
    atLoads.grid = grid;
    atLoads.arguments.x = x, atLoads.arguments.w = w, atLoads.arguments.n = n;
    atLoads.arguments.out = y;
    good &= both.same(
        "loads",
        [&] {
          scaled<<<grid, 64>>>(x, w, middle, n);
          reversed<<<grid, 64>>>(middle, w, y, n);
        },
        [&] { require(loads::launch(atLoads, nullptr), "loads"); }, n == 0);
    atLoads.arguments.n = SIZE_MAX;
    refused("loads", loads::launch(atLoads, nullptr));

    names::unnamed_shifted::Launch named{};
    named.grid = grid;
    named.arguments.x = x, named.arguments.arg0 = n, named.arguments.arg0_1 = 3;
    named.arguments.w = w, named.arguments.out = y;
    good &= both.same(
        "names",
        [&] {
          unnamed<<<grid, 64>>>(3, x, middle, n);
          shifted<<<grid, 64>>>(middle, w, y, n);
        },
        [&] { require(names::launch(named, nullptr), "names"); }, n == 0);
  }
  for (int columns : {0, 1, 33, room}) {
    rows::total_share::Launch byRow{};
    byRow.grid = rowCount;
    byRow.arguments.x = x, byRow.arguments.columns = columns, byRow.arguments.total_out = sums;
    byRow.arguments.share_out = y;
    good &= both.same(
        "rows",
        [&] {
          total<<<rowCount, 32>>>(x, sums, columns);
          share<<<rowCount, 32>>>(x, sums, y, columns);
        },
        [&] { require(rows::launch(byRow, nullptr), "rows"); }, columns == 0);
  }
  products::sized_averaged::Launch product{};
  product.grid = 3;
  product.arguments.x = x, product.arguments.rows = 40000, product.arguments.columns = 39000;
  product.arguments.n = 150, product.arguments.out = y;
  good &= both.same(
      "products",
      [&] {
        sized<<<3, 64>>>(x, middle, 40000, 39000, 150);
        averaged<<<3, 64>>>(middle, y, 40000ll * 39000, 150);
      },
      [&] { require(products::launch(product, nullptr), "products"); });
  product.arguments.rows = 65536, product.arguments.columns = 65536; // 0 as a number of 32 bits
  refused("products", products::launch(product, nullptr));
  areas::area_shifted::Launch area_{};
  area_.grid = dim3(3, 5);
  area_.arguments.x = x, area_.arguments.rows = 19, area_.arguments.columns = 37;
  area_.arguments.w = w, area_.arguments.out = y;
  good &= both.same(
      "areas",
      [&] {
        area<<<dim3(3, 5), dim3(16, 4)>>>(x, middle, 19, 37);
        shifted<<<11, 64>>>(middle, w, y, 19 * 37);
      },
      [&] { require(areas::launch(area_, nullptr), "areas"); });
  area_.arguments.rows = 1u << 20, area_.arguments.columns = 1u << 12; // 0 as a number of 32 bits
  refused("areas", areas::launch(area_, nullptr));
  area_.arguments.rows = UINT_MAX, area_.arguments.columns = 1;
  refused("areas", areas::launch(area_, nullptr));
  return good ? 0 : 1;
}
