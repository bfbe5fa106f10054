// Cooperative groups are the toolkit's own, on the emulator's barriers and exchanges: ranks, collectives and copies have
// the values of the manual, and a group that not all its threads synchronise is a deadlock.
// RUN: %emulate -o %t %s
// RUN: %t ranks && env EMULATED_SEED=2 %t ranks
// RUN: %t collectives && env EMULATED_SEED=2 %t collectives
// RUN: %t copied && env EMULATED_SEED=2 %t copied
// RUN: %t tilesOfWarps && env EMULATED_SEED=2 %t tilesOfWarps
// RUN: %t grid && env EMULATED_SEED=2 %t grid && env EMULATED_SEED=3 %t grid
// RUN: not %t gridUnawaited
// RUN: %exits 87 %t blockWithoutOne 2>&1 | %FileCheck %s --check-prefix=BLOCK
// RUN: %exits 87 %t tileWithoutOne 2>&1 | %FileCheck %s --check-prefix=TILE
// RUN: %exits 87 %t tilesWithoutOne 2>&1 | %FileCheck %s --check-prefix=TILES

// BLOCK: emulated: deadlock
// BLOCK-NEXT: barrier 0 (sync), expected 64 (without a count), arrived 32; waiting: threads 0-32, 34-63; of warp 1 only part{{$}}
// BLOCK-NEXT: barrier 4 (sync), expected 64, arrived 0; waiting: threads 33; of warp 1 only part{{$}}
// TILE: emulated: deadlock
// TILE-NEXT: barrier 4 (sync), expected 64, arrived 0; waiting: threads 9; of warp 0 only part{{$}}
// TILE-NEXT: __syncwarp of warp 0 with mask 0000ff00; waiting: lanes 0000fd00, missing 00000200
// TILES: emulated: deadlock
// TILES: thread 0 polls ld.acquire at shared address

#include "Inputs/check.h"

#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

namespace cg = cooperative_groups;

__global__ void ranks(int *right) {
  const cg::thread_block block = cg::this_thread_block();
  const unsigned thread = threadIdx.x;
  bool good = block.thread_rank() == thread && block.size() == 72 && block.num_threads() == 72 &&
              block.group_index().x == 0 && block.thread_index().x == thread && block.dim_threads().x == 72 &&
              block.group_dim().x == 72;
  const auto eight = cg::tiled_partition<8>(block);
  good &= eight.thread_rank() == thread % 8 && eight.size() == 8 && eight.meta_group_rank() == thread / 8 &&
          eight.meta_group_size() == 9;
  const cg::thread_group dynamic = cg::tiled_partition(block, 16);
  good &= dynamic.thread_rank() == thread % 16 && dynamic.size() == (thread < 64 ? 16 : 8);
  if (thread % 3 == 1) {
    const auto together = cg::coalesced_threads();
    unsigned before = 0, count = 0;
    for (unsigned other = thread / 32 * 32; other < thread / 32 * 32 + 32 && other < 72; ++other) {
      before += other % 3 == 1 && other < thread;
      count += other % 3 == 1;
    }
    good &= together.size() == count && together.thread_rank() == before;
    good &= together.shfl(thread, before) == thread && together.shfl(thread / 32, 0) == thread / 32;
    together.sync();
  }
  block.sync();
  right[thread] = good;
}

__global__ void collectives(int *right) {
  const auto block = cg::this_thread_block();
  const auto tile = cg::tiled_partition<16>(block);
  const int thread = static_cast<int>(threadIdx.x), rank = thread % 16, first = thread - rank;
  bool good = tile.shfl(thread, 3) == first + 3 && tile.shfl_xor(thread, 5) == first + (rank ^ 5) &&
              tile.shfl_up(thread, 2) == (rank < 2 ? thread : thread - 2) &&
              tile.shfl_down(thread, 2) == (rank > 13 ? thread : thread + 2);
  good &= tile.any(rank == 7) && !tile.any(rank == 16) && !tile.all(rank != 7) && tile.all(rank < 16) &&
          tile.ballot(rank % 2) == 0xaaaa && tile.match_any(rank / 4) == 0xfu << rank / 4 * 4;
  good &= cg::reduce(tile, thread, cg::plus<int>()) == 16 * first + 120 &&
          cg::reduce(tile, thread, cg::greater<int>()) == first + 15 &&
          cg::reduce(tile, thread, cg::less<int>()) == first && cg::reduce(tile, 0.5, cg::plus<double>()) == 8;
  good &= cg::inclusive_scan(tile, 2) == 2 * (rank + 1) && cg::exclusive_scan(tile, 2) == 2 * rank;
  if (rank % 2) {
    const auto odd = cg::coalesced_threads();
    good &=
        cg::reduce(odd, 1, cg::plus<int>()) == static_cast<int>(odd.size()) && odd.ballot(1) == (1u << odd.size()) - 1;
  }
  good &= cg::labeled_partition(tile, rank / 8).size() == 8 &&
          cg::binary_partition(tile, rank == 0).size() == (rank ? 15 : 1);
  right[thread] = good;
}

__global__ void copied(int *right) {
  __shared__ alignas(16) int block[128], tiles[4][32];
  const auto all = cg::this_thread_block();
  const auto warp = cg::tiled_partition<32>(all);
  for (int i = 0; i < 3; ++i) {
    right[threadIdx.x] = static_cast<int>(threadIdx.x) + i;
    all.sync();
    cg::memcpy_async(all, block, right, sizeof(block));
    cg::memcpy_async(warp, tiles[warp.meta_group_rank()], right + 32 * warp.meta_group_rank(), 32 * sizeof(int));
    cg::wait(warp);
    cg::wait(all);
    const bool good = block[127 - threadIdx.x] == 127 - static_cast<int>(threadIdx.x) + i &&
                      tiles[threadIdx.x / 32][31 - threadIdx.x % 32] ==
                          static_cast<int>(threadIdx.x / 32 * 32 + 31 - threadIdx.x % 32) + i;
    all.sync();
    right[threadIdx.x] = good;
    all.sync();
    if (!good)
      return;
  }
}

// Their barriers lie in the memory that the hardware keeps.
__global__ void tilesOfWarps(int *right) {
  __shared__ int words[128];
  const auto tile = cg::tiled_partition<64>(cg::this_thread_block());
  const int thread = static_cast<int>(threadIdx.x), first = thread / 64 * 64;
  bool good = true;
  for (int i = 0; i < 5; ++i) {
    words[thread] = thread + i;
    tile.sync();
    good &= words[first + 63 - thread % 64] == first + 63 - thread % 64 + i;
    good &= cg::reduce(tile, 1, cg::plus<int>()) == 64;
    tile.sync();
  }
  right[thread] = good;
}

// Each block reads what another one has written.
template <bool Awaits> __device__ void exchange(int *right) {
  __device__ static int words[4];
  bool good = true;
  for (int i = 0; i < 5; ++i) {
    if (threadIdx.x == 0)
      words[blockIdx.x] = static_cast<int>(blockIdx.x) + i;
    if (Awaits)
      cg::this_grid().sync();
    good &= words[3 - blockIdx.x] == 3 - static_cast<int>(blockIdx.x) + i;
    if (Awaits)
      cg::this_grid().sync();
  }
  right[blockIdx.x * blockDim.x + threadIdx.x] = good;
}
__global__ void grid(int *right) { exchange<true>(right); }
__global__ void gridUnawaited(int *right) { exchange<false>(right); }

__global__ void blockWithoutOne(int *) {
  const auto block = cg::this_thread_block();
  if (block.thread_rank() != 33)
    cg::sync(block);
  else
    asm volatile("barrier.cta.sync 4, 64;" ::: "memory");
}
__global__ void tileWithoutOne(int *) {
  const auto tile = cg::tiled_partition<8>(cg::this_thread_block());
  if (threadIdx.x != 9)
    tile.sync();
  else
    asm volatile("barrier.cta.sync 4, 64;" ::: "memory");
}
__global__ void tilesWithoutOne(int *) {
  const auto tile = cg::tiled_partition<64>(cg::this_thread_block());
  if (threadIdx.x / 32 != 1)
    tile.sync();
}

int main(int argc, char **argv) {
  CASE(ranks, 72)
  CASE(collectives, 64)
  CASE(copied, 128)
  CASE(tilesOfWarps, 128)
  COOPERATIVE_CASE(grid, 4, 40)
  COOPERATIVE_CASE(gridUnawaited, 4, 40)
  CASE(blockWithoutOne, 64)
  CASE(tileWithoutOne, 32)
  CASE(tilesWithoutOne, 64)
  return 2;
}
