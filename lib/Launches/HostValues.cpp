#include "HostValues.h"

#include "cufuse/Reach/AllIn.h"
#include "cufuse/Reach/Declarations.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/ExprCXX.h>
#include <clang/Basic/Builtins.h>
#include <fmt/core.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/SaveAndRestore.h>

namespace cufuse {

const clang::VarDecl *variableIn(const clang::Expr *E) {
  auto *Reference = llvm::dyn_cast<clang::DeclRefExpr>(E->IgnoreParens());
  return Reference ? llvm::dyn_cast<clang::VarDecl>(Reference->getDecl()) : nullptr;
}

const clang::Expr *assignedBy(const clang::Stmt *S) {
  if (auto *Assignment = llvm::dyn_cast<clang::BinaryOperator>(S); Assignment && Assignment->isAssignmentOp())
    return Assignment->getLHS();
  auto *Step = llvm::dyn_cast<clang::UnaryOperator>(S);
  return Step && Step->isIncrementDecrementOp() ? Step->getSubExpr() : nullptr;
}

const clang::Expr *addressed(const clang::Expr *E) {
  auto *Address = llvm::dyn_cast<clang::UnaryOperator>(E->IgnoreParenCasts());
  return Address && Address->getOpcode() == clang::UO_AddrOf ? Address->getSubExpr() : nullptr;
}

const clang::Expr *returnedBy(const clang::FunctionDecl &Function) {
  const clang::FunctionDecl *Definition = withBody(&Function);
  auto *Body = Definition ? llvm::dyn_cast<clang::CompoundStmt>(Definition->getBody()) : nullptr;
  auto *Return = Body && Body->size() == 1 ? llvm::dyn_cast<clang::ReturnStmt>(Body->body_front()) : nullptr;
  return Return ? Return->getRetValue() : nullptr;
}

/// Of a member of a variable, the variable.
static const clang::Expr *objectOf(const clang::Expr *Place) {
  auto *Member = llvm::dyn_cast<clang::MemberExpr>(Place->IgnoreParens());
  return Member && !Member->isArrow() ? objectOf(Member->getBase()) : Place;
}

bool isSwap(const clang::CallExpr &Call) {
  const clang::FunctionDecl *Callee = Call.getDirectCallee();
  return Callee && Call.getNumArgs() == 2 && Callee->isInStdNamespace() && Callee->getIdentifier() &&
         Callee->getName() == "swap";
}

/// The variables that an expression assigns by name.
static std::vector<const clang::VarDecl *> assignedTo(const clang::Expr &E, const ParsedUnit &Unit) {
  if (const clang::Expr *To = assignedBy(&E))
    return {variableIn(To)};
  auto *Call = llvm::dyn_cast<clang::CallExpr>(&E);
  if (Call && isSwap(*Call))
    return {variableIn(Call->getArg(0)), variableIn(Call->getArg(1))};
  std::vector<const clang::VarDecl *> Filled;
  if (const auto All = Call ? filledBy(*Call, Unit) : std::nullopt)
    for (const clang::Expr *Each : *All)
      if (const clang::Expr *To = addressed(Each))
        Filled.push_back(variableIn(To));
  return Filled;
}

Uses::Uses(const clang::FunctionDecl &Function, const ParsedUnit &Unit) : Of(&Function) {
  for (const auto *E : allIn<clang::Expr>(*Function.getBody())) {
    auto *Cast = llvm::dyn_cast<clang::ImplicitCastExpr>(E);
    auto *Copy = llvm::dyn_cast<clang::CXXConstructExpr>(E);
    if (llvm::isa<clang::DeclRefExpr>(E))
      ++Mentions[variableIn(E)];
    else if (Cast && Cast->getCastKind() == clang::CK_LValueToRValue)
      ++Known[variableIn(objectOf(Cast->getSubExpr()))];
    else if (Copy && Copy->getConstructor()->isCopyOrMoveConstructor() && Copy->getConstructor()->isTrivial())
      ++Known[variableIn(objectOf(Copy->getArg(0)->IgnoreParenImpCasts()))];
    else if (auto *Lambda = llvm::dyn_cast<clang::LambdaExpr>(E))
      for (const clang::LambdaCapture &Each : Lambda->captures())
        if (Each.capturesVariable() && Each.getCaptureKind() == clang::LCK_ByRef) {
          auto *V = llvm::dyn_cast<clang::VarDecl>(Each.getCapturedVar());
          Captured.insert(V);
          Known[V] += Each.isExplicit();
        }
    for (const clang::VarDecl *V : assignedTo(*E, Unit)) {
      ++Known[V];
      Assigned.insert(V);
    }
  }
}

bool Uses::isPlain(const clang::VarDecl &V) const {
  const clang::QualType T = V.getType();
  return V.hasLocalStorage() && V.getParentFunctionOrMethod() == Of && !T.isVolatileQualified() &&
         (T->isScalarType() || (T->isRecordType() && T.isTriviallyCopyableType(V.getASTContext()))) &&
         Mentions.lookup(&V) == Known.lookup(&V) && !(Captured.count(&V) && Assigned.count(&V));
}

bool HostValues::isReference(const clang::MemberExpr &Member) {
  return Member.getMemberDecl()->getType()->isReferenceType();
}

static std::optional<Value> computed(const std::optional<Value> &Left, llvm::StringRef How,
                                     const std::optional<Value> &Right, clang::QualType Type) {
  if (!Left || !Right)
    return std::nullopt;
  return Value{{fmt::format("({} {} {}){}", llvm::join(Left->Factors, "*"), How.str(), llvm::join(Right->Factors, "*"),
                            Type.getCanonicalType().getAsString())},
               Type,
               Left->Type->isIntegralOrEnumerationType() ? Right->Object : Left->Object};
}

void HostValues::view(const clang::ValueDecl *V, clang::QualType Type, const clang::Expr &Made) {
  const clang::QualType T = Type.getNonReferenceType();
  const clang::Expr *E = Made.IgnoreUnlessSpelledInSource()->IgnoreParenCasts();
  auto *Copied = llvm::dyn_cast<clang::CXXConstructExpr>(E);
  const bool Copies = Copied && Copied->getConstructor()->isCopyOrMoveConstructor();
  if (const clang::CXXRecordDecl *Class = T->getAsCXXRecordDecl();
      llvm::isa<clang::CallExpr>(E) || (Class && Unit.inLibrary(Class->getLocation())) || (Copied && !Copies))
    return;
  auto Leads = [this](const clang::Expr *Each) {
    const clang::VarDecl *Of = variableIn(Each);
    if (Of && Fresh.erase(Of)) // the first to lead there
      return false;
    const clang::QualType Type = Of ? Of->getType().getNonReferenceType() : clang::QualType();
    return llvm::isa<clang::CXXThisExpr>(Each) ||
           (Of && (Type->isPointerType() || Type->isRecordType() || Type->isArrayType()));
  };
  if (!T->isArithmeticType() && llvm::any_of(allIn<clang::Expr>(Made), Leads))
    Views.insert(V);
}

void HostValues::assign(const clang::VarDecl &V, const clang::Stmt &By) {
  const auto *Assignment = llvm::dyn_cast<clang::BinaryOperator>(&By);
  std::optional<Value> To;
  if (Assignment && Assignment->getOpcode() == clang::BO_Assign)
    To = handed(*Assignment->getRHS());
  else // in the same array
    To = computed(ofVariable(V), "moved", Assignment ? value(Assignment->getRHS()) : Value{{"#1"}, V.getType()},
                  V.getType());
  set(V, std::move(To));
}
bool HostValues::swap(const clang::CallExpr &Call) {
  const clang::VarDecl *A = variableIn(Call.getArg(0)), *B = variableIn(Call.getArg(1));
  const Uses &Own = *Frames.back().Used;
  auto IsPlain = [&](const clang::VarDecl *V) { return V && V->getType()->isScalarType() && Own.isPlain(*V); };
  if (!IsPlain(A) || !IsPlain(B))
    return false;
  auto OfA = ofVariable(*A), OfB = ofVariable(*B);
  set(*A, std::move(OfB));
  set(*B, std::move(OfA));
  return true;
}
void HostValues::set(const clang::VarDecl &V, std::optional<Value> To) {
  ++Times[&V];
  Fresh.erase(&V);
  Frames.back().Given.erase(&V);
  if (To)
    Frames.back().Given[&V] = std::move(To);
}
void HostValues::forget(const clang::VarDecl *V, bool OfLoop) {
  if (!V || !Frames.back().Used->isPlain(*V))
    return;
  set(*V, std::nullopt);
  if (auto Any = OfLoop ? std::nullopt : ofVariable(*V)) {
    Any->Object.clear();
    set(*V, std::move(Any));
  }
}

void HostValues::forget(const clang::Stmt &Of, bool OfLoop) {
  for (const auto *E : allIn<clang::Expr>(Of))
    for (const clang::VarDecl *V : assignedTo(*E, Unit))
      forget(V, OfLoop);
}

const clang::Expr *HostValues::passed(const clang::Expr *E) {
  auto *Default = llvm::dyn_cast<clang::CXXDefaultArgExpr>(E);
  return Default ? Default->getExpr() : E;
}

const clang::Expr *HostValues::beforeCast(const clang::Expr *E) {
  E = passed(E);
  auto *Cast = llvm::dyn_cast<clang::ImplicitCastExpr>(E->IgnoreParens());
  return Cast && Cast->getCastKind() == clang::CK_IntegralCast ? Cast->getSubExpr() : E;
}

std::optional<Value> HostValues::handed(const clang::Expr &E) {
  auto Of = value(&E);
  return Of && Of->Factors.size() == 1 && Of->Factors.front().starts_with('#') ? std::nullopt : Of;
}

std::optional<Value> HostValues::ofSize(const clang::Expr &E) {
  if (auto *Literal = llvm::dyn_cast<clang::FloatingLiteral>(&E))
    return Value{{fmt::format("#{}", Literal->getValueAsApproximateDouble())}, E.getType()};
  if (auto *Temporary = llvm::dyn_cast<clang::MaterializeTemporaryExpr>(&E))
    return value(Temporary->getSubExpr());
  auto *Call = llvm::dyn_cast<clang::CallExpr>(&E);
  if (!Call || !computesNumber(*Call, Unit))
    return std::nullopt;
  std::string Name = fmt::format("{}@{}", static_cast<const void *>(Call->getDirectCallee()), Time);
  for (const clang::Expr *Each : Call->arguments())
    if (const auto Of = value(passed(Each)))
      Name += "," + llvm::join(Of->Factors, "*");
    else
      return std::nullopt;
  return Value{{std::move(Name)}, E.getType()};
}

std::optional<Value> HostValues::sizes(const clang::Expr &Said) {
  const llvm::SaveAndRestore Here(InSizes, true);
  const clang::Expr *E = Said.IgnoreImplicit();
  if (auto *Cast = llvm::dyn_cast<clang::CXXFunctionalCastExpr>(E))
    E = Cast->getSubExpr()->IgnoreImplicit();
  auto *Made = llvm::dyn_cast<clang::CXXConstructExpr>(E);
  if (!Made)
    return value(E);
  Value All{{"dim3"}, E->getType()};
  for (const clang::Expr *Size : Made->arguments())
    if (auto Of = llvm::isa<clang::CXXDefaultArgExpr>(Size) ? Value{{"#1"}, E->getType()} : value(Size))
      All.Factors.front() += "," + llvm::join(Of->Factors, "*");
    else
      return std::nullopt;
  return All;
}

const clang::Expr *HostValues::written(const clang::Expr *E) const {
  auto IsFixed = [this](const clang::Expr *Each) {
    const clang::VarDecl *V = variableIn(Each);
    const Uses &Own = *Frames.back().Used;
    return V ? Own.isPlain(*V) && !Own.Assigned.count(V)
             : llvm::isa<clang::IntegerLiteral, clang::CastExpr, clang::ParenExpr, clang::BinaryOperator,
                         clang::CXXConstructExpr, clang::CXXDefaultArgExpr, clang::FullExpr>(Each) ||
                   (llvm::isa<clang::CallExpr>(Each) && computesNumber(*llvm::cast<clang::CallExpr>(Each), Unit)) ||
                   (llvm::isa<clang::DeclRefExpr>(Each) && Each->getType()->isFunctionType());
  };
  for (;;) {
    E = E->IgnoreImplicit()->IgnoreParenImpCasts();
    auto *Made = llvm::dyn_cast<clang::CXXConstructExpr>(E);
    const clang::VarDecl *V = variableIn(E);
    if (auto *Cast = llvm::dyn_cast<clang::CXXFunctionalCastExpr>(E))
      E = Cast->getSubExpr();
    else if (Made && Made->getNumArgs() > 0 && llvm::all_of(llvm::drop_begin(Made->arguments()), [](auto *Each) {
               return llvm::isa<clang::CXXDefaultArgExpr>(Each);
             }))
      E = Made->getArg(0);
    else if (V && V->getInit() && !llvm::isa<clang::ParmVarDecl>(V) && IsFixed(E) &&
             llvm::all_of(allIn<clang::Expr>(*V->getInit()), IsFixed))
      E = V->getInit();
    else
      return E;
  }
}

std::optional<Value> HostValues::blocks(const clang::Expr &Grid) {
  const llvm::SaveAndRestore Here(InSizes, true);
  return value(written(&Grid));
}

std::optional<Value> HostValues::elements(const clang::Expr &Grid, const clang::Expr &Block) {
  const llvm::SaveAndRestore Here(InSizes, true);
  const clang::Expr *Said = written(&Grid);
  auto *Call = llvm::dyn_cast<clang::CallExpr>(Said);
  const clang::Expr *Returned = Call && computesNumber(*Call, Unit) ? returnedBy(*Call->getDirectCallee()) : nullptr;
  auto *Division = llvm::dyn_cast<clang::BinaryOperator>(Returned ? Returned->IgnoreParenImpCasts() : Said);
  if (!Division || Division->getOpcode() != clang::BO_Div)
    return std::nullopt;
  // Of a function, of its parameters.
  auto Of = [&](const clang::Expr *E) {
    E = written(E);
    auto *P = llvm::dyn_cast_or_null<clang::ParmVarDecl>(variableIn(E));
    if (Returned && P && P->getFunctionScopeIndex() < Call->getNumArgs())
      return value(written(passed(Call->getArg(P->getFunctionScopeIndex()))));
    return Returned && !llvm::isa<clang::IntegerLiteral>(E) ? std::nullopt : value(E);
  };
  const auto Part = Of(Division->getRHS()), Threads = value(written(&Block));
  if (!Part || !Threads || !(*Part == *Threads))
    return std::nullopt;
  auto NumberOf = [](const Value &Each) {
    std::int64_t Number = 0;
    llvm::StringRef Text = Each.Factors.front();
    return Each.Factors.size() == 1 && Text.consume_front("#") && !Text.getAsInteger(10, Number) ? std::optional(Number)
                                                                                                 : std::nullopt;
  };
  // One less than a part is added to what is divided.
  std::optional<Value> All;
  std::int64_t Added = 0, Parts = 0;
  bool IsKnown = true;
  auto Add = [&](auto &&Again, const clang::Expr *E, int Sign) -> void {
    E = E->IgnoreParenImpCasts();
    if (auto *Sum = llvm::dyn_cast<clang::BinaryOperator>(E); Sum && Sum->isAdditiveOp()) {
      Again(Again, Sum->getLHS(), Sign);
      return Again(Again, Sum->getRHS(), Sum->getOpcode() == clang::BO_Sub ? -Sign : Sign);
    }
    const auto Own = Of(E);
    const auto Number = Own ? NumberOf(*Own) : std::nullopt;
    if (Number)
      Added += Sign * *Number;
    else if (Own && *Own == *Part)
      Parts += Sign;
    else if (Own && Sign > 0 && !All)
      All = Own;
    else
      IsKnown = false;
  };
  Add(Add, Division->getLHS(), 1);
  const auto Number = NumberOf(*Part);
  const bool IsRoundedUp = Number ? Parts == 0 && Added == *Number - 1 : Parts == 1 && Added == -1;
  return IsKnown && IsRoundedUp ? All : std::nullopt;
}

std::optional<Value> HostValues::value(const clang::Expr *E) {
  E = E->IgnoreParens();
  if (auto *Literal = llvm::dyn_cast<clang::IntegerLiteral>(E))
    return Value{{"#" + llvm::toString(Literal->getValue(), 10, false)}, E->getType()};
  if (auto *Full = llvm::dyn_cast<clang::FullExpr>(E))
    return value(Full->getSubExpr());
  if (auto *Cast = llvm::dyn_cast<clang::CastExpr>(E))
    return ofCast(*Cast);
  if (auto *Reference = llvm::dyn_cast<clang::DeclRefExpr>(E))
    if (auto *Variable = llvm::dyn_cast<clang::VarDecl>(Reference->getDecl()))
      return ofVariable(*Variable);
  if (llvm::isa<clang::CXXThisExpr>(E)) {
    auto This = Frames.back().This;
    if (This)
      This->Type = E->getType();
    return This;
  }
  if (auto *Product = llvm::dyn_cast<clang::BinaryOperator>(E); Product && Product->getOpcode() == clang::BO_Mul) {
    auto Left = value(Product->getLHS());
    const auto Right = value(Product->getRHS());
    // One that wraps is none.
    if (!Left || !Right || !E->getType()->isIntegerType() ||
        !(E->getType()->isSignedIntegerType() || Unit.ast().getIntWidth(E->getType()) >= 64))
      return std::nullopt;
    llvm::append_range(Left->Factors, Right->Factors);
    llvm::sort(Left->Factors);
    Left->Type = E->getType();
    return Left;
  }
  if (auto *Other = llvm::dyn_cast<clang::BinaryOperator>(E);
      Other && (Other->isAdditiveOp() || Other->isMultiplicativeOp())) {
    return computed(value(Other->getLHS()), Other->getOpcodeStr(), value(Other->getRHS()), E->getType());
  }
  if (auto *Address = llvm::dyn_cast<clang::UnaryOperator>(E); Address && Address->getOpcode() == clang::UO_AddrOf)
    return ofAddress(*Address->getSubExpr()->IgnoreParens(), E->getType());
  if (auto *Address = llvm::dyn_cast<clang::CXXOperatorCallExpr>(E);
      Address && Address->getOperator() == clang::OO_Amp && saysPlace(*Address, Unit))
    return ofAddress(*Address->getArg(0)->IgnoreParenImpCasts(), E->getType());
  // An element is what is there now.
  if (auto *Element = llvm::dyn_cast<clang::ArraySubscriptExpr>(E); Element && !E->getType().isVolatileQualified()) {
    auto Read = computed(value(Element->getBase()), "at", value(Element->getIdx()), E->getType());
    if (Read)
      Read->Factors.front() += fmt::format("@{}", Time);
    return Read;
  }
  if (auto Size = InSizes ? ofSize(*E) : std::nullopt)
    return Size;
  // A member, or what a member function says that changes nothing.
  auto *Call = llvm::dyn_cast<clang::CXXMemberCallExpr>(E);
  auto *Deref = llvm::dyn_cast<clang::UnaryOperator>(E);
  if (auto *Member = llvm::dyn_cast<clang::MemberExpr>(E); Member && !E->getType().isVolatileQualified()) {
    if (auto *Static = llvm::dyn_cast<clang::VarDecl>(Member->getMemberDecl()))
      return ofVariable(*Static);
    return of(object(*Member->getBase()), Member->getMemberDecl(), E->getType());
  }
  if (auto *View = llvm::dyn_cast<clang::CallExpr>(E);
      View && !Call && View->getNumArgs() == 1 && saysPlace(*View, Unit))
    return value(View->getArg(0)); // another view of the same memory
  if (Call && Call->getNumArgs() == 0 && Call->getMethodDecl())
    return said(*Call);
  if (Deref && Deref->getOpcode() == clang::UO_Deref)
    return of(value(Deref->getSubExpr()), nullptr, E->getType());
  return std::nullopt;
}

/// `&p[i]` is p + i, and `&s->sum` is at the same distance from s whatever is there.
std::optional<Value> HostValues::ofAddress(const clang::Expr &Place, clang::QualType Type) {
  auto OfElement = [&](const std::optional<Value> &Base, const std::optional<Value> &Index) {
    return Index && Index->Factors == std::vector<std::string>{"#0"} ? Base : computed(Base, "+", Index, Type);
  };
  if (auto *Element = llvm::dyn_cast<clang::ArraySubscriptExpr>(&Place))
    return OfElement(value(Element->getBase()), value(Element->getIdx()));
  if (auto *Element = llvm::dyn_cast<clang::CXXOperatorCallExpr>(&Place);
      Element && Element->getOperator() == clang::OO_Subscript && saysPlace(*Element, Unit))
    return OfElement(placeOf(Element->getArg(0), Type), value(Element->getArg(1)));
  if (const clang::VarDecl *V = variableIn(&Place); V && V->getType().getNonReferenceType()->isRecordType()) {
    auto Of = ofVariable(*V); // wherever it is, it stays there
    if (Of)
      Of->Factors = {"&" + llvm::StringRef(Of->Factors.front()).split('@').first.str()};
    return Of;
  }
  auto *Member = llvm::dyn_cast<clang::MemberExpr>(&Place);
  if (!Member || !Member->isArrow() || !llvm::isa<clang::FieldDecl>(Member->getMemberDecl()) || isReference(*Member))
    return std::nullopt;
  const Value Name{{fmt::format("{}", static_cast<const void *>(Member->getMemberDecl()))}, Type};
  return computed(value(Member->getBase()), "->", Name, Type);
}

/// Something that belongs to what an expression says, and is read now. Other members are other objects, what
/// functions say is not.
std::optional<Value> HostValues::of(const std::optional<Value> &Whole, const clang::ValueDecl *What,
                                    clang::QualType Type) {
  if (!Whole || Whole->Factors.size() != 1)
    return std::nullopt;
  const std::string Own = fmt::format(".{}", static_cast<const void *>(What));
  const bool IsSaid = Whole->Object.ends_with(".") || (What && llvm::isa<clang::FunctionDecl>(What));
  return Value{{fmt::format("{}{}@{}", Whole->Factors.front(), Own, Time)},
               Type,
               Whole->Object.empty() || Views.count(What) || Views.count(nullptr) ? ""
               : !IsSaid                                                          ? Whole->Object + Own
               : Whole->Object.ends_with(".")                                     ? Whole->Object
                                                                                  : Whole->Object + "."};
}

/// Where a library's object has its elements, whatever it is asked by.
std::optional<Value> HostValues::placeOf(const clang::Expr *Object, clang::QualType Type) {
  Object = Object->IgnoreParenImpCasts();
  auto Whole = value(Object);
  const clang::CXXRecordDecl *Class = Object->getType()->getAsCXXRecordDecl();
  if (Whole && !(Class && llvm::is_contained({"device_ptr", "pointer"}, Class->getName()))) // itself a place
    Whole->Factors = {fmt::format("{}.place@{}", llvm::join(Whole->Factors, "*"), Time)};
  return Whole;
}

/// Does the code say the same whenever nothing is changed? It allocates nothing, and changes no variable.
static bool onlyReads(const clang::Stmt &Code) {
  using namespace clang;
  return llvm::none_of(allIn<Stmt>(Code), [](const Stmt *Each) {
    if (auto *Call = llvm::dyn_cast<CallExpr>(Each)) {
      const FunctionDecl *Callee = Call->getDirectCallee();
      auto *Method = llvm::dyn_cast_or_null<CXXMethodDecl>(Callee);
      const unsigned Builtin = Callee ? Callee->getBuiltinID() : 0; // which tells people what is wrong
      return !Callee || !((Method && Method->isConst() && Call->getNumArgs() == 0) || Callee->isNoReturn() ||
                          (!Method && Callee->isInStdNamespace()) || Builtin == clang::Builtin::BIprintf ||
                          Builtin == clang::Builtin::BIfprintf);
    }
    auto *Changes = llvm::dyn_cast<UnaryOperator>(Each);
    auto *Assigns = llvm::dyn_cast<BinaryOperator>(Each);
    return llvm::isa<CXXNewExpr, CXXDeleteExpr, AsmStmt>(Each) || (Changes && Changes->isIncrementDecrementOp()) ||
           (Assigns && Assigns->isAssignmentOp());
  });
}

bool computesNumber(const clang::CallExpr &Call, const ParsedUnit &Unit) {
  const clang::FunctionDecl *Callee = Call.getDirectCallee();
  auto IsNumber = [](clang::QualType T) {
    return T.getNonReferenceType()->isArithmeticType() &&
           (!T->isReferenceType() || T.getNonReferenceType().isConstQualified());
  };
  if (!Callee || llvm::isa<clang::CXXMethodDecl>(Callee) || Callee->param_empty() ||
      !IsNumber(Callee->getReturnType()) ||
      !llvm::all_of(Callee->parameters(), [&](const clang::ParmVarDecl *P) { return IsNumber(P->getType()); }))
    return false;
  if (Callee->getReturnType()->isEnumeralType()) // of success: `cudaSetDevice(1)`
    return false;
  if (Unit.inLibrary(Callee->getLocation()))
    return Callee->isInStdNamespace() || Callee->getBuiltinID() || Unit.inToolkit(Callee->getLocation());
  return Callee->hasBody(Callee) && onlyReads(*Callee->getBody());
}

/// What a member function without arguments says: a member, if it does no more than to return that. One whose code is
/// not seen says the same until something may have been changed, if it is const.
std::optional<Value> HostValues::said(const clang::CXXMemberCallExpr &Call) {
  if (saysPlace(Call, Unit) && llvm::is_contained({"begin", "data", "get"}, Call.getMethodDecl()->getName()))
    return placeOf(Call.getImplicitObjectArgument(), Call.getType());
  const clang::FunctionDecl *Method = Call.getMethodDecl();
  const bool IsSeen =
      !Call.getMethodDecl()->isVirtual() && Method->hasBody(Method) && !Unit.inLibrary(Method->getLocation());
  if (IsSeen ? !onlyReads(*Method->getBody()) : !Call.getMethodDecl()->isConst() && !saysPlace(Call, Unit))
    return std::nullopt;
  const clang::Expr *Returned = Call.getMethodDecl()->isVirtual() ? nullptr : returnedBy(*Call.getMethodDecl());
  const auto *Member = Returned ? llvm::dyn_cast<clang::MemberExpr>(Returned->IgnoreParenImpCasts()) : nullptr;
  const bool IsOwn = Member && llvm::isa<clang::CXXThisExpr>(Member->getBase()->IgnoreParens()) &&
                     llvm::isa<clang::FieldDecl>(Member->getMemberDecl()) &&
                     (Call.getType()->isPointerType() ||
                      Unit.ast().hasSameType(Member->getType().getUnqualifiedType(), Call.getType()));
  return of(object(*Call.getImplicitObjectArgument()), IsOwn ? Member->getMemberDecl() : Call.getMethodDecl(),
            Call.getType());
}

std::optional<Value> HostValues::ofCast(const clang::CastExpr &Cast) {
  auto Of = value(Cast.getSubExpr());
  const clang::QualType To = Cast.getType();
  switch (Cast.getCastKind()) {
  case clang::CK_LValueToRValue:
  case clang::CK_NoOp:
  case clang::CK_BitCast: // another view of the same memory
  case clang::CK_ArrayToPointerDecay:
    return Of;
  case clang::CK_IntegralCast:
    if (Of && keeps(Of->Type, To, Unit.ast()))
      return Of;
    [[fallthrough]];
  case clang::CK_DerivedToBase:
  case clang::CK_UncheckedDerivedToBase:
    if (!Of)
      return std::nullopt;
    return Value{
        {fmt::format("{}({})", To.getCanonicalType().getAsString(), llvm::join(Of->Factors, "*"))}, To, Of->Object};
  case clang::CK_IntegralToFloating:
  case clang::CK_FloatingToIntegral:
  case clang::CK_FloatingCast:
    if (!Of || !InSizes)
      return std::nullopt;
    return Value{{fmt::format("{}({})", To.getCanonicalType().getAsString(), llvm::join(Of->Factors, "*"))}, To};
  case clang::CK_NullToPointer:
    return Value{{NullPointer}, To};
  default:
    return std::nullopt;
  }
}

const HostValues::Frame *HostValues::frameOf(const clang::DeclContext *Function) const {
  auto IsOf = [&](const Frame &Each) { return Each.Used->Of == Function; };
  if (Frames.size() == 1 || IsOf(Frames.back()))
    return &Frames.back();
  // The one that a lambda captures from, if there is one alone.
  return llvm::count_if(Frames, IsOf) == 1 ? &*llvm::find_if(Frames, IsOf) : nullptr;
}

static const clang::CXXRecordDecl *lambdaOf(const clang::DeclContext *Function) {
  auto *Method = llvm::dyn_cast_or_null<clang::CXXMethodDecl>(Function);
  return Method && Method->getParent()->isLambda() ? Method->getParent() : nullptr;
}

std::optional<Value> HostValues::object(const clang::Expr &E) {
  const clang::Expr &Place = *E.IgnoreParenImpCasts();
  auto Address = E.isGLValue() && !llvm::isa<clang::MemberExpr>(Place) ? ofAddress(Place, E.getType()) : std::nullopt;
  return Address ? Address : value(&E);
}

std::optional<Value> HostValues::thisOf(const clang::CallExpr &Call) {
  if (const clang::CXXRecordDecl *Lambda = lambdaOf(Call.getDirectCallee())) {
    const Frame *From = frameOf(Lambda->getDeclContext());
    auto Copies = [](const clang::LambdaCapture &Each) { return Each.getCaptureKind() == clang::LCK_StarThis; };
    return From && llvm::none_of(Lambda->captures(), Copies) ? From->This : std::nullopt;
  }
  auto *Of = llvm::dyn_cast<clang::CXXMemberCallExpr>(&Call);
  return Of ? object(*Of->getImplicitObjectArgument()) : std::nullopt;
}

std::optional<Value> HostValues::ofVariable(const clang::VarDecl &V) {
  const Frame *Own = V.hasLocalStorage() ? frameOf(V.getParentFunctionOrMethod()) : &Frames.back();
  if (!Own || V.getType().getNonReferenceType().isVolatileQualified())
    return std::nullopt;
  const bool IsInner = Own != &Frames.front();
  if (IsInner && V.getType()->isReferenceType())
    return std::nullopt;
  const bool IsPlain = Own->Used->isPlain(V);
  auto Copies = [&](const clang::LambdaCapture &Each) {
    return Each.capturesVariable() && Each.getCapturedVar() == &V && Each.getCaptureKind() == clang::LCK_ByCopy;
  };
  if (!IsPlain || Own->Used->Assigned.count(&V))
    for (const Frame *Each = Own + 1; Each <= &Frames.back(); ++Each)
      if (const clang::CXXRecordDecl *Lambda = lambdaOf(Each->Used->Of);
          Lambda && llvm::any_of(Lambda->captures(), Copies))
        return std::nullopt;
  if (const auto Given = Own->Given.find(&V); Given != Own->Given.end())
    return Given->second;
  // What a call hands over otherwise than as a number or a pointer is its caller's.
  if (IsInner && llvm::isa<clang::ParmVarDecl>(V))
    return std::nullopt;
  const std::string Name = fmt::format("{}of{}", static_cast<const void *>(&V), V.hasLocalStorage() ? Own->Number : 0);
  const bool IsView = Views.count(&V) || (V.getType()->isReferenceType() && !llvm::isa<clang::ParmVarDecl>(V)) ||
                      (!IsPlain && Views.count(nullptr));
  return Value{{fmt::format("{}@{}.{}", Name, IsPlain ? 0 : Time + 1, Times[&V])},
               V.getType().getNonReferenceType(),
               IsView ? View + Name : Name};
}

} // namespace cufuse
