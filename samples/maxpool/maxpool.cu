#include "maxpool.h"

#include <random>

constexpr int kBlockSize = 256;

/// One thread per output element. `mask` gets the maximum's index within its input plane; the first of equals wins.
template <typename T>
__global__ void __launch_bounds__(256)
    maxPoolForward(int total, const T *__restrict__ input, int height, int width, int pooledHeight, int pooledWidth,
                   int kernelSize, int stride, int pad, T *__restrict__ output, std::int64_t *__restrict__ mask) {
  const int index = blockIdx.x * blockDim.x + threadIdx.x;
  if (index >= total)
    return;

  const int pooledX = index % pooledWidth;
  const int pooledY = index / pooledWidth % pooledHeight;
  const int plane = index / pooledWidth / pooledHeight;

  int top = pooledY * stride - pad;
  int left = pooledX * stride - pad;
  const int bottom = min(top + kernelSize, height);
  const int right = min(left + kernelSize, width);
  top = max(top, 0);
  left = max(left, 0);

  const T *source = input + static_cast<std::int64_t>(plane) * height * width;
  int best = top * width + left;
  T maximum = source[best];
  for (int y = top; y < bottom; ++y) {
    for (int x = left; x < right; ++x) {
      const T value = source[y * width + x];
      if (value > maximum || value != value) { // a NaN wins, as in PyTorch
        maximum = value;
        best = y * width + x;
      }
    }
  }
  output[index] = maximum;
  mask[index] = best;
}

namespace {

/// Few distinct values, so that windows hold equal maxima.
std::vector<float> randomPlanes(std::size_t size) {
  std::minstd_rand generator(41);
  std::vector<float> values(size);
  for (float &value : values)
    value = static_cast<float>(generator() % 50) / 4.0f - 6.0f;
  return values;
}

} // namespace

namespace samples::maxpool {

Problem::Problem(unsigned blocks)
    : planes((static_cast<int>(blocks) * kBlockSize - 1) / (pooledHeight * pooledWidth)),
      total(planes * pooledHeight * pooledWidth),
      input(randomPlanes(static_cast<std::size_t>(planes) * height * width)), output(total), mask(total) {
  grid = dim3((total + kBlockSize - 1) / kBlockSize);
}

void Problem::launch(cudaStream_t stream) const {
  maxPoolForward<float><<<grid, kBlockSize, dynamicSharedBytes, stream>>>(
      total, input.get(), height, width, pooledHeight, pooledWidth, kernelSize, stride, pad, output.get(), mask.get());
}

std::vector<Output> Problem::outputs() const {
  return {{"output", output.get(), output.bytes(), false}, {"mask", mask.get(), mask.bytes(), false}};
}

bool Problem::check() const {
  const std::vector<float> source = input.toHost(), gotValues = output.toHost();
  const std::vector<std::int64_t> gotMask = mask.toHost();
  int at = 0;
  for (int plane = 0; plane < planes; ++plane)
    for (int pooledY = 0; pooledY < pooledHeight; ++pooledY)
      for (int pooledX = 0; pooledX < pooledWidth; ++pooledX, ++at) {
        const float *values = source.data() + static_cast<std::size_t>(plane) * height * width;
        std::int64_t best = -1;
        for (int i = 0; i < kernelSize; ++i)
          for (int j = 0; j < kernelSize; ++j) {
            const int y = pooledY * stride - pad + i, x = pooledX * stride - pad + j;
            if (y < 0 || y >= height || x < 0 || x >= width)
              continue;
            if (best < 0 || values[y * width + x] > values[best])
              best = y * width + x;
          }
        if (gotValues[at] != values[best] || gotMask[at] != best) {
          std::printf("maxpool: element %d is %g at %lld, expected %g at %lld\n", at, gotValues[at],
                      static_cast<long long>(gotMask[at]), values[best], static_cast<long long>(best));
          return false;
        }
      }
  return true;
}

std::unique_ptr<Problem> make(unsigned blocks) { return std::make_unique<Problem>(blocks); }

} // namespace samples::maxpool

#ifndef SAMPLE_NO_MAIN
int main(int argc, char **argv) { return samples::runSample("maxpool", samples::maxpool::make, argc, argv); }
#endif
