// Is a kernel the softmax of rows? Shown by running blocks of it on numbers.
#pragma once

#include "cufuse/Kernel/Accesses.h"
#include "cufuse/Reach/DeviceIr.h"
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

/// What each element of a row is multiplied with before the softmax.
struct SoftmaxScale {
  float Constant = 1;
  std::string Parameter; ///< Also with this one, if any.
};

/// Nothing if each block stores the softmax of each of its rows, exp(s x - m) over the sum of those, where m is the
/// largest of all s x, and s the `Scale`, and nothing else; else why that is not shown. Sums may be taken in any order.
/// exp(c (s x - m)), with a number c of 1 at most, has c in the scale.
std::optional<Finding> notSoftmax(const DeviceIr &Ir, const KernelFacts &Facts, const KernelAccesses &Accesses,
                                  const SoftmaxLaunch &Launch, SoftmaxScale &Scale);

} // namespace cufuse
