// Which element of its block's row does a thread access?
#pragma once

#include "cufuse/Dependence/BlockLocal.h"
#include "cufuse/Support/BlockShape.h"

namespace cufuse {

/// An access by row, in the kernel's own parameters. The block's number `b` is `blockIdx.x`, or counts a grid of two or
/// three dimensions.
struct RowAccess {
  bool Scalar = false; ///< `p[b]`
  Polynomial Base;     ///< Otherwise `p[Base + Along * i]`, the same for the whole block,
  Polynomial Stride;   ///< which is `b * Stride`, or this is 0;
  std::int64_t Along = 1;
  Polynomial Length;              ///< i < Length,
  unsigned Loop = 0;              ///< which this loop counts.
  unsigned Dimensions = 1;        ///< Of `b`.
  size_t Depth = 0;               ///< Of the loop in the site's path.
  std::optional<Polynomial> Step; ///< Of the loop, an argument: it must be the block's size.
  std::vector<Less> Rows;         ///< Conditions around it (around its loop) that are the same for the whole block.
  bool OfBlock = true;            ///< There are no others around it; of a scalar, but that it is the first thread.
  bool EveryTurn = true;          ///< It happens in every turn of the loop.
};

/// Bytes of an element of those rows that are kept: of the largest, or of all that are loaded ahead.
unsigned bytesKept(const VerticalGraph &Graph, const BlockLocalPlan &Plan);

/// How many elements of a row a thread keeps at most, `Wide` of them next to each other. Registers are 64 K for all
/// threads of a multiprocessor: a row leaves a thread 40 of its own for all else. A warp may have sixteen vectors,
/// which it has to have by itself.
unsigned mostTurns(BlockShape Block, unsigned BytesOfElement, unsigned Wide);

/// What the site is, for blocks of `Block`; nothing if it is neither.
std::optional<RowAccess> rowAccess(const VerticalNode &Node, const AccessSite &Site, BlockShape Block);

/// The same in the arguments that remain.
std::optional<RowAccess> rowInArguments(const VerticalGraph &Graph, unsigned Node, const AccessSite &Site,
                                        BlockShape Block);

/// The loads through a parameter, where they are of rows, or of the parts that the node takes the row in, that begin
/// where values say that are the block's (`AccessSite::ByData`): adds these to the plan, and the base to the input.
std::vector<RowAccess> rowsByData(const VerticalGraph &Graph, unsigned Node, const std::string &Parameter,
                                  BlockShape Block, BlockLocalPlan &Plan, RowInput &Input);

/// The parts that the accesses are of, all of them by loops of one length, of a row that begins at `First`. One part if
/// they are of no such parts.
RowParts rowParts(llvm::ArrayRef<RowAccess> Accesses, const Polynomial &First);

} // namespace cufuse
