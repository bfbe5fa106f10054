// In turn by threads, kernels that leave out four elements at each border of three dimensions.
// RUN: %cufuse fuse --vertical %s:along %s:across --distinct --name both -o %t.cu 2>&1 | FileCheck %s
// CHECK: In turn, a thread its part of every kernel: along, then across
__global__ void along(float *f, const float *c, int l, int m, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y,
            k = blockIdx.z * blockDim.z + threadIdx.z;
  if (i >= 4 && j >= 4 && k >= 4 && i < n - 4 && j < m - 4 && k < l - 4)
    f[(k * m + j) * n + i] = c[(k * m + j) * n + i + 4] - c[(k * m + j) * n + i - 4];
}
__global__ void across(float *f, const float *c, int l, int m, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y,
            k = blockIdx.z * blockDim.z + threadIdx.z;
  if (i >= 4 && j >= 4 && k >= 4 && i < n - 4 && j < m - 4 && k < l - 4)
    f[(k * m + j) * n + i] += c[((k + 4) * m + j) * n + i] - c[((k - 4) * m + j) * n + i];
}
void step(float *f, const float *c, int l, int m, int n, dim3 grid) {
  along<<<grid, dim3(16, 4, 4)>>>(f, c, l, m, n);
  across<<<grid, dim3(16, 4, 4)>>>(f, c, l, m, n);
}
