#include "upsample.h"

#include <algorithm>
#include <cmath>
#include <random>

#define BLOCK_X 32
#define BLOCK_Y 8

/// The two neighbours of an output pixel along one axis: `low` and `low + step`.
struct Neighbours {
  int low;
  int step;
  float highWeight;
};

static __device__ __forceinline__ float sourcePosition(int out, float scale, bool alignCorners) {
  if (alignCorners)
    return scale * out;
  return fmaxf(scale * (out + 0.5f) - 0.5f, 0.0f);
}

static __device__ __forceinline__ Neighbours neighbours(int out, int inSize, float scale, bool alignCorners) {
  const float position = sourcePosition(out, scale, alignCorners);
  const int low = min(static_cast<int>(position), inSize - 1);
  return {low, low < inSize - 1 ? 1 : 0, position - low};
}

template <typename T> static __device__ __forceinline__ T lerp(T low, T high, float highWeight) {
  return (1.0f - highWeight) * low + highWeight * high;
}

/// One thread per output pixel of an image; blockIdx.z is the image.
template <typename T>
__global__ void upsampleBilinear(const T *__restrict__ input, T *__restrict__ output, int channels, int inHeight,
                                 int inWidth, int outHeight, int outWidth, float scaleY, float scaleX,
                                 bool alignCorners) {
  const int outX = blockIdx.x * blockDim.x + threadIdx.x;
  const int outY = blockIdx.y * blockDim.y + threadIdx.y;
  if (outX >= outWidth || outY >= outHeight)
    return;

  const Neighbours y = neighbours(outY, inHeight, scaleY, alignCorners);
  const Neighbours x = neighbours(outX, inWidth, scaleX, alignCorners);

  for (int channel = 0; channel < channels; ++channel) {
    const int plane = blockIdx.z * channels + channel;
    const T *upper = input + (plane * inHeight + y.low) * inWidth + x.low;
    const T *lower = upper + y.step * inWidth;
    output[(plane * outHeight + outY) * outWidth + outX] =
        lerp(lerp(upper[0], upper[x.step], x.highWeight), lerp(lower[0], lower[x.step], x.highWeight), y.highWeight);
  }
}

namespace {

unsigned largestDivisor(unsigned number, unsigned limit) {
  while (number % limit != 0)
    --limit;
  return limit;
}

dim3 factorise(unsigned blocks) {
  const unsigned y = largestDivisor(blocks, 8);
  const unsigned z = largestDivisor(blocks / y, 4);
  return dim3(blocks / y / z, y, z);
}

std::vector<float> randomImages(std::size_t size) {
  std::minstd_rand generator(53);
  std::vector<float> values(size);
  for (float &value : values)
    value = static_cast<float>(generator() % 20001) / 10000.0f - 1.0f;
  return values;
}

float scaleOf(int in, int out, bool alignCorners) {
  if (alignCorners)
    return out > 1 ? static_cast<float>(in - 1) / (out - 1) : 0.0f;
  return static_cast<float>(in) / out;
}

} // namespace

namespace samples::upsample {

Problem::Problem(dim3 tiles)
    : batch(tiles.z), outHeight(tiles.y * BLOCK_Y - 3), outWidth(tiles.x * BLOCK_X - 5), inHeight(outHeight * 3 / 5),
      inWidth(outWidth * 2 / 5), scaleY(scaleOf(inHeight, outHeight, alignCorners)),
      scaleX(scaleOf(inWidth, outWidth, alignCorners)),
      input(randomImages(static_cast<std::size_t>(batch) * channels * inHeight * inWidth)),
      output(static_cast<std::size_t>(batch) * channels * outHeight * outWidth) {
  grid = tiles;
}

Problem::Problem(unsigned blocks) : Problem(factorise(blocks)) {}

void Problem::launch(cudaStream_t stream) const {
  upsampleBilinear<float><<<grid, dim3(BLOCK_X, BLOCK_Y), dynamicSharedBytes, stream>>>(
      input.get(), output.get(), channels, inHeight, inWidth, outHeight, outWidth, scaleY, scaleX, alignCorners);
}

std::vector<Output> Problem::outputs() const { return {{"output", output.get(), output.bytes(), false}}; }

bool Problem::check() const {
  const std::vector<float> source = input.toHost(), got = output.toHost();
  const auto position = [&](int out, double in, double size) {
    const double at = alignCorners ? out * (in - 1) / std::max(size - 1, 1.0) : (out + 0.5) * in / size - 0.5;
    return std::min(std::max(at, 0.0), in - 1);
  };
  const double tolerance = 1e-5 + 5e-7 * (inHeight + inWidth); // positions are rounded to float
  std::size_t at = 0;
  for (int plane = 0; plane < batch * channels; ++plane)
    for (int outY = 0; outY < outHeight; ++outY)
      for (int outX = 0; outX < outWidth; ++outX, ++at) {
        const double y = position(outY, inHeight, outHeight), x = position(outX, inWidth, outWidth);
        const int top = static_cast<int>(y), left = static_cast<int>(x);
        double expected = 0;
        for (int i = 0; i < 2; ++i)
          for (int j = 0; j < 2; ++j) {
            const int row = std::min(top + i, inHeight - 1), column = std::min(left + j, inWidth - 1);
            const double weight = (i ? y - top : 1 - (y - top)) * (j ? x - left : 1 - (x - left));
            expected += weight * source[(static_cast<std::size_t>(plane) * inHeight + row) * inWidth + column];
          }
        if (!(std::fabs(got[at] - expected) <= tolerance)) {
          std::printf("upsample: output[%zu] is %g, expected %g\n", at, got[at], expected);
          return false;
        }
      }
  return true;
}

std::unique_ptr<Problem> make(unsigned blocks) { return std::make_unique<Problem>(blocks); }

} // namespace samples::upsample

#ifndef SAMPLE_NO_MAIN
int main(int argc, char **argv) { return samples::runSample("upsample", samples::upsample::make, argc, argv); }
#endif
