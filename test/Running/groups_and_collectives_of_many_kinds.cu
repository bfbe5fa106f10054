// Tiles, coalesced groups and their collectives, and what CUB loads, sorts, exchanges and stores, in helpers and in loops.
// RUN: rm -rf %t && split-file %s %t
// RUN: %cufuse fuse %t/kernels.cu:tiles %t/kernels.cu:'moved<4>' %t/kernels.cu:counted --block 8x12 --block 64 --block 128 \
// RUN:   --name match -o %t/match.cu
// RUN: %cufuse fuse %t/kernels.cu:divergent %t/kernels.cu:copied %t/kernels.cu:'moved<2>' --block 128 --block 64 --block 64 \
// RUN:   --copies 1 --copies 2 --copies 1 --grid-policy stride --name stride -o %t/stride.cu
// RUN: %nvcc -Werror all-warnings -std=c++17 -arch=sm_90a -cubin -o %t/match.cubin %t/match.cu
// RUN: %nvcc -Werror all-warnings -std=c++17 -arch=sm_90a -cubin -o %t/stride.cubin %t/stride.cu
// RUN: %execute -I %S/Inputs -I %t %t/main.cu %t/match.cu %t/stride.cu

//--- kernels.cu
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cub/block/block_exchange.cuh>
#include <cub/block/block_histogram.cuh>
#include <cub/block/block_load.cuh>
#include <cub/block/block_store.cuh>
#include <cub/warp/warp_reduce.cuh>
#include <cub/warp/warp_scan.cuh>

namespace cg = cooperative_groups;

template <typename Group> __device__ int mixed(const Group &group, int value) {
  const int first = group.shfl(value, 0), largest = cg::reduce(group, value, cg::greater<int>());
  const unsigned odd = group.ballot(value & 1);
  return first * 3 + largest + group.shfl_xor(value, 1) * 5 + static_cast<int>(__popc(odd)) +
         group.any(value > 900) * 7 + group.all(value > 10) * 11 + group.shfl_down(value, 2) * 13;
}

// A block of two dimensions: ranks count along the rows.
__global__ void tiles(const int *in, int *out) {
  __shared__ int sums[32];
  const cg::thread_block block = cg::this_thread_block();
  const auto tile = cg::tiled_partition<16>(block);
  const unsigned rank = block.thread_rank(), at = blockIdx.x * block.num_threads() + rank;
  int value = in[at];
  for (int i = 0; i < 3; ++i) {
    const int sum = cg::reduce(tile, value, cg::plus<int>());
    if (tile.thread_rank() == 0)
      sums[tile.meta_group_rank()] = sum;
    block.sync();
    value = mixed(tile, value) % 1000 + sums[(tile.meta_group_rank() + 1) % tile.meta_group_size()] % 100;
    value += cg::inclusive_scan(tile, value) % 50 + cg::exclusive_scan(tile, value & 7, cg::plus<int>());
    block.sync();
  }
  out[at] = value + static_cast<int>(block.thread_index().y * block.group_dim().x);
}

// Groups of those that are there.
__global__ void divergent(const int *in, int *out) {
  const cg::thread_block block = cg::this_thread_block();
  const auto warp = cg::tiled_partition<32>(block);
  const unsigned at = blockIdx.x * 128 + block.thread_rank();
  int value = in[at];
  if (value % 3 == 0) {
    const cg::coalesced_group active = cg::coalesced_threads();
    value += static_cast<int>(active.thread_rank() + active.size() * 40) + cg::reduce(active, value, cg::plus<int>()) % 77;
    active.sync();
  }
  warp.sync();
  const auto label = cg::labeled_partition(warp, in[at] % 4);
  out[at] = value * 2 + static_cast<int>(label.size()) + cg::reduce(label, value, cg::less<int>());
  block.sync();
}

__global__ void copied(const int *in, int *out) {
  __shared__ alignas(16) int tile[256];
  __shared__ alignas(16) int halves[2][32];
  const cg::thread_block block = cg::this_thread_block();
  const auto warp = cg::tiled_partition<32>(block);
  for (int i = 0; i < 2; ++i) {
    cg::memcpy_async(block, tile, in + (blockIdx.x * 2 + i) * 256, sizeof(tile));
    cg::memcpy_async(warp, halves[warp.meta_group_rank()], in + blockIdx.x * 64 + 32 * warp.meta_group_rank(), 128);
    cg::wait(warp);
    const int own = halves[warp.meta_group_rank()][31 - warp.thread_rank()];
    cg::wait(block);
    for (unsigned j = block.thread_rank(); j < 256; j += block.size())
      out[(blockIdx.x * 2 + i) * 256 + j] = tile[255 - j] + own;
    block.sync();
  }
}

template <int Items> __global__ void moved(const int *in, int *out) {
  using Load = cub::BlockLoad<int, 64, Items, cub::BLOCK_LOAD_TRANSPOSE>;
  using Exchange = cub::BlockExchange<int, 64, Items>;
  using Store = cub::BlockStore<int, 64, Items, cub::BLOCK_STORE_WARP_TRANSPOSE>;
  __shared__ union {
    typename Load::TempStorage load;
    typename Exchange::TempStorage exchange;
    typename Store::TempStorage store;
  } memory;
  int items[Items];
  Load(memory.load).Load(in + blockIdx.x * 64 * Items, items, 60 * Items, -5);
  __syncthreads();
  for (int &item : items)
    item = item * 3 + threadIdx.x;
  Exchange(memory.exchange).BlockedToStriped(items);
  __syncthreads();
  for (int &item : items)
    item += threadIdx.x;
  Store(memory.store).Store(out + blockIdx.x * 64 * Items, items);
}

__global__ void counted(const int *in, int *out) {
  using Histogram = cub::BlockHistogram<unsigned char, 128, 2, 32>;
  using Reduce = cub::WarpReduce<int, 8>;
  using Scan = cub::WarpScan<int>;
  __shared__ Histogram::TempStorage histogram;
  __shared__ Reduce::TempStorage reduce[16];
  __shared__ Scan::TempStorage scan[4];
  __shared__ int counts[32];
  const int thread = threadIdx.x, first = blockIdx.x * 256;
  unsigned char items[2];
  for (int i = 0; i < 2; ++i)
    items[i] = static_cast<unsigned char>(in[first + thread * 2 + i] % 32);
  Histogram(histogram).Histogram(items, counts);
  __syncthreads();
  const int sum = Reduce(reduce[thread / 8]).Sum(items[0]);
  int before;
  Scan(scan[thread / 32]).ExclusiveSum(counts[thread % 32], before);
  out[first + thread * 2] = counts[thread % 32] * 1000 + before;
  out[first + thread * 2 + 1] = thread % 8 == 0 ? sum : items[1];
}

//--- main.cu
#include "both.h"
#include "kernels.cu"

#include "match.h"
#include "stride.h"

int main() {
  Array<int> in(8192), a(8192), b(8192), c(8192);
  Both both;
  both.output("a", a), both.output("b", b), both.output("c", c);
  bool good = true;
  good &= both.same("match", [&] { tiles<<<9, dim3(8, 12)>>>(in, a), moved<4><<<11, 64>>>(in, b), counted<<<13, 128>>>(in, c); },
                    [&] { require(match::launch({9, {in, a}}, {11, {in, b}}, {13, {in, c}}), "match"); });
  good &= both.same("stride", [&] { divergent<<<15, 128>>>(in, a), copied<<<13, 64>>>(in, b), moved<2><<<17, 64>>>(in, c); },
                    [&] { require(stride::launch({15, {in, a}}, {13, {in, b}}, {17, {in, c}}), "stride"); });
  return good ? 0 : 1;
}
