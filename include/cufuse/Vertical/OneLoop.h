// Pointwise kernels as one loop over elements. Text to text: no Clang.
#pragma once

#include "cufuse/Vertical/InlineAtStore.h"

namespace cufuse {

/// The graph's kernels, one after the other on the elements of each turn of a grid-stride loop, `Width` at a time, so
/// that any grid will do. `Texts` are the nodes' closures, taken with `linkedInLoop`. The user's text stays as it is,
/// but for pointer variables and casts of those (`editLinkedPointers`), and conditions that hold in all turns but the
/// last:
///
/// - each kernel has a namespace of its own, `cufuse_NODE`, with its own meaning of `cufuse_linked_PARAMETER`;
/// - a parameter that is in a stream is an object that gives the elements in registers;
/// - a kernel sees its elements as its block, as in `inlineAtStore`.
///
/// Streams in memory are loaded and stored by accesses of up to 16 bytes where the pointers of the launch are aligned
/// and all elements of the turn exist, else one by one. The legality must have been proved.
ComposedKernel composeLoop(const VerticalGraph &Graph, llvm::ArrayRef<const Closure *> Texts,
                           llvm::ArrayRef<AtMost> Requirements, unsigned Width);

/// What `takeClosure` replaces in a node's text.
LinkedText linkedInLoop(const VerticalGraph &Graph, unsigned Node);

} // namespace cufuse
