// May the consumers run element by element, where the producers store? No Clang.
#pragma once

#include "cufuse/Dependence/StoreProof.h"

namespace cufuse {

/// Proves it for every intermediate of the graph. `Block` is the root's. Returns what every launch must meet, in the
/// arguments that remain (`node.parameter`) and the dimensions of the root's grid; or all refusals.
///
/// The order of accesses changes from "all of the producer, then all of the consumer" to one by elements. That is the
/// same if the producer stores each element once, the consumer is a function of one element and loads the intermediate
/// at that element only, both work on the same elements, and nothing else that one of the kernels writes is touched by
/// another: two pointers are distinct if both are `__restrict__`.
///
/// Kernels before the root are computed where it loads what they make, again for every load, which changes nothing if
/// each of them stores dead intermediates alone, each element once. `Recompute` says how often an element may be
/// computed; nothing: any number of times.
llvm::Expected<std::vector<AtMost>> checkInlineAtStore(const VerticalGraph &Graph, BlockShape Block,
                                                       std::optional<unsigned> Recompute);

} // namespace cufuse
