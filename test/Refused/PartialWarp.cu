// In --geometry threads the lanes behind a block's end play the other kernel: no barrier or shuffle may wait for their warp.
// RUN: rm -rf %t && mkdir %t
// RUN: %exits 1 %cufuse fuse %s:turned %s:plain --block 100 --block 128 --geometry threads -o %t/out.cu 2>&1 | \
// RUN:   FileCheck %s '--implicit-check-not={{(error|refused):}}'
// RUN: %exits 1 %cufuse fuse %s:tile %s:plain --block 100 --block 128 --geometry threads -o %t/out.cu 2>&1 | \
// RUN:   FileCheck %s '--implicit-check-not={{(error|refused):}}' --check-prefix=TILE
// RUN: %exits 1 %cufuse fuse %s:assembled %s:plain --block 100 --block 128 --geometry threads -o %t/out.cu 2>&1 | \
// RUN:   FileCheck %s '--implicit-check-not={{(error|refused):}}' --check-prefix=ASSEMBLED
// RUN: %exits 1 %cufuse fuse %s:placed %s:plain --block 100 --block 128 --geometry threads -o %t/out.cu 2>&1 | FileCheck %s --check-prefix=PLACED
// PLACED: 100 threads of placed, which ask in functions where their block is [PartialWarp]
// RUN: ls -A %t | count 0
// RUN: %cufuse fuse %s:turned %s:plain --block 128 --block 100 --geometry threads -o %t/out.cu
// RUN: %cufuse fuse %s:turned %s:plain --block 100 --block 128 --geometry blocks -o %t/out.cu
// A part of one warp meets by itself, but not by a primitive of the warp.
// RUN: %cufuse fuse %s:turned %s:plain --block 16 --block 128 --geometry threads -o %t/out.cu
// RUN: rm %t/out.cu %t/out.h
// RUN: %exits 1 %cufuse fuse %s:tile %s:plain --block 16 --block 128 --geometry threads -o %t/out.cu 2>&1 | \
// RUN:   FileCheck %s --check-prefix=PART
// PART: 16 threads of tile [PartialWarp]
// CHECK: refused: the kernel synchronises or uses warp primitives, but its block is not made of whole warps: 100 threads of
// CHECK-SAME: turned [PartialWarp]
// CHECK: note: launch it with blocks of a multiple of 32 threads, or use --geometry warps for kernels that do not depend on each other
#include <cooperative_groups.h>

__global__ void turned(int *data) {
  __shared__ int tile[128];
  tile[threadIdx.x] = data[threadIdx.x];
  __syncthreads();
  data[threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];
}

__global__ void plain(int *data) { data[threadIdx.x] = 1; }

// The primitive may be a library's, or assembly.
// TILE: refused: the kernel synchronises or uses warp primitives, {{.*}}: 100 threads of tile [PartialWarp]
// ASSEMBLED: refused: the kernel synchronises or uses warp primitives, {{.*}}: 100 threads of assembled [PartialWarp]
__global__ void tile(int *data) {
  const auto warp = cooperative_groups::tiled_partition<32>(cooperative_groups::this_thread_block());
  data[threadIdx.x] = warp.shfl(data[threadIdx.x], 0);
}
__global__ void assembled(int *data) {
  int first;
  asm volatile("shfl.sync.idx.b32 %0, %1, 0, 31, 0xffffffff;" : "=r"(first) : "r"(data[threadIdx.x]));
  data[threadIdx.x] = first;
}
__device__ int place() { return blockIdx.x * blockDim.x + threadIdx.x; }
__global__ void placed(int *data) { data[place()] = 1; }
