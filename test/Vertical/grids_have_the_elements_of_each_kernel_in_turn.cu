// In turn by threads, kernels with bounds of their own have one grid: it reaches the elements of each of them.
// RUN: %cufuse fuse --vertical %s:add %s:twice --link add.x=twice.x --block 64 --distinct --name both -o %t.cu
// RUN: FileCheck %s --input-file %t.cu
// CHECK: a thread its part of every kernel
// CHECK: n > 64ll * grid.x ||
// CHECK-NEXT: m > 64ll * grid.x ||
__global__ void add(float *x, const float *b, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    x[i] += b[i];
}
__global__ void twice(const float *x, float *y, int m) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < m)
    y[i] = x[i] * 2;
}
