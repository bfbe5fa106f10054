// Which links of a graph to fuse: the candidates.
#pragma once

#include "cufuse/Model/Problem.h"
#include "cufuse/Search/Evaluator.h"

#include <llvm/ADT/STLFunctionalExtras.h>

namespace cufuse {

constexpr size_t MostLinksAtWill = 6;

/// What the constituents become if a choice of links is fused: all choices of up to `MostLinksAtWill` links; of more,
/// all links, each link by itself, and those up to each, in their order. Constituents that a chosen link joins, also by
/// way of others, are one launch. Each outcome once, without that of no link, from the fewest launches on; in an order
/// that does the same, where there is one (`inOrder`).
std::vector<Launches> chooseLinks(const GraphFacts &Graph, size_t Constituents);

/// The ways to launch a fused group: the first of each is what the others are compared with.
struct GroupWays {
  std::vector<unsigned> Vectorize = {1};
  std::vector<BlockShape> Blocks;
};

/// Every choice of links, with every width and every position among the blocks: groups that do not have it take their
/// first one. Each candidate once.
std::vector<Candidate> enumerateGraphSpace(const Problem &P,
                                           llvm::function_ref<GroupWays(llvm::ArrayRef<unsigned>)> WaysOf);

} // namespace cufuse
