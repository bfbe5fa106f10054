// CUB is the toolkit's own: its collectives of blocks and warps have the values of its manual, and one that a thread
// leaves out is a deadlock.
// RUN: %emulate -o %t %s
// RUN: %t blocks && env EMULATED_SEED=2 %t blocks
// RUN: %t shapes && env EMULATED_SEED=2 %t shapes
// RUN: %t moved && env EMULATED_SEED=2 %t moved
// RUN: %t warps && env EMULATED_SEED=2 %t warps
// RUN: %exits 1 %t memoryTooEarly
// RUN: %exits 87 %t withoutOne 2>&1 | %FileCheck %s

// CHECK: emulated: deadlock
// CHECK-NEXT: barrier 0 (sync), expected 64 (without a count), arrived 32; waiting: threads 0-39, 41-63; of warp 1 only part
// CHECK-NEXT: barrier 4 (sync), expected 64, arrived 0; waiting: threads 40; of warp 1 only part{{$}}

#include "Inputs/check.h"

#include <cub/block/block_exchange.cuh>
#include <cub/block/block_histogram.cuh>
#include <cub/block/block_load.cuh>
#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/block/block_store.cuh>
#include <cub/warp/warp_reduce.cuh>
#include <cub/warp/warp_scan.cuh>

struct Larger {
  __device__ int operator()(int a, int b) const { return a > b ? a : b; }
};

template <cub::BlockReduceAlgorithm Algorithm> __device__ bool reduces(int thread) {
  using Reduce = cub::BlockReduce<int, 96, Algorithm>;
  __shared__ typename Reduce::TempStorage memory;
  const int sum = Reduce(memory).Sum(thread);
  __syncthreads();
  const int largest = Reduce(memory).Reduce(thread * 7 % 96, Larger(), 50);
  return thread != 0 || (sum == 4560 && largest == 95);
}
template <cub::BlockScanAlgorithm Algorithm> __device__ bool scans(int thread) {
  using Scan = cub::BlockScan<int, 96, Algorithm>;
  __shared__ typename Scan::TempStorage memory;
  int before, upTo, all;
  Scan(memory).ExclusiveSum(thread, before, all);
  __syncthreads();
  Scan(memory).InclusiveScan(thread * 5 % 96, upTo, Larger());
  int largest = 0;
  for (int i = 0; i <= thread; ++i)
    largest = i * 5 % 96 > largest ? i * 5 % 96 : largest;
  return before == thread * (thread - 1) / 2 && all == 4560 && upTo == largest;
}
__global__ void blocks(int *right) {
  const int thread = static_cast<int>(threadIdx.x);
  bool good = reduces<cub::BLOCK_REDUCE_WARP_REDUCTIONS>(thread);
  __syncthreads();
  good &= reduces<cub::BLOCK_REDUCE_RAKING>(thread);
  good &= scans<cub::BLOCK_SCAN_WARP_SCANS>(thread);
  good &= scans<cub::BLOCK_SCAN_RAKING>(thread);
  right[thread] = good;
}

__global__ void shapes(int *right) {
  using Sort = cub::BlockRadixSort<unsigned, 64, 2, unsigned>;
  using Histogram = cub::BlockHistogram<unsigned char, 64, 2, 16>;
  __shared__ union {
    Sort::TempStorage sort;
    Histogram::TempStorage histogram;
  } memory;
  __shared__ unsigned counts[16];
  const unsigned thread = threadIdx.x;
  unsigned keys[2] = {thread * 37 % 128, (thread + 64) * 37 % 128}, values[2] = {thread, thread + 64};
  Sort(memory.sort).Sort(keys, values);
  __syncthreads();
  unsigned char bins[2] = {static_cast<unsigned char>(thread % 16), static_cast<unsigned char>(thread % 4)};
  Histogram(memory.histogram).Histogram(bins, counts);
  __syncthreads();
  bool good = counts[thread % 16] == (thread % 16 < 4 ? 20u : 4u);
  for (unsigned i = 0; i < 2; ++i)
    good &= keys[i] == thread * 2 + i && values[i] * 37 % 128 == keys[i];
  right[thread] = good;
}

__global__ void moved(int *right) {
  using Load = cub::BlockLoad<int, 64, 4, cub::BLOCK_LOAD_TRANSPOSE>;
  using Exchange = cub::BlockExchange<int, 64, 4>;
  using Store = cub::BlockStore<int, 64, 4, cub::BLOCK_STORE_WARP_TRANSPOSE>;
  __shared__ union {
    Load::TempStorage load;
    Exchange::TempStorage exchange;
    Store::TempStorage store;
  } memory;
  __shared__ int from[256], to[256];
  const int thread = static_cast<int>(threadIdx.x);
  for (int i = 0; i < 4; ++i)
    from[i * 64 + thread] = i * 64 + thread;
  __syncthreads();
  int items[4];
  Load(memory.load).Load(from, items, 250, -1);
  __syncthreads();
  bool good = true;
  for (int i = 0; i < 4; ++i)
    good &= items[i] == (thread * 4 + i < 250 ? thread * 4 + i : -1);
  int stored[4] = {items[0], items[1], items[2], items[3]}; // the store rearranges them
  Store(memory.store).Store(to, stored);
  __syncthreads();
  Exchange(memory.exchange).BlockedToStriped(items);
  for (int i = 0; i < 4; ++i)
    good &= items[i] == (i * 64 + thread < 250 ? i * 64 + thread : -1) && to[i * 64 + thread] == items[i];
  right[thread] = good;
}

__global__ void warps(int *right) {
  using Reduce = cub::WarpReduce<int, 16>;
  using Scan = cub::WarpScan<int>;
  __shared__ Reduce::TempStorage reduce[4];
  __shared__ Scan::TempStorage scan[2];
  const int thread = static_cast<int>(threadIdx.x), rank = thread % 32;
  const int sum = Reduce(reduce[thread / 16]).Sum(thread);
  int upTo;
  Scan(scan[thread / 32]).InclusiveSum(rank, upTo);
  right[thread] = (thread % 16 != 0 || sum == 16 * thread + 120) && upTo == rank * (rank + 1) / 2;
}

// The second use of the memory must wait for the first.
__global__ void memoryTooEarly(int *right) {
  using Reduce = cub::BlockReduce<int, 256>;
  __shared__ Reduce::TempStorage memory;
  bool good = true;
  for (int i = 0; i < 50; ++i) {
    const int sum = Reduce(memory).Sum(i);
    good &= threadIdx.x != 0 || sum == 256 * i;
  }
  right[threadIdx.x] = good;
}

__global__ void withoutOne(int *) {
  using Scan = cub::BlockScan<int, 64>;
  __shared__ Scan::TempStorage memory;
  int before = 0;
  if (threadIdx.x != 40)
    Scan(memory).ExclusiveSum(1, before);
  else
    asm volatile("barrier.cta.sync 4, 64;" ::: "memory");
}

int main(int argc, char **argv) {
  CASE(blocks, 96)
  CASE(shapes, 64)
  CASE(moved, 64)
  CASE(warps, 64)
  CASE(memoryTooEarly, 256)
  CASE(withoutOne, 64)
  return 2;
}
