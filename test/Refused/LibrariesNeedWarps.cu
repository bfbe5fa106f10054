// A library finds its part of the block by the thread, which two kernels may be in different blocks, or at different times.
// RUN: rm -rf %t && mkdir %t
// RUN: %exits 1 %cufuse fuse %s:counted %s:summed --block 128 --block 128 --geometry blocks -o %t/out.cu -- -rdc=true 2>&1 | \
// RUN:   FileCheck %s '--implicit-check-not={{(error|refused):}}'
// RUN: ls -A %t | count 0
// RUN: %cufuse fuse %s:counted %s:plain --block 128 --block 128 --geometry blocks -o %t/out.cu -- -rdc=true
// RUN: %cufuse fuse %s:counted %s:summed --block 128 --block 128 -o %t/out.cu -- -rdc=true
// CHECK: refused: two kernels use a library that must take their part of the threads for the whole block: counted and summed
// CHECK-SAME: [LibrariesNeedWarps]
// CHECK: note: use --geometry warps, where threads belong to one kernel
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

__global__ void counted(unsigned *data) { data[cg::this_thread_block().thread_rank()] = cg::this_thread_block().size(); }

__global__ void summed(unsigned *data) {
  const cg::thread_block block = cg::this_thread_block();
  block.sync();
  data[block.thread_rank()] += block.group_index().x;
}

__global__ void plain(unsigned *data) { data[threadIdx.x] = 1; }
