// What a vertical composition changes in a kernel's body: objects stand for the pointers of what is handed on, and
// where a condition is known, the turn is asked.
#include "Comparison.h"

#include <fmt/core.h>

namespace cufuse {

namespace {

bool isConversion(const clang::Expr *E) {
  auto *Call = llvm::dyn_cast<clang::CXXMemberCallExpr>(E);
  return Call && llvm::isa_and_nonnull<clang::CXXConversionDecl>(Call->getMethodDecl());
}

/// Elements are such as copying keeps (`LinkedElement`). Without reading it, copying it, converting it to itself, or
/// keeping it in a temporary object. `Object`: nor what an object in a pointer's place adds, the conversion of an
/// element's own object to the element.
const clang::Expr *bare(const clang::Expr *E, bool Object) {
  while (true) {
    E = unwrapped(E);
    if (auto *Parameter = llvm::dyn_cast<clang::SubstNonTypeTemplateParmExpr>(E))
      E = Parameter->getReplacement();
    else if (auto *Cast = llvm::dyn_cast<clang::ImplicitCastExpr>(E);
             Object && Cast && Cast->getCastKind() == clang::CK_UserDefinedConversion)
      E = Cast->getSubExpr();
    else if (auto *Construct = llvm::dyn_cast<clang::CXXConstructExpr>(E);
             Construct && Construct->getNumArgs() == 1 && Construct->getConstructor()->isCopyOrMoveConstructor())
      E = Construct->getArg(0);
    else if (Object && isConversion(E))
      E = llvm::cast<clang::CXXMemberCallExpr>(E)->getImplicitObjectArgument();
    else
      return E;
  }
}

const clang::VarDecl *variableOf(const clang::Expr *E) {
  auto *Reference = llvm::dyn_cast<clang::DeclRefExpr>(E);
  return Reference ? llvm::dyn_cast<clang::VarDecl>(Reference->getDecl()) : nullptr;
}

/// `pointer[index]` and `*pointer`, whose index is null.
std::optional<std::pair<const clang::Expr *, const clang::Expr *>> elementOf(const clang::Expr *E) {
  if (auto *Element = llvm::dyn_cast<clang::ArraySubscriptExpr>(E))
    return std::pair(Element->getBase(), Element->getIdx());
  if (auto *Unary = llvm::dyn_cast<clang::UnaryOperator>(E); Unary && Unary->getOpcode() == clang::UO_Deref)
    return std::pair(Unary->getSubExpr(), static_cast<const clang::Expr *>(nullptr));
  return std::nullopt;
}

const clang::CXXOperatorCallExpr *operatorCall(const clang::Expr *E, clang::OverloadedOperatorKind Operator) {
  auto *Call = llvm::dyn_cast<clang::CXXOperatorCallExpr>(E);
  return Call && Call->getOperator() == Operator ? Call : nullptr;
}

} // namespace

bool Comparison::isObject(clang::QualType B) const { return isComposed(B.getNonReferenceType()->getAsCXXRecordDecl()); }

/// An object in the pointer's place.
bool Comparison::link(const clang::VarDecl *A, const clang::VarDecl *B) {
  if (!isObject(B->getType()))
    return differ(fmt::format("no object stands for `{}`", nameOf(A)));
  Linked[A->getCanonicalDecl()] = B->getCanonicalDecl();
  return true;
}

/// Is it a pointer for which an object stands, or one that is made of such a pointer?
bool Comparison::isLinked(const clang::Expr *A) const {
  A = bare(A, /*Object=*/false);
  if (const clang::VarDecl *Variable = variableOf(A))
    return Linked.contains(Variable->getCanonicalDecl());
  if (!A->getType()->isPointerType())
    return false;
  if (auto *Binary = llvm::dyn_cast<clang::BinaryOperator>(A))
    return Binary->isAdditiveOp() && isLinked(Binary->getLHS());
  if (auto *Cast = llvm::dyn_cast<clang::CastExpr>(A))
    return Cast->getCastKind() == clang::CK_BitCast && isLinked(Cast->getSubExpr());
  if (auto *Unary = llvm::dyn_cast<clang::UnaryOperator>(A); Unary && Unary->getOpcode() == clang::UO_AddrOf)
    if (auto *Element = llvm::dyn_cast<clang::ArraySubscriptExpr>(Unary->getSubExpr()->IgnoreParens()))
      return isLinked(Element->getBase());
  return false;
}

/// Is it a member of an element, which an object may give as a value?
bool Comparison::isOfElement(const clang::Expr *A) const {
  const clang::Expr *Of = A;
  while (auto *Member = llvm::dyn_cast<clang::MemberExpr>(Of)) {
    if (Member->isArrow())
      return false;
    Of = bare(Member->getBase(), /*Object=*/false);
  }
  const auto Element = Of != A ? elementOf(Of) : std::nullopt;
  return Element && isLinked(Element->first);
}

/// An index or a distance, which an object takes as a `long long`.
bool Comparison::index(const clang::Expr *A, const clang::Expr *B) {
  auto *Cast = llvm::dyn_cast<clang::ImplicitCastExpr>(B);
  const bool Widened = Cast && Cast->getCastKind() == clang::CK_IntegralCast &&
                       B->getType()->isSpecificBuiltinType(clang::BuiltinType::LongLong) &&
                       A->getType().getCanonicalType() != B->getType().getCanonicalType();
  return expression(A, Widened ? Cast->getSubExpr() : B);
}

bool Comparison::linkedPointer(const clang::Expr *A, const clang::Expr *B) {
  A = bare(A, /*Object=*/false);
  B = bare(B, /*Object=*/false);
  if (const clang::VarDecl *Variable = variableOf(A)) {
    const clang::VarDecl *Other = variableOf(B);
    const auto Known = Linked.find(Variable->getCanonicalDecl());
    return (Other && Known != Linked.end() && Known->second == Other->getCanonicalDecl()) ||
           differ(fmt::format("another object stands for `{}`", nameOf(Variable)));
  }
  auto Moved = [&](const clang::Expr *Base, const clang::Expr *By, clang::OverloadedOperatorKind Operator) {
    const clang::CXXOperatorCallExpr *Call = operatorCall(B, Operator);
    if (!Call || Call->getNumArgs() != 2 || !isComposed(Call->getDirectCallee()))
      return differ("a pointer is moved otherwise");
    return linkedPointer(Base, Call->getArg(0)) && index(By, Call->getArg(1));
  };
  if (auto *Binary = llvm::dyn_cast<clang::BinaryOperator>(A))
    return Moved(Binary->getLHS(), Binary->getRHS(),
                 Binary->getOpcode() == clang::BO_Add ? clang::OO_Plus : clang::OO_Minus);
  if (auto *Unary = llvm::dyn_cast<clang::UnaryOperator>(A)) {
    auto *Element = llvm::cast<clang::ArraySubscriptExpr>(Unary->getSubExpr()->IgnoreParens());
    return Moved(Element->getBase(), Element->getIdx(), clang::OO_Plus);
  }
  // `cufuse_as<T>(p)` for `(T *)p`.
  auto *Cast = llvm::cast<clang::CastExpr>(A);
  auto *Call = llvm::dyn_cast<clang::CallExpr>(B);
  const clang::FunctionDecl *As = Call ? Call->getDirectCallee() : nullptr;
  if (!As || !isComposed(As) || As->getNameAsString() != "cufuse_as" || Call->getNumArgs() != 1 ||
      !As->getTemplateSpecializationArgs() || As->getTemplateSpecializationArgs()->size() == 0)
    return differ("a pointer is converted otherwise");
  return type(Cast->getType()->getPointeeType(), As->getTemplateSpecializationArgs()->get(0).getAsType()) &&
         linkedPointer(Cast->getSubExpr(), Call->getArg(0));
}

/// A value, where a function of ours takes it as a constant object or a reference to one.
bool Comparison::handedOn(const clang::Expr *A, const clang::Expr *B) {
  if (!type(A->getType().getUnqualifiedType(), B->getType().getUnqualifiedType()))
    return false;
  A = bare(A, /*Object=*/false);
  B = bare(B, /*Object=*/false);
  auto *CastA = llvm::dyn_cast<clang::ImplicitCastExpr>(A), *CastB = llvm::dyn_cast<clang::ImplicitCastExpr>(B);
  if (CastA && CastB && CastA->getCastKind() == CastB->getCastKind() &&
      CastA->getCastKind() != clang::CK_UserDefinedConversion)
    return expression(CastA->getSubExpr(), CastB->getSubExpr());
  return expression(A, B);
}

std::optional<bool> Comparison::linked(const clang::Expr *A, const clang::Expr *B) {
  if (!Played.Part)
    return std::nullopt;
  if (const std::optional<bool> Asked = askedTurn(A, B))
    return Asked;
  if (Linked.empty())
    return std::nullopt;
  // A pointer, handed to a lambda or to an access with a hint.
  if (A->getType()->isPointerType() && isLinked(A))
    return linkedPointer(A, B);
  // An element, read or not: `operator[]` gives it, or what stands for it.
  const clang::Expr *Bare = bare(A, /*Object=*/false);
  if (const auto Element = elementOf(Bare); Element && isLinked(Element->first)) {
    const clang::Expr *Instead = bare(B, /*Object=*/true);
    const clang::CXXOperatorCallExpr *Call =
        operatorCall(Instead, Element->second ? clang::OO_Subscript : clang::OO_Star);
    if (!Call || !isComposed(Call->getDirectCallee()))
      return differ("an element is not that of the object");
    if (!linkedPointer(Element->first, Call->getArg(0)) ||
        (Element->second && !index(Element->second, Call->getArg(1))))
      return false;
    return isComposed(B->getType()->getAsCXXRecordDecl()) ||
           type(A->getType().getUnqualifiedType(), B->getType().getUnqualifiedType());
  }
  // Which of two is read, where one is no object in the output.
  if (auto *ChoiceA = llvm::dyn_cast<clang::ConditionalOperator>(Bare); ChoiceA && ChoiceA->isGLValue())
    if (auto *ChoiceB = llvm::dyn_cast<clang::ConditionalOperator>(B); ChoiceB && ChoiceB->isPRValue())
      return expression(ChoiceA->getCond(), ChoiceB->getCond()) &&
             handedOn(ChoiceA->getTrueExpr(), ChoiceB->getTrueExpr()) &&
             handedOn(ChoiceA->getFalseExpr(), ChoiceB->getFalseExpr());
  // It is stored by what stands for it.
  const clang::Expr *To = nullptr, *Value = nullptr;
  const clang::CXXMethodDecl *Converts = nullptr; // what it is given, if that is no element
  if (auto *Assignment = llvm::dyn_cast<clang::BinaryOperator>(A);
      Assignment && Assignment->getOpcode() == clang::BO_Assign) {
    To = Assignment->getLHS();
    Value = Assignment->getRHS();
  } else if (const clang::CXXOperatorCallExpr *Call = operatorCall(A, clang::OO_Equal)) {
    auto *Method = llvm::dyn_cast_or_null<clang::CXXMethodDecl>(Call->getDirectCallee());
    if (!Method || Method->isStatic())
      return std::nullopt;
    if (!Method->isCopyAssignmentOperator() && !Method->isMoveAssignmentOperator())
      Converts = Method;
    To = Call->getArg(0);
    Value = Call->getArg(1);
  }
  if (const auto Element = To ? elementOf(bare(To, false)) : std::nullopt; Element && isLinked(Element->first))
    if (const clang::CXXOperatorCallExpr *Call = operatorCall(B, clang::OO_Equal);
        Call && isComposed(Call->getDirectCallee()))
      return (!Converts || type(Converts->getParamDecl(0)->getType().getUnqualifiedType(),
                                Call->getDirectCallee()->getParamDecl(0)->getType().getUnqualifiedType())) &&
             expression(To, Call->getArg(0)) && handedOn(Value, Call->getArg(1));
  // An object gives a value, which is moved where an element of memory is copied. Neither does anything of its own.
  auto IsTrivial = [](const clang::CXXOperatorCallExpr *Call) {
    auto *Method = Call ? llvm::dyn_cast_or_null<clang::CXXMethodDecl>(Call->getDirectCallee()) : nullptr;
    return Method && Method->isTrivial() && (Method->isCopyAssignmentOperator() || Method->isMoveAssignmentOperator());
  };
  if (const clang::CXXOperatorCallExpr *CallA = operatorCall(A, clang::OO_Equal),
      *CallB = operatorCall(B, clang::OO_Equal);
      IsTrivial(CallA) && IsTrivial(CallB))
    if (const auto Element = elementOf(bare(CallA->getArg(1), false)); Element && isLinked(Element->first))
      return expression(CallA->getArg(0), CallB->getArg(0)) && handedOn(CallA->getArg(1), CallB->getArg(1));
  // Loads and stores with a hint.
  auto *Hinted = llvm::dyn_cast<clang::CallExpr>(A);
  if (!Hinted || Hinted->getNumArgs() == 0 || !isLinked(Hinted->getArg(0)))
    return std::nullopt;
  auto *Call = llvm::dyn_cast<clang::CallExpr>(bare(B, /*Object=*/true));
  const clang::FunctionDecl *Callee = Hinted->getDirectCallee(), *Instead = Call ? Call->getDirectCallee() : nullptr;
  const clang::FunctionDecl *Definition = nullptr;
  const bool IsCuda = Callee && (!Callee->hasBody(Definition) || !inUsersFile(Definition, ContextA.getSourceManager()));
  if (!IsCuda || !Instead || !isComposed(Instead) || Instead->getNameAsString() != Callee->getNameAsString() ||
      Call->getNumArgs() != Hinted->getNumArgs())
    return differ("a pointer is handed to something else");
  if (!linkedPointer(Hinted->getArg(0), Call->getArg(0)))
    return false;
  for (unsigned I = 1; I < Hinted->getNumArgs(); ++I)
    if (!handedOn(Hinted->getArg(I), Call->getArg(I)))
      return false;
  return true;
}

/// A condition of which the turn knows the value.
std::optional<bool> Comparison::askedTurn(const clang::Expr *A, const clang::Expr *B) {
  auto *Call = llvm::dyn_cast<clang::CXXMemberCallExpr>(B);
  if (!Call || !Turn || variableOf(bare(Call->getImplicitObjectArgument(), /*Object=*/false)) != Turn)
    return std::nullopt;
  using Kind = KnownCondition::Kind;
  const std::string Question = Call->getMethodDecl()->getNameAsString();
  const auto Statement = Controls.withCondition(A);
  for (const KnownCondition &Each : Played.Part->Linked.Known)
    if (Statement == Each.Statement && Call->getNumArgs() == 1 &&
        Question == (Each.What == Kind::Holds   ? "inside"
                     : Each.What == Kind::Fails ? "beyond"
                                                : "once"))
      return expression(A, Call->getArg(0));
  return differ("the turn is asked for what it does not know");
}

/// `for (…; cufuse_row.next(i, i < n); …)`
std::optional<bool> Comparison::rowLoop(const clang::ForStmt *A, const clang::ForStmt *B) {
  const auto Statement = Controls.numberOf(A);
  if (!Row || !Statement || !llvm::is_contained(Played.Part->Linked.RowLoops, *Statement))
    return std::nullopt;
  auto *Call = B->getCond() ? llvm::dyn_cast<clang::CXXMemberCallExpr>(bare(B->getCond(), false)) : nullptr;
  auto *Declares = llvm::dyn_cast_or_null<clang::DeclStmt>(B->getInit());
  if (!Call || !Declares || variableOf(bare(Call->getImplicitObjectArgument(), false)) != Row ||
      Call->getMethodDecl()->getNameAsString() != "next" || Call->getNumArgs() != 2 ||
      !llvm::is_contained(Declares->decls(), variableOf(bare(Call->getArg(0), false))))
    return differ("a loop over the row does not ask the row");
  return statement(A->getInit(), B->getInit()) && statement(A->getCond(), Call->getArg(1)) &&
         statement(A->getInc(), B->getInc()) && statement(A->getBody(), B->getBody());
}

/// Do all of its objects say so: `return uint3{0, 0, 0};`?
bool Comparison::returns(const clang::FunctionDecl *B, std::array<unsigned, 3> Values) const {
  const clang::FunctionDecl *Definition = withBody(B);
  auto *Body = Definition ? llvm::dyn_cast<clang::CompoundStmt>(Definition->getBody()) : nullptr;
  auto *Return = Body && Body->size() == 1 ? llvm::dyn_cast<clang::ReturnStmt>(Body->body_front()) : nullptr;
  if (!Return || !Return->getRetValue())
    return false;
  std::vector<const clang::Expr *> Parts;
  const clang::Expr *E = bare(Return->getRetValue()->IgnoreImplicit(), false);
  while (auto *Cast = llvm::dyn_cast<clang::CXXFunctionalCastExpr>(E))
    E = Cast->getSubExpr()->IgnoreImplicit();
  if (auto *Construct = llvm::dyn_cast<clang::CXXConstructExpr>(E))
    Parts.assign(Construct->arg_begin(), Construct->arg_end());
  else if (auto *List = llvm::dyn_cast<clang::InitListExpr>(E))
    Parts.assign(List->inits().begin(), List->inits().end());
  for (size_t I = 0; I < Values.size(); ++I) {
    clang::Expr::EvalResult Number;
    if (Parts.size() != Values.size() || !Parts[I]->EvaluateAsInt(Number, ContextB) || Number.Val.getInt() != Values[I])
      return false;
  }
  return true;
}

/// The thread and block of what is played for one element, or the size of a block that plays a row.
std::optional<Builtin> Comparison::composedBuiltin(const clang::FunctionDecl *B) const {
  auto *Method = llvm::dyn_cast_or_null<clang::CXXMethodDecl>(B);
  if (!Played.Part || !Method || !Method->getIdentifier() || !Method->getParent()->getIdentifier())
    return std::nullopt;
  const llvm::StringRef Name = Method->getName(), Class = Method->getParent()->getName();
  if (Played.Part->AsElement) {
    auto *Namespace = llvm::dyn_cast<clang::NamespaceDecl>(Method->getParent()->getDeclContext());
    if (!Namespace || Namespace->getQualifiedNameAsString() != Played.Space || Class != "cufuse_partition")
      return std::nullopt;
    if (Name == "threadIdx" && returns(Method, {0, 0, 0}))
      return Builtin::ThreadIdx;
    return Name == "blockDim" && returns(Method, {1, 1, 1}) ? std::optional(Builtin::BlockDim) : std::nullopt;
  }
  const BlockShape &Block = Played.Partition.Block;
  return Class == "CufuseRowPartition" && isComposed(Method) && Name == "blockDim" &&
                 returns(Method, {Block.X, Block.Y, Block.Z})
             ? std::optional(Builtin::BlockDim)
             : std::nullopt;
}

} // namespace cufuse
