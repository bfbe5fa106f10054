#include "cufuse/Reach/ControlStatements.h"

#include "cufuse/Reach/AllIn.h"

#include <clang/AST/Decl.h>
#include <clang/AST/Expr.h>

namespace cufuse {

ControlStatements::ControlStatements(const clang::Stmt &Body) {
  for (const clang::Stmt *S : allIn<clang::Stmt>(Body))
    if (llvm::isa<clang::IfStmt, clang::ForStmt, clang::WhileStmt>(S)) {
      Numbers[S] = All.size();
      All.push_back(S);
    } else if (auto *Attributed = llvm::dyn_cast<clang::AttributedStmt>(S)) {
      WithPragma.insert(Attributed->getSubStmt());
    }
}

std::optional<unsigned> ControlStatements::numberOf(const clang::Stmt *S) const {
  const auto Found = Numbers.find(S);
  return Found == Numbers.end() ? std::nullopt : std::optional(Found->second);
}

const clang::VarDecl *counted(const clang::ForStmt &Loop) {
  auto *Init = llvm::dyn_cast_or_null<clang::DeclStmt>(Loop.getInit());
  return Init && Init->isSingleDecl() ? llvm::dyn_cast<clang::VarDecl>(Init->getSingleDecl()) : nullptr;
}

const clang::Expr *conditionOf(const clang::Stmt &Control) {
  auto Of = [](const auto &Statement) -> const clang::Expr * {
    // `if (bool inside = i < n)`
    const clang::VarDecl *Variable = Statement.getConditionVariable();
    const clang::Expr *Named = Variable ? Variable->getInit() : nullptr;
    return Named && Named->IgnoreImplicit()->getType()->isBooleanType() ? Named : Statement.getCond();
  };
  if (auto *If = llvm::dyn_cast<clang::IfStmt>(&Control))
    return Of(*If);
  if (auto *For = llvm::dyn_cast<clang::ForStmt>(&Control))
    return Of(*For);
  return Of(llvm::cast<clang::WhileStmt>(Control));
}

const clang::Expr *comparedWithNull(const clang::Expr &E) {
  if (auto *Cast = llvm::dyn_cast<clang::CastExpr>(&E))
    return Cast->getCastKind() == clang::CK_PointerToBoolean ? Cast->getSubExpr() : nullptr;
  auto *Binary = llvm::dyn_cast<clang::BinaryOperator>(&E);
  if (!Binary || !Binary->isEqualityOp())
    return nullptr;
  auto IsNull = [](const clang::Expr *Side) {
    auto *Cast = llvm::dyn_cast<clang::CastExpr>(Side->IgnoreParens());
    return Cast && Cast->getCastKind() == clang::CK_NullToPointer;
  };
  return IsNull(Binary->getRHS()) ? Binary->getLHS() : IsNull(Binary->getLHS()) ? Binary->getRHS() : nullptr;
}

} // namespace cufuse
