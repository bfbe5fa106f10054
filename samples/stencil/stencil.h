// A 3-D 7-point stencil with replicated borders.
#pragma once

#include "../common/sample.h"

namespace samples::stencil {

struct Extent {
  int x, y, z;
};

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
    launch.arguments.extent = extent;
  }

  const Extent extent;
  DeviceArray<float> in; ///< [extent.z][extent.y][extent.x]
  DeviceArray<float> out;

private:
  explicit Problem(dim3 bricks);
};

/// One block per 8x8x12 brick of the volume; no side of the volume is a multiple of the brick.
std::unique_ptr<Problem> make(unsigned blocks);

} // namespace samples::stencil
