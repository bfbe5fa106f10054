#include "Evaluate.h"

#include "Expressions.h"
#include "cufuse/Kernel/Wrapping.h"

#include "cufuse/Analysis/BuiltinVariables.h"
#include "cufuse/Analysis/CollectFacts.h"

#include <clang/AST/Attr.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Lex/Lexer.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/SaveAndRestore.h>

namespace cufuse {

namespace {

Value integer(Polynomial P, std::uint64_t Bits = 64) {
  return {Value::Kind::Integer, std::move(P), nullptr, false, 1, static_cast<unsigned>(Bits)};
}

Value local() { return {Value::Kind::Local, {}, nullptr, false}; }

Polynomial scaled(const Polynomial &P, unsigned Width) { return P * Polynomial::constant(Width); }

} // namespace

Evaluator::Evaluator(const ParsedUnit &Unit, const Reached &Reach)
    : Unit(Unit), Context(Unit.ast()), Kernel(*Reach.Kernel), Controls(*Kernel.getBody()) {
  parameters();
  findReferred();
  Changed = assignedIn(Kernel.getBody());
}

void Evaluator::parameters() {
  const std::vector<std::string> Given = parameterNames(Kernel);
  const clang::FunctionDecl *Pattern = Kernel.getTemplateInstantiationPattern();
  auto OfPack = [&](const clang::ParmVarDecl *P) {
    return Pattern && llvm::any_of(Pattern->parameters(), [&](const clang::ParmVarDecl *Each) {
             return Each->isParameterPack() && Each->getLocation() == P->getLocation();
           });
  };
  for (unsigned I = 0; I < Kernel.getNumParams(); ++I) {
    const clang::ParmVarDecl *P = Kernel.getParamDecl(I);
    const clang::QualType T = P->getType().getCanonicalType();
    ParameterAccess Known;
    Known.Name = Given[I];
    Known.Type = T.getUnqualifiedType().getAsString();
    Known.Integer = holdsIndex(T);
    Known.Unsigned = Known.Integer && T->isUnsignedIntegerType();
    Known.IsInt = Known.Integer && !Known.Unsigned && Context.getTypeSize(T) == 32;
    Known.Bits = Known.Integer ? Context.getTypeSize(T) : 0;
    Known.BuiltinType = (T->isPointerType() ? T->getPointeeType() : T)->isBuiltinType();
    // What a pack holds has no name in the text.
    const bool Followed = T->isPointerType() && !OfPack(P);
    Known.HidesPointers = !Followed && leadsToPointer(T);
    if (Followed) {
      const clang::QualType Element = T->getPointeeType();
      Known.Element = Element.getUnqualifiedType().getAsString();
      Known.Kept = keepsInVariable(Element, Context.getSourceManager());
      if (const clang::CXXRecordDecl *Record = Element->getAsCXXRecordDecl(); Record && Record->hasDefinition())
        Known.Constructed = !Record->hasTrivialDefaultConstructor();
      if (!Element->isIncompleteType() && !Element->isDependentType())
        Known.Bytes = Context.getTypeSizeInChars(Element).getQuantity();
      Known.Restrict = P->getType().isRestrictQualified();
      Known.ReadOnly = Element.isConstQualified();
      Known.Volatile = Element.isVolatileQualified();
      Variables[P] = {Value::Kind::Pointer, {}, P, true};
    } else if (Known.Integer && !OfPack(P)) {
      Variables[P] = integer(Polynomial::atom(Known.Name));
    }
    Names[P] = Known.Name;
    Result.Parameters.push_back(std::move(Known));
  }
}

bool Evaluator::isName(const std::string &Atom) const {
  return std::any_of(Names.begin(), Names.end(), [&](const auto &Each) { return Each.second == Atom; });
}

std::string Evaluator::text(const clang::Stmt *S) const {
  const clang::SourceManager &Sources = Context.getSourceManager();
  const clang::CharSourceRange Range =
      Sources.getExpansionRange(clang::CharSourceRange::getTokenRange(S->getSourceRange()));
  llvm::SmallVector<llvm::StringRef> Words; // on one line
  llvm::SplitString(clang::Lexer::getSourceText(Range, Sources, Context.getLangOpts()), Words);
  return llvm::join(Words, " ");
}

void Evaluator::unfollowed(const std::string &What, clang::SourceLocation Where) {
  Result.Unfollowed.push_back({What, Kernel.getNameAsString(), Unit.place(Where)});
}

void Evaluator::site(AccessSite::Kind What, const Place &P, bool Compound) {
  if (!P.Base)
    return;
  AccessSite Site;
  Site.What = What;
  Site.Parameter = Names[P.Base];
  Site.Direct = P.Direct;
  Site.Compound = Compound;
  Site.Whole = P.Whole;
  Site.Deduced = Deduces && What == AccessSite::Kind::Load;
  Site.Index = P.Index;
  Site.Width = P.Width;
  Site.Text = text(P.At);
  Site.Path = Path;
  Site.Where = Unit.place(P.At->getBeginLoc());
  Result.Sites.push_back(std::move(Site));
}

void Evaluator::use(const Value &V, const clang::Expr *E) {
  if (V.What == Value::Kind::Pointer)
    return site(AccessSite::Kind::Escape, {V.Base, std::nullopt, V.Direct, true, E});
  if (V.What != Value::Kind::Integer)
    return;
  for (const std::string &Atom : V.P.atoms())
    if (!isName(Atom)) {
      Result.Uses.push_back({V.P, text(E), Unit.place(E->getBeginLoc())});
      return;
    }
}

Value Evaluator::used(std::initializer_list<std::pair<const Value *, const clang::Expr *>> Parts) {
  for (const auto &[V, E] : Parts)
    use(*V, E);
  return {};
}

/// Integers of 32 and of 64 bits.
static bool hasFollowedWidth(clang::QualType T, const clang::ASTContext &Context) {
  return (Context.getTypeSize(T) == 32 || Context.getTypeSize(T) == 64) && !T->isBitIntType();
}

bool Evaluator::holdsIndex(clang::QualType T) const {
  return T->isIntegerType() && !T->isBooleanType() && !T->isEnumeralType() && hasFollowedWidth(T, Context) &&
         !T.isVolatileQualified();
}

unsigned Evaluator::bits(const Value &Of, const clang::Expr *In) const {
  return std::min<std::uint64_t>(Of.Bits, Context.getTypeSize(In->getType()));
}

Value Evaluator::load(const clang::Expr *E) {
  E = plain(E);
  if (auto *Reference = llvm::dyn_cast<clang::DeclRefExpr>(E)) {
    auto *Variable = llvm::dyn_cast<clang::VarDecl>(Reference->getDecl());
    auto Known = Variables.find(Variable);
    if (Known == Variables.end())
      return {};
    Met.insert(Reference);
    return Known->second;
  }
  if (const std::optional<Place> P = place(E)) {
    site(AccessSite::Kind::Load, *P);
    return {};
  }
  return eval(E);
}

void Evaluator::parts(const clang::Expr *E) {
  if (llvm::isa<clang::StmtExpr>(E))
    unfollowed("a statement in an expression", E->getBeginLoc());
  const auto Before = Variables;
  for (const clang::Stmt *Child : E->children())
    if (auto *Inner = llvm::dyn_cast_or_null<clang::Expr>(Child))
      argument(Inner, true);
  forgetUnless(Before); // not all of them need run
}

void Evaluator::forgetUnless(const std::map<const clang::VarDecl *, Value> &Same) {
  std::erase_if(Variables, [&](const auto &Known) {
    auto Other = Same.find(Known.first);
    return Other == Same.end() || !(Other->second == Known.second);
  });
}

/// A glvalue or a value that a call takes; `Changes` says whether the callee may change what it refers to.
void Evaluator::argument(const clang::Expr *E, bool Changes) {
  if (!E->isGLValue())
    return use(eval(E), E);
  if (const std::optional<Place> P = place(E))
    return site(Changes ? AccessSite::Kind::Escape : AccessSite::Kind::Load, *P);
  E = plain(E);
  if (auto *Cast = llvm::dyn_cast<clang::CastExpr>(E); Cast && Cast->getCastKind() == clang::CK_NoOp)
    return argument(Cast->getSubExpr(), Changes);
  if (auto *Reference = llvm::dyn_cast<clang::DeclRefExpr>(E)) {
    auto *Variable = llvm::dyn_cast<clang::VarDecl>(Reference->getDecl());
    if (auto Known = Variables.find(Variable); Known != Variables.end()) {
      Met.insert(Reference);
      use(Known->second, E);
      if (Changes)
        Variables.erase(Variable);
    }
    return;
  }
  // An operator or a function may return a reference.
  if (auto *Call = llvm::dyn_cast<clang::CallExpr>(E))
    use(call(Call), E);
  else if (auto *Binary = llvm::dyn_cast<clang::BinaryOperator>(E)) {
    const size_t Before = Result.Sites.size();
    binary(Binary);
    // `(p[i] = v) *= 2` goes on with what it has stored.
    for (size_t I = Before; Changes && Binary->isAssignmentOp() && I < Result.Sites.size(); ++I)
      if (Result.Sites[I].What == AccessSite::Kind::Store)
        Result.Sites[I].What = AccessSite::Kind::Escape;
  } else if (auto *Unary = llvm::dyn_cast<clang::UnaryOperator>(E); Unary && Unary->isIncrementDecrementOp())
    unary(Unary);
  else
    parts(E);
}

/// Where an object stands for the array, an element is a temporary, of which no reference can be kept.
void Evaluator::keepNone(size_t Before) {
  for (size_t I = Before; I < Result.Sites.size(); ++I)
    Result.Sites[I].Direct &= Result.Sites[I].What != AccessSite::Kind::Load;
}

/// What a parameter of type `To` takes.
void Evaluator::passed(const clang::Expr *E, clang::QualType To, bool Kept) {
  const size_t Before = Result.Sites.size();
  const llvm::SaveAndRestore Keeping(Keeps, Kept && (To.isNull() || leadsToPointer(To)));
  argument(E, To.isNull() || changesArgument(To));
  if (Kept && (To.isNull() || To->isReferenceType()))
    keepNone(Before);
}

/// What a member function is called for.
void Evaluator::object(const clang::Expr *E, const clang::CXXMethodDecl *Method) {
  const size_t Before = Result.Sites.size();
  argument(E, !Method || !Method->isConst());
  if (Keeps && (!Method || leadsToPointer(Method->getReturnType())))
    keepNone(Before);
}

void Evaluator::declare(const clang::VarDecl &Variable, bool Alone) {
  const clang::Expr *Init = Variable.getInit();
  const llvm::SaveAndRestore Keeping(Keeps, leadsToPointer(Variable.getType()));
  const llvm::SaveAndRestore Deducing(Deduces, Deduces || Variable.getType()->isReferenceType() ||
                                                   Variable.getType()->getContainedAutoType());
  if (Variable.getType()->isReferenceType())
    return argument(Init, !Variable.getType().getNonReferenceType().isConstQualified());
  const Value V = eval(Init);
  const bool IsPointer = V.What == Value::Kind::Pointer || V.What == Value::Kind::Local;
  const bool Kept = Variable.hasLocalStorage() && !Bound.count(&Variable) &&
                    ((IsPointer && Variable.getType()->isPointerType()) ||
                     (V.What == Value::Kind::Integer && holdsIndex(Variable.getType())));
  if (!Kept)
    return use(V, Init);
  Variables[&Variable] = V;
  Variables[&Variable].Direct &=
      Alone && !Changed.count(&Variable) && !Variable.getBeginLoc().isMacroID() && !Variable.getEndLoc().isMacroID();
}

Value Evaluator::eval(const clang::Expr *E) {
  E = plain(E);
  if (E->getType()->isIntegralOrEnumerationType() && !E->isGLValue() && !E->isValueDependent()) {
    clang::Expr::EvalResult Known;
    if (E->EvaluateAsInt(Known, Context) && Known.Val.getInt().isRepresentableByInt64() &&
        Known.Val.getInt().getSignificantBits() <= 63)
      return integer(Polynomial::constant(Known.Val.getInt().getExtValue()));
  }
  if (const auto Read = builtinMember(E)) {
    Met.insert(Read->Named);
    return integer(Polynomial::atom(builtinAtom(Read->Variable, static_cast<int>(Read->Dimension))));
  }
  if (auto *Cast = llvm::dyn_cast<clang::CastExpr>(E))
    return cast(Cast);
  if (auto *Unary = llvm::dyn_cast<clang::UnaryOperator>(E))
    return unary(Unary);
  if (auto *Binary = llvm::dyn_cast<clang::BinaryOperator>(E))
    return binary(Binary);
  if (auto *Conditional = llvm::dyn_cast<clang::ConditionalOperator>(E))
    return conditional(Conditional);
  if (auto *Call = llvm::dyn_cast<clang::CallExpr>(E))
    return call(Call);
  if (auto *Lambda = llvm::dyn_cast<clang::LambdaExpr>(E)) {
    lambda(Lambda);
    return {};
  }
  if (auto *Construct = llvm::dyn_cast<clang::CXXConstructExpr>(E)) {
    for (unsigned I = 0; I < Construct->getNumArgs(); ++I)
      passed(Construct->getArg(I), typeOfParameter(Construct->getConstructor(), I),
             keeps(Construct->getConstructor(), I));
    return {};
  }
  if (E->isGLValue())
    argument(E, true);
  else
    parts(E);
  return {};
}

Polynomial Evaluator::converted(const Polynomial &P, clang::QualType From, clang::QualType To) {
  const auto Bits = Context.getTypeSize(To);
  return Context.getTypeSize(From) < Bits ? widened(P, From->isSignedIntegerOrEnumerationType(), Result)
                                          : reduced(P, Bits);
}

Value Evaluator::cast(const clang::CastExpr *Cast) {
  const clang::Expr *From = Cast->getSubExpr();
  switch (Cast->getCastKind()) {
  case clang::CK_LValueToRValue: {
    const llvm::SaveAndRestore Keeping(Keeps, Keeps && leadsToPointer(Cast->getType()));
    return load(From);
  }
  case clang::CK_NoOp: {
    Value V = From->isGLValue() ? load(From) : eval(From);
    V.Direct &= !llvm::isa<clang::ExplicitCastExpr>(Cast);
    return V;
  }
  case clang::CK_IntegralCast: {
    Value V = eval(From);
    V.Bits = bits(V, Cast);
    const bool Wraps = Cast->getType()->isUnsignedIntegerType() && V.What == Value::Kind::Integer &&
                       mayBeNegative(V.P, Result.Quotients);
    if (!hasFollowedWidth(Cast->getType(), Context) || Wraps)
      return used({{&V, From}});
    if (V.What == Value::Kind::Integer)
      V.P = converted(V.P, From->getType(), Cast->getType());
    return V;
  }
  case clang::CK_ArrayToPointerDecay: {
    const std::optional<Place> P = place(From);
    if (!P || !P->Base)
      return local();
    site(AccessSite::Kind::Escape, *P);
    return {};
  }
  case clang::CK_BitCast:
    return reinterpreted(eval(From), Cast);
  case clang::CK_ConstructorConversion:
  case clang::CK_UserDefinedConversion:
    return eval(From);
  default: {
    if (From->isGLValue()) {
      argument(From, true);
      return {};
    }
    const Value V = eval(From);
    return used({{&V, From}});
  }
  }
}

/// Is it `&p[i]`, and none of that from a macro?
static bool isWritten(const clang::UnaryOperator &AddressOf, const clang::Expr &Of) {
  auto *Element = llvm::dyn_cast<clang::ArraySubscriptExpr>(Of.IgnoreParens());
  return Element && !AddressOf.getBeginLoc().isMacroID() && !Element->getBeginLoc().isMacroID() &&
         !Element->getEndLoc().isMacroID();
}

Value Evaluator::unary(const clang::UnaryOperator *E) {
  const clang::Expr *From = E->getSubExpr();
  if (E->isIncrementDecrementOp()) {
    if (const std::optional<Place> P = place(From)) {
      site(AccessSite::Kind::Load, *P, true);
      site(P->Whole ? AccessSite::Kind::Store : AccessSite::Kind::Escape, *P, true);
      return {};
    }
    auto Known = Variables.find(variableNamed(plain(From)));
    if (Known == Variables.end())
      return {};
    const Value Before = Known->second;
    const std::int64_t Step = Before.Width;
    Known->second.P = Before.P + Polynomial::constant(E->isIncrementOp() ? Step : -Step);
    Known->second.Direct = false;
    Known->second.Bits = bits(Before, E);
    return E->isPostfix() ? Before : Known->second;
  }
  if (E->getOpcode() == clang::UO_AddrOf) {
    if (const std::optional<Place> P = place(From)) {
      if (P->Base && P->Index && P->Whole)
        return {Value::Kind::Pointer, *P->Index, P->Base, P->Direct && isWritten(*E, *From), P->Width};
      if (!P->Base)
        return local();
      site(AccessSite::Kind::Escape, *P);
      return {};
    }
    argument(From, true);
    const clang::VarDecl *Variable = variableNamed(plain(From));
    return Variable && Variable->hasLocalStorage() && !Variable->getType()->isReferenceType() ? local() : Value();
  }
  Value V = eval(From);
  if (V.What == Value::Kind::Integer && E->getOpcode() == clang::UO_Minus && E->getType()->isSignedIntegerType()) {
    V.P = Polynomial() - V.P;
    V.Bits = bits(V, E);
    return V;
  }
  if (E->getOpcode() == clang::UO_Plus)
    return V;
  return used({{&V, From}});
}

/// `To = From`, and where `Compound`, `To op= From`.
Value Evaluator::assign(const clang::Expr *To, const clang::Expr *From, bool Compound) {
  const llvm::SaveAndRestore Keeping(Keeps, leadsToPointer(To->getType()));
  const Value V = From->isGLValue() ? load(From) : eval(From);
  if (std::optional<Place> P = place(To)) {
    use(V, From);
    P->Direct &= !llvm::isa<clang::InitListExpr>(plain(From));
    if (Compound)
      site(AccessSite::Kind::Load, *P, true);
    site(P->Whole ? AccessSite::Kind::Store : AccessSite::Kind::Escape, *P, Compound);
    return {};
  }
  const clang::VarDecl *Variable = variableNamed(plain(To));
  if (!Variable) {
    argument(To, true);
    return used({{&V, From}});
  }
  if (!Variable->hasLocalStorage() && !Variable->hasAttr<clang::CUDASharedAttr>())
    unfollowed("a change of " + Variable->getNameAsString(), To->getBeginLoc());
  const bool Kept =
      Variable->hasLocalStorage() && !Referred.count(Variable) && !Compound &&
      (((V.What == Value::Kind::Pointer || V.What == Value::Kind::Local) && Variable->getType()->isPointerType()) ||
       (V.What == Value::Kind::Integer && holdsIndex(Variable->getType())));
  if (!Kept) {
    use(V, From);
    Variables.erase(Variable);
    return {};
  }
  Variables[Variable] = V;
  Variables[Variable].Direct = false;
  return V;
}

Value Evaluator::binary(const clang::BinaryOperator *E) {
  if (E->getOpcode() == clang::BO_Assign)
    return assign(E->getLHS(), E->getRHS(), false);
  if (E->isCompoundAssignmentOp()) {
    const clang::VarDecl *Variable = variableNamed(plain(E->getLHS()));
    auto Known = Variables.find(Variable);
    if (Known == Variables.end())
      return assign(E->getLHS(), E->getRHS(), true);
    const Value Right = eval(E->getRHS()); // which may change what stands on the left
    Known = Variables.find(Variable);
    if (Known == Variables.end())
      return used({{&Right, E->getRHS()}});
    Value Before = Known->second;
    auto *Compound = llvm::cast<clang::CompoundAssignOperator>(E);
    if (Before.What == Value::Kind::Integer)
      Before.P = converted(Before.P, E->getType(), Compound->getComputationLHSType());
    Value After = arithmetic(clang::BinaryOperator::getOpForCompoundAssignment(E->getOpcode()), Before, Right, E);
    if (After.What == Value::Kind::Integer)
      After.P = converted(After.P, Compound->getComputationResultType(), E->getType());
    if (After.What == Value::Kind::Unknown)
      Variables.erase(Variable);
    else
      Variables[Variable] = After;
    return After;
  }
  if (E->isLogicalOp() || E->isRelationalOp()) {
    const Condition C = condition(E);
    for (const bool Truth : {true, false}) // where a value of 0 or 1 is made of it
      for (const Less &L : C.Sides[Truth].Holds)
        use(integer(L.Left), E), use(integer(L.Right), E);
    return {};
  }
  const Value L = eval(E->getLHS());
  const Value R = eval(E->getRHS());
  if (E->getOpcode() == clang::BO_Comma)
    return R;
  return arithmetic(E->getOpcode(), L, R, E);
}

Value Evaluator::arithmetic(clang::BinaryOperatorKind Kind, const Value &L, const Value &R,
                            const clang::BinaryOperator *E) {
  auto Unknown = [&] { return used({{&L, E->getLHS()}, {&R, E->getRHS()}}); };
  const bool Sum = Kind == clang::BO_Add || Kind == clang::BO_Sub;
  auto Distance = [&](const Value &V, const clang::Expr *Of, unsigned Width) {
    return scaled(converted(V.P, Of->getType(), Context.getPointerDiffType()), Width);
  };
  if (L.What == Value::Kind::Pointer && R.What == Value::Kind::Integer && Sum) {
    const Polynomial By = Distance(R, E->getRHS(), L.Width);
    return {Value::Kind::Pointer, Kind == clang::BO_Add ? L.P + By : L.P - By, L.Base, L.Direct, L.Width};
  }
  if (R.What == Value::Kind::Pointer && L.What == Value::Kind::Integer && Kind == clang::BO_Add)
    return {Value::Kind::Pointer, Distance(L, E->getLHS(), R.Width) + R.P, R.Base, false, R.Width};
  if ((L.What == Value::Kind::Local && Sum) || (R.What == Value::Kind::Local && Kind == clang::BO_Add)) {
    use(L, E->getLHS()), use(R, E->getRHS());
    return E->getType()->isPointerType() ? local() : Value();
  }
  if (L.What != Value::Kind::Integer || R.What != Value::Kind::Integer || !holdsIndex(E->getType()))
    return Unknown();
  auto Quotient = [&](const Polynomial &Divisor) { return quotient(L.P, Divisor, Result.Quotients); };
  const unsigned Bits = std::min(bits(L, E), R.Bits);
  auto Known = [&](const std::optional<Polynomial> &P) { return P ? integer(*P, Bits) : Unknown(); };
  // What may have lost bits must be of the element by itself: then so is the quotient.
  auto Divides = [&](const clang::QualType Of) {
    if (!fits(L.P, Context.getTypeSize(Of), Of->isSignedIntegerType(), Result))
      use(L, E->getLHS());
  };
  switch (Kind) {
  case clang::BO_Add:
    return Known(L.P + R.P);
  case clang::BO_Sub: {
    const Polynomial Difference = L.P - R.P;
    if (E->getType()->isUnsignedIntegerType() && mayBeNegative(Difference, Result.Quotients))
      return Unknown();
    return Known(Difference);
  }
  case clang::BO_Mul:
    return Known(L.P.times(R.P));
  case clang::BO_Shl:
    if (const auto By = R.P.asConstant(); By && *By >= 0 && *By < 32)
      return Known(L.P * Polynomial::constant(std::int64_t(1) << *By));
    return Unknown();
  case clang::BO_Div:
    if (mayBeNegative(L.P, Result.Quotients) || mayLoseBits(L.P, MostFactor, Bits) || R.P.isZero())
      return Unknown();
    Divides(E->getLHS()->getType());
    return Known(Quotient(R.P));
  case clang::BO_Rem: // a % b = a − b * (a / b)
    if (mayBeNegative(L.P, Result.Quotients) || mayLoseBits(L.P, MostFactor, Bits) || R.P.isZero())
      return Unknown();
    Divides(E->getLHS()->getType());
    if (const auto Whole = Quotient(R.P))
      if (const auto Product = R.P.times(*Whole))
        return Known(L.P - *Product);
    return Unknown();
  case clang::BO_Shr:
    // What was shifted to the left before may have been meant to lose bits.
    if (const auto By = R.P.asConstant();
        By && *By >= 0 && *By < 32 && !mayBeNegative(L.P, Result.Quotients) && !mayLoseBits(L.P, 1, L.Bits)) {
      Divides(E->getLHS()->getType());
      return Known(Quotient(Polynomial::constant(std::int64_t(1) << *By)));
    }
    return Unknown();
  default:
    return Unknown();
  }
}

} // namespace cufuse
