#include "rmsnorm.h"

#include <cmath>
#include <random>

constexpr int kBlockSize = 192;
constexpr int kWarpSize = 32;

static __device__ __forceinline__ float warpSum(float value) {
  for (int offset = kWarpSize / 2; offset > 0; offset >>= 1)
    value += __shfl_xor_sync(0xffffffffu, value, offset);
  return value;
}

/// The sum over all threads of the block, for every thread.
template <int Threads> static __device__ float blockSum(float value) {
  constexpr int kWarps = Threads / kWarpSize;
  __shared__ float warpSums[kWarps];
  __shared__ float total;

  const int lane = threadIdx.x % kWarpSize;
  const int warp = threadIdx.x / kWarpSize;

  value = warpSum(value);
  if (lane == 0)
    warpSums[warp] = value;
  __syncthreads();

  if (warp == 0) {
    value = warpSum(lane < kWarps ? warpSums[lane] : 0.0f);
    if (lane == 0)
      total = value;
  }
  __syncthreads();
  return total;
}

/// One block per row: output = input / sqrt(mean(input^2) + epsilon) * weight, computed in float.
template <typename T>
__global__ void __launch_bounds__(kBlockSize) rmsNorm(const T *__restrict__ input, const T *__restrict__ weight,
                                                      T *__restrict__ output, int rowLength, float epsilon) {
  const T *row = input + static_cast<size_t>(blockIdx.x) * rowLength;
  T *normalised = output + static_cast<size_t>(blockIdx.x) * rowLength;

  float squares = 0.0f;
  for (int i = threadIdx.x; i < rowLength; i += kBlockSize) {
    const float value = static_cast<float>(row[i]);
    squares += value * value;
  }
  const float scale = rsqrtf(blockSum<kBlockSize>(squares) / rowLength + epsilon);

  for (int i = threadIdx.x; i < rowLength; i += kBlockSize)
    normalised[i] = static_cast<T>(static_cast<float>(row[i]) * scale * static_cast<float>(weight[i]));
}

namespace {

/// Values around `centre`, up to `spread` away.
std::vector<__half> randomHalves(std::size_t size, float centre, float spread, unsigned seed) {
  std::minstd_rand generator(seed);
  std::vector<__half> values(size);
  for (__half &value : values)
    value = __float2half(centre + spread * (static_cast<float>(generator() % 20001) / 10000.0f - 1.0f));
  return values;
}

} // namespace

namespace samples::rmsnorm {

Problem::Problem(unsigned blocks)
    : rows(static_cast<int>(blocks)), input(randomHalves(static_cast<std::size_t>(rows) * rowLength, 0.25f, 3.0f, 83)),
      weight(randomHalves(rowLength, 1.0f, 0.5f, 84)), output(input.size()) {
  grid = dim3(blocks);
}

void Problem::launch(cudaStream_t stream) const {
  rmsNorm<__half>
      <<<grid, kBlockSize, dynamicSharedBytes, stream>>>(input.get(), weight.get(), output.get(), rowLength, epsilon);
}

std::vector<Output> Problem::outputs() const { return {{"output", output.get(), output.bytes(), false}}; }

bool Problem::check() const {
  const std::vector<__half> values = input.toHost(), weights = weight.toHost(), got = output.toHost();
  for (int row = 0; row < rows; ++row) {
    const std::size_t first = static_cast<std::size_t>(row) * rowLength;
    double squares = 0;
    for (int i = 0; i < rowLength; ++i) {
      const double value = __half2float(values[first + i]);
      squares += value * value;
    }
    const double scale = 1.0 / std::sqrt(squares / rowLength + epsilon);
    for (int i = 0; i < rowLength; ++i) {
      const double expected = __half2float(values[first + i]) * scale * __half2float(weights[i]);
      const float actual = __half2float(got[first + i]);
      if (!(std::fabs(actual - expected) <= 1e-3 * std::fabs(expected) + 1e-6)) { // half keeps 11 bits
        std::printf("rmsnorm: output[%d][%d] is %g, expected %g\n", row, i, actual, expected);
        return false;
      }
    }
  }
  return true;
}

std::unique_ptr<Problem> make(unsigned blocks) { return std::make_unique<Problem>(blocks); }

} // namespace samples::rmsnorm

#ifndef SAMPLE_NO_MAIN
int main(int argc, char **argv) { return samples::runSample("rmsnorm", samples::rmsnorm::make, argc, argv); }
#endif
