// Kernels one after the other in the same block, with their rows on chip. Text to text: no Clang.
#pragma once

#include "cufuse/Vertical/BlockLocal.h"
#include "cufuse/Vertical/InlineAtStore.h"

namespace cufuse {

/// The graph's kernels in its order, as planned. `Texts` are the nodes' closures, taken with `linkedByRow`. The user's
/// text stays as it is but for the conditions of the loops over the row:
///
/// - each kernel has a namespace of its own, `cufuse_NODE`, with its own meaning of `cufuse_linked_PARAMETER`;
/// - a scalar is a variable in shared memory; the block waits before it is loaded;
/// - an element of a row is in a register of its thread: the loops are unrolled, and their condition,
/// `cufuse_row.next`,
///   says which turn it is. Inputs are loaded before the first kernel that needs them;
/// - pointwise kernels are called for every element of the row, with a block of one thread, as in `inlineAtStore`.
///
/// The fused kernel is a template: an instance for rows of at most 1, 2, 4, … elements per thread, and one for longer
/// rows, whose intermediates go through memory: the arguments have room for them even where they are dead. `EvictLast`:
/// inputs are loaded with that priority in L2.
ComposedKernel composeRows(const VerticalGraph &Graph, const BlockLocalPlan &Plan, BlockShape Block,
                           llvm::ArrayRef<const Closure *> Texts, bool EvictLast);

/// The template arguments of the instance that the launcher takes for rows of so many elements: turns, and turns that
/// are full.
std::pair<unsigned, unsigned> rowInstance(const BlockLocalPlan &Plan, BlockShape Block, std::int64_t Length);

/// What `takeClosure` replaces in a node's text.
LinkedText linkedByRow(const VerticalGraph &Graph, const BlockLocalPlan &Plan, unsigned Node);

} // namespace cufuse
