// CUDA's intrinsics: what a call of them is to a fusion.
#pragma once

#include <clang/AST/Expr.h>

namespace cufuse {

/// One call (or mention) of a function in another's body.
struct CallSite {
  const clang::FunctionDecl *Callee;
  const clang::CallExpr *Call; ///< Null when the function is only mentioned: its address is taken.
  clang::SourceLocation Where;
  bool IsRun = true; ///< Else only its type is asked for, or it is a template argument.
};

/// What a function is to the fusion, by its name: CUDA's intrinsics are recognised, not entered.
enum class Intrinsic { None, Barrier, NamedBarrier, WarpPrimitive, Atomic, Cluster };
Intrinsic classify(const clang::FunctionDecl &Function);
/// CUDA's load by the read-only cache?
bool isLdg(const clang::FunctionDecl &Function);
/// The same, with its argument in mind: only barrier 0 is that of the block.
Intrinsic classify(const CallSite &Call);

} // namespace cufuse
