// A library that reads the thread index or synchronises is refused by the name that the kernel calls.
// RUN: rm -rf %t && mkdir %t
// RUN: %exits 1 %cufuse fuse %s:reverse --block 128 -o %t/out.cu 2>&1 | FileCheck %s --implicit-check-not=refused:
// RUN: ls -A %t | count 0
// RUN: %cufuse fuse %s:root --block 128 -o %t/out.cu
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

__global__ void reverse(float *data) {
  __shared__ float tile[128];
  cg::thread_block block = cg::this_thread_block();
  tile[threadIdx.x] = data[threadIdx.x];
  // CHECK: refused: {{[^ ]*}}:[[#@LINE+3]]:9: reverse: a library function reads the thread index or synchronises the
  // CHECK-SAME: block: cooperative_groups::{{.*}}thread_block::sync synchronises [LibraryUsesBlock]; write that step
  // CHECK-SAME: with __syncthreads() and warp shuffles
  block.sync();
  data[threadIdx.x] = tile[127 - threadIdx.x];
}

__global__ void root(float *data) { data[threadIdx.x] = sqrtf(__ldg(&data[threadIdx.x])); }
