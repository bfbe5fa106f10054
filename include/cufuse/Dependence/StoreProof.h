// Is every element of an intermediate stored exactly once? No Clang.
#pragma once

#include "cufuse/Dependence/Links.h"
#include "cufuse/Support/BlockShape.h"

#include <optional>

namespace cufuse {

/// Each of the elements 0 … Elements − 1 is stored exactly once if the launch meets the requirements. Polynomials of
/// the kernel's parameters and the dimensions of its grid.
struct StoreProof {
  Polynomial Elements;
  std::vector<AtMost> Requirements;
  bool Partly = false; ///< Some may not be stored: they stay as they are. Only where the kernel may load them.
};

/// Elements per launch, so that indices fit the types in which kernels compute them.
constexpr std::int64_t MostElements = 0x7fffffff;

/// Proves it for `Parameter`: the index is a number in a mixed radix, `row * columns + column` with `row < rows` and
/// `column < columns`, and each digit is one, too: `blockIdx.x * 64 + threadIdx.x + 16 * j` with 16 threads and j < 4
/// counts without gaps. Guards and loop bounds are the radices. Without a block (a kernel that is itself called element
/// by element), any one-dimensional launch that covers the elements is meant.
/// Otherwise, what stands in the way. `MayLoad`: also if the kernel loads from it, at whatever index.
std::optional<Blocker> proveStoredOnce(const VerticalNode &Node, llvm::StringRef Parameter,
                                       std::optional<BlockShape> Block, StoreProof &Proof, bool MayLoad = false);

/// Is `A` wherever `B` is: does it access the same element in the same thread's same turn of all loops?
bool isWhere(const AccessSite &A, const AccessSite &B);

/// Are both sites wherever the other is?
bool areOne(const AccessSite &A, const AccessSite &B);

/// Proves that each of the elements 0 … Elements − 1 is loaded by one thread, in one turn of its loops, however often
/// there, and that nothing else is done to them. Otherwise, what stands in the way.
std::optional<Blocker> proveLoadedOnce(const VerticalNode &Node, llvm::StringRef Parameter, BlockShape Block,
                                       StoreProof &Proof);

/// How often a site accesses one element of its array at most, over the whole launch, in the dimensions of the grid;
/// nothing if that is not known. Of a site that is wider than one element, `Step` apart. With `Needs`, elements may be
/// left out, as those of a matrix behind its rows: where the launch meets what is added there.
std::optional<Polynomial> accessesPerElement(const VerticalNode &Node, const AccessSite &Site, BlockShape Block,
                                             std::vector<AtMost> *Needs = nullptr,
                                             const Polynomial &Step = Polynomial(1));

} // namespace cufuse
