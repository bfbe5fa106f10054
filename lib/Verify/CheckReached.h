// What the functions that an output reaches may not have, whatever the kernels' own texts have.
#pragma once

#include "cufuse/Kernel/Blocker.h"
#include "cufuse/Plan/FusionPlan.h"
#include "cufuse/Reach/Reach.h"

#include <clang/AST/Expr.h>

namespace cufuse {

/// Of the fused kernel, which calls the partitions' bodies in this order. `LoadsFresh`: see KernelText.
std::vector<Blocker> checkReached(const ParsedUnit &Unit, const Reached &Reach,
                                  llvm::ArrayRef<const clang::CallExpr *> Calls, const FusionPlan &Plan,
                                  bool LoadsFresh);

} // namespace cufuse
