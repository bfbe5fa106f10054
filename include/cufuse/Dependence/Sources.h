// What kernels before the root make, and which of the root's loads compute it. No Clang.
#pragma once

#include "cufuse/Dependence/Links.h"

namespace cufuse {

/// What is computed at once, where the root loads it.
struct Source {
  std::vector<const Flow *> Flows; ///< To the root: the others are loaded only where the first one is.
  std::vector<unsigned> Makers;    ///< The kernels that are called there, in their order.
  bool Once = false;               ///< Something of it stays: each element is computed once.
};

/// Every flow to the root from a kernel before it is in one of them. What the root loads in one place is one source if
/// something of it stays; kernels of which nothing leads to the root go with the first such.
std::vector<Source> sourcesOf(const VerticalGraph &Graph);

/// Does a kernel do more than to make intermediates?
bool hasOtherEffects(const VerticalGraph &Graph, unsigned Node);

/// Does it begin an intermediate as what is in memory: in place, or since it stores some elements only?
bool beginsInMemory(const VerticalGraph &Graph, unsigned Node, const std::string &Out);

} // namespace cufuse
