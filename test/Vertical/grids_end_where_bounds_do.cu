// One kernel ends with its grid and one at bounds: the one grid ends at the bounds of the other, in each dimension that
// has some.
// RUN: %cufuse fuse --vertical %s:plus %s:twice --link plus.y=twice.x --link plus.w=twice.w --block 128 --distinct --name both -o %t.cu
// RUN: FileCheck %s --input-file %t.cu
// CHECK: 128ll * grid.x != w ||
// CHECK: 128ll * grid.x * grid.y != static_cast<long long>(w) * h ||
__global__ void plus(const float *x, float *y, int w) {
  const int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y;
  y[r * w + c] = x[r * w + c] + 1;
}
__global__ void twice(const float *x, float *y, int w, int h) {
  const int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
  if (c < w && r < h)
    y[r * w + c] = x[r * w + c] * 2;
}
