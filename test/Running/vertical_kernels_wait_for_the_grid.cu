// Kernels one after the other in a cooperative launch: a later one loads any element of what those before it have stored,
// whatever their forms are: halos, sums of all blocks, transposes; scalars, too, are linked. What an earlier one loads
// as constant, a later one may store.
// RUN: rm -rf %t && mkdir %t && split-file %s %t
// RUN: %cufuse fuse --vertical %t/kernels.cu:smooth %t/kernels.cu:total %t/kernels.cu:transposed --cooperative \
// RUN:   --link smooth.out=total.in --link smooth.out=transposed.in --link total.sum=transposed.sum \
// RUN:   --link smooth.rows*columns=total.count --link smooth.rows=transposed.rows --link smooth.columns=transposed.columns \
// RUN:   --block smooth=64 --block total=128 --block transposed=16x8 --name steps -o %t/steps.cu
// RUN: %cufuse fuse --vertical %t/kernels.cu:smooth %t/kernels.cu:doubled --cooperative --link smooth.in=doubled.x \
// RUN:   --block smooth=64 --block doubled=32 --name again -o %t/again.cu
// Half a warp, which is a block of a kernel, meets by itself: its other lanes wait for the grid.
// RUN: %cufuse fuse %t/kernels.cu:sixteen %t/kernels.cu:doubled --cooperative --link sixteen.x=doubled.x \
// RUN:   --block sixteen=16 --block doubled=64 --name lanes -o %t/lanes.cu
// RUN: %execute -I %S/Inputs -I %t %t/main.cu %t/steps.cu %t/again.cu %t/lanes.cu
// RUN: FileCheck %s --input-file %t/lanes.cu --check-prefix=HALF
// HALF: return ::__syncwarp(0xffffffffu >> (32 - Threads) % 32);
// RUN: FileCheck %s --input-file %t/steps.cu
// CHECK: #include <cooperative_groups.h>
// CHECK: __global__ void fused(
// CHECK-NEXT: {{^}}    const float *smooth_in, float *smooth_out, int smooth_rows, int smooth_columns, const unsigned smooth_blocks,
// CHECK-NEXT: {{^}}    float *total_sum, const unsigned total_blocks,
// CHECK-NEXT: {{^}}    float *transposed_out, const CufuseGrid transposed_grid) {
// CHECK: steps_text::cufuse_smooth::smooth(
// CHECK: {{^}}  ::cooperative_groups::this_grid().sync();
// CHECK: steps_text::cufuse_total::total(uint3{block, 0, 0}, dim3(total_blocks), smooth_out, total_sum,
// CHECK-NEXT: static_cast<int>(smooth_rows * smooth_columns));
// CHECK: {{^}}  ::cooperative_groups::this_grid().sync();
// CHECK: steps_text::cufuse_transposed::transposed(transposed_grid.inPlane(block), smooth_out, total_sum, transposed_out,
// CHECK-NEXT: smooth_rows, smooth_columns);
// CHECK: attributes[0].val.cooperative = 1;

//--- kernels.cu
__global__ void smooth(const float *__restrict__ in, float *__restrict__ out, int rows, int columns) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, count = rows * columns;
  if (i < count)
    out[i] = in[i] + (i > 0 ? in[i - 1] : 0.0f) + (i + 1 < count ? in[i + 1] : 0.0f);
}

/// Whole numbers: in any order, their sum is the same.
__global__ void total(const float *__restrict__ in, float *__restrict__ sum, int count) {
  __shared__ float part;
  if (threadIdx.x == 0)
    part = 0.0f;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += blockDim.x * gridDim.x)
    atomicAdd(&part, in[count - 1 - i]);
  __syncthreads();
  if (threadIdx.x == 0)
    atomicAdd(sum, part);
}

__global__ void transposed(const float *__restrict__ in, const float *__restrict__ sum, float *__restrict__ out, int rows,
                           int columns) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < rows && column < columns)
    out[column * rows + row] = in[row * columns + column] - *sum;
}

__global__ void doubled(float *x, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    x[i] *= 2;
}

__global__ void sixteen(float *x) {
  __shared__ float tile[16];
  const unsigned i = threadIdx.x;
  tile[i] = x[16 * blockIdx.x + i];
  __syncthreads();
  for (unsigned step = 1; step < 16; step *= 2) {
    const float other = tile[(i + step) % 16];
    __syncthreads();
    tile[i] += 2 * other;
    __syncthreads();
  }
  x[16 * blockIdx.x + i] = tile[15 - i];
}

//--- main.cu
#include "both.h"

#include "kernels.cu"

#include "again.h"
#include "lanes.h"
#include "steps.h"

int main() {
  bool good = true;
  for (int rows : {1, 7, 50}) {
    const int columns = 2 * rows + 3, count = rows * columns;
    Array<float> in(count, 5), middle(count), sum(1), out(count);
    Both both;
    both.output("middle", middle);
    both.output("sum", sum);
    both.output("out", out);
    const dim3 tiles((columns + 15) / 16, (rows + 7) / 8);
    good &= both.same(
        "steps",
        [&] {
          cudaMemset(sum, 0, sizeof(float));
          smooth<<<(count + 63) / 64, 64>>>(in, middle, rows, columns);
          total<<<3, 128>>>(middle, sum, count);
          transposed<<<tiles, dim3(16, 8)>>>(middle, sum, out, rows, columns);
        },
        [&] {
          cudaMemset(sum, 0, sizeof(float));
          steps::smooth::Launch first{dim3((count + 63) / 64)};
          first.arguments = {in, middle, rows, columns};
          steps::total::Launch second{dim3(3)};
          second.arguments = {sum};
          steps::transposed::Launch third{tiles};
          third.arguments = {out};
          require(steps::launch(first, second, third), "steps");
        });
    Both changed;
    changed.output("in", in);
    changed.output("middle", middle);
    good &= changed.same(
        "again",
        [&] {
          smooth<<<(count + 63) / 64, 64>>>(in, middle, rows, columns);
          doubled<<<(count + 31) / 32, 32>>>(in, count);
        },
        [&] {
          again::smooth::Launch first{dim3((count + 63) / 64)};
          first.arguments = {in, middle, rows, columns};
          again::doubled::Launch second{dim3((count + 31) / 32)};
          second.arguments = {count};
          require(again::launch(first, second), "again");
        });
  }
  Array<float> parts(16 * 40, 3);
  Both halves;
  halves.output("parts", parts);
  good &= halves.same(
      "lanes",
      [&] {
        sixteen<<<40, 16>>>(parts);
        doubled<<<9, 64>>>(parts, 16 * 35 - 3);
      },
      [&] {
        lanes::sixteen::Launch first{dim3(40)};
        first.arguments = {parts};
        lanes::doubled::Launch second{dim3(9)};
        second.arguments = {16 * 35 - 3};
        require(lanes::launch(first, second), "lanes");
      });
  return good ? 0 : 1;
}
