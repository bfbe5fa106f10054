// One number is given to both launches for both sizes of a square: what a kernel is computed with where the next one loads
// is its own in the end.
// RUN: rm -rf %t && split-file %s %t && cd %t
// RUN: %cufuse fuse --vertical kernels.cu:normalise kernels.cu:smooth --distinct --name square -o square.cu 2>&1 | FileCheck %s
// CHECK: --link normalise.width=smooth.width --link normalise.width=smooth.height --link normalise.image=smooth.image --link smooth.width=normalise.height
// RUN: %execute -I %S/Inputs -I . main.cu square.cu

//--- kernels.cu
__global__ void normalise(int width, int height, float *image, const float *norm) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height)
    image[y * width + x] = image[y * width + x] * norm[y * width + x];
}
__global__ void smooth(int width, int height, const float *image, float *out, int factor) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  __shared__ float tile[8][8];
  if (x < width && y < height)
    tile[threadIdx.y][threadIdx.x] = image[y * width + x];
  __syncthreads();
  if (x < width && y < height) {
    float sum = 0;
    for (int k = 0; k <= threadIdx.x; ++k)
      sum += tile[threadIdx.y][k];
    out[y * width + x] = sum * factor;
  }
}
inline void run(int n, float *image, const float *norm, float *out) {
  const dim3 grid((n + 7) / 8, (n + 7) / 8), block(8, 8);
  normalise<<<grid, block>>>(n, n, image, norm);
  smooth<<<grid, block>>>(n, n, image, out, 3);
}

//--- main.cu
#include "both.h"

#include "kernels.cu"
#include "square.h"

int main() {
  bool good = true;
  for (const int n : {1, 8, 13}) {
    Array<float> image(n * n, 9), norm(n * n, 5), out(n * n);
    Both both;
    both.output("image", image), both.output("out", out);
    good &= both.same(
        "square", [&] { run(n, image, norm, out); },
        [&] {
          const dim3 grid((n + 7) / 8, (n + 7) / 8);
          require(square::normalise_smooth::launch(grid, dim3(8, 8), n, image, norm, out, 3, nullptr), "square");
        });
  }
  return good ? 0 : 1;
}
