// May a block play the kernels one after the other, and what stays on chip meanwhile? No Clang.
#pragma once

#include "cufuse/Dependence/Legality.h"

namespace cufuse {

/// How a flow stays in the block.
enum class RowValue {
  Element, ///< The thread that stores an element of the row loads it.
  Scalar,  ///< One thread stores a value for the row, and all load it.
};

/// Memory that a row is loaded from: what several places load is read once.
struct RowInput {
  unsigned Node = 0; ///< Whose parameter leads there, as an argument that remains.
  std::string Parameter;
  Polynomial Base;                                       ///< Where the block's row begins.
  bool InParts = false;                                  ///< Taken in the parts that its only reader takes the row in.
  unsigned FirstUse = 0;                                 ///< A position in the graph's order.
  std::vector<std::pair<unsigned, std::string>> Readers; ///< Nodes and their parameters.
};

/// A value that is the block's, and that says where a row begins: loaded before all kernels.
struct RowDatum {
  unsigned Node = 0;
  std::string Parameter;
  std::string Atom; ///< In polynomials.
  Polynomial Index;
};

/// A row in memory alone, which a thread loads or stores several elements of at a time.
struct RowStream {
  unsigned Node = 0;
  std::string Parameter;
  Polynomial Base;
  bool Stores = false;
  /// Every access happens in the blocks where these hold, and in no others; nothing if they differ.
  std::optional<std::vector<Less>> Rows = {};
};

/// Parts of a row whose elements a kernel takes together: `p[j]` and `p[Length + j]`, or, interleaved, `p[2 * j]` and
/// `p[2 * j + 1]`. One part is the whole row.
struct RowParts {
  unsigned Count = 1;
  bool Interleaved = false;
  Polynomial Length; ///< Of each; 0 where there is one.
  bool operator==(const RowParts &) const = default;
};

/// The kernels of a graph, in its order, by the same block.
struct BlockLocalPlan {
  std::string Reason; ///< Why the graph takes this form.
  /// Elements of a row, and from one row to the next, in the arguments that remain (`node.parameter`). Both are 0 if
  /// only scalars are handed on.
  Polynomial Length, Stride;
  unsigned Dimensions = 1;      ///< Of the grid that rows are numbered by.
  std::vector<RowValue> Values; ///< Of the graph's flows.
  std::vector<RowInput> Inputs;
  std::vector<RowDatum> Data; ///< In the bases of those.
  /// By node and parameter: rows that a pointwise kernel changes in place.
  std::set<std::pair<unsigned, std::string>> Changed;
  /// The same: the block's size.
  std::set<std::pair<unsigned, std::string>> Sizes;
  /// Consecutive elements that a thread has; more than one changes the order of sums.
  unsigned Wide = 1;
  std::string Narrow;                       ///< Why a thread has one at a time, if more were asked for.
  std::vector<RowStream> Streams;           ///< Where it has more.
  std::vector<bool> ByElement;              ///< By node: a pointwise kernel, called for every element of the row,
  bool ByGroups = false;                    ///< or, some of them, for `Wide` elements: then no thread has fewer.
  std::vector<std::vector<unsigned>> Loops; ///< By node: its loops over the row (`LoopAccess::Statement`),
  std::vector<RowParts> Parts;              ///< or over these parts of it.
  std::vector<std::string> Barriers;        ///< By position in the order: why one stands before, or nothing.
  std::vector<AtMost> Requirements;         ///< Of every launch.
  /// Elements of a row that a thread keeps; a block's threads have so many registers.
  unsigned MostTurns = 0;
  /// The same, of one element at a time.
  unsigned mostSingle() const { return std::min(MostTurns, 32u); }

  bool keepsRows() const { return !Length.isZero(); }
  bool keepsParts() const {
    return llvm::any_of(Parts, [](const RowParts &Each) { return Each.Count > 1; });
  }
};

/// The first row kernel that consumes something, or null: this form is for graphs that have one, since inlining at
/// stores takes consumers that are functions of one element.
const VerticalNode *rowConsumer(const VerticalGraph &Graph);

/// The block's number in a grid of so many dimensions.
Polynomial blockNumber(unsigned Dimensions);

/// Proves that block b of every kernel loads of the intermediates what block b of their producers stored, and, of
/// elements of a row, what the same thread stored. Elements are `p[b * stride + i]` where `i` counts a
/// `for (i = threadIdx.x; i < length; i += blockDim.x)`; scalars are `p[b]`, stored where `threadIdx.x == 0`. A
/// pointwise kernel is called for the elements of the row: `p[e]`, `p[e / length]` is a scalar, and `p[e % length]` is
/// the same for all rows. A consumer may take parts of the row together, and change it in place: the thread that has an
/// element of one part has those of the others, where each part is a multiple of what the block has in a turn, and
/// through memory otherwise. All kernels have the same grid, and the same `Block` of one dimension. Otherwise all
/// refusals.
///
/// `Reassociate`: a thread may have other elements of the row, several at a time, where nothing but sums goes from one
/// turn of its loops to the next.
llvm::Expected<BlockLocalPlan> planBlockLocal(const VerticalGraph &Graph, BlockShape Block, bool Reassociate = false);

} // namespace cufuse
