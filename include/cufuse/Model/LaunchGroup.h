// Kernels of a graph that one launch does.
#pragma once

#include "cufuse/Support/BlockShape.h"

#include <fmt/core.h>
#include <llvm/ADT/StringExtras.h>

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
    const std::string Names = llvm::join(Kernels, "+");
    return isFused() ? fmt::format("{} x{} {}", Names, Vectorize, Block.str()) : Names;
  }
};

} // namespace cufuse
