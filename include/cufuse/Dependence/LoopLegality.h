// May pointwise kernels run one after the other on each element, in one loop? No Clang.
#pragma once

#include "cufuse/Dependence/StoreProof.h"

namespace cufuse {

/// Elements that a turn of the loop works on: the most that one of the kernels does at a time, or `Vectorize`, if that
/// is more and all of them can do with a part of that.
unsigned loopWidth(const VerticalGraph &Graph, unsigned Vectorize);

/// Proves it. `Graph.OneLoop` holds. Returns what every launch must meet, in the arguments that remain; or all
/// refusals.
///
/// Every kernel is a function of the elements of a turn, so the order of turns does not matter if each works on its own
/// elements of the intermediates, all kernels work on the same elements, and nothing else that one of the kernels
/// writes is touched by another. Within a turn the kernels keep their order, so that intermediates may be changed in
/// place, and may come from several kernels and go to several.
llvm::Expected<std::vector<AtMost>> checkOneLoop(const VerticalGraph &Graph, unsigned Width);

} // namespace cufuse
