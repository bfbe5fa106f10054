// Bilinear upsampling of NCHW images.
#pragma once

#include "../common/sample.h"

namespace samples::upsample {

class Problem : public samples::Problem {
public:
  explicit Problem(unsigned blocks);

  void launch(cudaStream_t stream) const override;
  std::vector<Output> outputs() const override;
  bool check() const override;

  template <typename Launch> void fill(Launch &launch) const {
    launch.grid = grid;
    launch.arguments.input = input.get();
    launch.arguments.output = output.get();
    launch.arguments.channels = channels;
    launch.arguments.inHeight = inHeight;
    launch.arguments.inWidth = inWidth;
    launch.arguments.outHeight = outHeight;
    launch.arguments.outWidth = outWidth;
    launch.arguments.scaleY = scaleY;
    launch.arguments.scaleX = scaleX;
    launch.arguments.alignCorners = alignCorners;
  }

  const int batch;
  const int channels = 5;
  const int outHeight, outWidth;
  const int inHeight, inWidth;
  const bool alignCorners = false;
  const float scaleY, scaleX; ///< Input pixels per output pixel.
  DeviceArray<float> input;
  DeviceArray<float> output;

private:
  explicit Problem(dim3 tiles);
};

/// The grid is (tiles across, tiles down, images), as even as the divisors of `blocks` allow.
std::unique_ptr<Problem> make(unsigned blocks);

} // namespace samples::upsample
