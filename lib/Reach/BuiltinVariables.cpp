#include "cufuse/Reach/BuiltinVariables.h"

#include "cufuse/Reach/Declarations.h"

#include <clang/AST/DynamicRecursiveASTVisitor.h>
#include <clang/AST/ExprCXX.h>

namespace cufuse {

std::optional<Builtin> builtinVariable(const clang::ValueDecl &D) {
  if (!D.getIdentifier() || !D.getDeclContext()->getRedeclContext()->isTranslationUnit())
    return std::nullopt;
  for (size_t B = 0; B < BuiltinNames.size(); ++B)
    if (D.getName() == BuiltinNames[B])
      return static_cast<Builtin>(B);
  return std::nullopt;
}

std::optional<BuiltinMember> builtinMember(const clang::Expr *E) {
  auto *Member = llvm::dyn_cast<clang::MemberExpr>(E);
  auto *Named = Member ? llvm::dyn_cast<clang::DeclRefExpr>(Member->getBase()->IgnoreParenImpCasts()) : nullptr;
  const std::optional<Builtin> Variable = Named ? builtinVariable(*Named->getDecl()) : std::nullopt;
  auto *Field = Member ? llvm::dyn_cast<clang::FieldDecl>(Member->getMemberDecl()) : nullptr;
  if (!Variable || !Field)
    return std::nullopt;
  return BuiltinMember{*Variable, Field->getFieldIndex(), Named};
}

namespace {

// For nvcc, threadIdx and its like are constant objects; in the output they are constant values, which are gone at the
// end of the statement. The difference shows where the address is taken, or a call hands on a reference that stays.

/// The built-in that an expression is, as a whole or a member of it.
const clang::DeclRefExpr *builtinIn(const clang::Expr *E) {
  E = E->IgnoreParenImpCasts();
  auto *Reference = llvm::dyn_cast<clang::DeclRefExpr>(E);
  return Reference && builtinVariable(*Reference->getDecl()) ? Reference : memberOfBuiltin(E);
}

/// May an object of the type hold on to something of the other type that it was given by reference?
bool mayHoldOn(clang::QualType Object, clang::QualType Given) {
  return anyPart(Object, [&](clang::QualType Part) -> std::optional<bool> {
    if (!Part->isPointerType() && !Part->isReferenceType())
      return std::nullopt;
    const clang::QualType To = Part->getPointeeType();
    return To->isVoidType() || To->isCharType() || clang::ASTContext::hasSameUnqualifiedType(To, Given);
  });
}

class Finder : public clang::ConstDynamicRecursiveASTVisitor {
public:
  Finder() { ShouldVisitImplicitCode = true; }

  bool VisitCallExpr(const clang::CallExpr *Call) override {
    const clang::FunctionDecl *Callee = Call->getDirectCallee();
    const bool OfObject =
        llvm::isa<clang::CXXOperatorCallExpr>(Call) && llvm::isa_and_nonnull<clang::CXXMethodDecl>(Callee);
    for (unsigned I = OfObject; Callee && I < Call->getNumArgs() && I - OfObject < Callee->getNumParams(); ++I)
      argument(Callee->getParamDecl(I - OfObject)->getType(), Call->getArg(I), Callee->getReturnType());
    return true;
  }
  bool VisitCXXConstructExpr(const clang::CXXConstructExpr *Construct) override {
    const clang::CXXConstructorDecl *Constructor = Construct->getConstructor();
    if (!Constructor->isCopyOrMoveConstructor())
      for (unsigned I = 0; I < std::min(Construct->getNumArgs(), Constructor->getNumParams()); ++I)
        argument(Constructor->getParamDecl(I)->getType(), Construct->getArg(I), Construct->getType());
    return true;
  }
  bool VisitVarDecl(const clang::VarDecl *Variable) override {
    if (Variable->getType()->isReferenceType() && Variable->getInit() && !llvm::isa<clang::ParmVarDecl>(Variable))
      Variable->isInitCapture() ? stays(Variable->getInit()) : handedOn(Variable->getInit());
    return true;
  }
  bool VisitReturnStmt(const clang::ReturnStmt *Return) override {
    if (Return->getRetValue() && Return->getRetValue()->isGLValue())
      stays(Return->getRetValue());
    return true;
  }
  bool VisitUnaryOperator(const clang::UnaryOperator *E) override {
    if (E->getOpcode() == clang::UO_AddrOf)
      stays(E->getSubExpr());
    return true;
  }

  std::vector<const clang::DeclRefExpr *> Found;

private:
  /// It lives as long as the call. What the call gives may live longer, but for a reference: that is looked at where it
  /// is bound.
  void argument(clang::QualType To, const clang::Expr *Value, clang::QualType Result) {
    if (To->isReferenceType() && !Result->isReferenceType() && mayHoldOn(Result, To->getPointeeType()))
      stays(Value);
  }
  void stays(const clang::Expr *Value) {
    if (const clang::DeclRefExpr *Builtin = builtinIn(Value))
      Found.push_back(Builtin);
    else
      handedOn(Value);
  }
  /// Bound at once, a value lives as long as the reference.
  void handedOn(const clang::Expr *Value) {
    Value = Value->IgnoreParenImpCasts();
    if (auto *Either = llvm::dyn_cast<clang::ConditionalOperator>(Value))
      return handedOn(Either->getTrueExpr()), handedOn(Either->getFalseExpr());
    auto *Call = llvm::dyn_cast<clang::CallExpr>(Value);
    for (const clang::Expr *Argument :
         Call && Value->isGLValue() ? Call->arguments() : clang::CallExpr::const_arg_range({}, {}))
      if (Argument->isGLValue())
        stays(Argument);
  }
};

} // namespace

const clang::DeclRefExpr *memberOfBuiltin(const clang::Expr *E) {
  const auto Member = builtinMember(E->IgnoreParenImpCasts());
  return Member ? Member->Named : nullptr;
}

std::vector<const clang::DeclRefExpr *> builtinReferences(const clang::FunctionDecl &Function) {
  Finder Find;
  Find.TraverseDecl(&Function);
  return std::move(Find.Found);
}

} // namespace cufuse
