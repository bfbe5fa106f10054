// The loop by which a kernel covers more elements than its launch has threads.
#pragma once

#include <vector>

namespace clang {
class Expr;
class ForStmt;
class FunctionDecl;
class VarDecl;
} // namespace clang

namespace cufuse {

/// A `for` of the kernel's own body, in no lambda, whose step is made of `gridDim` or `blockDim`: written there or by
/// way of local variables.
struct GridStrideLoop {
  const clang::ForStmt *Loop = nullptr; ///< Null when the kernel has none.
  /// What a turn reads of global memory in any case and before it branches, in places that only the loop's variable
  /// decides, so that several turns' reads may precede the first turn's work:
  /// - an element of arithmetic type behind a parameter `const T *__restrict__` that is never assigned to, or behind a
  ///   local pointer that is initialised from one: such memory does not change while the kernel runs;
  /// - of a loop that declares its variable and whose condition and step can be evaluated ahead: they read only that
  ///   variable, built-in ones and local ones that are never assigned to;
  /// - of a loop that is left by its condition alone, and that no macro writes.
  /// Empty where nothing qualifies.
  std::vector<const clang::Expr *> Loads = {};
  const clang::VarDecl *Variable = nullptr; ///< That the loop declares, where there are loads.
};

/// The first with loads; without any, of those that have no unrolling pragma of their own, the first whose step is made
/// of `gridDim`; without that, the first.
GridStrideLoop gridStrideLoop(const clang::FunctionDecl &Kernel);

} // namespace cufuse
