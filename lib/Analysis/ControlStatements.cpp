#include "cufuse/Analysis/ControlStatements.h"

#include <clang/AST/DynamicRecursiveASTVisitor.h>
#include <clang/AST/Expr.h>

namespace cufuse {

struct ControlStatements::Finder : clang::ConstDynamicRecursiveASTVisitor {
  explicit Finder(ControlStatements &Found) : Found(Found) {}
  bool VisitIfStmt(const clang::IfStmt *S) override { return add(S); }
  bool VisitForStmt(const clang::ForStmt *S) override { return add(S); }
  bool VisitWhileStmt(const clang::WhileStmt *S) override { return add(S); }
  bool VisitAttributedStmt(const clang::AttributedStmt *S) override {
    Found.WithPragma.insert(S->getSubStmt());
    return true;
  }

private:
  bool add(const clang::Stmt *S) {
    Found.Numbers[S] = Found.All.size();
    Found.All.push_back(S);
    return true;
  }
  ControlStatements &Found;
};

ControlStatements::ControlStatements(const clang::Stmt &Body) { Finder(*this).TraverseStmt(&Body); }

std::optional<unsigned> ControlStatements::numberOf(const clang::Stmt *S) const {
  const auto Found = Numbers.find(S);
  return Found == Numbers.end() ? std::nullopt : std::optional(Found->second);
}

std::optional<unsigned> ControlStatements::withCondition(const clang::Expr *E) const {
  for (unsigned Number = 0; Number < All.size(); ++Number)
    if (const clang::Expr *Condition = conditionOf(*All[Number]);
        Condition && Condition->IgnoreParenImpCasts() == E->IgnoreParenImpCasts())
      return Number;
  return std::nullopt;
}

const clang::Expr *conditionOf(const clang::Stmt &Control) {
  if (auto *If = llvm::dyn_cast<clang::IfStmt>(&Control))
    return If->getCond();
  if (auto *For = llvm::dyn_cast<clang::ForStmt>(&Control))
    return For->getCond();
  return llvm::cast<clang::WhileStmt>(&Control)->getCond();
}

} // namespace cufuse
