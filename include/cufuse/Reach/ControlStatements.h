// Numbers of a kernel's `if`, `for` and `while` statements: how facts, edits and comparisons name one of them.
#pragma once

#include <clang/AST/Stmt.h>
#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/DenseSet.h>

#include <optional>
#include <vector>

namespace cufuse {

class ControlStatements {
public:
  /// Of a kernel's body, as instantiated.
  explicit ControlStatements(const clang::Stmt &Body);

  /// In the order of the text; a statement's number is its place here.
  llvm::ArrayRef<const clang::Stmt *> all() const { return All; }
  std::optional<unsigned> numberOf(const clang::Stmt *S) const;
  /// Does `#pragma unroll` or its like stand before it?
  bool hasPragma(const clang::Stmt *S) const { return WithPragma.contains(S); }

private:
  std::vector<const clang::Stmt *> All;
  llvm::DenseMap<const clang::Stmt *, unsigned> Numbers;
  llvm::DenseSet<const clang::Stmt *> WithPragma;
};

/// The variable that `for (int i = …; …)` declares; null where that is none, or several.
const clang::VarDecl *counted(const clang::ForStmt &Loop);
/// The condition of an `if`, `for` or `while`; null where it has none.
const clang::Expr *conditionOf(const clang::Stmt &Control);
/// The pointer in `p != nullptr`, `p == 0`, or where a truth is asked for; null where it is something else.
const clang::Expr *comparedWithNull(const clang::Expr &E);

} // namespace cufuse
