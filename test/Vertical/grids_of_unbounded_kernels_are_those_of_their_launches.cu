// Of two kernels whose threads have an element each, and of which one has a bound, the launches are to have one grid: one that has
// all elements of the one may have too many of the other.
// RUN: %exits 1 %cufuse fuse --vertical %s:relu %s:head --distinct --name f -o %t.cu 2>&1 | FileCheck %s
// CHECK: error: the launches at {{.*}} and {{.*}} are not seen to have one grid, which says how much their kernels store
// RUN: %cufuse fuse --vertical %s:relu %s:all --distinct --name f -o %t.cu
// RUN: %cufuse fuse --vertical %s:strided %s:all --distinct --name f -o %t.cu
__global__ void relu(const float *x, float *y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = x[i] > 0 ? x[i] : 0;
}
__global__ void head(const float *y, float *z) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  z[i] = y[i] + 1;
}
__global__ void all(const float *y, float *z) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  z[i] = y[i] - 1;
}
__global__ void strided(const float *x, float *y, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
    y[i] = x[i] / 2;
}
void run(const float *x, float *y, float *z, int n, int k) {
  relu<<<(n + 63) / 64, 64>>>(x, y, n);
  head<<<k / 64, 64>>>(y, z);
}
void runAll(const float *x, float *y, float *z, int n) {
  relu<<<(n + 63) / 64, 64>>>(x, y, n);
  all<<<(n + 63) / 64, 64>>>(y, z);
}
void runStrided(const float *x, float *y, float *z, int n) {
  strided<<<80, 64>>>(x, y, n);
  all<<<n / 64, 64>>>(y, z);
}
