// Consumers inlined where their producer stores. Text to text: no Clang.
#pragma once

#include "cufuse/Fusion/Closure.h"
#include "cufuse/Vertical/Legality.h"

namespace cufuse {

/// A kernel made of several: what fuses one kernel fuses it, too.
struct ComposedKernel {
  KernelFacts Facts;
  Closure Text;
  std::set<unsigned> AsElement = {}; ///< Nodes whose block is one thread.
};

/// The graph's root, with every consumer at the stores to its intermediate. `Texts` are the nodes' closures, taken with
/// the parameters of the flows as linked ones. The user's text stays as it is:
///
/// - each kernel has a namespace of its own, `cufuse_NODE`, with its own meaning of `cufuse_linked_PARAMETER`;
/// - the parameter that a producer stores to is an object whose `operator[]` gives an element, and whose assignment
///   stores the value, if the intermediate is live, and calls the consumers with it;
/// - a consumer sees the element as its block: `blockIdx.x` is the element, `blockDim.x` is 1, and `gridDim.x` is so
///   large that a grid-stride loop ends after one turn; the parameter that it loads from is an object whose
///   `operator[]` gives the value.
///
/// Parameters are called `NODE_PARAMETER`; linked ones and dead intermediates are none. `Requirements` become
/// conditions of the launch. The legality must have been proved.
ComposedKernel inlineAtStore(const VerticalGraph &Graph, llvm::ArrayRef<const Closure *> Texts,
                             llvm::ArrayRef<AtMost> Requirements);

/// Parameters of a node whose types `takeClosure` replaces.
std::vector<std::string> linkedParameters(const VerticalGraph &Graph, unsigned Node);

} // namespace cufuse
