// A whole warp that leaves a block leaves nobody waiting for a lane: it goes on to the next block.
// RUN: split-file %s %t
// RUN: cd %t && %cufuse fuse kernels.cu:by_number kernels.cu:by_row kernels.cu:in_a_loop kernels.cu:voted --block 96 \
// RUN:   --block 32x3 --block 128 --block 64 --grid-policy stride --name stride -o stride.cu
// RUN: cd %t && %cufuse fuse kernels.cu:by_number kernels.cu:before_a_barrier --block 96 --block 128 --geometry threads \
// RUN:   --turns by_number=3 --turns before_a_barrier=2 --name turns -o turns.cu
// RUN: cd %t && %cufuse fuse kernels.cu:by_number kernels.cu:by_row --block 64 --block 64x2 --geometry blocks \
// RUN:   --grid-policy pool --name pool -o pool.cu
// RUN: cd %t && %cufuse fuse kernels.cu:in_a_loop kernels.cu:before_a_barrier --block 128 --block 128 --name match \
// RUN:   -o match.cu
// RUN: cd %t && %cufuse fuse kernels.cu:of_plane kernels.cu:of_tile kernels.cu:by_wide kernels.cu:by_class kernels.cu:by_rank \
// RUN:   --block 16x8 --block 128 --block 64 --block 64 --block 64 --grid-policy stride --name spelled -o spelled.cu
// RUN: cd %t && %cufuse fuse kernels.cu:of_lane kernels.cu:in_steps kernels.cu:of_plane_in_grid kernels.cu:folded \
// RUN:   --block 128 --block 64 --block 16x8 --block 128 --grid-policy stride --name otherwise -o otherwise.cu
// RUN: %execute -I %S/Inputs -I %t %t/main.cu %t/stride.cu %t/turns.cu %t/pool.cu %t/match.cu %t/spelled.cu \
// RUN:   %t/otherwise.cu
// RUN: %exits 1 %cufuse fuse %t/kernels.cu:by_number --block 48 --grid-policy stride -o %t/none.cu 2>&1 | FileCheck %s
// CHECK: error: lanes may leave a block before a warp primitive, and would rejoin for the next block:
// CHECK-SAME: by_number: this branch skips __shfl_xor_sync, {{.*}}; rows of 48 threads are no whole warps
// CHECK-SAME: [ExitBeforeWarpPrimitive]
// CHECK: note: use --grid-policy match without --geometry threads, name the kernel last, let whole warps leave

//--- kernels.cu
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__device__ int warp_sum(int value) {
  for (int step = 16; step > 0; step /= 2)
    value += __shfl_xor_sync(0xffffffff, value, step);
  return value;
}

// A warp for each row.
__global__ void by_number(const int *in, int *out, int rows) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = thread / 32, lane = thread % 32;
  if (row >= rows)
    return;
  const int sum = warp_sum(in[row * 32 + lane]);
  if (lane == 0)
    out[row] = sum;
}

// The same in other words.
__global__ void of_plane(const int *in, int *out, int rows) {
  const int thread = threadIdx.y * blockDim.x + threadIdx.x;
  const int row = blockIdx.x * (blockDim.x * blockDim.y / 32) + thread / 32;
  if (row >= rows)
    return;
  const int sum = warp_sum(in[row * 32 + thread % 32]);
  if (thread % 32 == 0)
    out[row] = sum;
}
__global__ void of_tile(const int *in, int *out, int rows) {
  const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  const int row = blockIdx.x * warp.meta_group_size() + warp.meta_group_rank();
  if (row >= rows)
    return;
  const int sum = warp_sum(in[row * 32 + warp.thread_rank()]);
  if (warp.thread_rank() == 0)
    out[row] = sum;
}
__global__ void by_wide(const int *in, int *out, const int *length, int rows) {
  const long long thread = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  const long long row = thread / 32;
  if (row >= rows || length[row] % 3 == 0)
    return;
  const int sum = warp_sum(in[thread]);
  if (threadIdx.x % 32 == 0)
    out[row] = sum;
}
struct Place {
  int row, lane;
  __device__ Place() : row((blockIdx.x * blockDim.x + threadIdx.x) / 32), lane(threadIdx.x % 32) {}
};
__global__ void by_class(const int *in, int *out, int rows) {
  const Place place;
  if (place.row >= rows)
    return;
  const int sum = warp_sum(in[place.row * 32 + place.lane]);
  if (place.lane == 0)
    out[place.row] = sum;
}
__global__ void by_rank(const int *in, int *out, int rows) {
  const auto thread = cg::this_grid().thread_rank();
  if (thread / 32 >= rows)
    return;
  const int sum = warp_sum(in[thread]);
  if (threadIdx.x % 32 == 0)
    out[thread / 32] = sum;
}

__global__ void of_lane(const int *in, int *out, int rows) {
  const int lane = threadIdx.x & 31, row = (blockIdx.x * blockDim.x + threadIdx.x - lane) / 32;
  if (row >= rows)
    return;
  const int sum = warp_sum(in[row * 32 + lane]);
  if (lane == 0)
    out[row] = sum;
}
// The usual loop of warps.
__global__ void in_steps(const int *in, int *out, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i - threadIdx.x % 32 < n; i += blockDim.x * gridDim.x) {
    const unsigned mask = __ballot_sync(0xffffffff, i < n && in[i] % 2);
    if (threadIdx.x % 32 == 0)
      out[i / 32] = mask;
  }
}
__global__ void of_plane_in_grid(const int *in, int *out, int rows) {
  const int row = (blockIdx.x * 128 + threadIdx.y * blockDim.x + threadIdx.x) / 32;
  if (row >= rows)
    return;
  const int sum = warp_sum(in[row * 32 + (threadIdx.y * blockDim.x + threadIdx.x) % 32]);
  if (threadIdx.x == 0 && threadIdx.y % 2 == 0)
    out[row] = sum;
}
// No lane waits for others here.
__device__ __noinline__ int fold(int *tile, int count) {
  if (count == 0)
    return tile[0];
  __syncthreads();
  if (threadIdx.x < count)
    tile[threadIdx.x] += tile[threadIdx.x + count];
  __syncthreads();
  return fold(tile, count / 2);
}
__global__ void folded(const int *in, int *out) {
  __shared__ int tile[128];
  tile[threadIdx.x] = in[blockIdx.x * blockDim.x + threadIdx.x];
  out[blockIdx.x * blockDim.x + threadIdx.x] = fold(tile, 64);
}

__global__ void by_row(const int *in, int *out, unsigned rows) {
  const unsigned row = blockIdx.x * blockDim.y + threadIdx.y;
  if (row >= rows || blockIdx.x % 5 == 4)
    return;
  const int sum = warp_sum(in[row * blockDim.x + threadIdx.x]);
  out[row * blockDim.x + threadIdx.x] = sum - in[row * blockDim.x + threadIdx.x];
}

// Warps leave in different rounds; shared memory of their own.
__global__ void in_a_loop(const int *in, int *out, int rounds) {
  __shared__ int own[4][32];
  const unsigned warp = threadIdx.x >> 5, lane = threadIdx.x & 31;
  for (int round = 0; round < rounds; ++round) {
    own[warp][lane] = in[(blockIdx.x * 4 + warp) * 32 + lane] + round;
    __syncwarp();
    out[(blockIdx.x * 4 + warp) * 32 + lane] = own[warp][31 - lane] + warp_sum(round + lane);
    if ((blockIdx.x + round) % 4 == warp)
      return;
    __syncwarp();
  }
}

// All lanes are given the vote.
__global__ void voted(const int *in, int *out, int limit) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int value = in[i];
  if (!__any_sync(0xffffffff, value > limit))
    return;
  if (threadIdx.x >= 32 && __shfl_sync(0xffffffff, value, 3) % 2)
    return;
  out[i] = warp_sum(value);
}

// A barrier as well: those that leave drop out of it.
__global__ void before_a_barrier(const int *in, int *out, int limit) {
  __shared__ int sums[4];
  if (threadIdx.x < 4)
    sums[threadIdx.x] = 0;
  __syncthreads();
  const int warp = threadIdx.x / warpSize;
  if (warp != 0 && warp + int(blockIdx.x % 3) >= limit)
    return;
  const int sum = warp_sum(in[blockIdx.x * 128 + threadIdx.x]);
  if (threadIdx.x % 32 == 0)
    sums[warp] = sum;
  __syncthreads();
  out[blockIdx.x * 128 + threadIdx.x] = sums[0] * 3 + sums[1] * 5 + sums[2] * 7 + sums[3];
}

//--- main.cu
#include "both.h"

#include "kernels.cu"

#include "match.h"
#include "otherwise.h"
#include "pool.h"
#include "spelled.h"
#include "stride.h"
#include "turns.h"

int main() {
  constexpr int n = 64 * 1024;
  Array<int> in(n), a(n), b(n), c(n), d(n), e(n);
  Both both;
  both.output("a", a), both.output("b", b), both.output("c", c), both.output("d", d), both.output("e", e);
  bool good = both.same(
      "stride",
      [&] {
        by_number<<<200, 96>>>(in, a, 577);
        by_row<<<100, dim3(32, 3)>>>(in, b, 290);
        in_a_loop<<<64, 128>>>(in, c, 3);
        voted<<<150, 64>>>(in, d, 970);
      },
      [&] {
        require(stride::launch({200, {in, a, 577}}, {100, {in, b, 290}}, {64, {in, c, 3}},
                               {150, {in, d, 970}}),
                "stride");
      });
  good &= both.same(
      "turns",
      [&] {
        by_number<<<200, 96>>>(in, a, 577);
        before_a_barrier<<<90, 128>>>(in, b, 3);
      },
      [&] { require(turns::launch({200, {in, a, 577}}, {90, {in, b, 3}}), "turns"); });
  good &= both.same(
      "pool",
      [&] {
        by_number<<<200, 64>>>(in, a, 391);
        by_row<<<100, dim3(64, 2)>>>(in, b, 190);
      },
      [&] { require(pool::launch({200, {in, a, 391}}, {100, {in, b, 190}}), "pool"); });
  good &= both.same(
      "match",
      [&] {
        in_a_loop<<<64, 128>>>(in, a, 3);
        before_a_barrier<<<90, 128>>>(in, b, 3);
      },
      [&] { require(match::launch({64, {in, a, 3}}, {90, {in, b, 3}}), "match"); });
  good &= both.same(
      "spelled",
      [&] {
        of_plane<<<50, dim3(16, 8)>>>(in, a, 190), of_tile<<<50, 128>>>(in, b, 185);
        by_wide<<<80, 64>>>(in, c, in, 150), by_class<<<80, 64>>>(in, d, 151), by_rank<<<70, 64>>>(in, e, 133);
      },
      [&] {
        require(spelled::launch({50, {in, a, 190}}, {50, {in, b, 185}}, {80, {in, c, in, 150}},
                                {80, {in, d, 151}}, {70, {in, e, 133}}),
                "spelled");
      });
  good &= both.same(
      "otherwise",
      [&] {
        of_lane<<<50, 128>>>(in, a, 190), in_steps<<<20, 64>>>(in, b, 5000);
        of_plane_in_grid<<<50, dim3(16, 8)>>>(in, c, 187), folded<<<90, 128>>>(in, d);
      },
      [&] {
        require(otherwise::launch({50, {in, a, 190}}, {20, {in, b, 5000}}, {50, {in, c, 187}}, {90, {in, d}}),
                "otherwise");
      });
  // Its thread numbers would not fit an int.
  good &= stride::launch({1u << 25, {in, a, 577}}, {100, {in, b, 290}}, {64, {in, c, 3}},
                         {150, {in, d, 970}}) == cudaErrorInvalidConfiguration;
  return good ? 0 : 1;
}
