// A loop whose step wraps in 32 bits comes to an element again, where a kernel that runs there would change it again.
// RUN: %cufuse fuse --vertical %s:add %s:sums --distinct --block 256 --name f -o %t.cu
// RUN: FileCheck %s --input-file %t.cu
// CHECK: {{^ +}}256ll * grid.x > 2147483647ll
__global__ void add(float *x, const float *y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    x[i] += y[i];
}
__global__ void sums(const float *x, float *sum, int n) {
  float own = 0;
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
    own += x[i];
  sum[blockIdx.x * blockDim.x + threadIdx.x] = own;
}
void run(float *x, const float *y, float *sum, int n) {
  add<<<(n + 255) / 256, 256>>>(x, y, n);
  sums<<<n / 1024, 256>>>(x, sum, n);
}
