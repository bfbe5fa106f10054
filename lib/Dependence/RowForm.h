// Which element of its block's row does a thread access?
#pragma once

#include "cufuse/Dependence/Links.h"
#include "cufuse/Support/BlockShape.h"

namespace cufuse {

/// An access by row, in the kernel's own parameters. The block's number `b` is `blockIdx.x`, or counts a grid of two or
/// three dimensions.
struct RowAccess {
  bool Scalar = false;            ///< `p[b]`
  Polynomial Base;                ///< Otherwise `p[Base + i]`, the same for the whole block,
  Polynomial Stride;              ///< which is `b * Stride`, or this is 0;
  Polynomial Length;              ///< i < Length,
  unsigned Loop = 0;              ///< which this loop counts.
  unsigned Dimensions = 1;        ///< Of `b`.
  size_t Depth = 0;               ///< Of the loop in the site's path.
  std::optional<Polynomial> Step; ///< Of the loop, an argument: it must be the block's size.
  std::vector<Less> Rows;         ///< Conditions around it (around its loop) that are the same for the whole block.
  bool OfBlock = true;            ///< There are no others around it; of a scalar, but that it is the first thread.
  bool EveryTurn = true;          ///< It happens in every turn of the loop.
};

/// What the site is, for blocks of `Block`; nothing if it is neither.
std::optional<RowAccess> rowAccess(const VerticalNode &Node, const AccessSite &Site, BlockShape Block);

} // namespace cufuse
