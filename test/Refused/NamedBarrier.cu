// Barriers with constant numbers are renumbered, in helpers, too. Numbers that are none, or waits for all that have not
// left, are refused.
// RUN: rm -rf %t && mkdir %t
// RUN: %exits 1 %cufuse fuse %s:halves --block 128 -o %t/out.cu 2>&1 | FileCheck %s '--implicit-check-not={{(error|refused):}}'
// RUN: %exits 1 %cufuse fuse %s:leavers --block 128 -o %t/out.cu 2>&1 | \
// RUN:   FileCheck %s --check-prefix=LEAVERS '--implicit-check-not={{(error|refused):}}'
// RUN: %exits 1 %cufuse fuse %s:chosen_leavers --block 128 -o %t/out.cu 2>&1 | \
// RUN:   FileCheck %s --check-prefix=CHOSEN '--implicit-check-not={{(error|refused):}}'
// RUN: %exits 1 %cufuse fuse %s:arrives --block 64 --grid-policy stride -o %t/out.cu 2>&1 | \
// RUN:   FileCheck %s --check-prefix=STRIDE '--implicit-check-not={{(error|refused):}}'
// RUN: ls -A %t | count 0
// RUN: %cufuse fuse %s:whole %s:plain %s:arrives --block 128 --block 64 --block 64 --name fused -o %t/out.cu
// RUN: FileCheck %s --check-prefix=GOOD --input-file=%t/out.cu
// RUN: %nvcc -Werror all-warnings -arch=sm_90a -cubin -o %t/out.cubin %t/out.cu
__device__ void wait_for_half() {
  // CHECK: {{[^ ]*}}:[[#@LINE+4]]:3: error: halves: a hardware barrier is named in a way that cannot be renumbered:
  // CHECK-SAME: __barrier_sync_count in wait_for_half [NamedBarrier]
  // CHECK: note: name one of 1 to 15, with a count, and have every
  // CHECK-SAME: thread that arrives wait
  __barrier_sync_count(0, 64);
  // CHECK: {{[^ ]*}}:[[#@LINE+1]]:3: error: halves: {{.*}}: operand %0 in wait_for_half [NamedBarrier]
  asm volatile("bar.sync %0, 64;" ::"r"(16) : "memory");
}

__global__ void halves(float *data) {
  data[threadIdx.x] += 1;
  wait_for_half();
  data[threadIdx.x] *= data[threadIdx.x ^ 1];
}

__global__ void leavers(float *data, int n) {
  if (threadIdx.x >= n)
    return;
  // LEAVERS: {{[^ ]*}}:[[#@LINE+2]]:3: error: leavers: {{.*}}: without a count in leavers, and threads may leave before:
  // LEAVERS-SAME: this branch skips bar.sync, {{[^ ]*}}:[[#@LINE+1]] [NamedBarrier]
  asm volatile("bar.sync 1;" ::: "memory");
  data[threadIdx.x] *= data[threadIdx.x ^ 1];
}

__global__ void chosen_leavers(float *data, int n, int barrier) {
  if (threadIdx.x >= n)
    return;
  __syncthreads();
  // CHOSEN: {{[^ ]*}}:[[#@LINE+2]]:3: error: chosen_leavers: {{.*}}: by a number that may be 0 in chosen_leavers, and
  // CHOSEN-SAME: threads may leave before: this branch skips a barrier of the block, {{[^ ]*}} [NamedBarrier]
  __barrier_sync_count(barrier, 64);
  // CHOSEN: {{[^ ]*}}:[[#@LINE+1]]:3: error: chosen_leavers: {{.*}}: by a number that may be 0 in chosen_leavers
  asm volatile("bar.sync %0, 64;" ::"r"(barrier) : "memory");
  data[threadIdx.x] *= data[threadIdx.x ^ 1];
}

// STRIDE: {{[^ ]*}}:[[#@LINE+2]]:17: error: {{.*}}: arrives arrives without waiting, which may reach into the block
// STRIDE-SAME: that its threads play next [NamedBarrier]
__global__ void arrives(float *data) {
  if (threadIdx.x < 32) {
    data[threadIdx.x] = 1;
    asm volatile("bar.arrive 7, 64;" ::: "memory");
  } else {
    asm volatile("bar.sync 7, 64;" ::: "memory");
    data[threadIdx.x] *= data[threadIdx.x - 32];
  }
}

// GOOD: barrier == 0)
// GOOD: cufuse_partition::syncNamed(cufuse_barrier(barrier), cufuse_partition::PaddedThreads);
// GOOD: if (threadIdx.x < 64)
__global__ void whole(float *data) {
  data[threadIdx.x] += 1;
  __barrier_sync(0);
  if (threadIdx.x < 64)
    __barrier_sync_count(3, 64);
  __barrier_sync(4);
  data[threadIdx.x] *= data[threadIdx.x ^ 1];
}

__global__ void plain(float *data) {
  data[threadIdx.x] += 1;
  __syncthreads();
  data[threadIdx.x] *= data[threadIdx.x ^ 1];
}
