// Partitions take their next block from a counter in memory that every launch has of its own. Whole blocks begin with the
// kernel that their multiprocessor's ticket says, and help with the others when its pool is empty.
// RUN: split-file %s %t
// RUN: %cufuse fuse %t/kernels.cu:turned %t/kernels.cu:leaving --block 256 --block 100 --copies leaving=2 \
// RUN:   --grid-policy pool --name warps -o %t/warps.cu
// RUN: FileCheck %s --check-prefixes=POOL,WARPS --input-file=%t/warps.cu
// RUN: %cufuse fuse %t/kernels.cu:turned %t/kernels.cu:leaving %t/kernels.cu:turned --block 256 --block 96 --block 64 \
// RUN:   --geometry blocks --resident leaving=2 --grid-policy pool --name blocks -o %t/blocks.cu
// RUN: FileCheck %s --check-prefixes=POOL,BLOCKS --input-file=%t/blocks.cu
// RUN: %cufuse fuse %t/kernels.cu:leaving --block 128 --grid-policy pool --name alone -o %t/alone.cu
// RUN: %cufuse fuse %t/plain.cu:plain %t/plain.cu:plain --block 64 --block 64 --grid-policy pool --name plain -o %t/plain.out.cu
// RUN: %nvcc -Werror all-warnings -arch=sm_90a -cubin -o %t/plain.cubin %t/plain.out.cu
// RUN: %execute -I %S/../Running/Inputs -I %t %t/main.cu %t/warps.cu %t/blocks.cu %t/alone.cu

// WARPS: for (unsigned block; (block = warps_text::cufuse_turned::cufuse_partition::next(pools + 0)) < turned_blocks;) {
// WARPS: next(pools + 1)) < leaving_blocks;) {
// WARPS: next(pools + 1)) < leaving_blocks;) {
// BLOCKS: // On each multiprocessor, blocks begin by turns with the kernels, so many of them with each:
// BLOCKS-NEXT: //   1 turned_0
// BLOCKS-NEXT: //   2 leaving
// BLOCKS-NEXT: //   1 turned_1
// BLOCKS: const unsigned ticket = CufuseTicket::take(pools + 3) % 4;
// BLOCKS-NEXT: unsigned kernel = ticket < 1 ? 0 : ticket < 3 ? 1 : 2;
// BLOCKS: for (unsigned turn = 0; turn < 3; ++turn, kernel = (kernel + 1) % 3) {
// BLOCKS: __syncthreads(); // before another kernel's block uses the same memory and barriers
// POOL: cudaMallocAsync
// POOL: cudaMemsetAsync(pools, 0, poolBytes, stream);
// POOL: cudaFreeAsync(pools, stream);

//--- kernels.cu
__global__ void turned(const int *in, int *out) {
  __shared__ int tile[256];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  tile[threadIdx.x] = in[i];
  __syncthreads();
  out[i] = tile[blockDim.x - 1 - threadIdx.x] * 3;
}

__device__ int start() { return blockIdx.x * blockDim.x; }
__global__ void leaving(const int *in, int *out, int n) {
  extern __shared__ int tile[];
  const int i = start() + threadIdx.x;
  tile[threadIdx.x] = 0;
  __syncthreads();
  if (i >= n || in[i] % 5 == 0)
    return;
  tile[threadIdx.x] = in[i];
  __syncthreads();
  out[i] = tile[threadIdx.x] + tile[blockDim.x - 1 - threadIdx.x] * 3;
}

//--- main.cu
#include "both.h"
#include "kernels.cu"

#include "alone.h"
#include "blocks.h"
#include "warps.h"

int main() {
  Array<int> in(8192), a(8192), b(8192), c(8192);
  Both both;
  both.output("a", a), both.output("b", b), both.output("c", c);
  bool good = true;
  good &= both.same("warps", [&] { turned<<<11, 256>>>(in, a), leaving<<<37, 100, 400>>>(in, b, 3650); },
                    [&] { require(warps::launch({11, {in, a}}, {37, 400, {in, b, 3650}}), "warps"); });
  good &= both.same("blocks",
                    [&] { turned<<<3, 256>>>(in, a), leaving<<<37, 96, 384>>>(in, b, 3500), turned<<<70, 64>>>(in, c); },
                    [&] {
                      require(blocks::launch({3, {in, a}}, {37, 384, {in, b, 3500}}, {70, {in, c}}), "blocks");
                    });
  good &= both.same("alone", [&] { leaving<<<37, 128, 512>>>(in, b, 4700); },
                    [&] { require(alone::launch({37, 512, {in, b, 4700}}), "alone"); });
  return good ? 0 : 1;
}
//--- plain.cu
// Whatever its block is.
__global__ void plain(int *data) { data[threadIdx.x] = 1; }
