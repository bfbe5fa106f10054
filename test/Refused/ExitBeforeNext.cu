// Threads that leave a kernel before its barrier would be missed by the next kernel: refused. A return of the whole block is
// none of these.
// RUN: rm -rf %t && mkdir %t
// RUN: %exits 1 %cufuse fuse --in-registers --vertical %s:sums %s:divided --block 128 --link sums.sum=divided.sum \
// RUN:   --link sums.rows=divided.rows -o %t/out.cu 2>&1 | FileCheck %s '--implicit-check-not={{(error|refused):}}'
// RUN: ls -A %t | count 0

__global__ void sums(const float *__restrict__ in, float *__restrict__ sum, int rows, int columns) {
  if (blockIdx.x >= rows)
    return;
  float total = 0;
  for (int i = 0; i < columns; ++i)
    total += in[blockIdx.x * columns + i];
  __syncthreads();
  if (threadIdx.x == 0)
    sum[blockIdx.x] = total;
}

__global__ void divided(const float *__restrict__ in, const float *__restrict__ sum, float *__restrict__ out, int rows,
                        int columns) {
  __shared__ float total;
  if (blockIdx.x >= rows)
    return;
  // CHECK: {{[^ ]*}}:[[#@LINE+3]]:{{[0-9]+}}: error: threads may leave a kernel before its barrier, but must go on to the next
  // CHECK-SAME: kernel: divided: {{.*}} [ExitBeforeNext]
  // CHECK: note: guard the work with `if` instead of returning
  if (threadIdx.x >= columns)
    return;
  if (threadIdx.x == 0)
    total = sum[blockIdx.x];
  __syncthreads();
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    out[blockIdx.x * columns + i] = in[blockIdx.x * columns + i] / total;
}
