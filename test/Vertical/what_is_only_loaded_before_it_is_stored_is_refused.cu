// Launches of which the first only loads what the second stores are no wrong command line: where an element is loaded by
// another block than the one that stores it, they are refused, but for a barrier of the grid.
// RUN: %exits 1 %cufuse fuse --vertical %s:total %s:mark -o %t.cu 2>&1 | FileCheck %s
// RUN: %cufuse fuse --vertical %s:total %s:mark --cooperative -o %t.cu
// CHECK: error: the links give two kernels the same memory, and one changes it while the other still uses it: mark changes
// CHECK-SAME: label, which total loads as label
__global__ void total(const int *label, int *sum, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ int part[64];
  part[threadIdx.x] = i < n ? label[n - 1 - i] : 0;
  __syncthreads();
  if (threadIdx.x == 0)
    atomicAdd(sum, part[0] + part[63]);
}
__global__ void mark(int *label, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (label[i] < n)
    label[i] = blockIdx.x + (i & 63);
}
void run(int *label, int *sum, int n, int blocks) {
  total<<<blocks, 64>>>(label, sum, n);
  mark<<<blocks, 64>>>(label, n);
}
