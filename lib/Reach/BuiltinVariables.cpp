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
  if (auto *Object = llvm::dyn_cast<clang::PseudoObjectExpr>(E))
    E = Object->getSyntacticForm()->IgnoreParens();
  auto *Property = llvm::dyn_cast<clang::MSPropertyRefExpr>(E);
  if (!Property)
    return std::nullopt;
  const clang::Expr *Base = Property->getBaseExpr()->IgnoreParenImpCasts();
  if (auto *Opaque = llvm::dyn_cast<clang::OpaqueValueExpr>(Base))
    Base = Opaque->getSourceExpr()->IgnoreParenImpCasts();
  auto *Named = llvm::dyn_cast<clang::DeclRefExpr>(Base);
  const std::optional<Builtin> Variable = Named ? builtinVariable(*Named->getDecl()) : std::nullopt;
  const llvm::StringRef Name = Property->getPropertyDecl()->getName();
  if (!Variable || Name.size() != 1 || Name[0] < 'x' || Name[0] > 'z')
    return std::nullopt;
  return BuiltinMember{*Variable, static_cast<unsigned>(Name[0] - 'x'), Named};
}

namespace {

// For nvcc, threadIdx and its like are constant objects; in the output they are values. The difference shows where a
// reference is bound to one as a whole, or its address is taken; and to a member, where a call hands on the reference.

/// The built-in that an expression is, as a whole, also converted to what nvcc takes it for.
const clang::DeclRefExpr *wholeBuiltin(const clang::Expr *E) {
  E = E->IgnoreParenImpCasts();
  if (auto *Call = llvm::dyn_cast<clang::CXXMemberCallExpr>(E);
      Call && llvm::isa_and_nonnull<clang::CXXConversionDecl>(Call->getMethodDecl()))
    E = Call->getImplicitObjectArgument()->IgnoreParenImpCasts();
  auto *Reference = llvm::dyn_cast<clang::DeclRefExpr>(E);
  return Reference && builtinVariable(*Reference->getDecl()) ? Reference : nullptr;
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

  bool VisitDecltypeTypeLoc(clang::DecltypeTypeLoc L) override { // `decltype((threadIdx.x))` is a reference
    const clang::Expr *E = L.getUnderlyingExpr();
    if (auto *Property = llvm::dyn_cast<clang::PseudoObjectExpr>(E))
      E = Property->getSyntacticForm();
    if (const clang::DeclRefExpr *Builtin = memberOfBuiltin(E); Builtin && llvm::isa<clang::ParenExpr>(E))
      Found.push_back(Builtin);
    return true;
  }

  std::vector<const clang::DeclRefExpr *> Found;

private:
  /// As a constant that lives as long as the call, it is the same. What the call gives may live longer, but for a
  /// reference: that is looked at where it is bound.
  void argument(clang::QualType To, const clang::Expr *Value, clang::QualType Result) {
    if (To->isReferenceType() && !Result->isReferenceType() && mayHoldOn(Result, To->getPointeeType()))
      through(Value);
    const bool Constant = To->isLValueReferenceType() && To->getPointeeType().isConstQualified();
    const clang::TagDecl *Tag = To->isReferenceType() ? To->getPointeeType()->getAsTagDecl() : nullptr;
    const bool AsItself = Tag && Tag->getIdentifier() && Tag->getName().starts_with("__cuda_builtin_");
    if (To->isReferenceType() && (!Constant || AsItself))
      add(Value);
    // Where an object is taken otherwise than a value: `T &&` of the same type.
    if (const clang::DeclRefExpr *Builtin = memberOfBuiltin(Value);
        Builtin && To->isRValueReferenceType() && To->getPointeeType()->isSpecificBuiltinType(clang::BuiltinType::UInt))
      Found.push_back(Builtin);
  }
  void through(const clang::Expr *Value) {
    if (const clang::DeclRefExpr *Builtin = memberOfBuiltin(Value))
      Found.push_back(Builtin);
    else
      add(Value);
  }
  /// A reference is bound to the value, and stays.
  void add(const clang::Expr *Value) {
    if (const clang::DeclRefExpr *Builtin = wholeBuiltin(Value)) {
      Found.push_back(Builtin);
    } else if (Value->isGLValue()) {
      if (auto *Either = llvm::dyn_cast<clang::ConditionalOperator>(Value->IgnoreParenImpCasts()))
        return add(Either->getTrueExpr()), add(Either->getFalseExpr());
      auto *Call = llvm::dyn_cast<clang::CallExpr>(Value->IgnoreParenImpCasts());
      for (const clang::Expr *Argument : Call ? Call->arguments() : clang::CallExpr::const_arg_range({}, {}))
        if (Argument->isGLValue())
          through(Argument);
    }
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
