// Lanes that leave a block exit when it is the only one they play; with more to play, others would wait for them.
// RUN: rm -rf %t && mkdir %t
// RUN: %exits 1 %cufuse fuse %s:sum_early --block 128 --grid-policy stride -o %t/out.cu 2>&1 | \
// RUN:   FileCheck %s --implicit-check-not=refused:
// RUN: %exits 1 %cufuse fuse %s:sum_early %s:sum_row --block 128 --block 128 --geometry threads -o %t/out.cu 2>&1 | \
// RUN:   FileCheck %s --implicit-check-not=refused:
// RUN: %exits 1 %cufuse fuse %s:sum_some --block 128 --grid-policy stride -o %t/out.cu 2>&1 | \
// RUN:   FileCheck %s --check-prefix=SOME
// RUN: %exits 1 %cufuse fuse %s:sum_below --block 128 --grid-policy stride -o %t/out.cu 2>&1 | \
// RUN:   FileCheck %s --check-prefix=BELOW
// RUN: %exits 1 %cufuse fuse %s:sum_moved --block 128 --grid-policy stride -o %t/out.cu 2>&1 | \
// RUN:   FileCheck %s --check-prefix=MOVED
// RUN: %exits 1 %cufuse fuse %s:sum_from --block 128 --grid-policy stride -o %t/out.cu 2>&1 | \
// RUN:   FileCheck %s --check-prefix=FROM
// RUN: %exits 1 %cufuse fuse %s:sum_narrow --block 128 --grid-policy stride -o %t/out.cu 2>&1 | \
// RUN:   FileCheck %s --check-prefix=NARROW
// RUN: ls -A %t | count 0
// RUN: %cufuse fuse %s:sum_early --block 128 -o %t/out.cu
// RUN: %cufuse fuse %s:sum_row %s:sum_guarded --block 128 --block 128 --grid-policy stride -o %t/out.cu
__device__ float warp_sum(float value) {
  for (int step = 16; step > 0; step /= 2)
    value += __shfl_down_sync(0xffffffff, value, step);
  return value;
}

__global__ void sum_early(const float *in, float *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    // CHECK: refused: {{[^ ]*}}:[[#@LINE+3]]:5: lanes may leave a block before a warp primitive, and would rejoin for the
    // CHECK-SAME: next block: sum_early: this return, and warp_sum, {{[^ ]*}}:[[#@LINE+3]] [ExitBeforeWarpPrimitive];
    // CHECK-SAME: use --grid-policy match without --geometry threads, let whole warps leave, or guard the work with `if`
    return;
  const float sum = warp_sum(in[i]);
  if (threadIdx.x % 32 == 0)
    atomicAdd(out, sum);
}

__global__ void sum_guarded(const float *in, float *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float sum = warp_sum(i < n ? in[i] : 0);
  if (threadIdx.x % 32 != 0)
    return;
  atomicAdd(out, sum);
}

// Some lanes of a warp are behind a number that is no multiple of 32.
__global__ void sum_some(const float *in, float *out) {
  if (threadIdx.x / 32 == 1 && threadIdx.x / 16 % 2 == 0)
    // SOME: [[#@LINE+1]]:5: lanes may leave a block before a warp primitive
    return;
  atomicAdd(out, warp_sum(in[threadIdx.x]));
}
__global__ void sum_below(const float *in, float *out, int n) {
  if (threadIdx.x >= 80)
    // BELOW: [[#@LINE+1]]:5: lanes may leave a block before a warp primitive
    return;
  atomicAdd(out, warp_sum(in[threadIdx.x]));
}
// A number that changes is followed no further than that it is the same in a warp.
__global__ void sum_moved(const float *in, float *out, int n) {
  int thread = threadIdx.x;
  thread += n;
  if (thread / 32 > 1)
    // MOVED: [[#@LINE+1]]:5: lanes may leave a block before a warp primitive
    return;
  atomicAdd(out, warp_sum(in[threadIdx.x]));
}
__global__ void sum_from(const float *in, float *out, int n) {
  int start = 64;
  const int warp = (start + threadIdx.x) / 32;
  start = 17;
  if (warp > 1)
    // FROM: [[#@LINE+1]]:5: lanes may leave a block before a warp primitive
    return;
  atomicAdd(out, warp_sum(in[threadIdx.x + start]));
}
// A byte of it is negative.
__global__ void sum_narrow(const float *in, float *out, int n) {
  const signed char thread = threadIdx.x;
  if (thread / 32 != n)
    // NARROW: [[#@LINE+1]]:5: lanes may leave a block before a warp primitive
    return;
  atomicAdd(out, warp_sum(in[threadIdx.x]));
}

__global__ void sum_row(const float *in, float *out, int rows) {
  if (blockIdx.x >= rows)
    return;
  const float sum = warp_sum(in[blockIdx.x * blockDim.x + threadIdx.x]);
  if (threadIdx.x % 32 == 0)
    atomicAdd(out, sum);
}
