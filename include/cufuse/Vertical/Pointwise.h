// Is a kernel a function of an element index? No Clang.
#pragma once

#include "cufuse/Vertical/Accesses.h"

namespace cufuse {

enum class KernelShape {
  Pointwise, ///< What a thread does depends on its linear index alone, or each turn of its grid-stride loop does.
  RowWise,   ///< A block stores one row, or one value for its row.
  Opaque,
};

/// The element in polynomials of `inElement`; no identifier of C++.
constexpr const char *ElementAtom = "element#";

struct ShapeFacts {
  KernelShape Shape = KernelShape::Opaque;
  bool Strided = false;         ///< Pointwise: by a grid-stride loop.
  unsigned Loop = 0;            ///< Strided: that loop.
  Polynomial Bound;             ///< Pointwise: it works on the elements 0 … Bound − 1, of parameters alone.
  std::vector<Finding> Reasons; ///< Why it is not pointwise.
};

/// `blockIdx.x * blockDim.x + threadIdx.x`
Polynomial linearIndex();

ShapeFacts recogniseShape(const KernelFacts &Facts, const KernelAccesses &Accesses);

/// The polynomial as one of the element and quantities that are the same for all threads; nothing if it depends on the
/// thread in another way. `Shape` needs `Strided` and `Loop` only.
std::optional<Polynomial> inElement(const Polynomial &P, const KernelAccesses &Accesses, const ShapeFacts &Shape);

/// For messages: `element - 1`.
std::string shown(const Polynomial &P);

} // namespace cufuse
