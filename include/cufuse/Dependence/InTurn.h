// May the same team of threads play the kernels one after the other, with all that they exchange in memory? No Clang.
#pragma once

#include "cufuse/Dependence/StoreProof.h"

namespace cufuse {

/// Who plays a part of every kernel before it goes on to the next part.
enum class Team {
  Block,   ///< A block: its own block of every kernel, or several; and of pointwise ones the elements of its panel.
  Thread,  ///< A thread: its own thread of every kernel.
  Element, ///< A thread: so many elements, in a loop over the grid; all kernels are pointwise.
};

/// The kernels of a graph, in its order, by the same team.
struct InTurnPlan {
  Team By = Team::Block;
  unsigned Dimensions = 3;        ///< Block: of the grid; the blocks are numbered by them.
  bool LastFirst = false;         ///< Block: the last of them counts fastest, not the first.
  std::vector<bool> ByElement;    ///< By node: a pointwise kernel, called for its elements, or groups of them.
  std::vector<Polynomial> Panels; ///< By such a node: elements of a block or, by element, of a thread at a time.
  /// By node: of the panel, what a block of the kernel has, where a block plays several of them; or a free kernel's
  /// group.
  std::vector<Polynomial> Units;
  std::optional<unsigned> Grid; ///< The node that has the launch's grid, where others have several blocks for each.
  Polynomial Elements;          ///< By element: of the kernel that has the most.
  std::vector<std::string> Barriers; ///< By position in the order: why one stands before, or nothing.
  /// By node and parameter: what leads to memory that one kernel stores to and another one accesses.
  std::set<std::pair<unsigned, std::string>> Exchanged;
  /// Thread: of these, what a thread has in registers instead, since each of them loads what itself has stored.
  std::set<std::pair<unsigned, std::string>> Kept;
  bool LoadsFresh = false;          ///< See KernelText.
  std::vector<AtMost> Requirements; ///< Of every launch, in the arguments that remain and the dimensions of the grid.
  /// Panels that must be whole groups, or blocks, of so many elements.
  std::vector<std::pair<Polynomial, Polynomial>> Multiples;

  /// Does a block play several of the kernel's?
  bool isNested(unsigned Node) const { return !ByElement[Node] && !Panels[Node].isZero(); }
};

/// Does the kernel's block count for nothing but its threads' linear index?
bool isFree(const VerticalNode &Node);

/// Proves that whatever one kernel stores, and another one loads or stores, belongs to the same team in both. Of a
/// block b, that is its *panel* `p[b * S + r]` with 0 <= r < S, by the same S in all kernels, or instead of b the
/// number that b's digits are in another order, the same in all kernels; blocks are of `Block`, and all kernels that
/// are not free have the launch's grid. A free kernel's elements are the panel's: it is called for those from b * W to
/// (b + 1) * W. Where no kernel is free, a thread may be the team: then all index such memory by the same function of
/// the thread and its turns of loops, which no two have the same value of. `ByThreads`: that comes first, whether
/// kernels are free or not, since it changes no text. Otherwise all refusals.
llvm::Expected<InTurnPlan> planInTurn(const VerticalGraph &Graph, BlockShape Block, bool ByThreads = false);

} // namespace cufuse
