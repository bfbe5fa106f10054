#include "Evaluate.h"

#include "Expressions.h"
#include "cufuse/Analysis/AllIn.h"
#include "cufuse/Analysis/BuiltinVariables.h"

#include <llvm/Support/SaveAndRestore.h>

namespace cufuse {

/// Does a template's argument follow from what is given for a parameter?
static bool deducesFrom(const clang::FunctionDecl *Callee, unsigned Parameter) {
  const clang::FunctionTemplateDecl *Template = Callee ? Callee->getPrimaryTemplate() : nullptr;
  if (!Template)
    return false;
  const clang::FunctionDecl *Written = Template->getTemplatedDecl(); // a pack is one parameter there
  return Parameter >= Written->getNumParams() || Written->getParamDecl(Parameter)->getType()->isDependentType();
}

/// Does it lead to where a pointer may be put?
static bool leadsToPlaceOfPointer(clang::QualType T) {
  const clang::QualType To = T->isReferenceType() ? T.getNonReferenceType() : T->getPointeeType();
  return !To.isNull() && !To.isConstQualified() && leadsToPointer(To);
}

bool Evaluator::keeps(const clang::FunctionDecl *Callee, unsigned Argument) const {
  if (!Callee)
    return true;
  if (onlyReads(*Callee, Argument))
    return false;
  const bool Makes = llvm::isa<clang::CXXConstructorDecl>(Callee);
  auto *Method = llvm::dyn_cast<clang::CXXMethodDecl>(Callee);
  const bool HoldsPointer = Method && leadsToPointer(Context.getCanonicalTagType(Method->getParent()));
  const bool ByResult = Keeps && (!Makes || HoldsPointer);
  const bool ByObject = Method && Method->isInstance() && !Makes &&
                        ((!Method->isConst() && HoldsPointer) ||
                         llvm::any_of(Method->getParent()->fields(),
                                      [](const clang::FieldDecl *F) { return leadsToPlaceOfPointer(F->getType()); }));
  return ByResult || ByObject || llvm::any_of(Callee->parameters(), [](const clang::ParmVarDecl *P) {
           return leadsToPlaceOfPointer(P->getType());
         });
}

/// Does an operator of a class leave nothing of what it assigns to as it was? Those of libraries do.
bool Evaluator::assignsWhole(const clang::FunctionDecl *Callee) const {
  auto *Method = llvm::dyn_cast_or_null<clang::CXXMethodDecl>(Callee);
  return Callee && (!inUsersFile(Callee, Context.getSourceManager()) || (Method && !Method->isUserProvided()) ||
                    Callee->getOverloadedOperator() != clang::OO_Equal);
}

/// Is it a number made of parameters and of the thread's place, and nothing else?
static bool isPlainNumber(const clang::Expr *E, const clang::ASTContext &Context) {
  E = plain(E);
  if (E->isValueDependent() || E->isTypeDependent()) // in a generic lambda
    return false;
  auto Is = [&](const clang::Expr *Part) { return isPlainNumber(Part, Context); };
  if (builtinMember(E) || (!E->isGLValue() && E->isIntegerConstantExpr(Context)))
    return true;
  if (auto *Reference = llvm::dyn_cast<clang::DeclRefExpr>(E))
    return llvm::isa<clang::ParmVarDecl>(Reference->getDecl());
  if (auto *Unary = llvm::dyn_cast<clang::UnaryOperator>(E))
    return Unary->isArithmeticOp() && Is(Unary->getSubExpr());
  if (auto *Binary = llvm::dyn_cast<clang::BinaryOperator>(E))
    return (Binary->isMultiplicativeOp() || Binary->isAdditiveOp() || Binary->isShiftOp()) && Is(Binary->getLHS()) &&
           Is(Binary->getRHS());
  if (auto *Call = llvm::dyn_cast<clang::CallExpr>(E))
    return llvm::all_of(Call->arguments(), Is);
  auto *Cast = llvm::dyn_cast<clang::CastExpr>(E);
  return Cast && E->getType()->isIntegerType() &&
         (Cast->getCastKind() == clang::CK_LValueToRValue || Cast->getCastKind() == clang::CK_NoOp ||
          Cast->getCastKind() == clang::CK_IntegralCast) &&
         Is(Cast->getSubExpr());
}

/// The number, where the function does no more than to return it.
static const clang::Expr *returnedNumber(const clang::FunctionDecl &Function) {
  auto *Body = llvm::dyn_cast_or_null<clang::CompoundStmt>(Function.getBody());
  auto *Return = Body && Body->size() == 1 ? llvm::dyn_cast<clang::ReturnStmt>(Body->body_front()) : nullptr;
  const clang::Expr *Number = Return ? Return->getRetValue() : nullptr;
  return Number && isPlainNumber(Number, Function.getASTContext()) ? Number : nullptr;
}

/// What a call is worth of a function, or a lambda, that does no more than to return a plain number.
std::optional<Value> Evaluator::returned(const clang::CallExpr *E, const clang::FunctionDecl *Callee) {
  constexpr unsigned MostCallers = 4; // functions may call themselves
  const clang::FunctionDecl *Defined = Callee ? withBody(Callee) : nullptr;
  auto *Method = llvm::dyn_cast_or_null<clang::CXXMethodDecl>(Defined);
  const bool IsLambda = Method && Method->getParent()->isLambda() && llvm::isa<clang::CXXOperatorCallExpr>(E);
  const bool IsNamed = llvm::isa<clang::DeclRefExpr>(E->getCallee()->IgnoreParenImpCasts());
  const clang::Expr *Number = Defined && IsNamed && (!Method || IsLambda) ? returnedNumber(*Defined) : nullptr;
  if (!Number || Callers == MostCallers || E->getNumArgs() != Defined->getNumParams() + IsLambda ||
      !llvm::all_of(Defined->parameters(), [&](const clang::ParmVarDecl *P) { return holdsIndex(P->getType()); }))
    return std::nullopt;
  std::map<const clang::VarDecl *, Value> Given;
  for (unsigned I = 0; I < Defined->getNumParams(); ++I) {
    const clang::Expr *Argument = E->getArg(I + IsLambda);
    const llvm::SaveAndRestore Deducing(Deduces, Deduces || deducesFrom(Callee, I));
    if (const Value V = eval(Argument); V.What == Value::Kind::Integer)
      Given[Defined->getParamDecl(I)] = V;
    else
      use(V, Argument);
  }
  std::swap(Variables, Given);
  Entered.insert(Defined);
  ++Callers;
  const Value V = eval(Number);
  --Callers;
  std::swap(Variables, Given);
  return V;
}

Value Evaluator::call(const clang::CallExpr *E) {
  const clang::FunctionDecl *Callee = E->getDirectCallee();
  const std::optional<Value> Returned = returned(E, Callee);
  const bool Always = Followed.try_emplace(E, true).first->second;
  Followed[E] = Always && Returned.has_value();
  if (Returned)
    return *Returned;
  if (!Callee) {
    unfollowed("a call through a pointer", E->getBeginLoc());
    argument(E->getCallee(), true);
  }
  unsigned First = 0;
  if (auto *Operator = llvm::dyn_cast<clang::CXXOperatorCallExpr>(E)) {
    if (Operator->isAssignmentOp() && E->getNumArgs() == 2 && assignsWhole(Callee))
      return assign(E->getArg(0), E->getArg(1), Operator->getOperator() != clang::OO_Equal);
    if (llvm::isa_and_nonnull<clang::CXXMethodDecl>(Callee)) {
      object(E->getArg(0), llvm::cast<clang::CXXMethodDecl>(Callee));
      First = 1;
    }
  }
  if (auto *Member = llvm::dyn_cast<clang::CXXMemberCallExpr>(E))
    if (const clang::Expr *Object = Member->getImplicitObjectArgument()) {
      const llvm::SaveAndRestore Deducing(Deduces, true);
      object(Object, Member->getMethodDecl());
    }
  const llvm::StringRef Name = Callee && Callee->getIdentifier() ? Callee->getName() : "";
  const bool Atomic = Callee && classify(*Callee) == Intrinsic::Atomic;
  const bool Loads = llvm::is_contained(CachedLoads, Name);
  if ((Loads || llvm::is_contained(CachedStores, Name) || Atomic) && E->getNumArgs() > 0) {
    std::optional<Place> To;
    if (auto *Address = llvm::dyn_cast<clang::UnaryOperator>(E->getArg(0)->IgnoreParenImpCasts());
        Address && Address->getOpcode() == clang::UO_AddrOf)
      To = place(Address->getSubExpr());
    else if (const Value V = eval(E->getArg(0)); V.What == Value::Kind::Pointer)
      To = Place{V.Base, V.P, V.Direct, true, E, V.Width};
    for (unsigned I = 1; I < E->getNumArgs(); ++I)
      argument(E->getArg(I), true);
    if (To) {
      Place P = *To;
      P.At = E;
      P.Direct &= !Atomic && !E->getBeginLoc().isMacroID();
      site(Atomic ? AccessSite::Kind::Atomic : Loads ? AccessSite::Kind::Load : AccessSite::Kind::Store, P);
    }
    return {};
  }
  for (unsigned I = First; I < E->getNumArgs(); ++I) {
    const llvm::SaveAndRestore Deducing(Deduces, Deduces || deducesFrom(Callee, I - First));
    passed(E->getArg(I), typeOfParameter(Callee, I - First), keeps(Callee, I - First));
  }
  return {};
}

/// Where it is called is not known: what it names may be accessed anywhere.
void Evaluator::lambda(const clang::LambdaExpr *E) {
  for (const clang::LambdaCapture &Capture : E->captures())
    if (Capture.capturesVariable())
      if (auto *Variable = llvm::dyn_cast<clang::VarDecl>(Capture.getCapturedVar()))
        if (auto Known = Variables.find(Variable); Known != Variables.end()) {
          use(Known->second, E);
          if (Capture.getCaptureKind() == clang::LCK_ByRef)
            Variables.erase(Variable);
        }
  if (!returnedNumber(*E->getCallOperator()) && // else its calls are followed
      llvm::any_of(allIn<clang::MSPropertyRefExpr>(*E->getBody()), [](auto *Each) { return builtinMember(Each); }))
    unfollowed("a lambda that reads the thread's index", E->getBeginLoc());
}

void Evaluator::addUnmet() {
  Path.clear();
  for (const clang::DeclRefExpr *E : allIn<clang::DeclRefExpr>(*Kernel.getBody()))
    if (auto *P = llvm::dyn_cast<clang::ParmVarDecl>(E->getDecl());
        P && Names.count(P) && P->getType()->isPointerType() && !Met.count(E))
      site(AccessSite::Kind::Escape, {P, std::nullopt, true, true, E});
  for (const clang::MSPropertyRefExpr *E : allIn<clang::MSPropertyRefExpr>(*Kernel.getBody()))
    if (const auto Read = builtinMember(E); Read && !Met.count(Read->Named))
      unfollowed("a use of " + text(E), E->getBeginLoc());
}

namespace {

/// Variables that are named otherwise than to read or to change their value there and then: what takes such a name may
/// change them later. Lambdas that capture them are left out.
class BoundVariables {
public:
  std::set<const clang::VarDecl *> Found;

  /// `Plain`: of a glvalue, only the value is read, or nothing.
  void scan(const clang::Stmt *S, bool Plain) {
    if (!S)
      return;
    if (auto *Reference = llvm::dyn_cast<clang::DeclRefExpr>(S)) {
      if (auto *Variable = llvm::dyn_cast<clang::VarDecl>(Reference->getDecl()); Variable && !Plain)
        Found.insert(Variable);
      return;
    }
    if (auto *Lambda = llvm::dyn_cast<clang::LambdaExpr>(S))
      return lambda(*Lambda);
    if (auto *Declarations = llvm::dyn_cast<clang::DeclStmt>(S)) {
      for (const clang::Decl *D : Declarations->decls())
        if (auto *Variable = llvm::dyn_cast<clang::VarDecl>(D))
          scan(Variable->getInit(), !Variable->getType()->isReferenceType());
      return;
    }
    auto *E = llvm::dyn_cast<clang::Expr>(S);
    const bool Each = E ? children(*E, Plain) : !llvm::isa<clang::ReturnStmt, clang::AsmStmt>(S);
    for (const clang::Stmt *Child : S->children())
      scan(Child, Each);
  }

private:
  /// What `Plain` is for what it is made of.
  static bool children(const clang::Expr &E, bool Plain) {
    if (llvm::isa<clang::ParenExpr, clang::FullExpr, clang::MaterializeTemporaryExpr, clang::PseudoObjectExpr>(E))
      return Plain;
    if (llvm::isa<clang::MemberExpr, clang::ArraySubscriptExpr>(E)) // of what is not followed
      return true;
    if (auto *Cast = llvm::dyn_cast<clang::CastExpr>(&E))
      switch (Cast->getCastKind()) {
      case clang::CK_LValueToRValue:
      case clang::CK_ToVoid:
      case clang::CK_ArrayToPointerDecay:
        return true;
      case clang::CK_NoOp: // nobody changes it by a reference to what is constant
        return Plain || (E.isGLValue() && E.getType().isConstQualified());
      default:
        return !Cast->getSubExpr()->isGLValue();
      }
    if (auto *Unary = llvm::dyn_cast<clang::UnaryOperator>(&E))
      return Unary->getOpcode() != clang::UO_AddrOf && (Plain || !E.isGLValue() || !Unary->isIncrementDecrementOp());
    // The value of an assignment is what is assigned to.
    if (auto *Binary = llvm::dyn_cast<clang::BinaryOperator>(&E))
      return Plain || !E.isGLValue() || !(Binary->isAssignmentOp() || Binary->isCommaOp());
    if (llvm::isa<clang::AbstractConditionalOperator>(E))
      return Plain || !E.isGLValue();
    return false;
  }

  void lambda(const clang::LambdaExpr &E) {
    for (const auto &[Capture, Init] : llvm::zip(E.captures(), E.capture_inits()))
      if (E.isInitCapture(&Capture)) {
        auto *Variable = llvm::cast<clang::VarDecl>(Capture.getCapturedVar());
        scan(Variable->getInit(), !Variable->getType()->isReferenceType());
      }
    scan(E.getBody(), true);
  }
};

} // namespace

void Evaluator::findReferred() {
  const clang::Stmt &Body = *Kernel.getBody();
  auto Variable = [](const clang::Expr *E) { return variableNamed(E ? E->IgnoreParenImpCasts() : nullptr); };
  auto Refer = [&](const clang::Expr *E) {
    if (const clang::VarDecl *Found = Variable(E))
      Referred.insert(Found);
  };
  auto Alias = [&](const clang::Expr *E) {
    if (const clang::VarDecl *Found = Variable(E);
        Found && Found->hasLocalStorage() && !Found->getType().isConstQualified())
      Aliased.insert(Found);
  };
  // An object may keep a reference to what it is made of.
  for (const auto *List : allIn<clang::InitListExpr>(Body))
    for (const clang::Expr *Init : List->inits())
      if (Init->isGLValue())
        Alias(Init);
  for (const auto *E : allIn<clang::CXXConstructExpr>(Body))
    for (unsigned I = 0; I < std::min(E->getNumArgs(), E->getConstructor()->getNumParams()); ++I)
      if (changesArgument(E->getConstructor()->getParamDecl(I)->getType()))
        Alias(E->getArg(I));
  for (const auto *E : allIn<clang::UnaryOperator>(Body))
    if (E->getOpcode() == clang::UO_AddrOf) {
      Refer(E->getSubExpr());
      Alias(E->getSubExpr());
    }
  for (const auto *Declared : allIn<clang::VarDecl>(Body)) {
    const bool IsReference = Declared->getType()->isReferenceType();
    if (IsReference)
      Refer(Declared->getInit());
    const clang::QualType To = Declared->getType()->getPointeeType();
    const clang::VarDecl *Of = Variable(Declared->getInit());
    if (!To.isNull() && !To.isConstQualified() && Of && (IsReference || Of->getType()->isArrayType()))
      Alias(Declared->getInit());
  }
  for (const auto *Lambda : allIn<clang::LambdaExpr>(Body))
    for (const clang::LambdaCapture &Capture : Lambda->captures())
      if (Capture.capturesVariable() && Capture.getCaptureKind() == clang::LCK_ByRef)
        if (auto *Captured = llvm::dyn_cast<clang::VarDecl>(Capture.getCapturedVar())) {
          Referred.insert(Captured);
          if (assignedIn(Lambda->getBody()).count(Captured))
            Aliased.insert(Captured);
        }
  BoundVariables Named;
  Named.scan(&Body, true);
  Bound = std::move(Named.Found);
  Referred.insert(Bound.begin(), Bound.end());
  for (const clang::VarDecl *Variable : Referred)
    Variables.erase(Variable);
}

} // namespace cufuse
