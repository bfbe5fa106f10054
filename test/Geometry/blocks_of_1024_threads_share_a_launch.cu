// Whole blocks play one kernel or the other: interleaved in one shot, or with fixed roles that loop. A kernel as large as
// the fused block keeps the block's own barrier, of a smaller one the surplus warps leave and the others are counted.
// RUN: split-file %s %t
// RUN: %cufuse fuse %t/kernels.cu:large %t/kernels.cu:small --block 32x32 --block 100 --geometry blocks --name match \
// RUN:   -o %t/match.cu
// RUN: FileCheck %s --check-prefixes=CHECK,MATCH --input-file=%t/match.cu
// RUN: %cufuse fuse %t/kernels.cu:large %t/kernels.cu:small --block 32x32 --block 100 --geometry blocks --name stride \
// RUN:   --grid-policy stride --resident small=2 -o %t/stride.cu
// RUN: FileCheck %s --check-prefixes=CHECK,STRIDE --input-file=%t/stride.cu
// RUN: %cufuse fuse %t/kernels.cu:large %t/kernels.cu:small --block 32x32 --block 100 --geometry blocks --name behind \
// RUN:   --grid-policy stride --copies small=2 --resident large=0 --resident small=2 -o %t/behind.cu
// RUN: FileCheck %s --check-prefix=BEHIND --input-file=%t/behind.cu
// RUN: %cufuse fuse %t/kernels.cu:large %t/kernels.cu:small --block 32x32 --block 100 --geometry blocks --name behind2 \
// RUN:   --grid-policy stride --copies small=3 --resident small=0 -o %t/behind2.cu
// RUN: FileCheck %s --check-prefix=BEHIND2 --input-file=%t/behind2.cu
// RUN: %cufuse fuse %t/kernels.cu:large %t/kernels.cu:small %t/kernels.cu:large --block 32x32 --block 100 --block 1024 \
// RUN:   --copies small=3 --geometry blocks --name three -o %t/three.cu
// RUN: FileCheck %s --check-prefix=THREE --input-file=%t/three.cu
// RUN: %cufuse fuse %t/kernels.cu:large %t/kernels.cu:small --block 32x32 --block 100 --geometry blocks --dry-run \
// RUN:   -o %t/dry.cu | FileCheck %s --check-prefix=PLAN
// RUN: %execute -I %S/../Running/Inputs -I %t %t/main.cu %t/match.cu %t/stride.cu %t/behind.cu \
// RUN:   %t/behind2.cu %t/three.cu

// CHECK: // threads    0 to 1023 of its blocks: large, block 32x32
// CHECK-NEXT: // threads    0 to  127 of its blocks: small, block 100, barrier 1
// MATCH: // Every block plays one kernel. They alternate in proportion to their grids
// MATCH: unsigned place = blockIdx.x;
// MATCH-NEXT: if (large_share.takes(place)) {
// MATCH-NEXT: match_text::cufuse_large::large(large_grid.inPlane(place)
// MATCH-NEXT: } else {
// MATCH-NEXT: if (match_text::cufuse_small::cufuse_partition::rank() >= 100)
// MATCH-NEXT: return; // more than this kernel's block has
// STRIDE: //   1 large
// STRIDE-NEXT: //   2 small
// STRIDE-NEXT: if (blockIdx.x < large_resident) {
// STRIDE-NEXT: for (unsigned block = blockIdx.x; block < large_grid.blocks; block += large_resident) {
// STRIDE: } else {
// STRIDE: for (unsigned block = blockIdx.x - large_resident; block < small_blocks; block += small_resident) {
// STRIDE: const unsigned largeResident =
// STRIDE-NEXT: inEvenRounds(largeGrid.blocks, 1 * static_cast<unsigned>(multiprocessors));
// STRIDE-NEXT: const unsigned smallResident =
// STRIDE-NEXT: inEvenRounds(smallBlocks, 2 * static_cast<unsigned>(multiprocessors));
// STRIDE-NEXT: const unsigned blocks = largeResident + smallResident;
// BEHIND: //   2 small
// BEHIND-NEXT: // large has a block for each of its own, behind those.
// BEHIND-NEXT: if (blockIdx.x < small_resident) {
// BEHIND: for (unsigned block = blockIdx.x * 2 + 1; block < small_blocks; block += small_resident * 2) {
// BEHIND: } else {
// BEHIND-NEXT: behind_text::cufuse_large::large(large_grid.inPlane(blockIdx.x - small_resident)
// BEHIND: const unsigned smallResident =
// BEHIND-NEXT: inEvenRounds((smallBlocks + 2 - 1) / 2, 2 * static_cast<unsigned>(multiprocessors));
// BEHIND-NEXT: const unsigned blocks = smallResident + largeGrid.blocks;
// BEHIND2: if (blockIdx.x < large_resident) {
// BEHIND2: if ((blockIdx.x - large_resident) * 3 + 2 < small_blocks) {
// THREE: } else if (small_share.takes(place)) {
// THREE-NEXT: if (threadIdx.x < 128) {
// THREE: } else if (threadIdx.x < 256) {
// THREE: if (place * 3 + 1 < small_blocks) {
// PLAN: 1024 threads, grid policy match, geometry blocks
// PLAN-NEXT: threads    0 to 1023: large copy 0, block 32x32, the barrier of the block
// PLAN-NEXT: threads    0 to  127: small copy 0, block 100, barrier 1

//--- kernels.cu
__global__ void large(const int *in, int *out, int n) {
  __shared__ int tile[32][33];
  const int block = blockIdx.y * gridDim.x + blockIdx.x, thread = threadIdx.y * blockDim.x + threadIdx.x;
  const int i = block * 1024 + thread;
  tile[thread / 32][thread % 32] = i < n ? in[i] : 0;
  const int votes = __syncthreads_count(i < n && in[i] > 500);
  if (i >= n)
    return;
  out[i] = tile[thread % 32][thread / 32] * 3 + votes;
}

// Lanes leave before the others synchronise, and helpers read the block's index.
__device__ int start() { return blockIdx.x * blockDim.x; }
__global__ void small(const int *in, int *out, int n) {
  extern __shared__ int tile[];
  const int i = start() + threadIdx.x;
  tile[threadIdx.x] = 5;
  __syncthreads();
  if (i >= n)
    return;
  tile[threadIdx.x] = in[i];
  __syncthreads();
  out[i] = tile[threadIdx.x] + tile[99 - threadIdx.x] * 7;
}

//--- main.cu
#include "both.h"
#include "kernels.cu"

#include "behind.h"
#include "behind2.h"
#include "match.h"
#include "stride.h"
#include "three.h"

int main() {
  Array<int> in(20000), a(20000), b(20000), c(20000);
  Both both;
  both.output("a", a), both.output("b", b), both.output("c", c);
  bool good = true;
  const dim3 square(32, 32), plane(3, 5);
  auto unfused = [&] {
    large<<<plane, square>>>(in, a, 15000);
    small<<<37, 100, 400>>>(in, b, 3650);
  };
  good &= both.same("match", unfused, [&] {
    require(match::launch({plane, {in, a, 15000}}, {37, 400, {in, b, 3650}}), "match");
  });
  good &= both.same("stride", unfused, [&] {
    require(stride::launch({plane, {in, a, 15000}}, {37, 400, {in, b, 3650}}), "stride");
  });
  good &= both.same("behind", unfused, [&] {
    require(behind::launch({plane, {in, a, 15000}}, {37, 400, {in, b, 3650}}), "behind");
  });
  good &= both.same("behind2", unfused, [&] {
    require(behind2::launch({plane, {in, a, 15000}}, {37, 400, {in, b, 3650}}), "behind2");
  });
  auto three = [&] {
    unfused();
    large<<<dim3(1, 7), 1024>>>(in, c, 7168);
  };
  good &= both.same("three", three, [&] {
    require(three::launch({plane, {in, a, 15000}}, {37, 400, {in, b, 3650}}, {dim3(1, 7), {in, c, 7168}}), "three");
  });
  return good ? 0 : 1;
}
