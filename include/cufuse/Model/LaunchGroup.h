// Kernels of a graph that one launch does.
#pragma once

#include "cufuse/Support/BlockShape.h"

#include <fmt/core.h>

#include <string>
#include <vector>

namespace cufuse {

struct LaunchGroup {
  std::vector<std::string> Kernels; ///< By the constituents' names; just one: launched as it is.
  unsigned Vectorize = 1;           ///< Fused: elements per thread at least, in one loop.
  BlockShape Block;                 ///< Of the launch.

  bool isFused() const { return Kernels.size() > 1; }
  /// `addBias+gelu x4 256`
  std::string str() const {
    std::string Text;
    for (const std::string &Name : Kernels)
      Text += (Text.empty() ? "" : "+") + Name;
    if (isFused())
      Text += fmt::format(" x{} {}", Vectorize, Block.str());
    return Text;
  }
};

} // namespace cufuse
