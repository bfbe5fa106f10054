// The ends of a product as a graph of kernels sees them: pointwise kernels, but for their text. No Clang.
#pragma once

#include "cufuse/Dependence/Pointwise.h"
#include "cufuse/Kernel/KernelText.h"
#include "cufuse/Kernel/Product.h"

namespace cufuse {

struct ProductEnd {
  KernelFacts Facts;
  KernelText Text;
  KernelAccesses Accesses;
  ShapeFacts Shape;
};

/// Stores each of the m · n elements of `c` once. Its other parameters are those of the launch: `a` (but where another
/// end takes it), `b`, `m`; and `n`, `k`, whose values are known.
ProductEnd makingEnd(const std::string &Name, const ProductFacts &Product, bool TakesA, const SourcePlace &Where);

/// Loads each of the m · k elements of `a`. Other parameters are `m` and `k`.
ProductEnd takingEnd(const std::string &Name, const ProductFacts &Product, const SourcePlace &Where);

} // namespace cufuse
