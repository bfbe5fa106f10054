// The same threads play a block of each kernel. Barriers are counted, and each kernel has its own; between kernels threads
// wait only where dynamic shared memory is the same. Threads that leave a kernel early come back for the next.
// RUN: split-file %s %t
// RUN: %cufuse fuse %t/kernels.cu:turned %t/kernels.cu:summed --block 256 --block 32x4 --geometry threads --name sequence \
// RUN:   -o %t/sequence.cu
// RUN: FileCheck %s --check-prefix=SEQUENCE --input-file=%t/sequence.cu
// RUN: %cufuse fuse %t/kernels.cu:turned %t/kernels.cu:summed %t/kernels.cu:plain --block 256 --block 32x4 --block 100 \
// RUN:   --copies summed=3 --geometry threads --name three -o %t/three.cu
// RUN: FileCheck %s --check-prefix=THREE --input-file=%t/three.cu
// RUN: %cufuse fuse %t/kernels.cu:leaving %t/kernels.cu:leaving --block 128 --block 128 --geometry threads --name leave \
// RUN:   -o %t/leave.cu
// RUN: %cufuse fuse %t/kernels.cu:turned %t/kernels.cu:leaving %t/kernels.cu:copied --block 256 --block 128 --block 96 \
// RUN:   --copies leaving=2 --turns 1 --turns 4 --turns 3 --geometry threads --name turns -o %t/turns.cu
// RUN: FileCheck %s --check-prefix=TURNS --input-file=%t/turns.cu
// RUN: %execute -I %S/../Running/Inputs -I %t %t/main.cu %t/sequence.cu %t/three.cu %t/leave.cu %t/turns.cu

// SEQUENCE: using cufuse_partition = sequence::CufusePartition<0, 1, 256, 1, 1>;
// SEQUENCE: using cufuse_partition = sequence::CufusePartition<0, 2, 32, 4, 1>;
// SEQUENCE: // Every block plays all kernels, one after the other.
// SEQUENCE-NEXT: if (blockIdx.x < turned_blocks) {
// SEQUENCE-NEXT: sequence_text::cufuse_turned::turned(uint3{blockIdx.x, 0, 0}, 0, turned_in, turned_out);
// SEQUENCE-NEXT: }
// SEQUENCE-NEXT: __syncthreads(); // before another kernel uses the same dynamic shared memory
// SEQUENCE-NEXT: if (sequence_text::cufuse_summed::cufuse_partition::rank() < 128) {
// SEQUENCE-NEXT: if (blockIdx.x < summed_grid.blocks) {
// THREE: if (three_text::cufuse_turned::cufuse_partition::rank() < 256) {
// THREE: __syncthreads(); // before another kernel uses the same dynamic shared memory
// THREE: if (blockIdx.x * 3 + 1 < summed_grid.blocks) {
// THREE: __syncthreads(); // before another kernel uses the same dynamic shared memory
// THREE-NEXT: if (three_text::cufuse_plain::cufuse_partition::rank() < 100) {
// TURNS: // threads    0 to  127: leaving, block 128, 4 times, barrier 2
// TURNS: // threads    0 to   95: copied, block 96, 3 times, barrier
// TURNS: for (unsigned turn = 0; turn < 4; ++turn) {
// TURNS-NEXT: if (threadIdx.x < 128) {
// TURNS-NEXT: if ((blockIdx.x * 4 + turn) * 2 + 0 < leaving_blocks) {
// TURNS: cufuse_partition::end(); // before the next block uses the same shared memory
// TURNS: for (unsigned turn = 0; turn < 3; ++turn) {
// TURNS: if (blockIdx.x * 3 + turn < copied_blocks) {
// TURNS: cufuse_partition::sync(); // before the next block uses the same shared memory
// TURNS: larger(turnedBlocks, larger((leavingBlocks + 8 - 1) / 8, (copiedBlocks + 3 - 1) / 3))
// TURNS: blocks > 0xffffffff / 8) // blocks are numbered in 32 bits
// TURNS-NEXT: return cudaErrorInvalidConfiguration;

//--- kernels.cu
__global__ void turned(const int *in, int *out) {
  extern __shared__ int tile[];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  tile[threadIdx.x] = in[i];
  __syncthreads();
  out[i] = tile[blockDim.x - 1 - threadIdx.x] * 3;
}

__global__ void summed(const int *in, int *out) {
  extern __shared__ int sums[];
  const int thread = threadIdx.y * 32 + threadIdx.x;
  int sum = in[(blockIdx.y * gridDim.x + blockIdx.x) * 128 + thread];
  for (int step = 16; step > 0; step /= 2)
    sum += __shfl_xor_sync(0xffffffff, sum, step);
  if (threadIdx.x == 0)
    sums[threadIdx.y] = sum;
  __syncthreads();
  if (thread == 0)
    out[blockIdx.y * gridDim.x + blockIdx.x] = sums[0] + sums[1] * 2 + sums[2] * 3 + sums[3] * 5;
}

__global__ void leaving(const int *in, int *out, int n) {
  __shared__ int tile[128];
  const int i = blockIdx.x * 128 + threadIdx.x;
  tile[threadIdx.x] = 0;
  __syncthreads();
  if (i >= n || in[i] % 5 == 0)
    return;
  tile[threadIdx.x] = in[i];
  __syncthreads();
  out[i] = tile[threadIdx.x] + tile[127 - threadIdx.x] * 3;
}

__global__ void plain(const int *in, int *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  out[i] = in[i] + blockIdx.x;
}

// No barrier of its own: a warp's values stay with it, but for those of the block that is played next.
__global__ void copied(const int *in, int *out, int n) {
  __shared__ int kept[96];
  const int i = blockIdx.x * 96 + threadIdx.x;
  kept[threadIdx.x] = i < n ? in[i] : 0;
  __syncwarp();
  if (i < n)
    out[i] = kept[threadIdx.x ^ 1] * 7;
}

//--- main.cu
#include "both.h"
#include "kernels.cu"

#include "leave.h"
#include "sequence.h"
#include "three.h"
#include "turns.h"

int main() {
  Array<int> in(8192), a(8192), b(8192), c(8192);
  Both both;
  both.output("a", a), both.output("b", b), both.output("c", c);
  bool good = true;
  const dim3 plane(3, 5);
  auto two = [&] { turned<<<11, 256, 1024>>>(in, a), summed<<<plane, dim3(32, 4), 16>>>(in, b); };
  good &= both.same("sequence", two, [&] {
    require(sequence::launch({11, 1024, {in, a}}, {plane, 16, {in, b}}), "sequence");
  });
  good &= both.same("three", [&] { two(), plain<<<37, 100>>>(in, c, 3650); },
                    [&] {
                      require(three::launch({11, 1024, {in, a}}, {plane, 16, {in, b}}, {37, {in, c, 3650}}),
                              "three");
                    });
  good &= both.same("leave", [&] { leaving<<<3, 128>>>(in, a, 300), leaving<<<25, 128>>>(in, b, 3111); },
                    [&] { require(leave::launch({3, {in, a, 300}}, {25, {in, b, 3111}}), "leave"); });
  for (const int blocks : {1, 7, 8, 9, 25}) // the last fused block plays some, or none
    good &= both.same("turns",
                      [&] {
                        turned<<<2, 256, 1024>>>(in, a), leaving<<<blocks, 128>>>(in, b, 3111);
                        copied<<<8, 96>>>(in, c, 760);
                      },
                      [&] {
                        require(turns::launch({2, 1024, {in, a}}, {unsigned(blocks), {in, b, 3111}}, {8, {in, c, 760}}),
                                "turns");
                      });
  return good ? 0 : 1;
}
