#include "Parameters.h"

#include "cufuse/Analysis/Declarations.h"

#include <clang/AST/ExprCXX.h>

namespace cufuse {

namespace {

/// Without parentheses and what keeps temporaries alive.
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

/// Does a function's text read the value of a parameter, and nothing else? A reference or a pointer to it goes nowhere.
class Reading {
public:
  Reading(const clang::ParmVarDecl *Parameter, unsigned Depth) : Parameter(Parameter), Depth(Depth) {}

  bool in(const clang::Stmt *S) const {
    if (!S)
      return true;
    if (auto *Reference = llvm::dyn_cast<clang::DeclRefExpr>(S))
      return Reference->getDecl() != Parameter;
    if (auto *Cast = llvm::dyn_cast<clang::CastExpr>(S); Cast && Cast->getCastKind() == clang::CK_LValueToRValue)
      return loads(Cast->getSubExpr());
    if (auto *Construct = llvm::dyn_cast<clang::CXXConstructExpr>(S))
      return arguments(Construct->getConstructor(), {Construct->getArgs(), Construct->getNumArgs()});
    if (auto *Declarations = llvm::dyn_cast<clang::DeclStmt>(S))
      return llvm::all_of(Declarations->decls(), [this](const clang::Decl *D) {
        auto *Variable = llvm::dyn_cast<clang::VarDecl>(D);
        return !Variable || in(Variable->getInit());
      });
    auto *Call = llvm::dyn_cast<clang::CallExpr>(S);
    if (!Call)
      return llvm::all_of(S->children(), [this](const clang::Stmt *Child) { return in(Child); });
    llvm::ArrayRef<const clang::Expr *> Given(Call->getArgs(), Call->getNumArgs());
    const clang::Expr *Object = nullptr;
    if (auto *Member = llvm::dyn_cast<clang::CXXMemberCallExpr>(Call)) {
      Object = Member->getImplicitObjectArgument();
    } else if (llvm::isa<clang::CXXOperatorCallExpr>(Call) &&
               llvm::isa_and_nonnull<clang::CXXMethodDecl>(Call->getDirectCallee())) {
      Object = Given.front();
      Given = Given.drop_front();
    } else if (!in(Call->getCallee())) {
      return false;
    }
    return (!Object || (isNamed(Object) ? readsObject(Call->getDirectCallee()) : in(Object))) &&
           arguments(Call->getDirectCallee(), Given);
  }

private:
  bool loads(const clang::Expr *E) const {
    E = plain(E);
    if (auto *Either = llvm::dyn_cast<clang::ConditionalOperator>(E))
      return in(Either->getCond()) && loads(Either->getTrueExpr()) && loads(Either->getFalseExpr());
    return isNamed(E) || in(E);
  }

  /// Is it the parameter, or a member of it?
  bool isNamed(const clang::Expr *E) const {
    E = plain(E);
    if (auto *Reference = llvm::dyn_cast<clang::DeclRefExpr>(E))
      return Reference->getDecl() == Parameter;
    if (auto *Member = llvm::dyn_cast<clang::MemberExpr>(E))
      return !Member->isArrow() && isNamed(Member->getBase());
    auto *Cast = llvm::dyn_cast<clang::CastExpr>(E);
    return Cast && Cast->isGLValue() && isNamed(Cast->getSubExpr());
  }

  static bool readsObject(const clang::FunctionDecl *Callee) {
    auto *Method = llvm::dyn_cast_or_null<clang::CXXMethodDecl>(Callee);
    return Method && Method->isConst() && !leadsToPointer(Method->getReturnType());
  }

  bool arguments(const clang::FunctionDecl *Callee, llvm::ArrayRef<const clang::Expr *> Given) const {
    for (unsigned I = 0; I < Given.size(); ++I)
      if (isNamed(Given[I]) ? !Callee || !onlyReads(*Callee, I, Depth + 1) : !in(Given[I]))
        return false;
    return true;
  }

  const clang::ParmVarDecl *Parameter;
  const unsigned Depth;
};

} // namespace

bool onlyReads(const clang::FunctionDecl &Function, unsigned Argument, unsigned Depth) {
  constexpr unsigned Deepest = 4; // functions may call themselves
  if (Argument >= Function.getNumParams() ||
      leadsToPointer(Function.getParamDecl(Argument)->getType().getNonReferenceType()))
    return false;
  auto *Method = llvm::dyn_cast<clang::CXXMethodDecl>(&Function);
  auto *Made = llvm::dyn_cast<clang::CXXConstructorDecl>(&Function);
  if (Method && !Method->isUserProvided() &&
      (Made ? Made->isCopyOrMoveConstructor()
            : Method->isCopyAssignmentOperator() || Method->isMoveAssignmentOperator()))
    return true;
  const clang::FunctionDecl *Defined = Depth < Deepest ? withBody(&Function) : nullptr;
  if (!Defined)
    return false;
  const Reading Reads(Defined->getParamDecl(Argument), Depth);
  auto *Constructor = llvm::dyn_cast<clang::CXXConstructorDecl>(Defined);
  // What an inherited one hands on is not in its text.
  return Reads.in(Defined->getBody()) && (!Constructor || !Constructor->isInheritingConstructor()) &&
         (!Constructor || llvm::all_of(Constructor->inits(), [&](const clang::CXXCtorInitializer *Each) {
           return Reads.in(Each->getInit());
         }));
}

} // namespace cufuse
