// Kernels that a block, or a thread, plays one after the other, with what they exchange in memory: pointers that are moved
// and handed to helpers, rows with gaps, in place, flat kernels of rows, several rows a block, groups, pixels.
// RUN: rm -rf %t && mkdir %t
// RUN: %cufuse fuse %s:addTo %s:scaleRows --link addTo.sum=scaleRows.x --block 64 --name residual -o %t/residual.cu 2>&1 | \
// RUN:   FileCheck %s
// CHECK: note: In turn, a block its part of every kernel: addTo, then scaleRows. In memory: addTo.sum.
// RUN: FileCheck %s --check-prefix=TEXT < %t/residual.cu
// TEXT: __global__ void fused({{[[:space:]]*}}float *sum, const float *__restrict__ more,
// TEXT: __syncthreads(); // addTo has stored sum
// RUN: %cufuse fuse %s:meanOfRow %s:without --link meanOfRow.mean=without.mean --link meanOfRow.x=without.x \
// RUN:   --link meanOfRow.width=without.width --distinct --block 64 --name centred -o %t/centred.cu
// RUN: %cufuse fuse %s:addFours %s:warpRows --link addFours.sum=warpRows.x --distinct --block 64 --name warps -o %t/warps.cu
// RUN: %cufuse fuse %s:addFours %s:squares --link addFours.sum=squares.x --link addFours.n=squares.n --distinct --block 64 \
// RUN:   --name fours -o %t/fours.cu 2>&1 | FileCheck %s --check-prefix=FOURS
// FOURS: a thread so many elements of every kernel
// RUN: %cufuse fuse %s:brighten %s:negative --link brighten.image=negative.image --link brighten.width=negative.width \
// RUN:   --link brighten.height=negative.height --distinct --block 16x4 --name pixels -o %t/pixels.cu 2>&1 | \
// RUN:   FileCheck %s --check-prefix=PIXELS
// PIXELS: a thread its part of every kernel
// RUN: %cufuse fuse %s:halved %s:brighten %s:negative --link halved.image=brighten.image --link brighten.image=negative.image \
// RUN:   --link halved.width=brighten.width --link halved.height=brighten.height --link halved.width=negative.width \
// RUN:   --link halved.height=negative.height --dead halved.image --dead brighten.image --distinct --block 16x4 --name kept \
// RUN:   -o %t/kept.cu 2>&1 | FileCheck %s --check-prefix=KEPT
// KEPT: a thread its part of every kernel: halved, then brighten, then negative. In registers: halved.image.
// A thread has a place in two blocks, where the grid has them: all loads come first.
// RUN: %cufuse fuse %s:halved %s:brighten %s:negative --link halved.image=brighten.image --link brighten.image=negative.image \
// RUN:   --link halved.width=brighten.width --link halved.height=brighten.height --link halved.width=negative.width \
// RUN:   --link halved.height=negative.height --dead halved.image --dead brighten.image --distinct --block 16x4 --name turns \
// RUN:   --vectorize 2 -o %t/turns.cu
// RUN: FileCheck %s --check-prefix=TURNS < %t/turns.cu
// TURNS: float elementOf_halved_image[Turns];
// TURNS: cufuse_halved::halved(uint3{blockIdx.x, blockIdx.y * Turns + cufuse_turn, blockIdx.z}, from,
// TURNS: const unsigned turns = grid.y % 2 == 0 ? 2 : 1;
// TURNS: dim3(grid.x, grid.y / turns, grid.z)
// RUN: %cufuse fuse %s:sometimes %s:negative --link sometimes.image=negative.image --link sometimes.width=negative.width \
// RUN:   --link sometimes.height=negative.height --dead sometimes.image --distinct --block 16x4 --name some -o %t/some.cu 2>&1 | \
// RUN:   FileCheck %s --check-prefix=SOMETIMES
// SOMETIMES: a thread its part of every kernel: sometimes, then negative. In memory: sometimes.image.
// RUN: %cufuse fuse %s:scaleRows %s:turnTokens --link scaleRows.out=turnTokens.heads \
// RUN:   --link scaleRows.width=turnTokens.size --distinct --block 64 --name heads \
// RUN:   -o %t/heads.cu 2>&1 | FileCheck %s --check-prefix=HEADS
// HEADS: scaleRows, then turnTokens. In memory: scaleRows.out. scaleRows has turnTokens.pitch / scaleRows.width blocks for each of turnTokens's.
// What stays is computed, and stored, where a reduction loads it, even if it is changed in place.
// RUN: %cufuse fuse %s:addTo %s:sumOfSquares --link addTo.sum=sumOfSquares.x --link addTo.count=sumOfSquares.n --distinct \
// RUN:   --block 64 --in-registers --name squared -o %t/squared.cu
// RUN: FileCheck %s --check-prefix=NORM < %t/squared.cu
// NORM: float made_addTo_sum = memory_addTo_sum[element];
// NORM: memory_addTo_sum[element] = made_addTo_sum;
// NORM: if (element != maker->last)
// RUN: %exits 1 %cufuse fuse %s:addTo %s:sumTwice --link addTo.sum=sumTwice.x --link addTo.count=sumTwice.n --distinct \
// RUN:   --block 64 --in-registers -o %t/twice.cu 2>&1 | FileCheck %s --check-prefix=TWICE
// TWICE: would no longer be stored: addTo.sum; sumTwice {{.*}} [LiveIntermediate]
// TWICE: more often than allowed: sumTwice: x[i] at {{.*}}: 2 times
// RUN: %exits 1 %cufuse fuse %s:addTo %s:sumOfFirst --link addTo.sum=sumOfFirst.x --link addTo.count=sumOfFirst.n --distinct \
// RUN:   --block 64 --in-registers -o %t/first.cu 2>&1 | FileCheck %s --check-prefix=UNUSED
// UNUSED: addTo.sum; sumOfFirst may load elements without need
// RUN: %emulate --seed 1 --seed 2 -I %t -D FUSED %s %t/residual.cu %t/centred.cu %t/warps.cu %t/fours.cu %t/pixels.cu \
// RUN:   %t/kept.cu %t/turns.cu %t/heads.cu %t/squared.cu | FileCheck %s --check-prefix=SAME
// SAME: 12 same

#include <cooperative_groups.h>

__device__ float4 fourOf(const float *at) { return *reinterpret_cast<const float4 *>(at); }
__device__ void putFour(float *at, float4 v) { *reinterpret_cast<float4 *>(at) = v; }

__global__ void addTo(float *__restrict__ sum, const float *__restrict__ more, long long count) {
  const long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
  if (i < count)
    sum[i] += more[i];
}

__global__ void scaleRows(const float *__restrict__ x, long long pitch, float *__restrict__ out, int width) {
  __shared__ float largest;
  x += blockIdx.x * pitch;
  out += blockIdx.x * (long long)width;
  if (threadIdx.x == 0) {
    largest = 1;
    for (int i = 0; i < width; ++i)
      largest = fmaxf(largest, x[i]);
  }
  __syncthreads();
  for (int i = threadIdx.x; i < width; i += blockDim.x)
    out[i] = x[i] / largest;
}

__global__ void meanOfRow(float *mean, const float *x, int width) {
  if (threadIdx.x > 0)
    return;
  float total = 0;
  for (int i = 0; i < width; ++i)
    total += x[blockIdx.x * width + i];
  mean[blockIdx.x] = total / width;
}

__global__ void without(float *out, const float *x, const float *mean, int width) {
  const int at = blockIdx.x * blockDim.x + threadIdx.x;
  out[at] = x[at] - mean[at / width];
}

__global__ void addFours(float *sum, const float *a, const float *b, int n) {
  const int first = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
  if (first >= n)
    return;
  const float4 x = fourOf(a + first), y = fourOf(b + first);
  putFour(sum + first, make_float4(x.x + y.x, x.y + y.y, x.z + y.z, x.w + y.w));
}

__global__ void warpRows(float *out, const float *x, int rows, int width) {
  const auto tile = cooperative_groups::tiled_partition<32>(cooperative_groups::this_thread_block());
  const cooperative_groups::thread_block_tile<32> warp = tile; // which keeps its place in the block in bit-fields
  const int lane = warp.thread_rank(), row = tile.meta_group_size() * blockIdx.x + warp.meta_group_rank();
  if (row < rows) {
    const float *from = x + row * width;
    float most = 0;
    for (int i = lane; i < width; i += 32)
      most = fmaxf(most, from[i]);
    for (int reach = 16; reach > 0; reach /= 2)
      most = fmaxf(most, __shfl_xor_sync(0xffffffffu, most, reach));
    for (int i = lane; i < width; i += 32)
      out[row * width + i] = from[i] + most;
  }
}

__global__ void squares(float *out, const float *x, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    out[i] = x[i] * x[i];
}

__global__ void halved(const float *from, float *image, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height)
    return;
  image[y * width + x] = from[y * width + x] * 0.3f;
}

__global__ void sometimes(float *image, int width, int height, int on) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height && on > 0)
    image[y * width + x] = x;
}

__global__ void brighten(float *image, float by, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height)
    image[y * width + x] += by;
}

__global__ void negative(const float *image, float *out, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height)
    return;
  out[y * width + x] = 255 - image[y * width + x];
}

__global__ void turnTokens(float *heads, const float *angles, int count, int size, long long pitch) {
  for (int pair = threadIdx.x; pair < count * (size / 2); pair += blockDim.x) {
    float *head = heads + blockIdx.x * pitch + pair / (size / 2) * size;
    const int j = pair % (size / 2);
    const float low = head[j], high = head[size / 2 + j], angle = angles[blockIdx.x];
    head[j] = low - high * angle;
    head[size / 2 + j] = high + low * angle;
  }
}

__global__ void sumOfSquares(const float *x, float *all, long long n) {
  float sum = 0;
  for (long long i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    sum += x[i] * x[i];
  for (int reach = 16; reach > 0; reach /= 2)
    sum += __shfl_xor_sync(0xffffffffu, sum, reach);
  if (threadIdx.x % 32 == 0)
    atomicAdd(all, sum);
}
__global__ void sumTwice(const float *x, float *all, long long n) {
  float sum = 0;
  for (long long i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    sum += x[i];
  for (long long i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    sum += x[i] * x[i];
  for (int reach = 16; reach > 0; reach /= 2)
    sum += __shfl_xor_sync(0xffffffffu, sum, reach);
  if (threadIdx.x % 32 == 0)
    atomicAdd(all, sum);
}
__global__ void sumOfFirst(const float *x, float *all, long long n) {
  for (long long i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const float unused = x[0];
    atomicAdd(all, x[i]);
  }
}

#ifdef FUSED
#include "centred.h"
#include "fours.h"
#include "heads.h"
#include "kept.h"
#include "pixels.h"
#include "residual.h"
#include "squared.h"
#include "turns.h"
#include "warps.h"

#include "Inputs/arrays.h"

int main() {
  const int rows = 5, width = 70, pitch = 76, n = rows * pitch;
  Array a(n, 1), b(n, 2), c(n, 3), d(n, 4);
  compare(
      "residual", {&a, &c},
      [&] {
        addTo<<<dim3((n + 63) / 64), dim3(64)>>>(a.at, b.at, n);
        scaleRows<<<dim3(rows), dim3(64)>>>(a.at, pitch, c.at, width);
      },
      [&] { return residual::addTo_scaleRows::launch(dim3(rows), a.at, b.at, n, pitch, c.at, width); });
  // Rows that do not hold the elements.
  if (residual::addTo_scaleRows::launch(dim3(rows), a.at, b.at, n + 1, pitch, c.at, width) ==
          cudaErrorInvalidConfiguration &&
      residual::addTo_scaleRows::launch(dim3(rows), a.at, b.at, n, width - 1, c.at, width) ==
          cudaErrorInvalidConfiguration)
    ++same;
  compare(
      "centred", {&c, &d},
      [&] {
        meanOfRow<<<dim3(8), dim3(64)>>>(d.at, a.at, 40);
        without<<<dim3(5), dim3(64)>>>(c.at, a.at, d.at, 40);
      },
      [&] { return centred::meanOfRow_without::launch(dim3(8), d.at, a.at, 40, c.at); });
  compare(
      "warps", {&c, &d},
      [&] {
        addFours<<<dim3(3), dim3(64)>>>(c.at, a.at, b.at, 5 * 68);
        warpRows<<<dim3(3), dim3(64)>>>(d.at, c.at, 5, 68);
      },
      [&] { return warps::addFours_warpRows::launch(dim3(3), c.at, a.at, b.at, 5 * 68, d.at, 5, 68); });
  compare(
      "fours", {&c, &d},
      [&] {
        addFours<<<dim3(2), dim3(64)>>>(c.at, a.at, b.at, 333);
        squares<<<dim3(2), dim3(64)>>>(d.at, c.at, 333);
      },
      [&] { return fours::addFours_squares::launch(c.at, a.at, b.at, 333, d.at); });
  compare(
      "pixels", {&c, &d},
      [&] {
        brighten<<<dim3(2, 3), dim3(16, 4)>>>(c.at, 9.f, 31, 11);
        negative<<<dim3(2, 3), dim3(16, 4)>>>(c.at, d.at, 31, 11);
      },
      [&] { return pixels::brighten_negative::launch(dim3(2, 3), c.at, 9.f, 31, 11, d.at); });
  compare(
      "kept", {&d},
      [&] {
        halved<<<dim3(2, 3), dim3(16, 4)>>>(a.at, c.at, 31, 11);
        brighten<<<dim3(2, 3), dim3(16, 4)>>>(c.at, 9.f, 31, 11);
        negative<<<dim3(2, 3), dim3(16, 4)>>>(c.at, d.at, 31, 11);
      },
      [&] { return kept::halved_brighten_negative::launch(dim3(2, 3), a.at, 31, 11, 9.f, d.at); });
  for (const unsigned blocks : {3, 4})
    compare(
        "turns", {&d},
        [&] {
          halved<<<dim3(2, blocks), dim3(16, 4)>>>(a.at, c.at, 31, 11);
          brighten<<<dim3(2, blocks), dim3(16, 4)>>>(c.at, 9.f, 31, 11);
          negative<<<dim3(2, blocks), dim3(16, 4)>>>(c.at, d.at, 31, 11);
        },
        [&] { return turns::halved_brighten_negative::launch(dim3(2, blocks), a.at, 31, 11, 9.f, d.at); });
  compare(
      "heads", {&a, &c},
      [&] {
        scaleRows<<<dim3(3 * 4), dim3(64)>>>(a.at, 20, c.at, 22);
        turnTokens<<<dim3(3), dim3(64)>>>(c.at, b.at, 4, 22, 4 * 22);
      },
      [&] { return heads::scaleRows_turnTokens::launch(dim3(3), a.at, 20, c.at, 22, b.at, 4, 4 * 22); });
  compare(
      "squared", {&a, &d},
      [&] {
        addTo<<<dim3(5), dim3(64)>>>(a.at, b.at, 300);
        sumOfSquares<<<dim3(2), dim3(64)>>>(a.at, d.at, 300);
      },
      [&] { return squared::addTo_sumOfSquares::launch(dim3(2), a.at, b.at, 300, d.at); });
  // A token that has no whole heads.
  if (heads::scaleRows_turnTokens::launch(dim3(3), a.at, 20, c.at, 22, b.at, 4, 4 * 22 + 1) ==
      cudaErrorInvalidConfiguration)
    ++same;
  std::printf("%d same\n", same);
}
#endif
