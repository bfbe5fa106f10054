// Several kernels may take their partition for the block in a library, also where they have blocks of their own, follow
// each other on the same threads, or wait for the grid between them: each thread notes which kernel it plays, unless
// the kernels' partitions are the same.
// RUN: split-file %s %t
// RUN: %cufuse fuse %t/kernels.cu:groups %t/kernels.cu:sorted --block 96 --block 16x8 --geometry blocks --name match \
// RUN:   -o %t/match.cu
// RUN: %cufuse fuse %t/kernels.cu:groups %t/kernels.cu:sorted --block 96 --block 16x8 --copies 3 --copies 1 \
// RUN:   --geometry blocks --grid-policy stride --name stride -o %t/stride.cu
// RUN: %cufuse fuse %t/kernels.cu:groups %t/kernels.cu:sorted --block 96 --block 16x8 --geometry blocks \
// RUN:   --grid-policy pool --name pool -o %t/pool.cu
// RUN: %cufuse fuse %t/kernels.cu:groups %t/kernels.cu:counted --block 128 --block 128 --geometry blocks --name same \
// RUN:   -o %t/same.cu
// RUN: %cufuse fuse %t/kernels.cu:groups %t/kernels.cu:sorted %t/kernels.cu:leavers --block 96 --block 16x8 --block 128 \
// RUN:   --copies 2 --copies 1 --copies 1 --turns 1 --turns 2 --turns 1 --geometry threads --name turns -o %t/turns.cu
// RUN: %cufuse fuse --vertical %t/kernels.cu:groups %t/kernels.cu:doubled %t/kernels.cu:sorted --cooperative \
// RUN:   --link groups.out=doubled.in --link doubled.out=sorted.in --block groups=96 --block doubled=160 \
// RUN:   --block sorted=16x8 --name waiting -o %t/waiting.cu
// RUN: %nvcc -Werror all-warnings -arch=sm_90a -cubin -o %t/match.cubin %t/match.cu
// RUN: %nvcc -Werror all-warnings -arch=sm_90a -cubin -o %t/turns.cubin %t/turns.cu
// RUN: %nvcc -Werror all-warnings -arch=sm_90a -cubin -o %t/waiting.cubin %t/waiting.cu
// RUN: %cufuse check %t/match.cu && %cufuse check %t/turns.cu && %cufuse check %t/waiting.cu
// RUN: FileCheck %s --check-prefix=TURNS --input-file=%t/turns.cu
// RUN: FileCheck %s --check-prefix=SAME --input-file=%t/same.cu --implicit-check-not='kernel()'
// RUN: FileCheck %s --check-prefix=WAITING --input-file=%t/waiting.cu
// RUN: %execute -I %S/Inputs -I %t %t/main.cu %t/match.cu %t/stride.cu %t/pool.cu %t/same.cu \
// RUN:   %t/turns.cu %t/waiting.cu
// TURNS: __shared__ unsigned char kernels[192];
// TURNS: static __device__ __forceinline__ uint3 threadIdx() {
// TURNS-NEXT: {{^}}    if (kernel() == 0)
// TURNS-NEXT: {{^}}      if (::threadIdx.x < 96)
// TURNS-NEXT: {{^}}        return CufusePartition<0, 1, 96, 1, 1>::threadIdx();
// TURNS-NEXT: {{^}}    if (kernel() == 0)
// TURNS-NEXT: {{^}}      return CufusePartition<96, 2, 96, 1, 1>::threadIdx();
// TURNS-NEXT: {{^}}    if (kernel() == 1)
// TURNS-NEXT: {{^}}      return CufusePartition<0, 3, 16, 8, 1>::threadIdx();
// TURNS-NEXT: {{^}}    return {{CufuseDropOutPartition|CufuseLastPartition}}<0, 4, 128, 1, 1>::threadIdx();
// TURNS: CufuseBlock::kernel() = 1;
// SAME: struct CufuseBlock {
// SAME: static __device__ __forceinline__ uint3 threadIdx() {
// SAME-NEXT: return CufusePartition<0, 0, 128, 1, 1>::threadIdx();
// WAITING: #define threadIdx ::waiting::CufuseBlock::threadIdx()
// WAITING: #include <cooperative_groups.h>
// WAITING: #undef threadIdx
// WAITING: CufuseBlock::kernel() = 3; // none: the whole block waits
// WAITING-NEXT: ::cooperative_groups::this_grid().sync();

//--- kernels.cu
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_scan.cuh>

namespace cg = cooperative_groups;

__device__ int summed(const cg::thread_block &block, int *words, int value) {
  const auto warp = cg::tiled_partition<32>(block);
  const int sum = cg::reduce(warp, value, cg::plus<int>());
  if (warp.thread_rank() == 0)
    words[warp.meta_group_rank()] = sum;
  block.sync();
  int all = 0;
  for (unsigned i = 0; i < warp.meta_group_size(); ++i)
    all += words[i];
  cg::sync(block);
  return all;
}

// Its own barrier and the library's are the same one.
__global__ void groups(const int *in, int *out) {
  __shared__ int words[32];
  const cg::thread_block block = cg::this_thread_block();
  const unsigned i = block.group_index().x * block.size() + block.thread_rank();
  int sum = summed(block, words, in[i]);
  if (threadIdx.x < 32)
    __syncthreads();
  else
    block.sync();
  out[i] = sum + cg::coalesced_threads().size() + block.thread_index().x * 3 + block.dim_threads().x +
           cg::this_grid().thread_rank() % 5;
}

__global__ void sorted(const int *in, int *out) {
  using Sort = cub::BlockRadixSort<int, 16, 2, cub::NullType, 4, true, cub::BLOCK_SCAN_WARP_SCANS, cudaSharedMemBankSizeFourByte, 8>;
  using Scan = cub::BlockScan<int, 16, cub::BLOCK_SCAN_RAKING, 8>;
  __shared__ union {
    Sort::TempStorage sort;
    Scan::TempStorage scan;
  } memory;
  const unsigned thread = threadIdx.y * 16 + threadIdx.x, first = (blockIdx.y * gridDim.x + blockIdx.x) * 256;
  int keys[2] = {in[first + thread * 2], in[first + thread * 2 + 1]};
  Sort(memory.sort).Sort(keys);
  __syncthreads();
  int before;
  Scan(memory.scan).ExclusiveSum(keys[0], before);
  out[first + thread * 2] = keys[0] + before;
  out[first + thread * 2 + 1] = keys[1];
}

__global__ void counted(int *out) {
  const cg::thread_block block = cg::this_thread_block();
  __shared__ int words[32];
  const int sum = summed(block, words, block.thread_rank());
  out[blockIdx.x * block.size() + block.thread_rank()] = sum + block.group_index().x;
}

__global__ void leavers(const int *in, int *out, int n) {
  __shared__ int tile[128];
  const cg::thread_block block = cg::this_thread_block();
  const int i = blockIdx.x * 128 + block.thread_rank();
  tile[threadIdx.x] = 0;
  block.sync();
  if (i >= n)
    return;
  tile[threadIdx.x] = in[i];
  block.sync();
  out[i] = tile[threadIdx.x ^ 1];
}

__global__ void doubled(const int *in, int *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = in[n - 1 - i] * 2;
}

//--- main.cu
#include "both.h"
#include "kernels.cu"

#include "match.h"
#include "pool.h"
#include "same.h"
#include "stride.h"
#include "turns.h"
#include "waiting.h"

int main() {
  Array<int> in(8192), a(8192), b(8192), c(8192);
  Both both;
  both.output("a", a), both.output("b", b), both.output("c", c);
  const auto apart = [&] { groups<<<9, 96>>>(in, a), sorted<<<dim3(3, 4), dim3(16, 8)>>>(in, b); };
  bool good = true;
  good &= both.same("match", apart, [&] { require(match::launch({9, {in, a}}, {dim3(3, 4), {in, b}}), "match"); });
  good &= both.same("stride", apart, [&] { require(stride::launch({9, {in, a}}, {dim3(3, 4), {in, b}}), "stride"); });
  good &= both.same("pool", apart, [&] { require(pool::launch({9, {in, a}}, {dim3(3, 4), {in, b}}), "pool"); });
  good &= both.same("same", [&] { groups<<<7, 128>>>(in, a), counted<<<11, 128>>>(b); },
                    [&] { require(same::launch({7, {in, a}}, {11, {b}}), "same"); });
  good &= both.same(
      "turns", [&] { groups<<<9, 96>>>(in, a), sorted<<<dim3(3, 4), dim3(16, 8)>>>(in, b), leavers<<<5, 128>>>(in, c, 555); },
      [&] { require(turns::launch({9, {in, a}}, {dim3(3, 4), {in, b}}, {5, {in, c, 555}}), "turns"); });
  good &= both.same(
      "waiting",
      [&] {
        groups<<<32, 96>>>(in, a), doubled<<<20, 160>>>(a, b, 3072), sorted<<<dim3(3, 4), dim3(16, 8)>>>(b, c);
      },
      [&] {
        waiting::groups::Launch first{32};
        first.arguments = {in, a};
        waiting::doubled::Launch second{20};
        second.arguments = {b, 3072};
        waiting::sorted::Launch third{dim3(3, 4)};
        third.arguments = {c};
        require(waiting::launch(first, second, third), "waiting");
      });
  return good ? 0 : 1;
}
