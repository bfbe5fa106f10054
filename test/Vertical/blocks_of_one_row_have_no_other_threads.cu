// In blocks of one row, `blockIdx.y` and `blockIdx.y * blockDim.y + threadIdx.y` are the same number.
// RUN: %cufuse fuse --vertical %s:scale %s:shift --link scale.image=shift.image --link scale.width=shift.width \
// RUN:   --link scale.height=shift.height --block 256x1 --distinct --name both -o %t.cu 2>&1 | FileCheck %s
// CHECK: In turn, a thread its part of every kernel: scale, then shift.
__global__ void scale(float *image, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
  if (x < width && y < height)
    image[y * width + x] *= 2;
}
__global__ void shift(float *image, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height)
    image[y * width + x] += 1;
}
