// How the products of a chain are computed. No Clang.
#pragma once

#include "cufuse/Kernel/Product.h"
#include "cufuse/Support/Error.h"

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/StringRef.h>
#include <llvm/Support/Error.h>

#include <array>

namespace cufuse {

/// The shape of what a block computes, for the templates of lib/Cuda/ProductsBy….cuh.
struct ProductsPlan {
  enum class Way : std::uint8_t {
    Warps,                 ///< ProductsByMma.cuh.
    Warpgroups,            ///< ProductsByWgmma.cuh.
    Cluster,               ///< ProductsByCluster.cuh.
    FromMemory,            ///< ProductsFromMemory.cuh: the same cluster.
    Grid,                  ///< ProductsByGrid.cuh: what is between the products goes through memory.
    Attention,             ///< Attention.cuh, where a softmax is between the products.
    AttentionOfWarpgroups, ///< AttentionByWgmma.cuh, the same.
  } By = Way::Warps;
  /// Of the grid: in either turn, the columns of a block's tile, and among how many blocks its inner columns are
  /// divided.
  struct Turn {
    unsigned Columns = 0, Parts = 1;
  };
  std::array<Turn, 2> Turns = {};
  unsigned Clusters = 0;         ///< Of the grid: all there are.
  unsigned Factors = 1;          ///< Of the grid: second factors of the first turn, two for a gate.
  unsigned Slots = 0;            ///< Of warpgroups and the grid: the places of the ring of weights.
  bool Ahead = false;            ///< Of warpgroups without a softmax.
  unsigned Warps = 0, Tiles = 0; ///< Else: how many there are, and 16 rows each, or of a cluster all, at a time. Of the
                                 ///< grid, 64 rows each.
  unsigned Blocks = 1, Slice = 0; ///< Of a cluster; columns of the first result that it, or a warpgroup, has at a time.
  unsigned Threads = 0, Rows = 0; ///< Of a block.
  unsigned SharedBytes = 0;       ///< The same.

  bool isOfWarpgroups() const { return By == Way::Warpgroups || By == Way::AttentionOfWarpgroups; }
  bool isByMaps() const { return isOfWarpgroups() || By == Way::Cluster || By == Way::Grid; }
  bool isForSm90() const { return isByMaps() || By == Way::FromMemory; }

  /// Of warpgroups: registers of a thread at the launch, then of those that compute and of the others.
  static constexpr unsigned AtLaunch = 168, Computing = 240, Loading = 24;
};

/// For the second product of what comes of the first, or of two of its sizes by a gate (`Factors`), with about `M`
/// rows, in code for `Arch`. Or why one kernel cannot hold them, which is said of the place.
llvm::Expected<ProductsPlan> planProducts(const ProductFacts &First, unsigned Factors, const ProductFacts &Second,
                                          std::int64_t M, llvm::StringRef Arch, const SourcePlace &Where);

} // namespace cufuse
