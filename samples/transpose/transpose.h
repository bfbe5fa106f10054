// Matrix transposition through a shared-memory tile.
#pragma once

#include "../common/sample.h"

namespace samples::transpose {

class Problem : public samples::Problem {
public:
  explicit Problem(unsigned blocks);

  void launch(cudaStream_t stream) const override;
  std::vector<Output> outputs() const override;
  bool check() const override;

  template <typename Launch> void fill(Launch &launch) const {
    launch.grid = grid;
    launch.arguments.in = in.get();
    launch.arguments.out = out.get();
    launch.arguments.width = width;
    launch.arguments.height = height;
  }

  const int width, height; ///< Of the input.
  DeviceArray<float> in;
  DeviceArray<float> out;

private:
  explicit Problem(dim3 tiles);
};

/// One block per tile; neither side is a multiple of the tile.
std::unique_ptr<Problem> make(unsigned blocks);

} // namespace samples::transpose
