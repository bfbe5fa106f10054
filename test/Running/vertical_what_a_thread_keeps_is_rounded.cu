// What a thread keeps in registers is rounded as in memory: what it is computed from is not contracted with what uses it.
// RUN: rm -rf %t && split-file %s %t && cd %t
// RUN: %cufuse fuse kernels.cu:convert kernels.cu:centre --link convert.out=centre.image --link convert.width=centre.width \
// RUN:   --dead convert.out --block 16x4 --name kept -o %t/kept.cu 2>&1 | FileCheck %s
// CHECK: In registers: convert.out.
// RUN: %execute -I %t %t/main.cu %t/kept.cu

//--- kernels.cu
// Without conditions, so that nothing but rounding stands between a product and a difference.
__global__ void convert(const unsigned char *in, float *out, int width) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  out[y * width + x] = in[y * width + x] * (1.0f / 255.0f);
}
__global__ void centre(const float *image, float *out, float mean, int width) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  out[y * width + x] = image[y * width + x] - mean;
}
//--- main.cu
#include "kept.h"

#include <cstdio>

int main() {
  const int width = 32, height = 8;
  const float mean = 0.485f;
  unsigned char bytes[width * height], *in;
  float found[width * height], *out;
  for (int i = 0; i < width * height; ++i)
    bytes[i] = static_cast<unsigned char>(i);
  cudaMalloc(reinterpret_cast<void **>(&in), sizeof bytes);
  cudaMalloc(reinterpret_cast<void **>(&out), sizeof found);
  cudaMemcpy(in, bytes, sizeof bytes, cudaMemcpyHostToDevice);
  if (kept::convert_centre::launch(dim3(2, 2), in, width, out, mean, 0) != cudaSuccess ||
      cudaMemcpy(found, out, sizeof found, cudaMemcpyDeviceToHost) != cudaSuccess)
    return std::puts("not launched"), 1;
  for (int i = 0; i < width * height; ++i) {
    volatile float rounded = static_cast<float>(i) * (1.0f / 255.0f);
    if (found[i] != rounded - mean)
      return std::printf("%d: %a in place of %a\n", i, found[i], rounded - mean), 1;
  }
}
