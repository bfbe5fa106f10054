// Tiles of several warps meet in memory of which a block has one: one partition may have some. Blocks of their own have
// that memory for themselves.
// RUN: rm -rf %t && mkdir %t
// RUN: %exits 1 %cufuse fuse %s:wide --block 128 --copies 2 -o %t/out.cu 2>&1 | \
// RUN:   FileCheck %s '--implicit-check-not={{(error|refused):}}'
// RUN: %exits 1 %cufuse fuse %s:wide %s:plain %s:wider --block 128 --block 64 --block 256 -o %t/out.cu 2>&1 | \
// RUN:   FileCheck %s --check-prefix=OTHER '--implicit-check-not={{(error|refused):}}'
// RUN: ls -A %t | count 0
// RUN: %cufuse fuse %s:plain %s:wide --block 64 --block 128 --copies 2 --copies 1 -o %t/out.cu
// RUN: %cufuse fuse %s:plain %s:wide --block 64 --block 128 --geometry blocks -o %t/out.cu
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

// CHECK: refused: tiles of more than 32 threads synchronise through memory that a block has only once: two partitions have some, one of wide
// CHECK-SAME: [MultiWarpTiles]
// CHECK: note: use only one such kernel, with one copy, or tiles of up to 32 threads
__global__ void wide(float *data) {
  __shared__ float tile[128];
  const auto pair = cg::tiled_partition<64>(cg::this_thread_block());
  tile[threadIdx.x] = data[threadIdx.x];
  pair.sync();
  data[threadIdx.x] = tile[threadIdx.x ^ 32];
}

// OTHER: refused: tiles of more than 32 threads {{.*}}: two partitions have some, one of wider [MultiWarpTiles]
__global__ void wider(float *data) {
  const auto half = cg::tiled_partition<128>(cg::this_thread_block());
  data[threadIdx.x] += half.shfl(data[threadIdx.x], 1);
}

__global__ void plain(float *data) { data[threadIdx.x] *= 2; }
