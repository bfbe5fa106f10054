// Guards on both sides of both dimensions: what is below an element is no digit of its index.
// RUN: %cufuse fuse %s:slope %s:square --link slope.out=square.in --link slope.width=square.width --link slope.height=square.height \
// RUN:   --block 32x8 -o %t.cu
// RUN: FileCheck %s --input-file=%t.cu
// CHECK: cudaError_t slope_square::launch(
// CHECK-NOT: width) - 1ll >

__global__ void slope(const float *__restrict__ in, float *__restrict__ out, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || y < 1 || x >= width - 1 || y >= height - 1)
    return;
  out[y * width + x] = in[y * width + x + 1] - in[y * width + x - 1];
}
__global__ void square(const float *in, float *out, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x > 0 && x < width - 1 && y > 0 && y < height - 1)
    out[y * width + x] = in[y * width + x] * in[y * width + x];
}
