#include "Expressions.h"

namespace cufuse {

const clang::Expr *plain(const clang::Expr *E) {
  while (true) {
    const clang::Expr *Inner = E->IgnoreParens();
    if (auto *Clean = llvm::dyn_cast<clang::ExprWithCleanups>(Inner))
      Inner = Clean->getSubExpr();
    else if (auto *Temporary = llvm::dyn_cast<clang::MaterializeTemporaryExpr>(Inner))
      Inner = Temporary->getSubExpr();
    else if (auto *Bound = llvm::dyn_cast<clang::CXXBindTemporaryExpr>(Inner))
      Inner = Bound->getSubExpr();
    else if (auto *Substituted = llvm::dyn_cast<clang::SubstNonTypeTemplateParmExpr>(Inner))
      Inner = Substituted->getReplacement();
    else if (Inner == E)
      return E;
    E = Inner;
  }
}

namespace {

struct Finder {
  std::map<const clang::VarDecl *, unsigned> Found;

  /// `E` is read, not changed: the variable it lies in is no assignment, its indices may hold some.
  void read(const clang::Expr *E) {
    E = E->IgnoreParens();
    if (llvm::isa<clang::DeclRefExpr>(E))
      return;
    if (auto *Member = llvm::dyn_cast<clang::MemberExpr>(E); Member && !Member->isArrow())
      return read(Member->getBase());
    if (auto *Cast = llvm::dyn_cast<clang::CastExpr>(E);
        Cast && (Cast->getCastKind() == clang::CK_NoOp || Cast->getCastKind() == clang::CK_ArrayToPointerDecay ||
                 Cast->getCastKind() == clang::CK_LValueToRValue))
      return read(Cast->getSubExpr());
    if (auto *Element = llvm::dyn_cast<clang::ArraySubscriptExpr>(E)) {
      read(Element->getBase());
      return visit(Element->getIdx());
    }
    visit(E);
  }

  void visit(const clang::Stmt *S) {
    if (!S)
      return;
    if (auto *Reference = llvm::dyn_cast<clang::DeclRefExpr>(S)) {
      if (auto *Variable = llvm::dyn_cast<clang::VarDecl>(Reference->getDecl());
          Variable && Variable->hasLocalStorage() && !Variable->getType().isConstQualified())
        ++Found[Variable];
      return;
    }
    if (auto *Cast = llvm::dyn_cast<clang::CastExpr>(S))
      if (Cast->getCastKind() == clang::CK_LValueToRValue ||
          (Cast->getCastKind() == clang::CK_NoOp && Cast->getType().isConstQualified()))
        return read(Cast->getSubExpr());
    if (auto *Lambda = llvm::dyn_cast<clang::LambdaExpr>(S))
      for (const clang::LambdaCapture &Capture : Lambda->captures())
        if (Capture.capturesVariable() && Capture.getCaptureKind() == clang::LCK_ByRef)
          if (auto *Variable = llvm::dyn_cast<clang::VarDecl>(Capture.getCapturedVar()))
            ++Found[Variable];
    if (auto *Declarations = llvm::dyn_cast<clang::DeclStmt>(S))
      for (const clang::Decl *D : Declarations->decls())
        if (auto *Variable = llvm::dyn_cast<clang::VarDecl>(D))
          visit(Variable->getInit());
    for (const clang::Stmt *Child : S->children())
      if (!llvm::isa<clang::DeclStmt>(S))
        visit(Child);
  }
};

} // namespace

std::map<const clang::VarDecl *, unsigned> assignedIn(const clang::Stmt *S) {
  Finder F;
  F.visit(S);
  return std::move(F.Found);
}

} // namespace cufuse
