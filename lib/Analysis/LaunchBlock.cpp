#include "LaunchBlock.h"

#include <clang/AST/DynamicRecursiveASTVisitor.h>
#include <clang/AST/ExprCXX.h>
#include <clang/Basic/SourceManager.h>

#include <map>
#include <memory>
#include <set>

namespace cufuse {

namespace {

/// Variables of a function that something may change after their initialiser: whatever is neither a load of their
/// value, or of a member's, nor a reference to what is const.
class Changes : public clang::ConstDynamicRecursiveASTVisitor {
public:
  explicit Changes(const clang::FunctionDecl &Function) : IsPattern(Function.isDependentContext()) {
    TraverseStmt(Function.getBody());
    // A list in braces has its elements twice, once without what converts them.
    for (const clang::DeclRefExpr *E : Mentions)
      if (!Loaded.count(E) && (CastsAway || (!Bound.count(E) && !E->getType().isConstQualified())))
        Changed.insert(E->getDecl());
  }
  bool contains(const clang::VarDecl *Variable) const { return Changed.count(Variable); }

  bool TraverseTypeLoc(clang::TypeLoc, bool) override { return true; }
  bool TraverseUnaryExprOrTypeTraitExpr(MaybeConst<clang::UnaryExprOrTypeTraitExpr> *) override { return true; }
  bool TraverseLambdaCapture(MaybeConst<clang::LambdaExpr> *Lambda, const clang::LambdaCapture *Capture,
                             MaybeConst<clang::Expr> *Init) override {
    // What the body does with it counts.
    if (Capture->capturesVariable() && Capture->getCaptureKind() == clang::LCK_ByRef && !Lambda->isInitCapture(Capture))
      return true;
    return clang::ConstDynamicRecursiveASTVisitor::TraverseLambdaCapture(Lambda, Capture, Init);
  }
  bool VisitExpr(const clang::Expr *E) override {
    if (auto *Cast = llvm::dyn_cast<clang::CastExpr>(E)) {
      const clang::CastKind Kind = Cast->getCastKind();
      if (Kind == clang::CK_LValueToRValue || Kind == clang::CK_ToVoid)
        load(Cast->getSubExpr(), Loaded);
      else if (Kind == clang::CK_NoOp && llvm::isa<clang::ImplicitCastExpr>(Cast) && E->getType().isConstQualified())
        load(Cast->getSubExpr(), Bound);
      CastsAway |= llvm::isa<clang::ExplicitCastExpr>(Cast) && E->isLValue() && !E->getType().isConstQualified();
    }
    if (auto *Construct = llvm::dyn_cast<clang::CXXConstructExpr>(E);
        Construct && Construct->getConstructor()->isCopyOrMoveConstructor() && Construct->getNumArgs() > 0 &&
        Construct->getArg(0)->getType().isConstQualified())
      load(Construct->getArg(0), Loaded);
    // A template says what it does where it is instantiated, with variables of its own.
    if (IsPattern && E->isInstantiationDependent())
      for (const clang::Stmt *Child : E->children())
        if (auto *Operand = llvm::dyn_cast_or_null<clang::Expr>(Child); Operand && !mayWrite(E, Operand))
          load(Operand, Loaded);
    return true;
  }
  bool VisitVarDecl(const clang::VarDecl *V) override {
    if (!IsPattern || !V->getInit() || !V->getType()->isDependentType())
      return true;
    load(V->getInit(), Loaded);
    if (llvm::isa<clang::ParenListExpr, clang::InitListExpr>(V->getInit()))
      for (const clang::Stmt *Child : V->getInit()->children())
        load(llvm::cast<clang::Expr>(Child), Loaded);
    return true;
  }
  bool VisitDeclRefExpr(const clang::DeclRefExpr *E) override {
    Mentions.push_back(E);
    return true;
  }

private:
  static bool mayWrite(const clang::Expr *Operation, const clang::Expr *Operand) {
    if (auto *Binary = llvm::dyn_cast<clang::BinaryOperator>(Operation))
      return Binary->isAssignmentOp() && Binary->getLHS() == Operand;
    if (auto *Unary = llvm::dyn_cast<clang::UnaryOperator>(Operation))
      return Unary->isIncrementDecrementOp() || Unary->getOpcode() == clang::UO_AddrOf;
    return false;
  }
  static void load(const clang::Expr *E, std::set<const clang::Expr *> &Into) {
    while (true) {
      E = E->IgnoreParens();
      if (auto *Member = llvm::dyn_cast<clang::MemberExpr>(E); Member && !Member->isArrow())
        E = Member->getBase();
      else if (auto *Cast = llvm::dyn_cast<clang::ImplicitCastExpr>(E); Cast && Cast->getCastKind() == clang::CK_NoOp)
        E = Cast->getSubExpr();
      else
        break;
    }
    if (auto *Either = llvm::dyn_cast<clang::ConditionalOperator>(E)) {
      load(Either->getTrueExpr(), Into);
      load(Either->getFalseExpr(), Into);
    }
    Into.insert(E);
  }

  const bool IsPattern;
  std::vector<const clang::DeclRefExpr *> Mentions;
  std::set<const clang::Expr *> Loaded, Bound; ///< Bound: to a reference to what is const.
  bool CastsAway = false;                      ///< Such a reference may be one to what is not, again.
  std::set<const clang::ValueDecl *> Changed;
};

/// Whether what a value comes from is, at some place, text that the host may read otherwise.
class ValueText : public clang::ConstDynamicRecursiveASTVisitor {
public:
  ValueText(const HostText &Text, const clang::SourceManager &Sources) : Text(Text), Sources(Sources) {
    ShouldVisitImplicitCode = true;
  }
  bool mayDiffer(const clang::Expr *E) { return Text.mayDiffer(E->getSourceRange()) || !TraverseStmt(E); }

  bool VisitDeclRefExpr(const clang::DeclRefExpr *E) override { return follow(E->getDecl()); }
  bool VisitMemberExpr(const clang::MemberExpr *E) override { return follow(E->getMemberDecl()); }
  bool VisitCXXConstructExpr(const clang::CXXConstructExpr *E) override { return follow(E->getConstructor()); }
  bool VisitTagTypeLoc(clang::TagTypeLoc T) override { return follow(T.getDecl()); }
  bool VisitTypedefTypeLoc(clang::TypedefTypeLoc T) override { return follow(T.getDecl()); }

private:
  /// False ends the walk.
  bool follow(const clang::NamedDecl *D) {
    if (!D || Sources.isInSystemHeader(D->getLocation()) || !Seen.insert(D->getCanonicalDecl()).second)
      return true;
    if (auto *Function = llvm::dyn_cast<clang::FunctionDecl>(D); Function && Function->getDefinition())
      D = Function->getDefinition();
    if (auto *Variable = llvm::dyn_cast<clang::VarDecl>(D))
      if (const clang::VarDecl *Holder = nullptr; Variable->getAnyInitializer(Holder))
        D = Holder;
    if (Text.mayDiffer(D->getSourceRange()) || (D->getDeclName().isIdentifier() && Text.names(D->getName())))
      return false;
    if (auto *Parent = llvm::dyn_cast<clang::RecordDecl>(D->getDeclContext()); Parent && !follow(Parent))
      return false;
    if (auto *Variable = llvm::dyn_cast<clang::VarDecl>(D))
      return !Variable->getInit() || TraverseStmt(Variable->getInit());
    if (auto *Function = llvm::dyn_cast<clang::FunctionDecl>(D))
      return !Function->getBody() || TraverseStmt(Function->getBody());
    if (auto *Constant = llvm::dyn_cast<clang::EnumConstantDecl>(D))
      return !Constant->getInitExpr() || TraverseStmt(Constant->getInitExpr());
    if (auto *Alias = llvm::dyn_cast<clang::TypedefNameDecl>(D))
      return TraverseTypeLoc(Alias->getTypeSourceInfo()->getTypeLoc());
    return true;
  }

  const HostText &Text;
  const clang::SourceManager &Sources;
  std::set<const clang::Decl *> Seen;
};

class BlockReader {
public:
  BlockReader(clang::ASTContext &Context, const HostText &Text) : Context(Context), Text(Text) {}

  std::optional<BlockShape> operator()(const clang::CUDAKernelCallExpr &Launch) {
    Followed = 0;
    // In device code the configuration is another call.
    const clang::FunctionDecl *Configure = Launch.getConfig()->getDirectCallee();
    const bool FromHost = Configure && (Configure->getName() == "__cudaPushCallConfiguration" ||
                                        Configure->getName() == "cudaConfigureCall");
    const clang::Expr *Block = FromHost ? Launch.getConfig()->getArg(1) : nullptr;
    const auto Shape = Block ? shape(Block) : std::nullopt;
    const bool MayDiffer =
        Shape && (Text.mayDiffer(Launch.getBeginLoc()) || Text.mayDiffer(Launch.getCallee()->getSourceRange()) ||
                  ValueText(Text, Context.getSourceManager()).mayDiffer(Block));
    return MayDiffer ? std::nullopt : Shape;
  }

private:
  std::optional<unsigned> integer(const clang::Expr *E) {
    clang::Expr::EvalResult Value;
    if (isOpen(E))
      return std::nullopt;
    if (E->EvaluateAsInt(Value, Context) && Value.Val.getInt().getBitWidth() <= 64)
      return Value.Val.getInt().getZExtValue();
    if (const clang::Expr *Initializer = initializer(E))
      return integer(Initializer);
    return std::nullopt;
  }

  /// Only an instantiation says what it is. Lists in brackets or braces have no type, or none that means anything,
  /// where the type of what they initialise is dependent, although nothing in them is.
  static bool isOpen(const clang::Expr *E) {
    return E->getType().isNull() || E->isInstantiationDependent() || E->containsErrors();
  }

  /// The initialiser of a local variable that nothing changes.
  const clang::Expr *initializer(const clang::Expr *E) {
    auto *Reference = llvm::dyn_cast<clang::DeclRefExpr>(E->IgnoreParenImpCasts());
    auto *Variable = Reference ? llvm::dyn_cast<clang::VarDecl>(Reference->getDecl()) : nullptr;
    // `dim3 block = block;` initialises it with itself: there is an end to what is followed for one launch.
    if (!Variable || !Variable->getInit() || ++Followed > 32)
      return nullptr;
    // A default argument is what some calls pass.
    if (llvm::isa<clang::ParmVarDecl>(Variable) || Variable->getType().isVolatileQualified())
      return nullptr;
    if (Variable->getType().isConstQualified())
      return Variable->getInit();
    auto *Function = llvm::dyn_cast_or_null<clang::FunctionDecl>(Variable->getParentFunctionOrMethod());
    if (!Function || !Function->getBody())
      return nullptr;
    const auto [Known, New] = ChangedIn.try_emplace(Function->getBody(), nullptr);
    if (New)
      Known->second = std::make_unique<Changes>(*Function);
    return Known->second->contains(Variable) ? nullptr : Variable->getInit();
  }

  std::optional<BlockShape> shape(const clang::Expr *E) {
    if (isOpen(E))
      return std::nullopt;
    E = E->IgnoreUnlessSpelledInSource();
    if (const clang::Expr *Initializer = initializer(E))
      return shape(Initializer);
    if (auto *List = llvm::dyn_cast<clang::InitListExpr>(E); List && List->getNumInits() == 1)
      return shape(List->getInit(0));
    std::optional<unsigned> Sizes[3] = {1, 1, 1};
    if (auto *Construct = llvm::dyn_cast<clang::CXXConstructExpr>(E)) {
      if (Construct->getConstructor()->isCopyOrMoveConstructor())
        return shape(Construct->getArg(0));
      if (Construct->getNumArgs() > 3)
        return std::nullopt;
      for (unsigned I = 0; I < Construct->getNumArgs(); ++I)
        if (!llvm::isa<clang::CXXDefaultArgExpr>(Construct->getArg(I)))
          Sizes[I] = integer(Construct->getArg(I));
    } else if (E->getType()->isIntegralOrEnumerationType()) {
      Sizes[0] = integer(E);
    } else {
      return std::nullopt;
    }
    if (!Sizes[0] || !Sizes[1] || !Sizes[2])
      return std::nullopt;
    return BlockShape{*Sizes[0], *Sizes[1], *Sizes[2]};
  }

  clang::ASTContext &Context;
  const HostText &Text;
  std::map<const clang::Stmt *, std::unique_ptr<Changes>> ChangedIn; ///< By body.
  unsigned Followed = 0;
};

} // namespace

std::vector<std::optional<BlockShape>> blocksOf(llvm::ArrayRef<const clang::CUDAKernelCallExpr *> Launches,
                                                clang::ASTContext &Context, const HostText &Text) {
  BlockReader Read(Context, Text);
  std::vector<std::optional<BlockShape>> Blocks;
  for (const clang::CUDAKernelCallExpr *Launch : Launches)
    Blocks.push_back(Read(*Launch));
  return Blocks;
}

} // namespace cufuse
