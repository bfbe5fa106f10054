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
  Changes(const clang::FunctionDecl &Function, const ConstCasts &Casts) : IsPattern(Function.isDependentContext()) {
    TraverseStmt(Function.getBody());
    // A list in braces has its elements twice, once without what converts them.
    for (const clang::DeclRefExpr *E : Mentions)
      if (!Loaded.count(E) && (HasLabels || !Set.count(E)) &&
          (Casts.mayChange(E->getType()) || (!Bound.count(E) && !E->getType().isConstQualified())))
        Changed.insert(E->getDecl());
  }
  bool contains(const clang::VarDecl *Variable) const { return Changed.count(Variable); }
  /// `block.x = 128;` and the like, which whoever comes behind them has passed, in order.
  std::vector<const clang::BinaryOperator *> assignments(const clang::ValueDecl *Variable) const {
    const auto Known = Assignments.find(Variable);
    return Known == Assignments.end() ? std::vector<const clang::BinaryOperator *>() : Known->second;
  }

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
  bool VisitCompoundStmt(const clang::CompoundStmt *Block) override {
    std::set<const clang::Decl *> Own;
    for (const clang::Stmt *Each : Block->body()) {
      if (auto *Declaration = llvm::dyn_cast<clang::DeclStmt>(Each))
        Own.insert(Declaration->decl_begin(), Declaration->decl_end());
      auto *Assignment = llvm::dyn_cast<clang::BinaryOperator>(Each);
      auto *Member = Assignment && Assignment->getOpcode() == clang::BO_Assign
                         ? llvm::dyn_cast<clang::MemberExpr>(Assignment->getLHS()->IgnoreParens())
                         : nullptr;
      auto *Object = Member ? llvm::dyn_cast<clang::DeclRefExpr>(Member->getBase()->IgnoreParens()) : nullptr;
      if (!Object || Member->isArrow() || !Own.count(Object->getDecl()) ||
          Object->getDecl()->getType()->isReferenceType())
        continue;
      Set.insert(Object);
      Assignments[Object->getDecl()].push_back(Assignment);
    }
    return true;
  }
  bool VisitLabelStmt(const clang::LabelStmt *) override {
    HasLabels = true;
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
  std::set<const clang::Expr *> Set;           ///< In an assignment of `Assignments`.
  std::map<const clang::ValueDecl *, std::vector<const clang::BinaryOperator *>> Assignments;
  bool HasLabels = false; ///< Then one may get past an assignment.
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
  BlockReader(clang::ASTContext &Context, const HostText &Text, const ConstCasts &Casts)
      : Context(Context), Text(Text), Casts(Casts) {}

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
  std::optional<std::int64_t> integer(const clang::Expr *E) {
    clang::Expr::EvalResult Known;
    if (isOpen(E) || !E->getType()->isIntegralOrEnumerationType())
      return std::nullopt;
    if (E->EvaluateAsInt(Known, Context))
      return Known.Val.getInt().tryExtValue();
    E = inside(E);
    if (const clang::Expr *Initializer = initializer(E))
      return integer(Initializer);
    if (auto *List = llvm::dyn_cast<clang::InitListExpr>(E); List && List->getNumInits() == 1)
      return integer(List->getInit(0));
    auto *Cast = llvm::dyn_cast<clang::CastExpr>(E);
    const auto Value =
        Cast && Cast->getCastKind() == clang::CK_IntegralCast ? integer(Cast->getSubExpr()) : std::nullopt;
    return Value ? Context.MakeIntValue(*Value, E->getType()).tryExtValue() : std::nullopt;
  }

  /// Only an instantiation says what it is. Lists in brackets or braces have no type, or none that means anything,
  /// where the type of what they initialise is dependent, although nothing in them is.
  static bool isOpen(const clang::Expr *E) {
    return E->getType().isNull() || E->isInstantiationDependent() || E->containsErrors();
  }

  /// Without what neither makes a value another one nor calls anything.
  static const clang::Expr *inside(const clang::Expr *E) {
    while (true) {
      E = E->IgnoreParens();
      auto *Cast = llvm::dyn_cast<clang::CastExpr>(E);
      if (Cast && llvm::is_contained({clang::CK_NoOp, clang::CK_LValueToRValue, clang::CK_ConstructorConversion},
                                     Cast->getCastKind()))
        E = Cast->getSubExpr();
      else if (auto *Full = llvm::dyn_cast<clang::FullExpr>(E))
        E = Full->getSubExpr();
      else if (auto *Temporary = llvm::dyn_cast<clang::MaterializeTemporaryExpr>(E))
        E = Temporary->getSubExpr();
      else
        return E;
    }
  }

  /// The initialiser of a local variable that nothing changes.
  const clang::Expr *initializer(const clang::Expr *E) {
    auto *Reference = llvm::dyn_cast<clang::DeclRefExpr>(E);
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
      Known->second = std::make_unique<Changes>(*Function, Casts);
    return Known->second->contains(Variable) ? nullptr : Variable->getInit();
  }

  std::optional<BlockShape> shape(const clang::Expr *E) {
    if (isOpen(E))
      return std::nullopt;
    E = inside(E);
    // What a launch is given is not converted to it yet where another argument's type is dependent.
    if (const auto Threads = integer(E))
      return BlockShape{static_cast<unsigned>(*Threads), 1, 1};
    // Only its own constructors and conversions say what another class makes of its arguments.
    const clang::CXXRecordDecl *Record = E->getType()->getAsCXXRecordDecl();
    if (!Record || !Record->getIdentifier() || Record->getName() != "dim3" ||
        !Record->getDeclContext()->isTranslationUnit())
      return std::nullopt;
    if (const clang::Expr *Initializer = initializer(E))
      return assigned(shape(Initializer), llvm::cast<clang::DeclRefExpr>(*E));
    auto *Construct = llvm::dyn_cast<clang::CXXConstructExpr>(E);
    if (!Construct || Construct->getNumArgs() > 3)
      return std::nullopt;
    if (Construct->getConstructor()->isCopyOrMoveConstructor())
      return shape(Construct->getArg(0));
    std::optional<std::int64_t> Sizes[3] = {1, 1, 1};
    for (unsigned I = 0; I < Construct->getNumArgs(); ++I)
      if (!llvm::isa<clang::CXXDefaultArgExpr>(Construct->getArg(I)))
        Sizes[I] = integer(Construct->getArg(I));
    if (!Sizes[0] || !Sizes[1] || !Sizes[2])
      return std::nullopt;
    return BlockShape{static_cast<unsigned>(*Sizes[0]), static_cast<unsigned>(*Sizes[1]),
                      static_cast<unsigned>(*Sizes[2])};
  }

  /// What assignments to its members make of the variable where it is named.
  std::optional<BlockShape> assigned(std::optional<BlockShape> Shape, const clang::DeclRefExpr &Named) {
    auto *Function = llvm::dyn_cast_or_null<clang::FunctionDecl>(Named.getDecl()->getParentFunctionOrMethod());
    const auto Known = Function ? ChangedIn.find(Function->getBody()) : ChangedIn.end();
    if (Known == ChangedIn.end())
      return Shape;
    const clang::SourceManager &Sources = Context.getSourceManager();
    for (const clang::BinaryOperator *Each : Known->second->assignments(Named.getDecl())) {
      const llvm::StringRef Member =
          llvm::cast<clang::MemberExpr>(Each->getLHS()->IgnoreParens())->getMemberDecl()->getName();
      const auto Value = integer(Each->getRHS());
      if (!Shape || !Value || !Sources.isBeforeInTranslationUnit(Each->getEndLoc(), Named.getLocation()) ||
          Text.mayDiffer(Each->getSourceRange()) || ValueText(Text, Sources).mayDiffer(Each->getRHS()))
        return std::nullopt;
      (Member == "x" ? Shape->X : Member == "y" ? Shape->Y : Shape->Z) = static_cast<unsigned>(*Value);
    }
    return Shape;
  }

  clang::ASTContext &Context;
  const HostText &Text;
  const ConstCasts &Casts;
  std::map<const clang::Stmt *, std::unique_ptr<Changes>> ChangedIn; ///< By body.
  unsigned Followed = 0;
};

} // namespace

void ConstCasts::note(const clang::ExplicitCastExpr &Cast, const clang::ASTContext &Context) {
  const clang::Expr &Of = *Cast.getSubExprAsWritten();
  clang::QualType From = Of.getType(), To = Cast.getTypeAsWritten();
  if (From->isDependentType() || To->isDependentType())
    return; // an instantiation says what it is
  if (To->isReferenceType()) {
    To = To.getNonReferenceType();
  } else if ((From->isPointerType() || From->isArrayType()) &&
             (To->isPointerType() || (To->isIntegerType() && !To->isBooleanType()))) {
    From = From->isPointerType() ? From->getPointeeType() : Context.getBaseElementType(From);
    To = To->getPointeeType(); // none of an integer
  } else {
    return;
  }
  const bool Kept = !To.isNull() && To.isConstQualified();
  if (From.isConstQualified() && (!Kept || !(From->isVoidType() || Context.hasSameType(From, To))))
    Types.insert(Context.getCanonicalType(From).getTypePtr());
}

bool ConstCasts::mayChange(clang::QualType T, unsigned Depth) const {
  T = T.getCanonicalType();
  if (Types.empty() || T->isDependentType())
    return !Types.empty();
  if (Depth > 8 ||
      llvm::any_of(Types, [&](const clang::Type *Each) { return Each->isVoidType() || Each == T.getTypePtr(); }))
    return true;
  if (T->isArrayType())
    return mayChange(clang::QualType(T->getArrayElementTypeNoTypeQual(), 0), Depth + 1);
  const clang::CXXRecordDecl *Record = T->getAsCXXRecordDecl();
  if (!Record || !(Record = Record->getDefinition()))
    return false;
  return llvm::any_of(Record->fields(), [&](const auto *Field) { return mayChange(Field->getType(), Depth + 1); }) ||
         llvm::any_of(Record->bases(), [&](const auto &Base) { return mayChange(Base.getType(), Depth + 1); });
}

std::vector<std::optional<BlockShape>> blocksOf(llvm::ArrayRef<const clang::CUDAKernelCallExpr *> Launches,
                                                clang::ASTContext &Context, const HostText &Text,
                                                const ConstCasts &Casts) {
  BlockReader Read(Context, Text, Casts);
  std::vector<std::optional<BlockShape>> Blocks;
  for (const clang::CUDAKernelCallExpr *Launch : Launches)
    Blocks.push_back(Read(*Launch));
  return Blocks;
}

} // namespace cufuse
