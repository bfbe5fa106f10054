#include "histogram.h"

#include <random>

#define BLOCK_SIZE 256

/// The bin of a value of [minimum, maximum); rounding may not carry it past the last bin.
template <typename T> static __device__ __forceinline__ int binOf(T value, T minimum, T maximum, int bins) {
  const int bin = static_cast<int>((value - minimum) * bins / (maximum - minimum));
  return min(bin, bins - 1);
}

/// Every block counts in shared memory first; values outside [minimum, maximum) are not counted.
template <typename T>
__global__ void histogram(const T *__restrict__ values, unsigned int *counts, int size, int bins, T minimum,
                          T maximum) {
  extern __shared__ unsigned int blockCounts[];

  for (int bin = threadIdx.x; bin < bins; bin += blockDim.x)
    blockCounts[bin] = 0;
  __syncthreads();

  const int stride = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < size; i += stride) {
    const T value = values[i];
    if (value >= minimum && value < maximum)
      atomicAdd(&blockCounts[binOf(value, minimum, maximum, bins)], 1u);
  }
  __syncthreads();

  for (int bin = threadIdx.x; bin < bins; bin += blockDim.x) {
    const unsigned int count = blockCounts[bin];
    if (count != 0)
      atomicAdd(&counts[bin], count);
  }
}

namespace {

constexpr int kValuesPerThread = 16;

/// Roughly bell-shaped over [-6, 6], so that the bins differ and some values are out of range.
std::vector<float> randomValues(int size) {
  std::minstd_rand generator(23);
  const auto uniform = [&] { return static_cast<float>(generator() % 40001) / 10000.0f - 2.0f; };
  std::vector<float> values(size);
  for (float &value : values) {
    value = uniform();
    value += uniform();
    value += uniform();
  }
  return values;
}

} // namespace

namespace samples::histogram {

Problem::Problem(unsigned blocks)
    : size(static_cast<int>(blocks) * BLOCK_SIZE * kValuesPerThread - 77), values(randomValues(size)), counts(bins) {
  grid = dim3(blocks);
  dynamicSharedBytes = bins * sizeof(unsigned int);
}

void Problem::launch(cudaStream_t stream) const {
  ::histogram<float>
      <<<grid, BLOCK_SIZE, dynamicSharedBytes, stream>>>(values.get(), counts.get(), size, bins, minimum, maximum);
}

std::vector<Output> Problem::outputs() const { return {{"counts", counts.get(), counts.bytes(), true}}; }

bool Problem::check() const {
  std::vector<unsigned int> expected(bins);
  for (float value : values.toHost())
    if (value >= minimum && value < maximum) {
      const int bin = static_cast<int>((value - minimum) * static_cast<float>(bins) / (maximum - minimum));
      ++expected[bin < bins ? bin : bins - 1];
    }
  const std::vector<unsigned int> got = counts.toHost();
  for (int bin = 0; bin < bins; ++bin)
    if (got[bin] != expected[bin]) {
      std::printf("histogram: counts[%d] is %u, expected %u\n", bin, got[bin], expected[bin]);
      return false;
    }
  return true;
}

std::unique_ptr<Problem> make(unsigned blocks) { return std::make_unique<Problem>(blocks); }

} // namespace samples::histogram

#ifndef SAMPLE_NO_MAIN
int main(int argc, char **argv) { return samples::runSample("histogram", samples::histogram::make, argc, argv); }
#endif
