// Lanes, warps and whole blocks that leave before others synchronise drop out of an mbarrier.
// RUN: split-file %s %t
// RUN: %cufuse fuse %t/kernels.cu:lanes %t/kernels.cu:warps_in_a_loop %t/kernels.cu:votes --block 100 --block 128 \
// RUN:   --block 32x3 --name match -o %t/match.cu
// RUN: %cufuse fuse %t/kernels.cu:lanes %t/kernels.cu:warps_in_a_loop %t/kernels.cu:votes --block 100 --block 128 \
// RUN:   --block 32x3 --name stride --grid-policy stride -o %t/stride.cu
// RUN: %cufuse fuse %t/kernels.cu:in_a_helper %t/kernels.cu:half_the_warps %t/kernels.cu:constructed --block 96 --block 128 \
// RUN:   --block 128 --copies 2 --copies 1 --copies 1 --name helper -o %t/helper.cu
// RUN: %cufuse fuse %t/kernels.cu:by_condition %t/kernels.cu:votes --block 128 --block 32x3 --geometry blocks \
// RUN:   --grid-policy pool --name pool -o %t/pool.cu
// RUN: %cufuse fuse '%t/kernels.cu:templated<int, 64>' --block 64 --grid-policy stride --name alone -o %t/alone.cu
// RUN: FileCheck %s --input-file=%t/match.cu
// RUN: %execute -I %S/Inputs -I %t %t/main.cu %t/match.cu %t/stride.cu %t/helper.cu %t/pool.cu \
// RUN:   %t/alone.cu
// CHECK: return cufuse_partition::leave();
// CHECK-NOT: return;
// CHECK: } // namespace

//--- kernels.cu
// A partial last block: the lanes behind the end leave at once.
__global__ void lanes(const int *in, int *out, int n) {
  __shared__ int tile[100];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  tile[threadIdx.x] = 0;
  __syncthreads();
  if (i >= n)
    return;
  tile[threadIdx.x] = in[i];
  __syncthreads();
  out[i] = tile[threadIdx.x] + tile[99 - threadIdx.x] * 3;
}

// Threads leave one by one, in any round; the others count those that are left.
__global__ void warps_in_a_loop(const int *until, int *out, int rounds) {
  __shared__ int here[32];
  for (int round = 0; round < rounds; ++round) {
    if (threadIdx.x / 32 == round % 4)
      here[round] = 0;
    __syncthreads();
    if (until[threadIdx.x] == round) {
      out[blockIdx.x * 128 + threadIdx.x] = round;
      return;
    }
    atomicAdd(&here[round], 1);
    __syncthreads();
    if (threadIdx.x == 0 || round == 7)
      out[blockIdx.x * 128 + threadIdx.x] += here[round];
  }
}

__global__ void votes(const int *in, int *out, int n) {
  const unsigned thread = threadIdx.y * 32 + threadIdx.x;
  const int i = blockIdx.x * 96 + thread;
  if (i >= n && threadIdx.y != 1)
    return;
  const int mine = in[thread];
  int result = __syncthreads_count(mine > 500);
  if (mine % 7 == 0)
    return;
  result = result * 4 + __syncthreads_and(mine != 300) * 2;
  result += __syncthreads_or(mine == 14 || mine == 15);
  out[blockIdx.x * 96 + thread] = result;
}

__device__ int reversed(int *tile, int value) {
  tile[threadIdx.x] = value;
  __syncthreads();
  return tile[blockDim.x - 1 - threadIdx.x];
}

__global__ void in_a_helper(const int *in, int *out, int n) {
  __shared__ int tile[96];
  tile[threadIdx.x] = 7;
  __syncthreads();
  if (int(threadIdx.x) >= n - int(blockIdx.x) * 96) return;
  out[blockIdx.x * 96 + threadIdx.x] = reversed(tile, in[threadIdx.x]);
}

// No return: half the warps are at the end while the others synchronise.
__global__ void half_the_warps(const int *in, int *out) {
  __shared__ int tile[64];
  if (threadIdx.x < 64) {
    tile[threadIdx.x] = in[blockIdx.x * 64 + threadIdx.x];
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = tile[63 - threadIdx.x];
  }
}

// What waits is a constructor.
struct Meeting {
  __device__ Meeting() { __syncthreads(); }
};
__global__ void constructed(const int *in, int *out) {
  __shared__ int tile[64];
  if (threadIdx.x >= 64)
    return;
  tile[threadIdx.x] = in[blockIdx.x * 64 + threadIdx.x];
  Meeting meeting;
  out[blockIdx.x * 64 + threadIdx.x] = tile[63 - threadIdx.x];
}

// Who is told to leave by a declaration; the next block of the queue may be another kernel's.
__global__ void by_condition(const int *in, int *out) {
  __shared__ int tile[64];
  if (const bool late = threadIdx.x >= 64)
    return;
  tile[threadIdx.x] = in[blockIdx.x * 64 + threadIdx.x];
  __syncthreads();
  out[blockIdx.x * 64 + threadIdx.x] = tile[63 - threadIdx.x];
}

template <typename T, int Block> __global__ void templated(const T *in, T *out, int n) {
  __shared__ T tile[Block];
  const int i = blockIdx.x * Block + threadIdx.x;
  tile[threadIdx.x] = -1;
  __syncthreads();
  if (i >= n) { return; }
  if constexpr (Block > 1024)
    return;
  tile[threadIdx.x] = in[i];
  __syncthreads();
  if (threadIdx.x % 3 == 0) {
    return;
  } else {
    __syncthreads();
    out[i] = tile[threadIdx.x] - tile[Block - 1 - threadIdx.x];
  }
}

//--- main.cu
#include "both.h"
#include "kernels.cu"

#include "alone.h"
#include "helper.h"
#include "match.h"
#include "pool.h"
#include "stride.h"

int main() {
  Array<int> in(4096), until(128, 12), a(4096), b(4096), c(4096);
  Both both;
  both.output("a", a), both.output("b", b), both.output("c", c);
  bool good = true;
  auto unfused = [&] {
    lanes<<<7, 100>>>(in, a, 637);
    warps_in_a_loop<<<5, 128>>>(until, b, 10);
    votes<<<9, dim3(32, 3)>>>(in, c, 800);
  };
  good &= both.same("match", unfused, [&] {
    require(match::launch({7, {in, a, 637}}, {5, {until, b, 10}}, {9, {in, c, 800}}), "match");
  });
  good &= both.same("stride", unfused, [&] {
    require(stride::launch({7, {in, a, 637}}, {5, {until, b, 10}}, {9, {in, c, 800}}), "stride");
  });
  good &= both.same(
      "helper",
      [&] {
        in_a_helper<<<5, 96>>>(in, a, 401), half_the_warps<<<11, 128>>>(in, b), constructed<<<4, 128>>>(in, c);
      },
      [&] { require(helper::launch({5, {in, a, 401}}, {11, {in, b}}, {4, {in, c}}), "helper"); });
  good &= both.same("pool", [&] { by_condition<<<7, 128>>>(in, a), votes<<<9, dim3(32, 3)>>>(in, c, 800); },
                    [&] { require(pool::launch({7, {in, a}}, {9, {in, c, 800}}), "pool"); });
  good &= both.same("alone", [&] { templated<int, 64><<<300, 64>>>(in, a, 4000); },
                    [&] { require(alone::launch({300, {in, a, 4000}}), "alone"); });
  return good ? 0 : 1;
}
