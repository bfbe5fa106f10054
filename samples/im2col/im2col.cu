#include "im2col.h"

#include <cmath>
#include <cstdint>
#include <random>

#define CUDA_NUM_THREADS 256
#define CUDA_KERNEL_LOOP(i, n) for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < (n); i += blockDim.x * gridDim.x)

/// One index per (channel, outY, outX): copies the channel's patch there into kernelH * kernelW rows of `columns`.
/// Sizes and index arithmetic have 64 bits, as in PyTorch.
template <typename T>
__global__ void im2colKernel(std::int64_t total, const T *__restrict__ image, std::int64_t height, std::int64_t width,
                             std::int64_t kernelH, std::int64_t kernelW, std::int64_t padH, std::int64_t padW,
                             std::int64_t strideH, std::int64_t strideW, std::int64_t dilationH, std::int64_t dilationW,
                             std::int64_t outHeight, std::int64_t outWidth, T *__restrict__ columns) {
  CUDA_KERNEL_LOOP(index, total) {
    const std::int64_t outX = index % outWidth;
    const std::int64_t outY = index / outWidth % outHeight;
    const std::int64_t channel = index / outWidth / outHeight;

    const std::int64_t top = outY * strideH - padH;
    const std::int64_t left = outX * strideW - padW;
    const T *plane = image + channel * height * width;
    T *column = columns + (channel * kernelH * kernelW * outHeight + outY) * outWidth + outX;

    for (std::int64_t i = 0; i < kernelH; ++i) {
      const std::int64_t y = top + i * dilationH;
      for (std::int64_t j = 0; j < kernelW; ++j) {
        const std::int64_t x = left + j * dilationW;
        const bool inside = y >= 0 && y < height && x >= 0 && x < width;
        *column = inside ? plane[y * width + x] : T(0);
        column += outHeight * outWidth;
      }
    }
  }
}

namespace {

std::vector<float> randomImage(std::size_t size) {
  std::minstd_rand generator(37);
  std::vector<float> values(size);
  for (float &value : values)
    value = static_cast<float>(generator() % 20001) / 10000.0f - 1.0f;
  return values;
}

/// The output pixels of a channel: as many as leave at least one thread without an element.
int outputPixels(unsigned blocks, int channels) { return (static_cast<int>(blocks) * CUDA_NUM_THREADS - 1) / channels; }

int inputSize(int out, int kernel, int pad, int stride, int dilation) {
  return (out - 1) * stride + dilation * (kernel - 1) + 1 - 2 * pad;
}

} // namespace

namespace samples::im2col {

Problem::Problem(unsigned blocks)
    : outWidth(static_cast<int>(std::sqrt(outputPixels(blocks, channels)))),
      outHeight(outputPixels(blocks, channels) / outWidth), total(channels * outHeight * outWidth),
      height(inputSize(outHeight, kernelH, padH, strideH, dilationH)),
      width(inputSize(outWidth, kernelW, padW, strideW, dilationW)),
      image(randomImage(static_cast<std::size_t>(channels) * height * width)),
      columns(static_cast<std::size_t>(total) * kernelH * kernelW) {
  grid = dim3(blocks);
}

void Problem::launch(cudaStream_t stream) const {
  im2colKernel<float><<<grid, CUDA_NUM_THREADS, dynamicSharedBytes, stream>>>(
      total, image.get(), height, width, kernelH, kernelW, padH, padW, strideH, strideW, dilationH, dilationW,
      outHeight, outWidth, columns.get());
}

std::vector<Output> Problem::outputs() const { return {{"columns", columns.get(), columns.bytes(), false}}; }

bool Problem::check() const {
  const std::vector<float> source = image.toHost(), got = columns.toHost();
  std::size_t at = 0;
  for (int channel = 0; channel < channels; ++channel)
    for (int i = 0; i < kernelH; ++i)
      for (int j = 0; j < kernelW; ++j)
        for (int outY = 0; outY < outHeight; ++outY)
          for (int outX = 0; outX < outWidth; ++outX, ++at) {
            const int y = outY * strideH - padH + i * dilationH;
            const int x = outX * strideW - padW + j * dilationW;
            const bool inside = y >= 0 && y < height && x >= 0 && x < width;
            const float expected = inside ? source[(channel * height + y) * width + x] : 0.0f;
            if (got[at] != expected) {
              std::printf("im2col: columns[%zu] is %g, expected %g\n", at, got[at], expected);
              return false;
            }
          }
  return true;
}

std::unique_ptr<Problem> make(unsigned blocks) { return std::make_unique<Problem>(blocks); }

} // namespace samples::im2col

#ifndef SAMPLE_NO_MAIN
int main(int argc, char **argv) { return samples::runSample("im2col", samples::im2col::make, argc, argv); }
#endif
