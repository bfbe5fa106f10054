// Batch-normalisation statistics over NCHW: the mean and 1/sqrt(variance + epsilon) of every channel.
#pragma once

#include "../common/sample.h"

namespace samples::batchnorm {

class Problem : public samples::Problem {
public:
  explicit Problem(unsigned blocks);

  void launch(cudaStream_t stream) const override;
  std::vector<Output> outputs() const override;
  bool check() const override;

  template <typename Launch> void fill(Launch &launch) const {
    launch.grid = grid;
    launch.arguments.input = input.get();
    launch.arguments.mean = mean.get();
    launch.arguments.invStd = invStd.get();
    launch.arguments.batch = batch;
    launch.arguments.channels = channels;
    launch.arguments.spatial = spatial;
    launch.arguments.epsilon = epsilon;
  }

  const int batch = 18;
  const int channels;
  const int spatial = 27 * 29;
  const float epsilon = 1e-5f;
  DeviceArray<float> input;
  DeviceArray<float> mean;
  DeviceArray<float> invStd;
};

/// One block per channel.
std::unique_ptr<Problem> make(unsigned blocks);

} // namespace samples::batchnorm
