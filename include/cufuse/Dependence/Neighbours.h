// How far from a thread's own place in a grid of two dimensions are the elements that it accesses? No Clang.
#pragma once

#include "cufuse/Dependence/StoreProof.h"

namespace cufuse {

/// The thread at (x, y) accesses no elements but those from (x - X, y - Y) to (x + X, y + Y).
struct Neighbours {
  unsigned X = 0, Y = 0;
  std::vector<AtMost> Needs; ///< What the launch must meet for that.
};

/// What the root accesses of an array whose elements `Map`, a kernel of two dimensions, has at places; nothing where it
/// is not known to stay near, or among these places.
std::optional<Neighbours> neighboursOf(const VerticalGraph &Graph, const std::string &Parameter, unsigned Map,
                                       BlockShape Block);

} // namespace cufuse
