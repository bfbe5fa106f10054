// May a block play the kernels one after the other, and what stays on chip meanwhile? No Clang.
#pragma once

#include "cufuse/Dependence/Legality.h"

namespace cufuse {

/// How a flow stays in the block.
enum class RowValue {
  Element, ///< The thread that stores an element of the row loads it.
  Scalar,  ///< One thread stores a value for the row, and all load it.
};

/// Memory that several places load a row from: it is read once.
struct RowInput {
  unsigned Node = 0; ///< Whose parameter leads there, as an argument that remains.
  std::string Parameter;
  unsigned FirstUse = 0;                                 ///< A position in the graph's order.
  std::vector<std::pair<unsigned, std::string>> Readers; ///< Nodes and their parameters.
};

/// The kernels of a graph, in its order, by the same block.
struct BlockLocalPlan {
  std::string Reason; ///< Why the graph takes this form.
  /// Elements of a row, and from one row to the next, in the arguments that remain (`node.parameter`). Both are 0 if
  /// only scalars are handed on.
  Polynomial Length, Stride;
  std::vector<RowValue> Values; ///< Of the graph's flows.
  std::vector<RowInput> Inputs;
  std::vector<bool> ByElement;              ///< By node: a pointwise kernel, called for every element of the row.
  std::vector<std::vector<unsigned>> Loops; ///< By node: its loops over the row (`LoopAccess::Statement`).
  std::vector<std::string> Barriers;        ///< By position in the order: why one stands before, or nothing.
  std::vector<AtMost> Requirements;         ///< Of every launch.
  /// Elements of a row that a thread keeps; a block's threads have so many registers.
  unsigned MostTurns = 0;

  bool keepsRows() const { return !Length.isZero(); }
};

/// The first row kernel that consumes something, or null: this form is for graphs that have one, since inlining at
/// stores takes consumers that are functions of one element.
const VerticalNode *rowConsumer(const VerticalGraph &Graph);

/// Proves that block b of every kernel loads of the intermediates what block b of their producers stored, and, of
/// elements of a row, what the same thread stored. Elements are `p[blockIdx.x * stride + i]` where `i` counts a
/// `for (i = threadIdx.x; i < length; i += blockDim.x)`; scalars are `p[blockIdx.x]`, stored where `threadIdx.x == 0`.
/// All kernels have the same `Block` and grid, of one dimension each. Otherwise all refusals.
llvm::Expected<BlockLocalPlan> planBlockLocal(const VerticalGraph &Graph, BlockShape Block);

} // namespace cufuse
