// The blocks of launches, where they are constants for the host.
#pragma once

#include "HostText.h"
#include "cufuse/Support/BlockShape.h"

#include <llvm/ADT/ArrayRef.h>

#include <optional>
#include <vector>

namespace clang {
class ASTContext;
class CUDAKernelCallExpr;
} // namespace clang

namespace cufuse {

/// One for each launch; nullopt where it is not a constant, or the host may read another one.
std::vector<std::optional<BlockShape>> blocksOf(llvm::ArrayRef<const clang::CUDAKernelCallExpr *> Launches,
                                                clang::ASTContext &Context, const HostText &Text);

} // namespace cufuse
