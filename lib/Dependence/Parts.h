// Arrays of which one kernel has elements that are several of another's. No Clang.
#pragma once

#include "cufuse/Dependence/Links.h"

namespace cufuse {

struct PointerLink {
  unsigned From = 0, To = 0;
  std::string Out, In;
};

/// Elements of a linked array are those of the kernel that has the smallest: another kernel takes several of them at a
/// time, in each of its arrays, as one that accesses vectors through `reinterpret_cast`.
void takeInParts(VerticalGraph &Graph, llvm::ArrayRef<PointerLink> Links);

/// Do their indices count the same, as far as types tell?
bool haveCommonElements(const ParameterAccess &A, const ParameterAccess &B);

} // namespace cufuse
