// Is a kernel the softmax of rows? Shown by running a block of it on symbols.
#pragma once

#include "cufuse/Analysis/DeviceIr.h"
#include "cufuse/Kernel/Accesses.h"
#include "cufuse/Support/BlockShape.h"

namespace cufuse {

/// A launch with a grid in x, whose blocks have `Rows` rows each, one after the other.
struct SoftmaxLaunch {
  BlockShape Block;
  std::int64_t Rows = 1, Columns = 0;
  /// Of the numbers among the parameters: what they are; none: the rows of all blocks. Others are not known.
  std::map<std::string, std::optional<std::int64_t>> Numbers;
  std::string In, Out; ///< Parameters: the rows, without gaps, and the results.
};

/// Nothing if each block stores the softmax of each of its rows, exp(x - m) over the sum of those, where m is the
/// largest, and nothing else; else why that is not shown. Sums may be taken in any order.
std::optional<Finding> notSoftmax(const DeviceIr &Ir, const KernelFacts &Facts, const KernelAccesses &Accesses,
                                  const SoftmaxLaunch &Launch);

} // namespace cufuse
