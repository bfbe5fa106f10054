// Blocks of a fused launch need not run at once, so a kernel that waits for its grid is refused; its ranks are known.
// RUN: rm -rf %t && mkdir %t
// RUN: %exits 1 %cufuse fuse %s:waits --block 128 -o %t/out.cu 2>&1 | FileCheck %s --implicit-check-not=refused:
// RUN: ls -A %t | count 0
// RUN: %cufuse fuse %s:asks --block 128 -o %t/out.cu
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

__global__ void waits(float *data) {
  cg::grid_group grid = cg::this_grid();
  data[grid.thread_rank()] += 1;
  // CHECK: refused: {{[^ ]*}}:[[#@LINE+3]]:8: waits: the kernel waits for its whole grid: cooperative_groups::
  // CHECK-SAME: {{.*}}grid_group::sync synchronises the grid [GridGroup]; leave this kernel out: it needs a launch of
  // CHECK-SAME: its own
  grid.sync();
  data[grid.thread_rank()] *= data[0];
}

__global__ void asks(float *data) { data[cg::this_grid().thread_rank()] += 1; }
