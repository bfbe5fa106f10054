// A kernel that is launched in place by two parameters is in no fused kernel that needs two arrays: its launch would always be
// declined. Where nobody needs them apart, it is.
// RUN: rm -rf %t && mkdir %t
// RUN: %exits 1 %cufuse fuse --vertical %s:add %s:scale --name o -o %t/o.cu 2>&1 | FileCheck %s
// CHECK: error: add is launched with one array for y and out, and the fused kernel needs two
// CHECK: note: use --cooperative, or store to another array
// RUN: ls -A %t | count 0
// RUN: %cufuse fuse --vertical %s:add %s:scale --cooperative --name o -o %t/o.cu
// RUN: %cufuse fuse --vertical %s:fill %s:shift --name o -o %t/o.cu
__global__ void add(const float *x, const float *y, float *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = x[i] + y[i];
}
__global__ void scale(float *y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] *= 2;
}
__global__ void fill(float *p, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    p[i] = 1;
}
__global__ void shift(const float *in, float *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = 2 * in[i];
}
void inPlace(const float *x, float *y, int n) {
  add<<<(n + 63) / 64, 64>>>(x, y, y, n);
  scale<<<(n + 63) / 64, 64>>>(y, n);
}
void later(float *p, int n) {
  fill<<<(n + 63) / 64, 64>>>(p, n);
  shift<<<(n + 63) / 64, 64>>>(p, p, n);
}
