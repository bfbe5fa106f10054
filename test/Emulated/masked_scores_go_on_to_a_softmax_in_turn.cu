// Scores are scaled and masked in place, then a softmax takes rows of them: up to the row's own number, by fours and what
// is left of them, a warp a row; or whole rows by indices that are the smaller of two, compared without a sign.
// RUN: rm -rf %t && mkdir %t
// RUN: %cufuse fuse %s:scaleAndMask %s:causal --link scaleAndMask.x=causal.x --link scaleAndMask.size=causal.size \
// RUN:   --link 'scaleAndMask.heads=causal.heads' --distinct --block 64 --name tails -o %t/tails.cu 2>&1 | FileCheck %s
// RUN: %cufuse fuse %s:scaleAndMask %s:ahead --link scaleAndMask.x=ahead.x --link scaleAndMask.size=ahead.columns \
// RUN:   --link 'scaleAndMask.heads*size=ahead.rows' --distinct --block 64 --name whole -o %t/whole.cu 2>&1 | FileCheck %s
// CHECK: note: In turn, a block its part of every kernel: scaleAndMask, then {{causal|ahead}}. In memory: scaleAndMask.x.
// Where a row has no element, `columns - 1` would be the larger one: the launch is asked that it has some.
// RUN: %cufuse fuse %s:scaleAndMask %s:before --link scaleAndMask.x=before.x --link scaleAndMask.size=before.columns \
// RUN:   --distinct --block 64 -o %t/before.cu 2>&1 | FileCheck %s --check-prefix=BEFORE
// BEFORE: It can be launched with 1 - scaleAndMask.size <= 0 alone.
// RUN: %emulate --seed 1 --seed 2 -I %t -D FUSED %s %t/tails.cu %t/whole.cu | FileCheck %s --check-prefix=SAME
// SAME: 9 same

#include <cooperative_groups.h>
#include <math_constants.h>

__global__ void scaleAndMask(float *x, float scale, int heads, int size) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < heads * size * size) {
    const int row = i % (size * size) / size, column = i % size;
    if (column > row)
      x[i] = -CUDART_INF_F;
    else
      x[i] *= scale;
  }
}

__global__ void causal(float *out, const float *x, int heads, int size) {
  namespace cg = cooperative_groups;
  cg::thread_block_tile<32> warp = cg::tiled_partition<32>(cg::this_thread_block());
  const int row = blockIdx.x * warp.meta_group_size() + warp.meta_group_rank();
  if (row >= heads * size)
    return;
  const int last = row % size, fours = last / 4;
  const float *scores = x + row * size;
  float sum = 0;
  for (int i = warp.thread_rank(); i < fours; i += warp.size()) {
    const float4 v = reinterpret_cast<const float4 *>(scores)[i];
    sum += v.x + v.y + v.z + v.w;
  }
  if (4 * fours + warp.thread_rank() <= last)
    sum += scores[4 * fours + warp.thread_rank()];
  for (int lanes = 16; lanes > 0; lanes /= 2)
    sum += __shfl_xor_sync(0xffffffff, sum, lanes);
  for (int i = warp.thread_rank(); i <= last; i += warp.size())
    out[row * size + i] = scores[i] / (1 + sum);
}

__global__ void ahead(float *out, const float *x, int rows, int columns) {
  __shared__ float largest[64];
  if (threadIdx.x >= columns) {
    largest[threadIdx.x] = -CUDART_INF_F;
    return;
  }
  const float *row = x + blockIdx.x * columns;
  float own = -CUDART_INF_F;
  for (int i = threadIdx.x; i < columns; i += 4 * blockDim.x)
    for (int k = 0; k < 4; ++k)
      own = fmaxf(own, row[min(columns - 1, i + k * blockDim.x)]);
  largest[threadIdx.x] = own;
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    out[blockIdx.x * columns + i] = row[i] + own + (blockIdx.x < rows);
}

__global__ void before(float *out, const float *x, int columns) {
  const float *row = x + blockIdx.x * columns;
  float own = 0;
  for (int k = 0; k < 4; ++k)
    own += row[min(columns - 1, threadIdx.x + k * blockDim.x)];
  out[blockIdx.x * blockDim.x + threadIdx.x] = own;
}

#ifdef FUSED
#include "tails.h"
#include "whole.h"

#include "Inputs/arrays.h"

int main() {
  for (const int size : {4, 12, 68, 132}) {
    const int heads = 2, rows = heads * size, n = rows * size;
    Array x(n, 1), out(n, 2);
    compare(
        "tails", {&x, &out},
        [&] {
          scaleAndMask<<<dim3(n / 64 + 1), dim3(64)>>>(x.at, 0.5f, heads, size);
          causal<<<dim3((rows + 1) / 2), dim3(64)>>>(out.at, x.at, heads, size);
        },
        [&] { return tails::scaleAndMask_causal::launch(dim3((rows + 1) / 2), x.at, 0.5f, heads, size, out.at); });
    compare(
        "whole", {&x, &out},
        [&] {
          scaleAndMask<<<dim3(n / 64 + 1), dim3(64)>>>(x.at, 0.5f, heads, size);
          ahead<<<dim3(rows), dim3(64)>>>(out.at, x.at, rows, size);
        },
        [&] { return whole::scaleAndMask_ahead::launch(dim3(rows), x.at, 0.5f, heads, size, out.at); });
  }
  Array none(4, 1);
  if (whole::scaleAndMask_ahead::launch(dim3(1), none.at, 0.5f, 0, 0, none.at) == cudaErrorInvalidConfiguration)
    ++same;
  std::printf("%d same\n", same);
}
#endif
