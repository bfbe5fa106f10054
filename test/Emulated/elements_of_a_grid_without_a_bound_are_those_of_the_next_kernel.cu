// Launches with grids of their own: a kernel whose channels are as many as its grid has, behind it one with a bound, which
// goes on where the first one stores. The launch has as many channels as the second one has elements for, or is refused.
// RUN: rm -rf %t && mkdir %t
// RUN: %cufuse fuse --vertical %s:filter %s:normalise --distinct --name one -o %t/one.cu 2>&1 | FileCheck %s
// CHECK: note: linked as launched at {{.*}}: --link filter.y=normalise.y --link filter.height=normalise.height
// RUN: FileCheck %s --check-prefix=TEXT < %t/one.cu
// TEXT: /// Where filter stores y: an element goes to memory as it is changed by normalise.
// Threads of both have the same places nowhere, so that nothing goes in turn: it is refused where it is not in registers.
// RUN: %exits 1 %cufuse fuse --vertical %s:filter %s:mirrored --distinct -o %t/no.cu 2>&1 | FileCheck %s --check-prefix=NO
// NO: no form fits: at stores:
// NO-NOT: in turn:
// NO: [OtherElement]
// RUN: %emulate --seed 1 --seed 2 -I %t -D FUSED %s %t/one.cu | FileCheck %s --check-prefix=SAME
// SAME: 8 same

__global__ void filter(const float *x, const float *weights, float *y, int height, int width) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y,
            channel = blockIdx.z;
  if (column >= width || row >= height)
    return;
  float sum = 0;
  for (int i = 0; i < 3; ++i)
    if (column + i < width)
      sum += x[row * width + column + i] * weights[channel * 3 + i];
  y[(channel * height + row) * width + column] = sum;
}
__global__ void normalise(float *y, const float *scale, int channels, int height, int width) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < channels * height * width)
    y[i] = fmaxf(y[i] * scale[i / (height * width)], 0);
}
__global__ void mirrored(const float *y, float *z, int channels, int height, int width) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < channels * height * width)
    z[i] = y[channels * height * width - 1 - i];
}
void run(const float *x, const float *weights, float *y, const float *scale, int channels, int height, int width) {
  filter<<<dim3((width + 15) / 16, (height + 3) / 4, channels), dim3(16, 4)>>>(x, weights, y, height, width);
  normalise<<<(channels * height * width + 63) / 64, 64>>>(y, scale, channels, height, width);
}
void runMirrored(const float *x, const float *weights, float *y, float *z, int channels, int height, int width) {
  filter<<<dim3((width + 15) / 16, (height + 3) / 4, channels), dim3(16, 4)>>>(x, weights, y, height, width);
  mirrored<<<(channels * height * width + 63) / 64, 64>>>(y, z, channels, height, width);
}

#ifdef FUSED
#include "one.h"

#include "Inputs/arrays.h"

int main() {
  Array x(600, 1), weights(30, 2), y(3000, 3), scale(10, 4);
  for (const int channels : {1, 3})
    for (const dim3 size : {dim3(1, 1), dim3(16, 4), dim3(31, 11)}) {
      const int width = size.x, height = size.y;
      const dim3 grid((width + 15) / 16, (height + 3) / 4, channels);
      compare(
          "one", {&y}, [&] { run(x.at, weights.at, y.at, scale.at, channels, height, width); },
          [&] {
            return one::filter_normalise::launch(grid, dim3(16, 4), x.at, weights.at, y.at, height, width, scale.at,
                                                 channels);
          });
    }
  // More channels, or fewer, than the grid has.
  for (const int channels : {2, 4})
    if (one::filter_normalise::launch(dim3(1, 1, 3), dim3(16, 4), x.at, weights.at, y.at, 4, 16, scale.at, channels) ==
        cudaErrorInvalidConfiguration)
      ++same;
  std::printf("%d same\n", same);
}
#endif
