// Tiles of several warps, groups whose kind or size the run chooses, and barriers by numbers that it computes.
// RUN: rm -rf %t && split-file %s %t
// RUN: %cufuse fuse %t/kernels.cu:plain %t/kernels.cu:wide %t/kernels.cu:generic --block 96 --block 256 --block 128 \
// RUN:   --name match -o %t/match.cu
// RUN: %cufuse fuse %t/kernels.cu:generic %t/kernels.cu:wide --block 128 --block 256 --grid-policy stride --copies 2 \
// RUN:   --copies 1 --name stride -o %t/stride.cu
// RUN: %cufuse fuse %t/kernels.cu:plain %t/kernels.cu:pairs --block 96 --block 192 --name chosen -o %t/chosen.cu
// RUN: %cufuse fuse %t/kernels.cu:pairs %t/kernels.cu:plain --block 192 --block 96 --grid-policy stride --name loops \
// RUN:   -o %t/loops.cu
// RUN: %cufuse fuse %t/kernels.cu:waiting %t/kernels.cu:pairs --block 256 --block 192 --geometry blocks --name blocks \
// RUN:   -o %t/blocks.cu
// RUN: %cufuse fuse %t/kernels.cu:pairs --block 192 --name alone -o %t/alone.cu
// RUN: FileCheck %s --input-file=%t/chosen.cu
// RUN: FileCheck %s --check-prefix=BLOCKS --input-file=%t/blocks.cu
// RUN: %nvcc -Werror all-warnings -std=c++17 -arch=sm_90a -cubin -o %t/match.cubin %t/match.cu
// RUN: %nvcc -Werror all-warnings -std=c++17 -arch=sm_90a -cubin -o %t/blocks.cubin %t/blocks.cu
// RUN: %execute -I %S/Inputs -I %t %t/main.cu %t/match.cu %t/stride.cu %t/chosen.cu %t/loops.cu %t/blocks.cu %t/alone.cu
// CHECK: // threads   96 to  287: pairs, block 192, all barriers
// CHECK: asm volatile("bar.warp.sync 0xffffffff; barrier.cta.sync %0, %1;" ::"n"(Barrier), "n"(PaddedThreads) : "memory");
// CHECK: using cufuse_partition = chosen::CufusePartition<96, 0, 192, 1, 1>;
// CHECK: constexpr unsigned cufuse_barrier(unsigned barrier) { return barrier; }
// CHECK: asm volatile("bar.sync %0, %1;" ::"r"(cufuse_barrier(number)), "r"(count) : "memory");
// BLOCKS: if (Threads == 256)
// BLOCKS-NEXT: ::__syncthreads();

//--- kernels.cu
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

namespace cg = cooperative_groups;

__global__ void plain(const int *in, int *out) { out[blockIdx.x * 96 + threadIdx.x] = in[threadIdx.x] * 3; }

__global__ void waiting(const int *in, int *out) {
  __shared__ int tile[256];
  tile[threadIdx.x] = in[blockIdx.x * 256 + threadIdx.x];
  __syncthreads();
  out[blockIdx.x * 256 + threadIdx.x] = tile[255 - threadIdx.x];
}

__global__ void wide(const int *in, int *out) {
  __shared__ int values[256];
  const cg::thread_block block = cg::this_thread_block();
  const auto half = cg::tiled_partition<128>(block);
  const auto quarter = cg::tiled_partition<64>(half);
  const unsigned rank = block.thread_rank();
  int value = in[blockIdx.x * 256 + rank];
  for (int round = 0; round < 3; ++round) {
    values[rank] = value;
    half.sync();
    value += values[half.meta_group_rank() * 128 + (half.thread_rank() + 77) % 128];
    half.sync();
    value = (value + cg::reduce(quarter, value, cg::plus<int>()) + half.shfl(value, 100 - round)) % 10007;
    value += half.any(value == 5) + cg::exclusive_scan(half, value & 3);
  }
  out[blockIdx.x * 256 + rank] = value;
}

__device__ int reversed(const cg::thread_group &group, int *memory, int value) {
  memory[group.thread_rank()] = value;
  group.sync();
  const int other = memory[group.size() - 1 - group.thread_rank()];
  group.sync();
  return other;
}

__global__ void generic(const int *in, int *out, int size) {
  __shared__ int memory[128];
  const cg::thread_block block = cg::this_thread_block();
  const cg::thread_group tile = cg::tiled_partition(block, size);
  const unsigned rank = block.thread_rank();
  int value = reversed(block, memory, in[blockIdx.x * 128 + rank]);
  value += reversed(tile, memory + rank / size * size, value) * 5;
  out[blockIdx.x * 128 + rank] = value;
}

__device__ void wait(int number, int count) {
  asm volatile("bar.sync %0, %1;" ::"r"(number), "r"(count) : "memory");
}

// Pairs of warps wait for each other, then every second one for all, then all.
__global__ void pairs(const int *in, int *out) {
  __shared__ int values[192];
  const int pair = threadIdx.x / 64;
  values[threadIdx.x] = in[blockIdx.x * 192 + threadIdx.x];
  wait(15 - pair, 64);
  const int other = values[threadIdx.x ^ 63];
  __barrier_sync_count(1 + pair * 3, 64);
  values[threadIdx.x] = other + 1;
  __syncthreads();
  const int sum = other + values[191 - threadIdx.x];
  __barrier_sync(2 + blockIdx.x % 5);
  values[threadIdx.x] = sum;
  wait(15 - pair, 64);
  out[blockIdx.x * 192 + threadIdx.x] = values[threadIdx.x ^ 63];
}

//--- main.cu
#include "both.h"
#include "kernels.cu"

#include "alone.h"
#include "blocks.h"
#include "chosen.h"
#include "match.h"
#include "loops.h"
#include "stride.h"

int main() {
  Array<int> in(8192), a(8192), b(8192), c(8192);
  Both both;
  both.output("a", a), both.output("b", b), both.output("c", c);
  bool good = true;
  good &= both.same("match", [&] { plain<<<7, 96>>>(in, a), wide<<<11, 256>>>(in, b), generic<<<9, 128>>>(in, c, 16); },
                    [&] { require(match::launch({7, {in, a}}, {11, {in, b}}, {9, {in, c, 16}}), "match"); });
  good &= both.same("stride", [&] { generic<<<13, 128>>>(in, c, 8), wide<<<11, 256>>>(in, b); },
                    [&] { require(stride::launch({13, {in, c, 8}}, {11, {in, b}}), "stride"); });
  good &= both.same("chosen", [&] { plain<<<7, 96>>>(in, a), pairs<<<11, 192>>>(in, b); },
                    [&] { require(chosen::launch({7, {in, a}}, {11, {in, b}}), "chosen"); });
  good &= both.same("loops", [&] { pairs<<<11, 192>>>(in, b), plain<<<7, 96>>>(in, a); },
                    [&] { require(loops::launch({11, {in, b}}, {7, {in, a}}), "loops"); });
  good &= both.same("blocks", [&] { waiting<<<7, 256>>>(in, a), pairs<<<11, 192>>>(in, b); },
                    [&] { require(blocks::launch({7, {in, a}}, {11, {in, b}}), "blocks"); });
  good &= both.same("alone", [&] { pairs<<<11, 192>>>(in, b); }, [&] { require(alone::launch({11, {in, b}}), "alone"); });
  return good ? 0 : 1;
}
