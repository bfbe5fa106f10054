// Blocks of a fused launch need not run at once, so a kernel that waits for its grid is refused; its ranks are known.
// RUN: rm -rf %t && mkdir %t
// RUN: %exits 1 %cufuse fuse %s:waits --block 128 -o %t/out.cu 2>&1 | FileCheck %s '--implicit-check-not={{(error|refused):}}'
// RUN: %exits 1 %cufuse fuse %s:either --block 128 -o %t/out.cu 2>&1 | \
// RUN:   FileCheck %s --check-prefix=EITHER '--implicit-check-not={{(error|refused):}}'
// RUN: ls -A %t | count 0
// RUN: %cufuse fuse %s:asks %s:tiles --block 128 --block 64 -o %t/out.cu
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

__global__ void waits(float *data) {
  cg::grid_group grid = cg::this_grid();
  data[grid.thread_rank()] += 1;
  // CHECK: {{[^ ]*}}:[[#@LINE+4]]:8: error: waits: the kernel waits for its whole grid: cooperative_groups::
  // CHECK-SAME: {{.*}}grid_group::sync synchronises the grid [GridGroup]
  // CHECK: note: leave this kernel out: it needs a launch of
  // CHECK-SAME: its own
  grid.sync();
  data[grid.thread_rank()] *= data[0];
}

__device__ void wait(const cg::thread_group &group) {
  // EITHER: {{[^ ]*}}:[[#@LINE+1]]:9: error: either: the kernel waits for its whole grid: {{.*}}thread_group::sync
  group.sync();
}

__global__ void either(float *data, bool all) {
  data[threadIdx.x] += 1;
  if (all)
    wait(cg::this_grid());
  else
    wait(cg::this_thread_block());
  data[threadIdx.x] *= data[0];
}

// No group of this kernel is the grid.
__global__ void tiles(float *data, int size) {
  data[threadIdx.x] += 1;
  wait(cg::this_thread_block());
  data[threadIdx.x] *= data[63 - threadIdx.x];
  wait(cg::tiled_partition(cg::this_thread_block(), size));
}

__global__ void asks(float *data) { data[cg::this_grid().thread_rank()] += 1; }
