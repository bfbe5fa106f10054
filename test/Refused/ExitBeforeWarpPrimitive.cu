// Lanes that leave a block exit when it is the only one they play; with more to play, others would wait for them.
// RUN: rm -rf %t && mkdir %t
// RUN: %exits 1 %cufuse fuse %s:sum_early --block 128 --grid-policy stride -o %t/out.cu 2>&1 | \
// RUN:   FileCheck %s '--implicit-check-not={{(error|refused):}}'
// RUN: %exits 1 %cufuse fuse %s:sum_early %s:sum_row --block 128 --block 128 --geometry threads -o %t/out.cu 2>&1 | \
// RUN:   FileCheck %s '--implicit-check-not={{(error|refused):}}'
// RUN: %exits 1 %cufuse fuse %s:sum_some %s:sum_below %s:sum_moved %s:sum_from %s:sum_narrow %s:sum_in_helper \
// RUN:   %s:sum_assembled %s:predicated %s:jumped %s:votes %s:multiplied_below %s:more_often %s:gone \
// RUN:   --block 64 --block 64 --block 64 --block 64 --block 64 \
// RUN:   --block 64 --block 64 --block 64 --block 64 --block 64 --block 64 --block 64 --block 64 \
// RUN:   --grid-policy stride -o %t/out.cu 2>&1 | \
// RUN:   FileCheck %s --check-prefix=EACH '--implicit-check-not={{(error|refused):}}'
// RUN: %exits 1 %cufuse fuse %s:sum_branch --block 128 --grid-policy stride -o %t/out.cu 2>&1 | \
// RUN:   FileCheck %s --check-prefix=BRANCH
// RUN: %exits 1 %cufuse fuse %s:sum_branch %s:sum_row --block 128 --block 128 --geometry threads -o %t/out.cu 2>&1 | \
// RUN:   FileCheck %s --check-prefix=BRANCH
// RUN: %exits 1 %cufuse fuse %s:sum_branch %s:sum_row --block 128 --block 128 --geometry blocks --grid-policy pool \
// RUN:   -o %t/out.cu 2>&1 | FileCheck %s --check-prefix=BRANCH
// RUN: %exits 1 %cufuse fuse %s:multiplied --block 128 --grid-policy stride -o %t/out.cu 2>&1 | \
// RUN:   FileCheck %s --check-prefix=MATRIX
// RUN: %exits 1 %cufuse fuse %s:multiplied %s:sum_row --block 128 --block 128 --geometry threads -o %t/out.cu 2>&1 | \
// RUN:   FileCheck %s --check-prefix=MATRIX
// RUN: %exits 1 %cufuse fuse %s:sum_of_block --block 48x2 --grid-policy stride -o %t/out.cu 2>&1 | \
// RUN:   FileCheck %s --check-prefix=ROWS
// RUN: %exits 1 %cufuse fuse %s:sum_row %s:copied --block 128 --block 128 --geometry threads -o %t/out.cu 2>&1 | \
// RUN:   FileCheck %s --check-prefix=COPIED
// RUN: ls -A %t | count 0
// RUN: %cufuse fuse %s:sum_early --block 128 -o %t/out.cu
// RUN: %cufuse fuse %s:sum_row %s:sum_guarded --block 128 --block 128 --grid-policy stride -o %t/out.cu
// RUN: %cufuse fuse %s:sum_of_block %s:sum_of_plane --block 48 --block 24x12 --grid-policy stride -o %t/out.cu
// RUN: %cufuse fuse %s:sum_of_block %s:sum_present --block 32x4 --block 128 --grid-policy stride -o %t/out.cu
// RUN: %cufuse fuse %s:sum_branch %s:sum_in_helper --block 128 --block 128 -o %t/out.cu
// RUN: %cufuse fuse %s:multiplied_by_warps --block 128 --grid-policy stride -o %t/out.cu
// RUN: %cufuse fuse %s:multiplied %s:predicated_behind --block 128 --block 128 -o %t/out.cu
// RUN: %cufuse fuse %s:predicated_behind --block 128 --grid-policy stride -o %t/out.cu
#include <cuda_pipeline.h>
#include <mma.h>

__device__ float warp_sum(float value) {
  for (int step = 16; step > 0; step /= 2)
    value += __shfl_down_sync(0xffffffff, value, step);
  return value;
}

__global__ void sum_early(const float *in, float *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  // CHECK: {{[^ ]*}}:[[#@LINE+3]]:9: error: lanes may leave a block before a warp primitive, and would rejoin for the
  // CHECK-SAME: next block: sum_early: this branch skips __shfl_down_sync, {{[^ ]*}}:[[#@LINE-7]] [ExitBeforeWarpPrimitive]
  // CHECK: note: use --grid-policy match without --geometry threads, name the kernel last, let whole warps leave, or guard the work with `if`
  if (i >= n)
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
  // EACH: [[#@LINE+1]]:{{[0-9]+}}: error: lanes may leave a block before a warp primitive
  if (threadIdx.x / 32 == 1 && threadIdx.x / 16 % 2 == 0)
    return;
  atomicAdd(out, warp_sum(in[threadIdx.x]));
}
__global__ void sum_below(const float *in, float *out, int n) {
  // EACH: [[#@LINE+1]]:{{[0-9]+}}: error: lanes may leave a block before a warp primitive
  if (threadIdx.x >= 80)
    return;
  atomicAdd(out, warp_sum(in[threadIdx.x]));
}
// A number that changes is followed no further than that it is the same in a warp.
__global__ void sum_moved(const float *in, float *out, int n) {
  int thread = threadIdx.x;
  thread += n;
  // EACH: [[#@LINE+1]]:{{[0-9]+}}: error: lanes may leave a block before a warp primitive
  if (thread / 32 > 1)
    return;
  atomicAdd(out, warp_sum(in[threadIdx.x]));
}
__global__ void sum_from(const float *in, float *out, int n) {
  int start = n;
  const int warp = (start + threadIdx.x) / 32;
  start = 64;
  // EACH: [[#@LINE+1]]:{{[0-9]+}}: error: lanes may leave a block before a warp primitive
  if (warp > 1)
    return;
  atomicAdd(out, warp_sum(in[threadIdx.x + start]));
}
// A byte of it is negative.
__global__ void sum_narrow(const float *in, float *out, int n) {
  const signed char thread = threadIdx.x;
  // EACH: [[#@LINE+1]]:{{[0-9]+}}: error: lanes may leave a block before a warp primitive
  if (thread / 32 != n)
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

// The bounds check as a branch: its lanes come to the end of the block, too.
__global__ void sum_branch(const float *in, float *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  // BRANCH: {{[^ ]*}}:[[#@LINE+2]]:{{[0-9]+}}: error: lanes may leave a block before a warp primitive{{.*}}: sum_branch:
  // BRANCH-SAME: this branch skips __shfl_down_sync, {{.*}} [ExitBeforeWarpPrimitive]
  if (i < n) {
    const float sum = warp_sum(in[i]);
    if (threadIdx.x % 32 == 0)
      atomicAdd(out, sum);
  }
}
__device__ void sum_for(int i, const float *in, float *out, int n) {
  // EACH: [[#@LINE+1]]:{{[0-9]+}}: error: lanes may leave a block before a warp primitive
  if (i >= n)
    return;
  atomicAdd(out, warp_sum(in[i]));
}
__global__ void sum_in_helper(const float *in, float *out, int n) {
  sum_for(blockIdx.x * blockDim.x + threadIdx.x, in, out, n);
}
__global__ void sum_assembled(const float *in, float *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  // EACH: [[#@LINE+1]]:{{[0-9]+}}: error: lanes may leave a block before a warp primitive
  if (i >= n)
    return;
  float other;
  asm volatile("shfl.sync.bfly.b32 %0, %1, 1, 31, 0xffffffff;" : "=f"(other) : "f"(in[i]));
  out[i] = other;
}
// Inside of assembly, too: by a predicate, or by a branch.
__global__ void predicated(const int *in, int *out) {
  int other = 0;
  // EACH: [[#@LINE+1]]:{{[0-9]+}}: error: lanes may leave {{.*}}: some lanes may go round shfl.sync.bfly.b32 [
  asm volatile("{ .reg .pred p; setp.lt.s32 p, %1, 64; @p shfl.sync.bfly.b32 %0, %1, 1, 31, 0xffffffff; }"
               : "+r"(other) : "r"(in[threadIdx.x]));
  out[threadIdx.x] = other;
}
__global__ void jumped(const int *in, int *out) {
  int other = 0;
  // EACH: [[#@LINE+1]]:{{[0-9]+}}: error: lanes may leave {{.*}}: some lanes may go round shfl.sync.bfly.b32 [
  asm volatile("{ .reg .pred p; setp.lt.s32 p, %1, 64; @!p bra DONE; shfl.sync.bfly.b32 %0, %1, 1, 31, -1; DONE: }"
               : "+r"(other) : "r"(in[threadIdx.x]));
  out[threadIdx.x] = other;
}
// As CUB adds.
__global__ void predicated_behind(const int *in, int *out) {
  int sum;
  asm volatile("{ .reg .s32 r; .reg .pred p; shfl.sync.up.b32 r|p, %1, 1, 0, 0xffffffff; @p add.s32 r, r, %1; mov.s32 %0, r; }"
               : "=r"(sum) : "r"(in[threadIdx.x]));
  out[threadIdx.x] = sum;
}
__global__ void votes(const float *in, unsigned *out, int n) {
  // EACH: [[#@LINE+1]]:{{[0-9]+}}: error: lanes may leave a block before a warp primitive
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    out[i] = __ballot_sync(0xffffffff, in[i] > 0);
}

// All lanes of a warp work on a matrix together.
__device__ void multiply(const half *in, float *out) {
  using namespace nvcuda::wmma;
  fragment<matrix_a, 16, 16, 16, half, row_major> left;
  fragment<matrix_b, 16, 16, 16, half, row_major> right;
  fragment<accumulator, 16, 16, 16, float> sum;
  fill_fragment(sum, 0);
  load_matrix_sync(left, in, 16);
  load_matrix_sync(right, in, 16);
  mma_sync(sum, left, right, sum);
  store_matrix_sync(out, sum, 16, mem_row_major);
}
__global__ void multiplied(const half *in, float *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  // MATRIX: [[#@LINE+2]]:{{[0-9]+}}: error: lanes may leave a block before a warp primitive{{.*}}: multiplied:
  // MATRIX-SAME: this branch skips wmma.m16n16k16.load.a.row.stride.f16{{.*}} [ExitBeforeWarpPrimitive]
  if (i >= n)
    return;
  multiply(in + i / 32 * 256, out + i / 32 * 256);
}
__global__ void multiplied_below(const half *in, float *out) {
  // EACH: [[#@LINE+1]]:{{[0-9]+}}: error: lanes may leave a block before a warp primitive
  if (threadIdx.x < 48)
    multiply(in, out);
}
__global__ void multiplied_by_warps(const half *in, float *out, int n) {
  const int warp = (blockIdx.x * blockDim.x + threadIdx.x) / warpSize;
  if (warp < n)
    multiply(in + warp * 256, out + warp * 256);
}

// Whole warps go round it, in rows of whole warps or where there is one row; by the number in the plane, always.
__global__ void sum_of_block(const float *in, float *out) {
  // ROWS: [[#@LINE+1]]:{{.*}} rows of 48 threads are no whole warps
  if (threadIdx.x < 32) {
    const float sum = warp_sum(in[threadIdx.x]);
    if (threadIdx.x == 0)
      *out = sum;
  }
}
__global__ void sum_of_plane(const float *in, float *out) {
  const int thread = threadIdx.y * blockDim.x + threadIdx.x;
  if (thread / 32 == 0) {
    const float sum = warp_sum(in[thread]);
    if (thread == 0)
      *out = sum;
  }
}
// Waits for the lanes that are there.
__global__ void sum_present(const float *in, float *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = __shfl_sync(__activemask(), in[i], 0);
}

// Some of those that were there leave before the others are done.
__global__ void more_often(const int *in, int *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const unsigned mask = __activemask();
  int value = i;
#pragma unroll 1
  // EACH: [[#@LINE+1]]:{{[0-9]+}}: error: lanes may leave a block before a warp primitive
  for (int k = 0; k < in[i]; ++k)
    value += __shfl_sync(mask, value, 0);
  out[i] = value;
}
__global__ void gone(const int *in, int *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned mask = __activemask();
  // EACH: [[#@LINE+1]]:{{[0-9]+}}: error: lanes may leave a block before a warp primitive
  if (i >= n)
    return;
  out[i] = __shfl_sync(mask, i, 0);
}

// What the fused block does behind the last kernel, lanes might meet at.
__global__ void copied(const float *in, float *out, int n) {
  __shared__ float tile[128];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    // COPIED: [[#@LINE-1]]:{{[0-9]+}}: error: lanes may leave a block before a warp primitive, {{.*}}: copied:
    return;
  __pipeline_memcpy_async(tile + threadIdx.x, in + i, sizeof(float));
  __pipeline_commit();
  __pipeline_wait_prior(0);
  out[i] = warp_sum(tile[threadIdx.x]);
}
