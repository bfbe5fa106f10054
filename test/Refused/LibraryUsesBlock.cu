// Libraries see the partition as the block; refused is what they share between all threads of the real one.
// RUN: rm -rf %t && mkdir %t
// RUN: %exits 1 %cufuse fuse %s:private_storage --block 128 -o %t/out.cu 2>&1 | \
// RUN:   FileCheck %s '--implicit-check-not={{(error|refused):}}'
// RUN: %exits 1 %cufuse fuse %s:triggers --block 128 -o %t/out.cu 2>&1 | \
// RUN:   FileCheck %s --check-prefix=TRIGGERS '--implicit-check-not={{(error|refused):}}'
// RUN: ls -A %t | count 0
// RUN: %cufuse fuse %s:root --block 128 -o %t/out.cu -- -rdc=true
#include <cooperative_groups.h>
#include <cub/block/block_reduce.cuh>

namespace cg = cooperative_groups;

__global__ void private_storage(int *data) {
  // CHECK: {{[^ ]*}}:[[#@LINE+4]]:{{[0-9]+}}: error: private_storage: a library function uses the thread block in a way
  // CHECK-SAME: that cannot be given a part of it: {{.*}} holds shared memory [LibraryUsesBlock]
  // CHECK: note: write that step with
  // CHECK-SAME: __syncthreads() and warp shuffles
  const int sum = cub::BlockReduce<int, 128>().Sum(data[threadIdx.x]);
  if (threadIdx.x == 0)
    data[0] = sum;
}

__global__ void root(float *data) {
  cg::thread_block block = cg::this_thread_block();
  data[block.thread_rank()] = sqrtf(__ldg(&data[threadIdx.x]));
  block.sync();
}

// Dependent grids may begin only when all that shares the grid allows it.
__global__ void triggers(float *data) {
  // TRIGGERS: error: triggers: {{.*}}cudaTriggerProgrammaticLaunchCompletion lets dependent grids begin, {{.*}} left out, they
  cudaTriggerProgrammaticLaunchCompletion();
  data[threadIdx.x] = 1;
}
