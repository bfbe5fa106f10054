#include "batchnorm.h"

#include <cmath>
#include <random>

#define WARP_SIZE 32
#define FULL_MASK 0xffffffffu

constexpr int kBlockX = 32;
constexpr int kBlockY = 16;
constexpr int kWarps = kBlockX * kBlockY / WARP_SIZE;

/// The running state of Welford's algorithm: `m2` is the sum of the squared differences from `mean`.
template <typename Acc> struct Welford {
  Acc mean;
  Acc m2;
  int count;
};

template <typename Acc> static __device__ __forceinline__ void push(Welford<Acc> &stats, Acc value) {
  ++stats.count;
  const Acc delta = value - stats.mean;
  stats.mean += delta / stats.count;
  stats.m2 += delta * (value - stats.mean);
}

template <typename Acc>
static __device__ __forceinline__ Welford<Acc> merge(const Welford<Acc> &a, const Welford<Acc> &b) {
  const int count = a.count + b.count;
  if (count == 0)
    return a;
  const Acc delta = b.mean - a.mean;
  const Acc share = static_cast<Acc>(b.count) / count;
  return {a.mean + delta * share, a.m2 + b.m2 + delta * delta * a.count * share, count};
}

/// Lane 0 gets the merged state of the first `Width` lanes of its warp.
template <int Width, typename Acc> static __device__ __forceinline__ Welford<Acc> warpMerge(Welford<Acc> stats) {
#pragma unroll
  for (int offset = Width / 2; offset > 0; offset /= 2) {
    Welford<Acc> other;
    other.mean = __shfl_down_sync(FULL_MASK, stats.mean, offset);
    other.m2 = __shfl_down_sync(FULL_MASK, stats.m2, offset);
    other.count = __shfl_down_sync(FULL_MASK, stats.count, offset);
    stats = merge(stats, other);
  }
  return stats;
}

template <typename T, typename Acc>
__global__ void batchNormStatistics(const T *__restrict__ input, Acc *mean, Acc *invStd, int batch, int channels,
                                    int spatial, Acc epsilon) {
  __shared__ Welford<Acc> warpStats[kWarps];

  const int channel = blockIdx.x;
  const int thread = threadIdx.y * blockDim.x + threadIdx.x;
  const int lane = thread % WARP_SIZE;
  const int warp = thread / WARP_SIZE;

  Welford<Acc> stats = {0, 0, 0};
  for (int n = threadIdx.y; n < batch; n += blockDim.y) {
    const T *plane = input + (static_cast<size_t>(n) * channels + channel) * spatial;
    for (int i = threadIdx.x; i < spatial; i += blockDim.x)
      push(stats, static_cast<Acc>(plane[i]));
  }

  stats = warpMerge<WARP_SIZE>(stats);
  if (lane == 0)
    warpStats[warp] = stats;
  __syncthreads();

  if (warp == 0) {
    if (lane < kWarps)
      stats = warpStats[lane];
    stats = warpMerge<kWarps>(stats);
    if (lane == 0) {
      mean[channel] = stats.mean;
      invStd[channel] = rsqrt(stats.m2 / stats.count + epsilon);
    }
  }
}

namespace {

/// Noise around an offset and with a scale of the channel's own.
std::vector<float> randomImages(int batch, int channels, int spatial) {
  std::minstd_rand generator(11);
  std::vector<float> values(static_cast<std::size_t>(batch) * channels * spatial);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const int channel = static_cast<int>(i / spatial % channels);
    const float noise = static_cast<float>(generator() % 20001) / 10000.0f - 1.0f;
    values[i] = static_cast<float>(channel % 7 - 3) + noise * static_cast<float>(1 + channel % 5);
  }
  return values;
}

bool close(const char *what, int channel, float got, double expected) {
  if (std::fabs(got - expected) <= 1e-4 * (1.0 + std::fabs(expected)))
    return true;
  std::printf("batchnorm: %s[%d] is %g, expected %g\n", what, channel, got, expected);
  return false;
}

} // namespace

namespace samples::batchnorm {

Problem::Problem(unsigned blocks)
    : channels(static_cast<int>(blocks)), input(randomImages(batch, channels, spatial)), mean(blocks), invStd(blocks) {
  grid = dim3(blocks);
}

void Problem::launch(cudaStream_t stream) const {
  batchNormStatistics<float, float><<<grid, dim3(kBlockX, kBlockY), dynamicSharedBytes, stream>>>(
      input.get(), mean.get(), invStd.get(), batch, channels, spatial, epsilon);
}

std::vector<Output> Problem::outputs() const {
  return {{"mean", mean.get(), mean.bytes(), false}, {"invStd", invStd.get(), invStd.bytes(), false}};
}

bool Problem::check() const {
  const std::vector<float> values = input.toHost(), means = mean.toHost(), invStds = invStd.toHost();
  const double count = static_cast<double>(batch) * spatial;
  for (int channel = 0; channel < channels; ++channel) {
    const auto sum = [&](auto term) {
      double total = 0;
      for (int n = 0; n < batch; ++n)
        for (int i = 0; i < spatial; ++i)
          total += term(values[(static_cast<std::size_t>(n) * channels + channel) * spatial + i]);
      return total;
    };
    const double average = sum([](double value) { return value; }) / count;
    const double variance = sum([&](double value) { return (value - average) * (value - average); }) / count;
    if (!close("mean", channel, means[channel], average) ||
        !close("invStd", channel, invStds[channel], 1.0 / std::sqrt(variance + epsilon)))
      return false;
  }
  return true;
}

std::unique_ptr<Problem> make(unsigned blocks) { return std::make_unique<Problem>(blocks); }

} // namespace samples::batchnorm

#ifndef SAMPLE_NO_MAIN
int main(int argc, char **argv) { return samples::runSample("batchnorm", samples::batchnorm::make, argc, argv); }
#endif
