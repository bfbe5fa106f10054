// Libraries see the partition as the block; refused is what they share between all threads of the real one.
// RUN: rm -rf %t && mkdir %t
// RUN: %exits 1 %cufuse fuse %s:two_warps --block 128 -o %t/out.cu 2>&1 | FileCheck %s --implicit-check-not=refused:
// RUN: %exits 1 %cufuse fuse %s:private_storage --block 128 -o %t/out.cu 2>&1 | \
// RUN:   FileCheck %s --check-prefix=MEMORY --implicit-check-not=refused:
// RUN: ls -A %t | count 0
// RUN: %cufuse fuse %s:root --block 128 -o %t/out.cu -- -rdc=true
#include <cooperative_groups.h>
#include <cub/block/block_reduce.cuh>

namespace cg = cooperative_groups;

__global__ void two_warps(float *data) {
  __shared__ float tile[128];
  // CHECK: refused: {{[^ ]*}}:[[#@LINE+4]]:25: two_warps: a library function uses the thread block in a way that cannot
  // CHECK-SAME: be given a part of it: cooperative_groups::{{.*}}tiled_partition synchronises a tile of several warps
  // CHECK-SAME: [LibraryUsesBlock]; write that step
  // CHECK-SAME: with __syncthreads() and warp shuffles
  const auto pair = cg::tiled_partition<64>(cg::this_thread_block());
  tile[threadIdx.x] = data[threadIdx.x];
  data[threadIdx.x] = tile[threadIdx.x ^ 32] + pair.num_threads();
}

__global__ void private_storage(int *data) {
  // MEMORY: refused: {{[^ ]*}}:[[#@LINE+1]]:{{[0-9]+}}: private_storage: {{.*}} holds shared memory [LibraryUsesBlock]
  const int sum = cub::BlockReduce<int, 128>().Sum(data[threadIdx.x]);
  if (threadIdx.x == 0)
    data[0] = sum;
}

__global__ void root(float *data) {
  cg::thread_block block = cg::this_thread_block();
  data[block.thread_rank()] = sqrtf(__ldg(&data[threadIdx.x]));
  block.sync();
}
