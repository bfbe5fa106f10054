// The block that a launch is written with.
#pragma once

#include "cufuse/Support/BlockShape.h"

#include <optional>

namespace clang {
class ASTContext;
class CUDAKernelCallExpr;
} // namespace clang

namespace cufuse {

/// Variables count as what they begin with, and text as the device's compilation reads it: a guess, which the launch of
/// the output confirms. nullopt where no such constant is written.
std::optional<BlockShape> blockOf(const clang::CUDAKernelCallExpr &Launch, const clang::ASTContext &Context);

} // namespace cufuse
