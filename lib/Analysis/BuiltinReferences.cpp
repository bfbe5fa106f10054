// For nvcc, threadIdx and its like are constant objects; in the output they are values. The difference shows where a
// reference is bound to one as a whole, or its address is taken.
#include "BuiltinReferences.h"

#include <clang/AST/DynamicRecursiveASTVisitor.h>
#include <clang/AST/ExprCXX.h>

namespace cufuse {

namespace {

/// The built-in that an expression is, as a whole, also converted to what nvcc takes it for.
const clang::DeclRefExpr *wholeBuiltin(const clang::Expr *E) {
  for (const clang::Expr *Before = nullptr; E && E != Before;) {
    Before = E;
    E = E->IgnoreParenImpCasts();
    if (auto *Full = llvm::dyn_cast<clang::FullExpr>(E))
      E = Full->getSubExpr();
    else if (auto *Temporary = llvm::dyn_cast<clang::MaterializeTemporaryExpr>(E))
      E = Temporary->getSubExpr();
    else if (auto *Call = llvm::dyn_cast<clang::CXXMemberCallExpr>(E);
             Call && llvm::isa_and_nonnull<clang::CXXConversionDecl>(Call->getMethodDecl()))
      E = Call->getImplicitObjectArgument();
  }
  auto *Reference = llvm::dyn_cast_or_null<clang::DeclRefExpr>(E);
  const clang::TagDecl *Tag = Reference ? Reference->getType()->getAsTagDecl() : nullptr;
  return Tag && Tag->getIdentifier() && Tag->getName().starts_with("__cuda_builtin_") &&
                 Reference->getDecl()->getDeclContext()->getRedeclContext()->isTranslationUnit()
             ? Reference
             : nullptr;
}

class Finder : public clang::ConstDynamicRecursiveASTVisitor {
public:
  Finder() { ShouldVisitImplicitCode = true; }

  bool VisitCallExpr(const clang::CallExpr *Call) override {
    const clang::FunctionDecl *Callee = Call->getDirectCallee();
    const bool OfObject =
        llvm::isa<clang::CXXOperatorCallExpr>(Call) && llvm::isa_and_nonnull<clang::CXXMethodDecl>(Callee);
    for (unsigned I = OfObject; Callee && I < Call->getNumArgs() && I - OfObject < Callee->getNumParams(); ++I)
      argument(Callee->getParamDecl(I - OfObject)->getType(), Call->getArg(I));
    return true;
  }
  bool VisitCXXConstructExpr(const clang::CXXConstructExpr *Construct) override {
    const clang::CXXConstructorDecl *Constructor = Construct->getConstructor();
    if (!Constructor->isCopyOrMoveConstructor())
      for (unsigned I = 0; I < std::min(Construct->getNumArgs(), Constructor->getNumParams()); ++I)
        argument(Constructor->getParamDecl(I)->getType(), Construct->getArg(I));
    return true;
  }
  bool VisitVarDecl(const clang::VarDecl *Variable) override {
    if (Variable->getType()->isReferenceType() && Variable->getInit() && !llvm::isa<clang::ParmVarDecl>(Variable))
      add(Variable->getInit());
    return true;
  }
  bool VisitReturnStmt(const clang::ReturnStmt *Return) override {
    if (Return->getRetValue() && Return->getRetValue()->isGLValue())
      add(Return->getRetValue());
    return true;
  }
  bool VisitUnaryOperator(const clang::UnaryOperator *E) override {
    if (E->getOpcode() == clang::UO_AddrOf)
      add(E->getSubExpr());
    return true;
  }

  std::vector<const clang::DeclRefExpr *> Found;

private:
  /// As a constant that lives as long as the call, it is the same.
  void argument(clang::QualType To, const clang::Expr *Value) {
    const bool Constant = To->isLValueReferenceType() && To->getPointeeType().isConstQualified();
    const clang::TagDecl *Tag = To->isReferenceType() ? To->getPointeeType()->getAsTagDecl() : nullptr;
    const bool AsItself = Tag && Tag->getIdentifier() && Tag->getName().starts_with("__cuda_builtin_");
    if (To->isReferenceType() && (!Constant || AsItself))
      add(Value);
  }
  void add(const clang::Expr *Value) {
    if (const clang::DeclRefExpr *Builtin = wholeBuiltin(Value))
      Found.push_back(Builtin);
  }
};

} // namespace

std::vector<const clang::DeclRefExpr *> builtinReferences(const clang::FunctionDecl &Function) {
  Finder Find;
  Find.TraverseDecl(&Function);
  return std::move(Find.Found);
}

} // namespace cufuse
