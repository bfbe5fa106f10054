// Is a kernel a function of an element index? No Clang.
#pragma once

#include "cufuse/Kernel/Accesses.h"

namespace cufuse {

enum class KernelShape {
  Pointwise, ///< What a thread does depends on its linear index alone, or each turn of its grid-stride loop does.
  RowWise,   ///< A block stores one row, or one value for its row.
  Opaque,
};

/// The thread's linear index, or the loop's turn, in polynomials of `inElement`: of kernels that work on one element at
/// a time, the element. No identifier of C++.
constexpr const char *ElementAtom = "element#";

struct ShapeFacts {
  KernelShape Shape = KernelShape::Opaque;
  bool Strided = false; ///< Pointwise: by a grid-stride loop.
  unsigned Loop = 0;    ///< Strided: that loop.
  /// Pointwise: each thread, by its linear index e, or turn of the loop works on so many elements, from Width * e on.
  unsigned Width = 1;
  bool Tail = true; ///< Width > 1: also on the last few, where there are not Width any more.
  Polynomial Bound; ///< Pointwise: it works on the elements 0 … Bound − 1, of parameters alone.
  /// By a grid of several dimensions: how many threads of each count, x first. Element e is that of the thread at
  /// x = e % Sizes[0], y = e / Sizes[0]. Otherwise nothing: e is the thread's linear index.
  std::vector<Polynomial> Sizes;
  /// Not pointwise only since no condition bounds its elements: there are as many as threads.
  bool Unbounded = false;
  std::optional<Polynomial> Elements = {}; ///< Unbounded: how many that is, where the launch says so, of parameters.
  /// How much it stores depends on how many blocks its launch has: what is seen of them.
  struct LaunchedBlocks {
    size_t Kernel = 0;               ///< Of whose parameters the number is one.
    std::optional<Polynomial> Count; ///< Nothing where it is none.
  };
  std::optional<LaunchedBlocks> Blocks = {};
  std::vector<Finding> Reasons; ///< Why it is not pointwise.
};

/// `blockIdx.x * blockDim.x + threadIdx.x`
Polynomial linearIndex();

/// Does it count from the linear index, or a multiple of it, by the same multiple of the grid's threads?
bool isGridStride(const LoopAccess &Loop);

ShapeFacts recogniseShape(const KernelFacts &Facts, const KernelAccesses &Accesses);

/// A kernel of which each thread of a grid of two or three dimensions works on the element of its place there,
/// `p[y * width + x]` where `x < width` and `y < height`, as a pointwise one; nothing if it is none.
std::optional<ShapeFacts> recogniseMap(const KernelFacts &Facts, const KernelAccesses &Accesses);

/// The polynomial with `Element` in the place of the thread's linear index, turn of the loop, or place in the grid, but
/// for its quotients.
Polynomial ofElement(const Polynomial &P, const Polynomial &Element, const KernelAccesses &Accesses,
                     const ShapeFacts &Shape);

/// The polynomial as one of the element and quantities that are the same for all threads; nothing if it depends on the
/// thread in another way. `Shape` needs `Strided` and `Loop` only.
std::optional<Polynomial> inElement(const Polynomial &P, const KernelAccesses &Accesses, const ShapeFacts &Shape);

/// Does a pointwise kernel access only its thread's own elements there, and of those only such below the bound?
bool isOwn(const AccessSite &Site, const KernelAccesses &Accesses, const ShapeFacts &Shape);
/// May a kernel of several dimensions leave elements of the array as they are?
bool storesPartly(const std::string &Parameter, const KernelAccesses &Accesses, const ShapeFacts &Shape);
/// Does a pointwise kernel access every element of the array below the bound (without a tail, of every whole group),
/// whatever its values are?
bool touchesEach(const std::string &Parameter, const KernelAccesses &Accesses, const ShapeFacts &Shape);
/// Does a pointwise kernel of Width > 1 store each of these elements, and no other? Nothing if it does, else the site
/// that is in the way. The same thread may store one several times.
const AccessSite *storesOtherwise(const std::string &Parameter, const KernelAccesses &Accesses,
                                  const ShapeFacts &Shape);

/// Do the conditions of that step of the site's path hold wherever all elements of the thread are below the bound?
bool holdsOnWholeTurns(const AccessSite &Site, size_t Step, const KernelAccesses &Accesses, const ShapeFacts &Shape);

/// A kernel whose threads work on several consecutive elements: the width, tail and bound that its stores show, where
/// they do. `Shape` needs `Strided` and `Loop` only.
bool recogniseGroups(const KernelAccesses &Accesses, ShapeFacts &Shape);

/// For messages: `element - 1`.
std::string shown(const Polynomial &P);

} // namespace cufuse
