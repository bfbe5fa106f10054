// im2col: unfolds the patches of a CHW image under a convolution's kernel into the columns of a matrix.
#pragma once

#include "../common/sample.h"

namespace samples::im2col {

class Problem : public samples::Problem {
public:
  explicit Problem(unsigned blocks);

  void launch(cudaStream_t stream) const override;
  std::vector<Output> outputs() const override;
  bool check() const override;

  template <typename Launch> void fill(Launch &launch) const {
    launch.grid = grid;
    launch.arguments.total = total;
    launch.arguments.image = image.get();
    launch.arguments.height = height;
    launch.arguments.width = width;
    launch.arguments.kernelH = kernelH;
    launch.arguments.kernelW = kernelW;
    launch.arguments.padH = padH;
    launch.arguments.padW = padW;
    launch.arguments.strideH = strideH;
    launch.arguments.strideW = strideW;
    launch.arguments.dilationH = dilationH;
    launch.arguments.dilationW = dilationW;
    launch.arguments.outHeight = outHeight;
    launch.arguments.outWidth = outWidth;
    launch.arguments.columns = columns.get();
  }

  const int channels = 3;
  const int kernelH = 3, kernelW = 5;
  const int padH = 2, padW = 3;
  const int strideH = 2, strideW = 1;
  const int dilationH = 2, dilationW = 1;
  const int outWidth, outHeight;
  const int total; ///< channels * outHeight * outWidth
  const int height, width;
  DeviceArray<float> image;   ///< [channels][height][width]
  DeviceArray<float> columns; ///< [channels * kernelH * kernelW][outHeight * outWidth]
};

/// An about square output, of slightly fewer elements than there are threads.
std::unique_ptr<Problem> make(unsigned blocks);

} // namespace samples::im2col
