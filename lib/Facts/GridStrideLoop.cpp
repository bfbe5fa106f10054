#include "cufuse/Facts/GridStrideLoop.h"

#include "cufuse/Reach/AllIn.h"
#include "cufuse/Reach/BuiltinVariables.h"
#include "cufuse/Reach/ControlStatements.h"

#include <clang/AST/ExprCXX.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Lex/Lexer.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallPtrSet.h>

namespace cufuse {

namespace {

/// Does an expression come from the size of the launch, maybe by way of local variables?
struct LaunchSize : clang::ConstDynamicRecursiveASTVisitor {
  bool VisitDeclRefExpr(const clang::DeclRefExpr *E) override {
    auto *Variable = llvm::dyn_cast<clang::VarDecl>(E->getDecl());
    if (!Variable || !Seen.insert(Variable).second)
      return true;
    if (Variable->isLocalVarDecl() && Variable->hasInit())
      TraverseStmt(Variable->getInit());
    Grid |= builtinVariable(*Variable) == Builtin::GridDim;
    Block |= builtinVariable(*Variable) == Builtin::BlockDim;
    return true;
  }
  llvm::SmallPtrSet<const clang::VarDecl *, 8> Seen;
  bool Grid = false, Block = false;
};

/// What the step adds; nothing for steps of other forms.
const clang::Expr *added(const clang::Expr *Step) {
  Step = Step ? Step->IgnoreParenImpCasts() : nullptr;
  if (auto *Both = llvm::dyn_cast_or_null<clang::BinaryOperator>(Step);
      Both && (Both->getOpcode() == clang::BO_AddAssign || Both->getOpcode() == clang::BO_Assign))
    return Both->getRHS();
  return nullptr;
}

struct LoopCandidate {
  const clang::ForStmt *Loop;
  bool Grid;   ///< The grid's size is in the step.
  bool Hinted; ///< `#pragma unroll` or its like stands before it; the compiler takes no second one.
};

/// Not those of lambdas.
std::vector<LoopCandidate> candidates(const clang::Stmt &Body) {
  std::set<const clang::Stmt *> OfLambdas;
  for (const auto *Lambda : allIn<clang::LambdaExpr>(Body))
    for (const auto *Loop : allIn<clang::ForStmt>(*Lambda->getBody()))
      OfLambdas.insert(Loop);
  std::vector<LoopCandidate> Found;
  const ControlStatements Controls(Body);
  for (const clang::Stmt *Each : Controls.all())
    if (auto *Loop = llvm::dyn_cast<clang::ForStmt>(Each); Loop && !OfLambdas.count(Loop))
      if (const clang::Expr *Step = added(Loop->getInc())) {
        LaunchSize Size;
        Size.TraverseStmt(Step);
        if (Size.Grid || Size.Block)
          Found.push_back({Loop, Size.Grid, Controls.hasPragma(Loop)});
      }
  return Found;
}

template <typename... Kinds> bool has(const clang::Stmt *S) {
  return S && llvm::any_of(allIn<clang::Stmt>(*S), [](const clang::Stmt *Each) { return llvm::isa<Kinds...>(Each); });
}

class LoadsOf {
public:
  LoadsOf(const clang::FunctionDecl &Kernel, const clang::ForStmt &Loop)
      : Loop(Loop), Variable(counted(Loop)), Everywhere(changedIn(*Kernel.getBody())),
        InBody(changedIn(*Loop.getBody())) {}

  std::vector<const clang::Expr *> find() {
    auto *Step = Loop.getInc() ? llvm::dyn_cast<clang::BinaryOperator>(Loop.getInc()->IgnoreParenImpCasts()) : nullptr;
    auto *Stepped = Step ? llvm::dyn_cast<clang::DeclRefExpr>(Step->getLHS()->IgnoreParens()) : nullptr;
    const bool Plain = Variable && isNumber(Variable->getType()) && Variable->getType()->isIntegerType() &&
                       !InBody.contains(Variable) && Stepped && Stepped->getDecl() == Variable && Loop.getCond() &&
                       !Loop.getConditionVariable() && isAhead(Loop.getCond()) && isAhead(Step->getRHS()) &&
                       isCopyable(*Loop.getCond()) && isCopyable(*Step) &&
                       isWritten(Loop.getForLoc(), Loop.getRParenLoc()) &&
                       isWritten(Variable->getBeginLoc(), Loop.getInc()->getEndLoc()) &&
                       isWritten(Loop.getBody()->getBeginLoc(), Loop.getBody()->getEndLoc()) && keepsMacros();
    if (!Plain)
      return {};
    // What leaves it other than by its condition: later elements may not exist then.
    if (has<clang::BreakStmt, clang::ReturnStmt, clang::GotoStmt, clang::LabelStmt>(Loop.getBody()))
      return {};
    if (auto *Block = llvm::dyn_cast<clang::CompoundStmt>(Loop.getBody())) {
      for (const clang::Stmt *Each : Block->body())
        if (!takeFrom(Each))
          break;
    } else {
      takeFrom(Loop.getBody());
    }
    return std::move(Found);
  }

  const clang::VarDecl *variable() const { return Variable; }

private:
  static bool isWritten(clang::SourceLocation Begin, clang::SourceLocation End) {
    return Begin.isFileID() && End.isFileID();
  }

  llvm::StringRef text(clang::SourceRange Range) const {
    const clang::ASTContext &Context = Variable->getASTContext();
    const clang::SourceManager &Sources = Context.getSourceManager();
    const clang::CharSourceRange Chars =
        clang::Lexer::makeFileCharRange(clang::CharSourceRange::getTokenRange(Range), Sources, Context.getLangOpts());
    return clang::Lexer::getSourceText(Chars, Sources, Context.getLangOpts());
  }

  /// Whether every macro is the same at its head as anywhere in its body: it holds no directives but pragmas.
  bool keepsMacros() const {
    llvm::StringRef Left = text(Loop.getBody()->getSourceRange());
    while (!Left.empty() && Left.contains('#')) {
      Left = Left.split('#').second.ltrim(" \t");
      if (!Left.starts_with("pragma"))
        return false;
    }
    return true;
  }

  /// Whether its text means the same in another place of the loop: it is no part of a macro, holds no directives, and
  /// no names with `::`, some of which are changed where they stand.
  bool isCopyable(const clang::Expr &E) const {
    const llvm::StringRef Text = text(E.getSourceRange());
    return !Text.empty() && !Text.contains('#') && !Text.contains("::");
  }

  /// Is the type that a cast names the same at the loop's head?
  bool isNamedOutside(const clang::CastExpr &Cast) const {
    auto *Explicit = llvm::dyn_cast<clang::ExplicitCastExpr>(&Cast);
    if (!Explicit)
      return true;
    const clang::Type *Written = Explicit->getTypeAsWritten().getTypePtr();
    auto *Alias = llvm::dyn_cast<clang::TypedefType>(Written);
    return llvm::isa<clang::BuiltinType, clang::SubstTemplateTypeParmType>(Written) ||
           (Alias && !isWithin(Alias->getDecl()->getLocation(), Loop.getSourceRange()));
  }

  /// Of a type that every compiler spells alike.
  static bool isNumber(clang::QualType T) {
    using clang::BuiltinType;
    return !T.isVolatileQualified() && T->isBuiltinType() &&
           (T->isIntegerType() || T->isSpecificBuiltinType(BuiltinType::Float) ||
            T->isSpecificBuiltinType(BuiltinType::Double));
  }

  /// A call may not return; of a `continue` in an expression, it is not known what comes behind.
  static bool calls(const clang::Stmt *Each) {
    return has<clang::CallExpr, clang::CXXConstructExpr, clang::GCCAsmStmt, clang::ContinueStmt>(Each);
  }

  /// Whether what comes behind it is done in any case, too.
  bool takeFrom(const clang::Stmt *Each) {
    if (auto *Declares = llvm::dyn_cast<clang::DeclStmt>(Each)) {
      for (const clang::Decl *D : Declares->decls()) {
        auto *V = llvm::dyn_cast<clang::VarDecl>(D);
        if (!V || !V->getInit() || V->isStaticLocal())
          continue;
        take(V->getInit());
        if (calls(V->getInit()))
          return false;
      }
      return true;
    }
    if (auto *E = llvm::dyn_cast<clang::Expr>(Each))
      take(E);
    return llvm::isa<clang::Expr>(Each) && !calls(Each);
  }

  /// The loads among the operands that are always evaluated.
  void take(const clang::Expr *E) {
    if (auto *Cast = llvm::dyn_cast<clang::ImplicitCastExpr>(E);
        Cast && Cast->getCastKind() == clang::CK_LValueToRValue)
      if (isLoad(Cast->getSubExpr()))
        return Found.push_back(Cast->getSubExpr()->IgnoreParens());
    auto *Both = llvm::dyn_cast<clang::BinaryOperator>(E);
    if (!llvm::isa<clang::CallExpr, clang::CastExpr, clang::ParenExpr, clang::UnaryOperator, clang::ArraySubscriptExpr,
                   clang::MaterializeTemporaryExpr, clang::ExprWithCleanups>(E) &&
        (!Both || Both->isLogicalOp()))
      return;
    for (const clang::Stmt *Operand : E->children())
      if (llvm::none_of(E->children(), [&](const clang::Stmt *Other) { return Other != Operand && calls(Other); }))
        take(llvm::cast<clang::Expr>(Operand));
  }

  /// An element of memory that does not change, in a place that is known ahead.
  bool isLoad(const clang::Expr *E) {
    auto *Element = llvm::dyn_cast<clang::ArraySubscriptExpr>(E->IgnoreParens());
    return Element && isNumber(Element->getType()) && isWritten(Element->getBeginLoc(), Element->getEndLoc()) &&
           isCopyable(*Element) && isConstantMemory(Element->getBase()) && isAhead(Element->getBase()) &&
           isAhead(Element->getIdx());
  }

  /// Behind a pointer `const T *__restrict__` of the kernel.
  bool isConstantMemory(const clang::Expr *Pointer) {
    Pointer = Pointer->IgnoreParenImpCasts();
    if (auto *Sum = llvm::dyn_cast<clang::BinaryOperator>(Pointer); Sum && Sum->isAdditiveOp())
      return isConstantMemory(Sum->getLHS()->getType()->isPointerType() ? Sum->getLHS() : Sum->getRHS());
    auto *Reference = llvm::dyn_cast<clang::DeclRefExpr>(Pointer);
    auto *Of = Reference ? llvm::dyn_cast<clang::VarDecl>(Reference->getDecl()) : nullptr;
    if (!Of || !Of->getType()->isPointerType() || !Of->getType()->getPointeeType().isConstQualified() ||
        Everywhere.contains(Of))
      return false;
    if (llvm::isa<clang::ParmVarDecl>(Of))
      return Of->getType().isRestrictQualified();
    return Of->isLocalVarDecl() && !Of->isStaticLocal() && Of->getInit() && isConstantMemory(Of->getInit());
  }

  /// Whether its value in a later turn is known in this one, once the loop's variable is.
  bool isAhead(const clang::Expr *E) {
    E = E->IgnoreParens();
    if (llvm::isa<clang::IntegerLiteral, clang::CXXBoolLiteralExpr>(E))
      return true;
    if (auto *Constant = llvm::dyn_cast<clang::SubstNonTypeTemplateParmExpr>(E))
      return isAhead(Constant->getReplacement());
    if (memberOfBuiltin(E))
      return true;
    if (auto *Reference = llvm::dyn_cast<clang::DeclRefExpr>(E)) {
      auto *Of = llvm::dyn_cast<clang::VarDecl>(Reference->getDecl());
      if (Of == Variable)
        return true;
      const bool Outside =
          Of && (llvm::isa<clang::ParmVarDecl>(Of) || (Of->isLocalVarDecl() && !Of->isStaticLocal() &&
                                                       !isWithin(Of->getLocation(), Loop.getBody()->getSourceRange())));
      return Outside && !Of->getType().isVolatileQualified() && !Of->getType()->isReferenceType() &&
             !Everywhere.contains(Of);
    }
    if (auto *Element = llvm::dyn_cast<clang::ArraySubscriptExpr>(E))
      return isLoad(Element);
    auto *Cast = llvm::dyn_cast<clang::CastExpr>(E);
    const bool Pure = (Cast && isNamedOutside(*Cast)) ||
                      (llvm::isa<clang::UnaryOperator>(E) && llvm::cast<clang::UnaryOperator>(E)->isArithmeticOp()) ||
                      (llvm::isa<clang::BinaryOperator>(E) && !llvm::cast<clang::BinaryOperator>(E)->isAssignmentOp());
    return Pure && (E->getType()->isArithmeticType() || E->getType()->isPointerType()) &&
           llvm::all_of(E->children(), [&](const clang::Stmt *Operand) {
             return Operand && isAhead(llvm::cast<clang::Expr>(Operand));
           });
  }

  bool isWithin(clang::SourceLocation At, clang::SourceRange Range) const {
    const clang::SourceManager &Sources = Variable->getASTContext().getSourceManager();
    return !Sources.isBeforeInTranslationUnit(At, Range.getBegin()) &&
           !Sources.isBeforeInTranslationUnit(Range.getEnd(), At);
  }

  const clang::ForStmt &Loop;
  const clang::VarDecl *const Variable;
  const std::set<const clang::ValueDecl *> Everywhere, InBody; ///< What is changed there.
  std::vector<const clang::Expr *> Found;
};

} // namespace

GridStrideLoop gridStrideLoop(const clang::FunctionDecl &Kernel) {
  const std::vector<LoopCandidate> All =
      Kernel.getBody() ? candidates(*Kernel.getBody()) : std::vector<LoopCandidate>();
  for (const auto &[Loop, Grid, Hinted] : All) {
    LoadsOf Reading(Kernel, *Loop);
    if (std::vector<const clang::Expr *> Loads = Reading.find(); !Loads.empty())
      return {Loop, std::move(Loads), Reading.variable()};
  }
  GridStrideLoop Plain;
  bool PlainGrid = false;
  for (const auto &[Loop, Grid, Hinted] : All)
    if (!Hinted && (!Plain.Loop || (Grid && !PlainGrid))) {
      Plain.Loop = Loop;
      PlainGrid = Grid;
    }
  return Plain;
}

} // namespace cufuse
