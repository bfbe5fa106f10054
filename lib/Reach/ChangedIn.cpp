#include "cufuse/Reach/AllIn.h"

#include <clang/AST/ExprCXX.h>
#include <llvm/ADT/STLExtras.h>

namespace cufuse {

template <typename Node> static std::set<const clang::ValueDecl *> changed(const Node &Code, bool ByConst) {
  std::set<const clang::Expr *> Loads;
  auto Load = [&](const clang::Expr *E) {
    E = E->IgnoreParens();
    while (auto *Member = llvm::dyn_cast<clang::MemberExpr>(E))
      E = Member->getBase()->IgnoreParens();
    Loads.insert(E);
  };
  for (const auto *Cast : allIn<clang::ImplicitCastExpr>(Code))
    if (Cast->getCastKind() == clang::CK_LValueToRValue ||
        (!ByConst && Cast->getCastKind() == clang::CK_NoOp && Cast->getType().isConstQualified()))
      Load(Cast->getSubExpr());
  for (const auto *Launch : allIn<clang::CUDAKernelCallExpr>(Code)) // not converted yet in a template
    llvm::for_each(Launch->getConfig()->arguments(), Load);
  for (const auto *Lambda : allIn<clang::LambdaExpr>(Code))
    for (const auto [Capture, Value] : llvm::zip(Lambda->captures(), Lambda->capture_inits()))
      if (!Lambda->isInitCapture(&Capture)) // what the body does with it is seen there
        Load(Value);
  std::set<const clang::ValueDecl *> Changed;
  for (const auto *Use : allIn<clang::DeclRefExpr>(Code))
    if (!Loads.contains(Use) && !Use->isNonOdrUse())
      Changed.insert(Use->getDecl());
  return Changed;
}

std::set<const clang::ValueDecl *> changedIn(const clang::Stmt &Code, bool ByConst) { return changed(Code, ByConst); }
std::set<const clang::ValueDecl *> changedIn(const clang::Decl &Code, bool ByConst) { return changed(Code, ByConst); }

} // namespace cufuse
