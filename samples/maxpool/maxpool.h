// Max pooling over NCHW planes, with the position of every maximum.
#pragma once

#include "../common/sample.h"

#include <cstdint>

namespace samples::maxpool {

class Problem : public samples::Problem {
public:
  explicit Problem(unsigned blocks);

  void launch(cudaStream_t stream) const override;
  std::vector<Output> outputs() const override;
  bool check() const override;

  template <typename Launch> void fill(Launch &launch) const {
    launch.grid = grid;
    launch.arguments.total = total;
    launch.arguments.input = input.get();
    launch.arguments.height = height;
    launch.arguments.width = width;
    launch.arguments.pooledHeight = pooledHeight;
    launch.arguments.pooledWidth = pooledWidth;
    launch.arguments.kernelSize = kernelSize;
    launch.arguments.stride = stride;
    launch.arguments.pad = pad;
    launch.arguments.output = output.get();
    launch.arguments.mask = mask.get();
  }

  const int kernelSize = 3, stride = 2, pad = 1;
  const int height = 26, width = 33;
  const int pooledHeight = (height + 2 * pad - kernelSize) / stride + 1;
  const int pooledWidth = (width + 2 * pad - kernelSize) / stride + 1;
  const int planes; ///< batch * channels
  const int total;  ///< planes * pooledHeight * pooledWidth
  DeviceArray<float> input;
  DeviceArray<float> output;
  DeviceArray<std::int64_t> mask;
};

/// As many planes as fit into one thread per output element; the last block is partial.
std::unique_ptr<Problem> make(unsigned blocks);

} // namespace samples::maxpool
