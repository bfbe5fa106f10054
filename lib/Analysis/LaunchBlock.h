// The blocks of launches, where they are constants for the host.
#pragma once

#include "cufuse/Analysis/HostText.h"
#include "cufuse/Support/BlockShape.h"

#include <clang/AST/Type.h>
#include <llvm/ADT/ArrayRef.h>

#include <optional>
#include <set>
#include <vector>

namespace clang {
class ASTContext;
class CUDAKernelCallExpr;
class ExplicitCastExpr;
} // namespace clang

namespace cufuse {

/// The types of what host code casts const away from, or makes another type: a function that takes a reference to what
/// is const may change what it refers to.
class ConstCasts {
public:
  void note(const clang::ExplicitCastExpr &Cast, const clang::ASTContext &Context);
  /// May some of a variable of this type be changed so?
  bool mayChange(clang::QualType T, unsigned Depth = 0) const;

private:
  std::set<const clang::Type *> Types; ///< Canonical ones; `void` stands for all.
};

/// One for each launch; nullopt where it is not a constant, or the host may read another one.
std::vector<std::optional<BlockShape>> blocksOf(llvm::ArrayRef<const clang::CUDAKernelCallExpr *> Launches,
                                                clang::ASTContext &Context, const HostText &Text,
                                                const ConstCasts &Casts);

} // namespace cufuse
