// A kernel of `channels / groups` channels a block stores each element once if the groups divide the channels, which the launch asks
// for. Two launches hand the size of a channel over as one number, and the output takes it once.
// RUN: rm -rf %t && split-file %s %t && cd %t
// RUN: %cufuse fuse --vertical kernels.cu:normalise kernels.cu:silu --distinct --name groups -o groups.cu 2>&1 | FileCheck %s
// CHECK: --link normalise.size=silu.size
// CHECK: It can be launched with normalise.channels a multiple of normalise.groups
// RUN: %execute -I %S/Inputs -I . main.cu groups.cu

//--- kernels.cu
__global__ void normalise(float *out, const float *in, int channels, int size, int groups) {
  const int image = blockIdx.x / groups, group = blockIdx.x % groups, own = channels / groups;
  const int first = (image * channels + group * own) * size;
  __shared__ float parts[64];
  float sum = 0;
  for (int i = threadIdx.x; i < own * size; i += blockDim.x)
    sum += in[first + i];
  parts[threadIdx.x] = sum;
  __syncthreads();
  sum = 0;
  for (int k = 0; k < blockDim.x; ++k)
    sum += parts[k];
  for (int i = threadIdx.x; i < own * size; i += blockDim.x)
    out[first + i] = in[first + i] - sum / (own * size);
}
__global__ void silu(float *x, int images, int channels, int size) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < images * channels * size)
    x[i] = x[i] / (1 + x[i] * x[i]);
}
inline void run(float *out, const float *in, int images, int channels, int groups) {
  normalise<<<images * groups, 64>>>(out, in, channels, 9, groups);
  silu<<<(images * channels * 9 + 63) / 64, 64>>>(out, images, channels, 9);
}

//--- main.cu
#include "both.h"

#include "kernels.cu"
#include "groups.h"

int main() {
  bool good = true;
  for (const int channels : {3, 12, 15}) {
    Array<float> in(2 * channels * 9, 7), out(2 * channels * 9);
    Both both;
    both.output("out", out);
    good &= both.same(
        "groups", [&] { run(out, in, 2, channels, 3); },
        [&] {
          require(groups::normalise_silu::launch(dim3(6), dim3(64), out, in, channels, 9, 3, 2, nullptr), "groups");
        });
  }
  Array<float> none(8 * 9, 7);
  const bool isRefused = groups::normalise_silu::launch(dim3(6), dim3(64), none, none, 4, 9, 3, 2, nullptr) == cudaErrorInvalidConfiguration;
  return good && isRefused ? 0 : 1;
}
