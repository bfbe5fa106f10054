// Statements and expressions, class by class.
#include "Comparison.h"

#include <clang/AST/ASTLambda.h>
#include <clang/AST/Attr.h>
#include <clang/AST/ExprConcepts.h>
#include <clang/Basic/SourceManager.h>
#include <fmt/core.h>
#include <llvm/Support/SaveAndRestore.h>

namespace cufuse {

namespace {

/// What stands for its one part is that part.
const clang::Expr *withoutShells(const clang::Expr *E) {
  while (E) {
    const clang::Expr *Part = nullptr;
    if (auto *Parentheses = llvm::dyn_cast<clang::ParenExpr>(E))
      Part = Parentheses->getSubExpr();
    else if (auto *Full = llvm::dyn_cast<clang::FullExpr>(E)) // what is cleaned up is a part of its own
      Part = Full->getSubExpr();
    else if (auto *Parameter = llvm::dyn_cast<clang::SubstNonTypeTemplateParmExpr>(E))
      Part = Parameter->getReplacement();
    else if (auto *Chosen = llvm::dyn_cast<clang::ChooseExpr>(E); Chosen && !Chosen->isConditionDependent())
      Part = Chosen->getChosenSubExpr();
    else if (auto *Generic = llvm::dyn_cast<clang::GenericSelectionExpr>(E); Generic && !Generic->isResultDependent())
      Part = Generic->getResultExpr();
    else if (auto *Pack = llvm::dyn_cast<clang::PackIndexingExpr>(E))
      Part = Pack->getSelectedExpr();
    else if (auto *Rewritten = llvm::dyn_cast<clang::CXXRewrittenBinaryOperator>(E))
      Part = Rewritten->getSemanticForm();
    else if (auto *List = llvm::dyn_cast<clang::InitListExpr>(E); List && !List->isSemanticForm())
      Part = List->getSemanticForm();
    if (!Part || Part == E)
      return E;
    E = Part;
  }
  return E;
}

/// Statements that do nothing and declarations that are compared where they are named.
bool isNothing(const clang::Stmt *S) {
  if (llvm::isa<clang::NullStmt>(S))
    return true;
  auto *Declares = llvm::dyn_cast<clang::DeclStmt>(S);
  return Declares &&
         llvm::none_of(Declares->decls(), [](const clang::Decl *D) { return llvm::isa<clang::VarDecl>(D); });
}

/// What a library says of a failed assertion is where it is.
bool failsAssertion(const clang::CallExpr *Call, const clang::SourceManager &Sources) {
  const clang::FunctionDecl *Callee = Call->getDirectCallee();
  return Callee && Callee->getIdentifier() && !inUsersFile(Callee, Sources) &&
         (Callee->getName() == "__assert_fail" || Callee->getName() == "__assertfail");
}

std::string number(const llvm::APFloat &Value) {
  llvm::SmallString<32> Text;
  Value.toString(Text);
  return std::string(Text);
}

} // namespace

bool Comparison::statement(const clang::Stmt *A, const clang::Stmt *B) {
  if (!A || !B)
    return (!A && !B) || differ("something is missing here or there");
  const llvm::SaveAndRestore AtA(WhereA, A->getBeginLoc()), AtB(WhereB, B->getBeginLoc());
  if (!attributed(A, B))
    return false;
  const auto *ExprA = llvm::dyn_cast<clang::Expr>(A), *ExprB = llvm::dyn_cast<clang::Expr>(B);
  if (ExprA && ExprB)
    return expression(ExprA, ExprB);
  if (const std::optional<bool> Edited = editedStatement(A, B))
    return *Edited;
  if (A->getStmtClass() != B->getStmtClass())
    return differ("the statement", A->getStmtClassName(), B->getStmtClassName());
  return details(A, B);
}

/// Attributes of statements. What tells the compiler how to unroll is not compared: a loop is the same without it.
bool Comparison::attributed(const clang::Stmt *&A, const clang::Stmt *&B) {
  auto Take = [](const clang::Stmt *&S) {
    std::vector<const clang::Attr *> Attributes;
    while (auto *Attributed = llvm::dyn_cast<clang::AttributedStmt>(S)) {
      for (const clang::Attr *Each : Attributed->getAttrs())
        if (!llvm::isa<clang::LoopHintAttr, clang::UnlikelyAttr, clang::LikelyAttr, clang::FallThroughAttr>(Each))
          Attributes.push_back(Each);
      S = Attributed->getSubStmt();
    }
    return Attributes;
  };
  return each(Take(A), Take(B), "the attributes of a statement differ", [this](const auto *OfA, const auto *OfB) {
    if (OfA->getKind() != OfB->getKind())
      return differ("the attribute", OfA->getSpelling(), OfB->getSpelling());
    auto *Assumes = llvm::dyn_cast<clang::CXXAssumeAttr>(OfA);
    return !Assumes || expression(Assumes->getAssumption(), llvm::cast<clang::CXXAssumeAttr>(OfB)->getAssumption());
  });
}

bool Comparison::children(const clang::Stmt *A, const clang::Stmt *B) {
  auto I = A->child_begin(), J = B->child_begin();
  for (; I != A->child_end() && J != B->child_end(); ++I, ++J)
    if (!statement(*I, *J))
      return false;
  return (I == A->child_end() && J == B->child_end()) || differ("the numbers of parts differ");
}

bool Comparison::sequence(llvm::ArrayRef<const clang::Stmt *> A, llvm::ArrayRef<const clang::Stmt *> B) {
  auto Something = [](llvm::ArrayRef<const clang::Stmt *> All) {
    std::vector<const clang::Stmt *> Rest;
    llvm::copy_if(All, std::back_inserter(Rest), [](const clang::Stmt *S) { return !isNothing(S); });
    return Rest;
  };
  const std::vector<const clang::Stmt *> OfA = Something(A), OfB = Something(B);
  for (size_t I = 0; I < std::min(OfA.size(), OfB.size()); ++I)
    if (!statement(OfA[I], OfB[I]))
      return false;
  if (OfA.size() > OfB.size())
    WhereA = OfA[OfB.size()]->getBeginLoc();
  else if (OfB.size() > OfA.size())
    WhereB = OfB[OfA.size()]->getBeginLoc();
  return OfA.size() == OfB.size() ||
         differ(OfA.size() > OfB.size() ? "a statement is lost" : "there is a statement more");
}

bool Comparison::declarations(const clang::DeclStmt *A, const clang::DeclStmt *B) {
  auto Variables = [](const clang::DeclStmt *S) {
    std::vector<const clang::VarDecl *> All;
    for (const clang::Decl *D : S->decls())
      if (auto *Variable = llvm::dyn_cast<clang::VarDecl>(D))
        All.push_back(Variable);
    return All;
  };
  return each(Variables(A), Variables(B), "the numbers of variables differ", [this](const auto *OfA, const auto *OfB) {
    if (const std::optional<bool> Edited = dynamicShared(OfA, OfB))
      return *Edited;
    if (!pair(OfA, OfB))
      return false;
    // Made of a linked pointer, it is an object, too.
    if (OfA->getType()->isPointerType() && OfA->getInit() && isLinked(OfA->getInit()))
      return OfB->getInit() && link(OfA, OfB) && linkedPointer(OfA->getInit(), OfB->getInit());
    return variable(OfA, OfB);
  });
}

bool Comparison::details(const clang::Stmt *A, const clang::Stmt *B) {
  switch (A->getStmtClass()) {
  case clang::Stmt::CompoundStmtClass: {
    std::vector<const clang::Stmt *> OfA(A->child_begin(), A->child_end()), OfB(B->child_begin(), B->child_end());
    return sequence(OfA, OfB);
  }
  case clang::Stmt::DeclStmtClass:
    return declarations(llvm::cast<clang::DeclStmt>(A), llvm::cast<clang::DeclStmt>(B));
  case clang::Stmt::IfStmtClass:
    return llvm::cast<clang::IfStmt>(A)->getStatementKind() == llvm::cast<clang::IfStmt>(B)->getStatementKind()
               ? children(A, B)
               : differ("the kind of an `if` differs");
  case clang::Stmt::GCCAsmStmtClass:
    return assembly(llvm::cast<clang::GCCAsmStmt>(A), B);
  case clang::Stmt::LabelStmtClass:
    return pair(llvm::cast<clang::LabelStmt>(A)->getDecl(), llvm::cast<clang::LabelStmt>(B)->getDecl()) &&
           children(A, B);
  case clang::Stmt::GotoStmtClass:
    return pair(llvm::cast<clang::GotoStmt>(A)->getLabel(), llvm::cast<clang::GotoStmt>(B)->getLabel());
  case clang::Stmt::CaseStmtClass:
  case clang::Stmt::DefaultStmtClass:
  case clang::Stmt::SwitchStmtClass:
  case clang::Stmt::WhileStmtClass:
  case clang::Stmt::DoStmtClass:
  case clang::Stmt::ForStmtClass:
  case clang::Stmt::CXXForRangeStmtClass:
  case clang::Stmt::ReturnStmtClass:
  case clang::Stmt::NullStmtClass:
  case clang::Stmt::BreakStmtClass:
  case clang::Stmt::ContinueStmtClass:
    return children(A, B);
  default:
    return differ(fmt::format("a {} is not known to be the same", A->getStmtClassName()));
  }
}

bool Comparison::expression(const clang::Expr *A, const clang::Expr *B) {
  A = withoutShells(A);
  B = withoutShells(B);
  const llvm::SaveAndRestore AtA(WhereA, A->getExprLoc()), AtB(WhereB, B->getExprLoc());
  if (const std::optional<bool> Edited = edited(A, B))
    return *Edited;
  if (A->getStmtClass() != B->getStmtClass())
    return differ("the expression", A->getStmtClassName(), B->getStmtClassName());
  if (!expressionDetails(A, B) || !type(A->getType(), B->getType()))
    return false;
  return A->getValueKind() == B->getValueKind() || (A->isLValue() && B->isXValue() && isOfElement(A)) ||
         differ("the kinds of values differ");
}

bool Comparison::lambda(const clang::LambdaExpr *A, const clang::LambdaExpr *B) {
  if (!pair(A->getLambdaClass(), B->getLambdaClass()))
    return false;
  auto Captures = [&](const clang::LambdaExpr *E) {
    std::vector<std::pair<const clang::LambdaCapture *, const clang::Expr *>> All;
    auto Value = E->capture_init_begin();
    for (const clang::LambdaCapture &Each : E->captures()) {
      const clang::Expr *Initial = *Value++;
      auto *Variable = Each.capturesVariable() ? llvm::dyn_cast<clang::VarDecl>(Each.getCapturedVar()) : nullptr;
      if (!Variable || E == A || !Added.contains(Variable))
        All.push_back({&Each, Initial});
    }
    return All;
  };
  auto Same = [this](const auto &OfA, const auto &OfB) {
    if (OfA.first->getCaptureKind() != OfB.first->getCaptureKind())
      return differ("a lambda captures otherwise");
    return (!OfA.first->capturesVariable() || pair(OfA.first->getCapturedVar(), OfB.first->getCapturedVar())) &&
           statement(OfA.second, OfB.second);
  };
  // A generic one is compared where it is called, as instantiated.
  return each(Captures(A), Captures(B), "a lambda captures something else", Same) &&
         A->isGenericLambda() == B->isGenericLambda() &&
         (A->isGenericLambda() || pair(A->getCallOperator(), B->getCallOperator()));
}

bool Comparison::expressionDetails(const clang::Expr *A, const clang::Expr *B) {
  /// Do both say the same of themselves?
  auto Same = [&]<typename Value, typename Class>(Value (Class::*Say)() const) {
    return (llvm::cast<Class>(A)->*Say)() == (llvm::cast<Class>(B)->*Say)();
  };
  auto As = [&]<typename Class>(Class *) { return std::pair(llvm::cast<Class>(A), llvm::cast<Class>(B)); };
#define BOTH(Class) const auto [a, b] = As(static_cast<clang::Class *>(nullptr))
  switch (A->getStmtClass()) {
  case clang::Stmt::DeclRefExprClass: {
    BOTH(DeclRefExpr);
    return pair(a->getDecl(), b->getDecl());
  }
  case clang::Stmt::MemberExprClass: {
    BOTH(MemberExpr);
    if (a->isArrow() != b->isArrow() ||
        a->performsVirtualDispatch(ContextA.getLangOpts()) != b->performsVirtualDispatch(ContextB.getLangOpts()))
      return differ("a member is named otherwise");
    return pair(a->getMemberDecl(), b->getMemberDecl()) && children(A, B);
  }
  case clang::Stmt::IntegerLiteralClass: {
    BOTH(IntegerLiteral);
    const bool Signed = a->getType()->isSignedIntegerType();
    return (a->getValue().getBitWidth() == b->getValue().getBitWidth() && a->getValue() == b->getValue()) ||
           differ("the number", llvm::toString(a->getValue(), 10, Signed), llvm::toString(b->getValue(), 10, Signed));
  }
  case clang::Stmt::FloatingLiteralClass: {
    BOTH(FloatingLiteral);
    return (&a->getSemantics() == &b->getSemantics() && a->getValue().bitwiseIsEqual(b->getValue())) ||
           differ("the number", number(a->getValue()), number(b->getValue()));
  }
  case clang::Stmt::CharacterLiteralClass:
    return (Same(&clang::CharacterLiteral::getValue) && Same(&clang::CharacterLiteral::getKind)) ||
           differ("a character differs");
  case clang::Stmt::StringLiteralClass: {
    BOTH(StringLiteral);
    return (a->getKind() == b->getKind() && a->getBytes() == b->getBytes()) ||
           differ("the text", fmt::format("\"{}\"", a->getBytes().str()), fmt::format("\"{}\"", b->getBytes().str()));
  }
  case clang::Stmt::CXXBoolLiteralExprClass:
    return Same(&clang::CXXBoolLiteralExpr::getValue) || differ("`true` and `false` are exchanged");
  case clang::Stmt::PredefinedExprClass: {
    BOTH(PredefinedExpr);
    return (a->getIdentKind() == b->getIdentKind() &&
            a->getFunctionName()->getBytes() == b->getFunctionName()->getBytes()) ||
           differ("the function's name", a->getFunctionName()->getBytes().str(),
                  b->getFunctionName()->getBytes().str());
  }
  case clang::Stmt::UnaryOperatorClass: {
    BOTH(UnaryOperator);
    return a->getOpcode() == b->getOpcode()
               ? children(A, B)
               : differ("the operator", clang::UnaryOperator::getOpcodeStr(a->getOpcode()).str(),
                        clang::UnaryOperator::getOpcodeStr(b->getOpcode()).str());
  }
  case clang::Stmt::BinaryOperatorClass:
  case clang::Stmt::CompoundAssignOperatorClass: {
    BOTH(BinaryOperator);
    if (a->getOpcode() != b->getOpcode())
      return differ("the operator", a->getOpcodeStr().str(), b->getOpcodeStr().str());
    if (auto *Compound = llvm::dyn_cast<clang::CompoundAssignOperator>(a))
      if (!type(Compound->getComputationLHSType(),
                llvm::cast<clang::CompoundAssignOperator>(b)->getComputationLHSType()) ||
          !type(Compound->getComputationResultType(),
                llvm::cast<clang::CompoundAssignOperator>(b)->getComputationResultType()))
        return false;
    return children(A, B);
  }
  case clang::Stmt::ImplicitCastExprClass:
  case clang::Stmt::CStyleCastExprClass:
  case clang::Stmt::CXXFunctionalCastExprClass:
  case clang::Stmt::CXXStaticCastExprClass:
  case clang::Stmt::CXXReinterpretCastExprClass:
  case clang::Stmt::CXXConstCastExprClass:
  case clang::Stmt::CXXDynamicCastExprClass:
  case clang::Stmt::CXXAddrspaceCastExprClass:
  case clang::Stmt::BuiltinBitCastExprClass: {
    BOTH(CastExpr);
    if (a->getCastKind() != b->getCastKind() || a->path_size() != b->path_size())
      return differ("the conversion", a->getCastKindName(), b->getCastKindName());
    for (auto I = a->path_begin(), J = b->path_begin(); I != a->path_end(); ++I, ++J)
      if (!type((*I)->getType(), (*J)->getType()))
        return false;
    if (const clang::NamedDecl *Function = a->getConversionFunction())
      if (!b->getConversionFunction() || !pair(Function, b->getConversionFunction()))
        return differ("another conversion is called");
    return children(A, B);
  }
  case clang::Stmt::CallExprClass:
  case clang::Stmt::CXXMemberCallExprClass:
  case clang::Stmt::CXXOperatorCallExprClass:
  case clang::Stmt::UserDefinedLiteralClass:
  case clang::Stmt::CUDAKernelCallExprClass: {
    BOTH(CallExpr);
    if (failsAssertion(a, ContextA.getSourceManager()) && failsAssertion(b, ContextB.getSourceManager()))
      return pair(a->getDirectCallee(), b->getDirectCallee());
    if (const std::optional<bool> Same = callWithIndices(a, b))
      return *Same;
    return children(A, B);
  }
  case clang::Stmt::CXXConstructExprClass:
  case clang::Stmt::CXXTemporaryObjectExprClass: {
    BOTH(CXXConstructExpr);
    if (a->isElidable() != b->isElidable() || a->requiresZeroInitialization() != b->requiresZeroInitialization() ||
        a->getConstructionKind() != b->getConstructionKind() ||
        a->isStdInitListInitialization() != b->isStdInitListInitialization())
      return differ("an object is constructed otherwise");
    return pair(a->getConstructor(), b->getConstructor()) && children(A, B);
  }
  case clang::Stmt::CXXInheritedCtorInitExprClass: {
    BOTH(CXXInheritedCtorInitExpr);
    return a->constructsVBase() == b->constructsVBase() && pair(a->getConstructor(), b->getConstructor());
  }
  case clang::Stmt::CXXNewExprClass: {
    BOTH(CXXNewExpr);
    if (a->isArray() != b->isArray() || a->getNumPlacementArgs() != b->getNumPlacementArgs() ||
        a->passAlignment() != b->passAlignment() || !a->getOperatorNew() || !b->getOperatorNew())
      return differ("`new` is used otherwise");
    return type(a->getAllocatedType(), b->getAllocatedType()) && pair(a->getOperatorNew(), b->getOperatorNew()) &&
           children(A, B);
  }
  case clang::Stmt::CXXDeleteExprClass: {
    BOTH(CXXDeleteExpr);
    if (a->isArrayForm() != b->isArrayForm() || !a->getOperatorDelete() || !b->getOperatorDelete())
      return differ("`delete` is used otherwise");
    return pair(a->getOperatorDelete(), b->getOperatorDelete()) &&
           destructor(a->getDestroyedType(), b->getDestroyedType()) && children(A, B);
  }
  case clang::Stmt::CXXPseudoDestructorExprClass: {
    BOTH(CXXPseudoDestructorExpr);
    return type(a->getDestroyedType(), b->getDestroyedType()) && children(A, B);
  }
  case clang::Stmt::CXXBindTemporaryExprClass: {
    BOTH(CXXBindTemporaryExpr);
    return pair(a->getTemporary()->getDestructor(), b->getTemporary()->getDestructor()) && children(A, B);
  }
  case clang::Stmt::MaterializeTemporaryExprClass:
    return Same(&clang::MaterializeTemporaryExpr::getStorageDuration) ? children(A, B)
                                                                      : differ("a temporary object lives otherwise");
  case clang::Stmt::CXXDefaultArgExprClass: {
    BOTH(CXXDefaultArgExpr);
    return expression(a->getExpr(), b->getExpr());
  }
  case clang::Stmt::CXXDefaultInitExprClass: {
    BOTH(CXXDefaultInitExpr);
    return pair(a->getField(), b->getField()) && statement(a->getExpr(), b->getExpr());
  }
  case clang::Stmt::InitListExprClass: {
    BOTH(InitListExpr);
    const clang::FieldDecl *OfA = a->getInitializedFieldInUnion(), *OfB = b->getInitializedFieldInUnion();
    if (!OfA != !OfB || (OfA && !pair(OfA, OfB)))
      return differ("another member of a union is initialised");
    if (a->hasArrayFiller() != b->hasArrayFiller() ||
        (a->hasArrayFiller() && !expression(a->getArrayFiller(), b->getArrayFiller())))
      return differ("the rest of an array is filled otherwise");
    return children(A, B);
  }
  case clang::Stmt::ArrayInitLoopExprClass:
    return Same(&clang::ArrayInitLoopExpr::getArraySize) && children(A, B);
  case clang::Stmt::OpaqueValueExprClass: {
    BOTH(OpaqueValueExpr);
    return statement(a->getSourceExpr(), b->getSourceExpr());
  }
  case clang::Stmt::LambdaExprClass: {
    BOTH(LambdaExpr);
    return lambda(a, b);
  }
  case clang::Stmt::UnaryExprOrTypeTraitExprClass: {
    BOTH(UnaryExprOrTypeTraitExpr);
    return a->getKind() == b->getKind() ? type(a->getTypeOfArgument(), b->getTypeOfArgument())
                                        : differ("a question about a type differs");
  }
  case clang::Stmt::OffsetOfExprClass: {
    clang::Expr::EvalResult OfA, OfB;
    return (A->EvaluateAsInt(OfA, ContextA) && B->EvaluateAsInt(OfB, ContextB) &&
            llvm::APSInt::isSameValue(OfA.Val.getInt(), OfB.Val.getInt())) ||
           differ("a member lies at another place");
  }
  // Questions that the compiler has answered.
  case clang::Stmt::TypeTraitExprClass: {
    BOTH(TypeTraitExpr);
    return (a->isStoredAsBoolean() == b->isStoredAsBoolean() &&
            (a->isStoredAsBoolean() ? a->getBoolValue() == b->getBoolValue()
                                    : value(a->getAPValue(), b->getAPValue()))) ||
           differ("the answer to a question about a type differs");
  }
  case clang::Stmt::ConceptSpecializationExprClass:
    return Same(&clang::ConceptSpecializationExpr::isSatisfied) || differ("a concept holds only in one of both");
  case clang::Stmt::RequiresExprClass:
    return Same(&clang::RequiresExpr::isSatisfied) || differ("a requirement holds only in one of both");
  case clang::Stmt::CXXNoexceptExprClass:
    return Same(&clang::CXXNoexceptExpr::getValue) || differ("`noexcept` holds only in one of both");
  case clang::Stmt::ArrayTypeTraitExprClass:
    return Same(&clang::ArrayTypeTraitExpr::getValue) || differ("the shape of an array differs");
  case clang::Stmt::ExpressionTraitExprClass:
    return Same(&clang::ExpressionTraitExpr::getValue) ||
           differ("the answer to a question about an expression differs");
  case clang::Stmt::SizeOfPackExprClass:
    return Same(&clang::SizeOfPackExpr::getPackLength) || differ("the length of a pack differs");
  case clang::Stmt::AtomicExprClass:
    return Same(&clang::AtomicExpr::getOp) ? children(A, B) : differ("another atomic operation is called");
  case clang::Stmt::CXXThisExprClass:
  case clang::Stmt::CXXNullPtrLiteralExprClass:
  case clang::Stmt::GNUNullExprClass:
  case clang::Stmt::CXXScalarValueInitExprClass:
  case clang::Stmt::ImplicitValueInitExprClass:
  case clang::Stmt::NoInitExprClass:
  case clang::Stmt::ArrayInitIndexExprClass:
  case clang::Stmt::ArraySubscriptExprClass:
  case clang::Stmt::ConditionalOperatorClass:
  case clang::Stmt::CXXStdInitializerListExprClass:
  case clang::Stmt::CXXParenListInitExprClass:
  case clang::Stmt::CompoundLiteralExprClass:
  case clang::Stmt::ConvertVectorExprClass:
  case clang::Stmt::ShuffleVectorExprClass:
  case clang::Stmt::ImaginaryLiteralClass:
  case clang::Stmt::StmtExprClass:
  case clang::Stmt::VAArgExprClass:
    return children(A, B);
  case clang::Stmt::BinaryConditionalOperatorClass: {
    BOTH(BinaryConditionalOperator);
    return expression(a->getCommon(), b->getCommon()) && expression(a->getFalseExpr(), b->getFalseExpr());
  }
  default:
    return differ(fmt::format("a {} is not known to be the same", A->getStmtClassName()));
  }
#undef BOTH
}

} // namespace cufuse
