// Only where threads may leave before others synchronise is the hardware's barrier given up.
// RUN: %cufuse fuse %s:uniform_return %s:return_behind %s:parts_and_meets --block 128 --block 128 --block 128 -o %t.cu
// RUN: FileCheck %s --input-file=%t.cu
// RUN: %cufuse fuse %s:without_barrier %s:helper_for_all %s:by_table %s:mutable_table --block 128 --block 128 --block 128 --block 128 -o %t.cu
// RUN: FileCheck %s --input-file=%t.cu
// RUN: %cufuse fuse %s:early_out --block 128 --grid-policy stride -o %t.cu
// RUN: FileCheck %s --check-prefix=LEAVES --input-file=%t.cu
// RUN: %cufuse fuse %s:trips_differ --block 128 --grid-policy stride --explain -o %t.cu 2>&1 | \
// RUN:   FileCheck %s --check-prefix=EXPLAIN
// RUN: FileCheck %s --check-prefix=LEAVES --input-file=%t.cu
// CHECK-NOT: mbarrier
// LEAVES: cufuse_partition::leave()

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

__global__ void without_barrier(const float *in, float *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  out[i] = in[i];
}

__device__ float reversed(float *tile, float value) {
  tile[threadIdx.x] = value;
  __syncthreads();
  return tile[127 - threadIdx.x];
}

__global__ void helper_for_all(const float *in, float *out, int n) {
  __shared__ float tile[128];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float mine = reversed(tile, i < n ? in[i] : 0);
  if (i < n)
    out[i] = mine;
}

// Threads part, and meet again before the next round's barrier.
__global__ void parts_and_meets(const float *in, float *out, int n) {
  __shared__ float sum;
  for (int i = threadIdx.x; i < n; i += 128)
    out[i] = 0;
  for (int round = 0; round < n; ++round) {
    __syncthreads();
    if (threadIdx.x < 3)
      sum = in[round];
    for (int i = 0; i < threadIdx.x; ++i)
      if (in[i] > 0)
        continue;
  }
}

// All threads of a block read the same before it writes anything; other blocks could only race.
__global__ void by_table(const int *__restrict__ lengths, float *out) {
  __shared__ float tile[128];
  if (lengths[blockIdx.x] == 0)
    return;
  out[threadIdx.x] = reversed(tile, threadIdx.x);
}

__global__ void mutable_table(int *lengths, float *out) {
  __shared__ float tile[128];
  if (lengths[blockIdx.x] == 0)
    return;
  out[threadIdx.x] = reversed(tile, threadIdx.x);
}

// A flag that CUDA calls a race, and that much code has.
__global__ void early_out(const int *in, int *found, float *out) {
  __shared__ float tile[128];
  if (in[threadIdx.x] == 3)
    *found = 1;
  if (!*found)
    out[threadIdx.x] = reversed(tile, threadIdx.x);
}

// EXPLAIN: trips_differ: an mbarrier instead, which leaving threads drop out of: {{[^ ]*}}:[[#@LINE+3]]:{{[0-9]+}}: this branch
// EXPLAIN-SAME: skips a barrier of the block, {{[^ ]*}}:[[#@LINE-52]]
__global__ void trips_differ(float *data, int n) {
  for (int i = threadIdx.x; i < n; i += 128)
    data[i] = reversed(data, i);
}
