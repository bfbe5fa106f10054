// A histogram of float values with equally wide bins.
#pragma once

#include "../common/sample.h"

namespace samples::histogram {

class Problem : public samples::Problem {
public:
  explicit Problem(unsigned blocks);

  void launch(cudaStream_t stream) const override;
  std::vector<Output> outputs() const override;
  bool check() const override;

  template <typename Launch> void fill(Launch &launch) const {
    launch.grid = grid;
    launch.dynamicSharedBytes = dynamicSharedBytes;
    launch.arguments.values = values.get();
    launch.arguments.counts = counts.get();
    launch.arguments.size = size;
    launch.arguments.bins = bins;
    launch.arguments.minimum = minimum;
    launch.arguments.maximum = maximum;
  }

  const int size;
  const int bins = 200;
  const float minimum = -3.0f;
  const float maximum = 4.0f;
  DeviceArray<float> values;
  DeviceArray<unsigned int> counts;
};

/// A little under 16 values per thread.
std::unique_ptr<Problem> make(unsigned blocks);

} // namespace samples::histogram
