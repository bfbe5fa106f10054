#include "cufuse/Analysis/HostCode.h"

#include "HostText.h"
#include "cufuse/Analysis/AllIn.h"
#include "cufuse/Analysis/Reach.h"
#include "cufuse/Frontend/RawTokens.h"

#include <clang/AST/Attr.h>
#include <clang/AST/DynamicRecursiveASTVisitor.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Lex/MacroInfo.h>
#include <llvm/Support/SaveAndRestore.h>

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

class Walk : public clang::ConstDynamicRecursiveASTVisitor {
public:
  explicit Walk(const ParsedUnit &Unit) : Unit(Unit), Sources(Unit.ast().getSourceManager()) {
    ShouldVisitTemplateInstantiations = true;
    ShouldVisitImplicitCode = true;
    TraverseAST(Unit.ast());
  }
  bool TraverseDecl(MaybeConst<clang::Decl> *D) override {
    // Nobody launches the user's kernel from a header of the compilers, or fills a variable of the user's there.
    if (D && !llvm::isa<clang::TranslationUnitDecl>(D) && isLibrarys(D->getLocation()))
      return true;
    auto *F = llvm::dyn_cast_or_null<clang::FunctionDecl>(D);
    const llvm::SaveAndRestore Around(OnHost);
    if (F && (F->hasAttr<clang::CUDAGlobalAttr>() ||
              (F->hasAttr<clang::CUDADeviceAttr>() && !F->hasAttr<clang::CUDAHostAttr>()))) {
      if (std::exchange(OnHost, false))
        Device.push_back(F->getSourceRange());
    }
    return clang::ConstDynamicRecursiveASTVisitor::TraverseDecl(D);
  }
  bool VisitImplicitCastExpr(const clang::ImplicitCastExpr *Cast) override {
    if (Cast->getCastKind() != clang::CK_LValueToRValue)
      return true;
    const clang::Expr *E = Cast->getSubExpr()->IgnoreParens();
    while (true) {
      if (auto *Element = llvm::dyn_cast<clang::ArraySubscriptExpr>(E))
        E = Element->getBase()->IgnoreParenImpCasts();
      else if (auto *Member = llvm::dyn_cast<clang::MemberExpr>(E); Member && !Member->isArrow())
        E = Member->getBase()->IgnoreParens();
      else
        break;
    }
    Loaded.insert(E);
    return true;
  }
  bool VisitCUDAKernelCallExpr(const clang::CUDAKernelCallExpr *Launch) override {
    const clang::FunctionDecl *Callee = Launch->getDirectCallee();
    if (Callee && Launch->getConfig() && Launch->getConfig()->getNumArgs() >= 2) {
      Launches[Callee->getCanonicalDecl()].push_back(Launch);
      Understood.insert(named(Launch->getCallee()));
    }
    return true;
  }
  bool VisitCallExpr(const clang::CallExpr *Call) override {
    if (onlyAsks(*Call))
      for (const clang::Expr *Argument : Call->arguments())
        Understood.insert(named(Argument));
    return true;
  }
  bool TraverseUnaryExprOrTypeTraitExpr(MaybeConst<clang::UnaryExprOrTypeTraitExpr> *E) override {
    understandAll(E->isArgumentType() ? nullptr : E->getArgumentExpr());
    return clang::ConstDynamicRecursiveASTVisitor::TraverseUnaryExprOrTypeTraitExpr(E);
  }
  bool VisitDecltypeTypeLoc(clang::DecltypeTypeLoc Type) override {
    understandAll(Type.getUnderlyingExpr());
    return true;
  }
  bool VisitDeclRefExpr(const clang::DeclRefExpr *E) override {
    if (auto *Variable = llvm::dyn_cast<clang::VarDecl>(E->getDecl()); Variable && Variable->hasGlobalStorage()) {
      if (OnHost)
        Named.insert(Variable->getCanonicalDecl());
      if (!Loaded.count(E))
        Written.insert(Variable->getCanonicalDecl());
      place(*Variable, E->getLocation());
    }
    if (auto *Kernel = llvm::dyn_cast<clang::FunctionDecl>(E->getDecl());
        Kernel && Kernel->hasAttr<clang::CUDAGlobalAttr>()) {
      KernelNames.insert(spelled(E->getLocation()));
      if (!Understood.count(E) && !inProbe(E->getLocation()))
        HandedOn.insert(Kernel->getCanonicalDecl());
    }
    return true;
  }
  bool VisitOverloadExpr(const clang::OverloadExpr *E) override {
    KernelNames.insert(spelled(E->getNameLoc()));
    return true;
  }
  bool VisitVarDecl(const clang::VarDecl *V) override {
    if (V->hasGlobalStorage())
      place(*V, V->getLocation());
    return true;
  }

  std::map<const clang::FunctionDecl *, std::vector<const clang::CUDAKernelCallExpr *>> Launches;
  std::set<const clang::FunctionDecl *> HandedOn; ///< Kernels that something else than a launch names, canonical.
  std::set<const clang::ValueDecl *> Named, Written;
  std::map<const clang::ValueDecl *, std::set<HostCode::Place>> Places;
  std::set<HostCode::Place> KernelNames;  ///< Where functions are named that may be kernels.
  std::vector<clang::SourceRange> Device; ///< Functions that only the device has.

private:
  /// The name that leads to a function, by whatever casts.
  static const clang::Expr *named(const clang::Expr *E) {
    while (true) {
      E = E->IgnoreParenCasts();
      if (auto *Unary = llvm::dyn_cast<clang::UnaryOperator>(E);
          Unary && (Unary->getOpcode() == clang::UO_AddrOf || Unary->getOpcode() == clang::UO_Deref))
        E = Unary->getSubExpr();
      else if (auto *Substituted = llvm::dyn_cast<clang::SubstNonTypeTemplateParmExpr>(E))
        E = Substituted->getReplacement();
      else
        return E;
    }
  }
  /// Behind the user's text, where kernels are named to be found.
  bool inProbe(clang::SourceLocation Where) const {
    const auto [File, Offset] = Sources.getDecomposedExpansionLoc(Where);
    return File == Sources.getMainFileID() && Offset >= Unit.fileSize();
  }
  void understandAll(const clang::Expr *Unevaluated) {
    if (Unevaluated)
      for (const clang::DeclRefExpr *E : allIn<clang::DeclRefExpr>(*Unevaluated))
        Understood.insert(E);
  }
  /// A function of CUDA that takes a kernel, but launches none.
  bool onlyAsks(const clang::CallExpr &Call) {
    const clang::NamedDecl *Callee = Call.getDirectCallee();
    if (auto *Lookup = llvm::dyn_cast<clang::OverloadExpr>(Call.getCallee()->IgnoreParenImpCasts());
        Lookup && Lookup->getNumDecls() > 0)
      Callee = (*Lookup->decls_begin())->getUnderlyingDecl();
    if (!Callee || !Callee->getDeclName().isIdentifier() || !Unit.inToolkit(Callee->getLocation()))
      return false;
    static const llvm::StringSet<> Names = {"cudaFuncSetAttribute",   "cudaFuncGetAttributes",
                                            "cudaFuncSetCacheConfig", "cudaFuncSetSharedMemConfig",
                                            "cudaFuncGetName",        "cudaFuncGetParamInfo"};
    return Names.contains(Callee->getName()) || Callee->getName().starts_with("cudaOccupancy");
  }
  void place(const clang::VarDecl &Variable, clang::SourceLocation Where) {
    Places[Variable.getCanonicalDecl()].insert(spelled(Where));
  }
  HostCode::Place spelled(clang::SourceLocation Where) const {
    const auto [File, Offset] = Sources.getDecomposedSpellingLoc(Where);
    return {Sources.getFileEntryForID(File), Offset};
  }

  /// The standard library's headers are many, and name nothing of anybody's.
  bool isLibrarys(clang::SourceLocation Where) {
    if (!Sources.isInSystemHeader(Where))
      return false;
    const clang::FileID File = Sources.getFileID(Sources.getExpansionLoc(Where));
    const auto [Known, New] = Libraries.try_emplace(File, true);
    if (New && !Unit.inToolkit(Where)) {
      const llvm::StringRef Name = Sources.getFilename(Sources.getLocForStartOfFile(File));
      Known->second = Name.starts_with("/usr/include/") || Name.starts_with("/usr/lib/");
    }
    return Known->second;
  }

  const ParsedUnit &Unit;
  const clang::SourceManager &Sources;
  std::map<clang::FileID, bool> Libraries;
  std::set<const clang::Expr *> Loaded;     ///< What only a value is taken of.
  std::set<const clang::Expr *> Understood; ///< Names of kernels that are launched, or asked about, there.
  bool OnHost = true;
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

HostCode::~HostCode() = default;

HostCode::HostCode(const ParsedUnit &Unit) : Unit(Unit) {
  Walk Found(Unit);
  Launches = std::move(Found.Launches);
  Named = std::move(Found.Named);
  Written = std::move(Found.Written);
  Places = std::move(Found.Places);
  HandedOn = std::move(Found.HandedOn);
  std::vector<HostText::File> Files;
  for (const clang::FileID &File : usersFiles())
    Files.push_back({File, textOf(File)});
  Text = std::make_unique<HostText>(Unit, Files, Found.Device);
  if (!Unit.errors().empty())
    unreadable(Found.Device, Found.KernelNames);
}

std::set<clang::FileID> HostCode::usersFiles() const {
  const clang::SourceManager &Sources = Unit.ast().getSourceManager();
  std::set<clang::FileID> Files = {Sources.getMainFileID()};
  for (const IncludeEvent &Include : Unit.log().Includes)
    if (Include.File && !Include.System)
      if (const clang::FileID File = Sources.translateFile(*Include.File); File.isValid())
        Files.insert(File);
  return Files;
}

llvm::StringRef HostCode::textOf(clang::FileID File) const {
  const clang::SourceManager &Sources = Unit.ast().getSourceManager();
  const llvm::StringRef Text = Sources.getBufferData(File);
  return File == Sources.getMainFileID() ? Text.take_front(Unit.fileSize()) : Text;
}

/// Clang drops statements and declarations that it does not accept. What it leaves of the users' files without the
/// device's functions is where the host may name a variable, or launch a kernel.
void HostCode::unreadable(llvm::ArrayRef<clang::SourceRange> Device, const std::set<Place> &KernelNames) {
  const clang::SourceManager &Sources = Unit.ast().getSourceManager();
  std::map<clang::FileID, std::vector<std::pair<unsigned, unsigned>>> Left;
  for (const clang::SourceRange &Range : Device) {
    const auto [Begin, From] = Sources.getDecomposedExpansionLoc(Range.getBegin());
    const auto [End, To] = Sources.getDecomposedExpansionLoc(Range.getEnd());
    if (Begin == End)
      Left[Begin].push_back({From, To});
  }
  for (const clang::FileID &File : usersFiles()) {
    std::vector<std::pair<unsigned, unsigned>> &Ranges = Left[File];
    const clang::FileEntry *Entry = Sources.getFileEntryForID(File);
    const std::vector<RawToken> Tokens = rawTokens(textOf(File));
    for (size_t I = 0; I < Tokens.size(); ++I) {
      const RawToken &Token = Tokens[I];
      if (!Token.IsIdentifier ||
          llvm::any_of(Ranges, [&](const auto &R) { return R.first <= Token.Offset && Token.Offset <= R.second; }))
        continue;
      ++Words[Token.Spelling];
      const llvm::StringRef Next = I + 1 < Tokens.size() ? llvm::StringRef(Tokens[I + 1].Spelling) : "";
      if (Next != "(" && !KernelNames.count({Entry, static_cast<unsigned>(Token.Offset)}))
        Unread.insert(Token.Spelling);
    }
  }
}

std::vector<std::optional<BlockShape>> HostCode::launchBlocks(const clang::FunctionDecl &Kernel) const {
  std::vector<std::optional<BlockShape>> Blocks;
  BlockReader Reader(Unit.ast(), *Text);
  const auto Found = Launches.find(Kernel.getCanonicalDecl());
  if (Found != Launches.end())
    for (const clang::CUDAKernelCallExpr *Launch : Found->second)
      Blocks.push_back(Reader(*Launch));
  if (HandedOn.count(Kernel.getCanonicalDecl()) ||
      (Kernel.getDeclName().isIdentifier() && (Text->mayLaunch(Kernel.getName()) || Unread.contains(Kernel.getName()))))
    Blocks.push_back(std::nullopt);
  return Blocks;
}

/// May the host's compilation name the variable where this one, for the device, does not see it: in a region that is
/// skipped here, in an argument or a definition of a macro that means less here, or under a name that is put together?
bool HostCode::mayBeNamedUnseen(const clang::VarDecl &Variable) const {
  const clang::SourceManager &Sources = Unit.ast().getSourceManager();
  std::map<const clang::FileEntry *, std::vector<std::pair<unsigned, unsigned>>> Skipped;
  for (const clang::SourceRange &Range : Unit.log().Skipped) {
    const auto [File, Begin] = Sources.getDecomposedExpansionLoc(Range.getBegin());
    Skipped[Sources.getFileEntryForID(File)].push_back({Begin, Sources.getFileOffset(Range.getEnd())});
  }
  llvm::StringSet<> Macros, Pasting;
  for (const MacroEvent &Event : Unit.log().Macros) {
    Macros.insert(Event.Name);
    if (Event.Info &&
        llvm::any_of(Event.Info->tokens(), [](const clang::Token &T) { return T.is(clang::tok::hashhash); }))
      Pasting.insert(Event.Name);
  }
  const auto Known = Places.find(Variable.getCanonicalDecl());
  for (const clang::FileID &File : usersFiles()) {
    const clang::FileEntry *Entry = Sources.getFileEntryForID(File);
    auto IsKnown = [&](const RawToken &T) { return Known != Places.end() && Known->second.count({Entry, T.Offset}); };
    auto IsVariable = [&](const RawToken &T) {
      return T.IsIdentifier && T.Spelling == Variable.getName() && !IsKnown(T);
    };
    auto IsSkipped = [&](const RawToken &T) {
      return llvm::any_of(Skipped[Entry], [&](const auto &Range) {
        const bool Again = Known != Places.end() && llvm::any_of(Known->second, [&](const auto &Place) {
                             return Place.first == Entry && Range.first <= Place.second && Place.second < Range.second;
                           });
        return !Again && Range.first < T.Offset && T.Offset < Range.second; // else the same header, once more
      });
    };
    const std::string Ended = textOf(File).str();
    RawLexer Lexer(Ended, 0);
    int Depth = 0; // in the arguments of a macro
    bool MayOpen = false;
    for (RawToken T = Lexer.next(); !T.IsEnd; T = Lexer.next()) {
      if (T.Spelling == "#" && T.StartsLine) {
        const std::vector<RawToken> Rest = Lexer.restOfLine();
        const bool Includes = Rest.size() > 1 && Rest[0].Spelling == "include" && Rest[1].Spelling.front() == '"';
        if (Includes ? IsSkipped(T) : llvm::any_of(Rest, IsVariable))
          return true;
        continue;
      }
      if (IsSkipped(T) ? IsVariable(T) || Pasting.contains(T.Spelling) : Depth > 0 && IsVariable(T))
        return true;
      if (T.Spelling == "(")
        Depth += Depth > 0 || MayOpen;
      else if (T.Spelling == ")" && Depth > 0)
        --Depth;
      MayOpen = T.IsIdentifier && Macros.contains(T.Spelling);
    }
  }
  return false;
}

bool HostCode::mustStayShared(const clang::VarDecl &Variable) const {
  if (Variable.hasAttr<clang::CUDASharedAttr>())
    return false;
  const clang::VarDecl *Definition = Variable.getDefinition();
  const bool IsConst = isTable(Variable);
  // What a library's header defines comes with its #include: a table that every object has.
  if (Unit.ast().getSourceManager().isInSystemHeader(Variable.getLocation()))
    return !Unit.inToolkit(Variable.getLocation()) && !IsConst && !Variable.isConstexpr() &&
           (!Definition || !Definition->hasInit() || Written.count(Variable.getCanonicalDecl()));
  // A constant of a class needs no definition.
  if (IsConst && Variable.getAnyInitializer())
    return false;
  // Clang takes what is const for constant memory.
  const auto *Constant = Variable.getAttr<clang::CUDAConstantAttr>();
  if (!Definition || !Definition->hasInit() || !Constant || Constant->isImplicit())
    return true;
  // Another object file may fill what is visible to it.
  if (Unit.request().Flags.Relocatable && Variable.hasExternalFormalLinkage())
    return true;
  // Its declarations name it, too.
  const long Own =
      llvm::count_if(Variable.redecls(), [](const clang::VarDecl *D) { return D->getLocation().isFileID(); });
  const auto Word = Words.find(Variable.getName());
  return Named.count(Variable.getCanonicalDecl()) || (Word != Words.end() && Word->second > Own) ||
         mayBeNamedUnseen(Variable);
}

} // namespace cufuse
