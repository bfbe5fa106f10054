// A return that only some threads take is refused where a barrier follows, and accepted where none can.
// RUN: rm -rf %t && mkdir %t
// RUN: %exits 1 %cufuse fuse %s:early --block 128 -o %t/out.cu 2>&1 | \
// RUN:   FileCheck %s --check-prefix=EARLY --implicit-check-not=refused:
// RUN: %exits 1 %cufuse fuse %s:early_before_helper --block 128 -o %t/out.cu 2>&1 | \
// RUN:   FileCheck %s --check-prefix=HELPER --implicit-check-not=refused:
// RUN: %exits 1 %cufuse fuse %s:early_in_loop --block 128 -o %t/out.cu 2>&1 | \
// RUN:   FileCheck %s --check-prefix=LOOP --implicit-check-not=refused:
// RUN: %exits 1 %cufuse fuse %s:divergent_branch --block 128 -o %t/out.cu 2>&1 | \
// RUN:   FileCheck %s --check-prefix=BRANCH --implicit-check-not=refused:
// RUN: ls -A %t | count 0
// RUN: %cufuse fuse %s:uniform_return %s:return_behind --block 128 --block 128 -o %t/out.cu
// RUN: %cufuse fuse %s:return_without_barrier %s:helper_for_all --block 128 --block 128 -o %t/out.cu
__global__ void early(const float *in, float *out, int n) {
  __shared__ float tile[128];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    // EARLY: refused: {{[^ ]*}}:[[#@LINE+3]]:5: early: threads may leave before a barrier that others wait at: this
    // EARLY-SAME: return, and __syncthreads, {{[^ ]*}}:[[#@LINE+4]] [EarlyExitBeforeBarrier]; guard the work with `if`
    // EARLY-SAME: instead of returning, so that every thread reaches the barrier
    return;
  tile[threadIdx.x] = in[i];
  __syncthreads();
  out[i] = tile[127 - threadIdx.x];
}

__device__ float reversed(float *tile, float value) {
  tile[threadIdx.x] = value;
  __syncthreads();
  return tile[127 - threadIdx.x];
}

__global__ void early_before_helper(const float *in, float *out, int n) {
  __shared__ float tile[128];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    // HELPER: refused: {{[^ ]*}}:[[#@LINE+2]]:5: early_before_helper: {{.*}}: this return, and reversed,
    // HELPER-SAME: {{[^ ]*}}:[[#@LINE+2]] [EarlyExitBeforeBarrier]
    return;
  out[i] = reversed(tile, in[i]);
}

// A warp leaves the loop, and the others wait for it in the next round.
__global__ void early_in_loop(const int *found, int *out, int rounds) {
  __shared__ int sum;
  for (int round = 0; round < rounds; ++round) {
    if (threadIdx.x == 0)
      sum = 0;
    __syncthreads();
    if (found[threadIdx.x] == round)
      // LOOP: refused: {{[^ ]*}}:[[#@LINE+2]]:7: early_in_loop: {{.*}}: this return, and __syncthreads,
      // LOOP-SAME: {{[^ ]*}}:[[#@LINE-3]] [EarlyExitBeforeBarrier]
      return;
    atomicAdd(&sum, 1);
    out[threadIdx.x] = sum;
  }
}

__global__ void divergent_branch(float *data) {
  // BRANCH: refused: {{[^ ]*}}:[[#@LINE+2]]:3: divergent_branch: {{.*}}: this branch skips __syncthreads,
  // BRANCH-SAME: {{[^ ]*}}:[[#@LINE+3]] [EarlyExitBeforeBarrier]
  if (threadIdx.x < 64) {
    data[threadIdx.x] += 1;
    __syncthreads();
    data[threadIdx.x] *= data[63 - threadIdx.x];
  }
}

// All threads of a block decide alike: by a parameter or by the block's index.
__global__ void uniform_return(const float *in, float *out, int rows) {
  __shared__ float tile[128];
  const int row = blockIdx.x;
  if (row >= rows)
    return;
  tile[threadIdx.x] = in[row * 128 + threadIdx.x];
  __syncthreads();
  out[row * 128 + threadIdx.x] = tile[127 - threadIdx.x];
}

__global__ void return_behind(const float *in, float *out, int n) {
  __shared__ float tile[128];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  tile[threadIdx.x] = i < n ? in[i] : 0;
  __syncthreads();
  if (i >= n)
    return;
  out[i] = tile[127 - threadIdx.x];
}

__global__ void return_without_barrier(const float *in, float *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  out[i] = in[i];
}

__global__ void helper_for_all(const float *in, float *out, int n) {
  __shared__ float tile[128];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float mine = reversed(tile, i < n ? in[i] : 0);
  if (i < n)
    out[i] = mine;
}
