// Root-mean-square normalisation of the rows of a half-precision matrix.
#pragma once

#include "../common/sample.h"

#include <cuda_fp16.h>

namespace samples::rmsnorm {

class Problem : public samples::Problem {
public:
  explicit Problem(unsigned blocks);

  void launch(cudaStream_t stream) const override;
  std::vector<Output> outputs() const override;
  bool check() const override;

  template <typename Launch> void fill(Launch &launch) const {
    launch.grid = grid;
    launch.arguments.input = input.get();
    launch.arguments.weight = weight.get();
    launch.arguments.output = output.get();
    launch.arguments.rowLength = rowLength;
    launch.arguments.epsilon = epsilon;
  }

  const int rows;
  const int rowLength = 3001;
  const float epsilon = 1e-6f;
  DeviceArray<__half> input;  ///< rows x rowLength
  DeviceArray<__half> weight; ///< rowLength
  DeviceArray<__half> output; ///< rows x rowLength
};

/// One block per row.
std::unique_ptr<Problem> make(unsigned blocks);

} // namespace samples::rmsnorm
