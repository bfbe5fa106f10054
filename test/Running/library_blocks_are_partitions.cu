// Cooperative groups and CUB see the partition as the block.
// RUN: split-file %s %t
// RUN: %cufuse fuse %t/kernels.cu:groups %t/kernels.cu:sorted %t/kernels.cu:plain --block 96 --block 16x8 --block 64 \
// RUN:   --copies 2 --copies 1 --copies 1 --name match -o %t/match.cu
// RUN: %cufuse fuse %t/kernels.cu:groups %t/kernels.cu:sorted --block 96 --block 16x8 --grid-policy stride --name stride \
// RUN:   -o %t/stride.cu
// RUN: %cufuse fuse %t/kernels.cu:leavers %t/kernels.cu:groups --block 128 --block 96 --name leaving -o %t/leaving.cu
// RUN: %cufuse fuse %t/kernels.cu:groups --block 96 --name alone -o %t/alone.cu
// RUN: %nvcc -Werror all-warnings -arch=sm_90a -cubin -o %t/match.cubin %t/match.cu
// RUN: %nvcc -Werror all-warnings -arch=sm_90a -cubin -o %t/stride.cubin %t/stride.cu
// RUN: %nvcc -Werror all-warnings -arch=sm_90a -cubin -o %t/leaving.cubin %t/leaving.cu
// RUN: %nvcc -Werror all-warnings -arch=sm_90a -cubin -o %t/alone.cubin %t/alone.cu
// RUN: FileCheck %s --input-file=%t/match.cu
// RUN: FileCheck %s --check-prefix=ALONE --input-file=%t/alone.cu
// RUN: %execute -I %S/Inputs -I %t %t/main.cu %t/match.cu %t/stride.cu %t/leaving.cu %t/alone.cu
// CHECK: struct CufuseBlock {
// CHECK: #define threadIdx ::match::CufuseBlock::threadIdx()
// CHECK: #include <cooperative_groups.h>
// CHECK: #undef threadIdx
// ALONE-NOT: CufuseBlock

//--- kernels.cu
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_reduce.cuh>
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

__global__ void groups(const int *in, int *out) {
  __shared__ int words[32];
  const cg::thread_block block = cg::this_thread_block();
  const unsigned i = block.group_index().x * block.size() + block.thread_rank();
  out[i] = summed(block, words, in[i]) + cg::coalesced_threads().size() + block.thread_index().x * 3 +
           block.dim_threads().x + cg::this_grid().thread_rank() % 5;
}

__global__ void sorted(const int *in, int *out) {
  using Sort = cub::BlockRadixSort<int, 16, 2, cub::NullType, 4, true, cub::BLOCK_SCAN_WARP_SCANS, cudaSharedMemBankSizeFourByte, 8>;
  using Scan = cub::BlockScan<int, 16, cub::BLOCK_SCAN_RAKING, 8>;
  using Reduce = cub::BlockReduce<int, 16, cub::BLOCK_REDUCE_WARP_REDUCTIONS, 8>;
  __shared__ union {
    Sort::TempStorage sort;
    Scan::TempStorage scan;
    Reduce::TempStorage reduce;
  } memory;
  const unsigned thread = threadIdx.y * 16 + threadIdx.x, first = (blockIdx.y * gridDim.x + blockIdx.x) * 256;
  int keys[2] = {in[first + thread * 2], in[first + thread * 2 + 1]};
  Sort(memory.sort).Sort(keys);
  __syncthreads();
  int before;
  Scan(memory.scan).ExclusiveSum(keys[0], before);
  __syncthreads();
  const int largest = Reduce(memory.reduce).Reduce(keys[1], [](int a, int b) { return a > b ? a : b; });
  out[first + thread * 2] = keys[0] + before;
  out[first + thread * 2 + 1] = thread == 0 ? largest : keys[1];
}

__global__ void plain(int *out) { out[blockIdx.x * blockDim.x + threadIdx.x] = threadIdx.x; }

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

//--- main.cu
#include "both.h"
#include "kernels.cu"

#include "alone.h"
#include "leaving.h"
#include "match.h"
#include "stride.h"

int main() {
  Array<int> in(8192), a(8192), b(8192), c(8192);
  Both both;
  both.output("a", a), both.output("b", b), both.output("c", c);
  bool good = true;
  good &= both.same("match", [&] { groups<<<9, 96>>>(in, a), sorted<<<dim3(3, 4), dim3(16, 8)>>>(in, b), plain<<<5, 64>>>(c); },
                    [&] { require(match::launch({9, {in, a}}, {dim3(3, 4), {in, b}}, {5, {c}}), "match"); });
  good &= both.same("stride", [&] { groups<<<9, 96>>>(in, a), sorted<<<dim3(3, 4), dim3(16, 8)>>>(in, b); },
                    [&] { require(stride::launch({9, {in, a}}, {dim3(3, 4), {in, b}}), "stride"); });
  good &= both.same("leaving", [&] { leavers<<<5, 128>>>(in, b, 555), groups<<<9, 96>>>(in, a); },
                    [&] { require(leaving::launch({5, {in, b, 555}}, {9, {in, a}}), "leaving"); });
  good &= both.same("alone", [&] { groups<<<9, 96>>>(in, a); }, [&] { require(alone::launch({9, {in, a}}), "alone"); });
  return good ? 0 : 1;
}
