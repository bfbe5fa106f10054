#include "cufuse/Analysis/HostCode.h"

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

/// Variables that something may change after their initialiser.
std::set<const clang::ValueDecl *> changedIn(const clang::Stmt &Body) {
  std::set<const clang::ValueDecl *> Changed;
  auto Note = [&](const clang::Expr *E) {
    E = E->IgnoreParenImpCasts();
    while (auto *Member = llvm::dyn_cast<clang::MemberExpr>(E))
      E = Member->getBase()->IgnoreParenImpCasts();
    if (auto *Reference = llvm::dyn_cast<clang::DeclRefExpr>(E))
      Changed.insert(Reference->getDecl());
  };
  for (const clang::Expr *E : allIn<clang::Expr>(Body)) {
    if (auto *Binary = llvm::dyn_cast<clang::BinaryOperator>(E); Binary && Binary->isAssignmentOp())
      Note(Binary->getLHS());
    if (auto *Unary = llvm::dyn_cast<clang::UnaryOperator>(E);
        Unary && (Unary->isIncrementDecrementOp() || Unary->getOpcode() == clang::UO_AddrOf))
      Note(Unary->getSubExpr());
    if (auto *Call = llvm::dyn_cast<clang::CXXOperatorCallExpr>(E);
        Call && Call->isAssignmentOp() && Call->getNumArgs() > 0)
      Note(Call->getArg(0));
    auto *Call = llvm::dyn_cast<clang::CallExpr>(E);
    const clang::FunctionDecl *Callee = Call ? Call->getDirectCallee() : nullptr;
    if (Callee && !llvm::isa<clang::CXXMethodDecl>(Callee))
      for (unsigned I = 0; I < std::min(Call->getNumArgs(), Callee->getNumParams()); ++I)
        if (const clang::QualType Type = Callee->getParamDecl(I)->getType();
            Type->isReferenceType() && !Type.getNonReferenceType().isConstQualified())
          Note(Call->getArg(I));
  }
  return Changed;
}

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
    if (Callee && Launch->getConfig() && Launch->getConfig()->getNumArgs() >= 2)
      Launches[Callee->getCanonicalDecl()].push_back(Launch);
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
    return true;
  }
  bool VisitVarDecl(const clang::VarDecl *V) override {
    if (V->hasGlobalStorage())
      place(*V, V->getLocation());
    return true;
  }

  std::map<const clang::FunctionDecl *, std::vector<const clang::CUDAKernelCallExpr *>> Launches;
  std::set<const clang::ValueDecl *> Named, Written;
  std::map<const clang::ValueDecl *, std::set<std::pair<const clang::FileEntry *, unsigned>>> Places;
  std::vector<clang::SourceRange> Device; ///< Functions that only the device has.

private:
  void place(const clang::VarDecl &Variable, clang::SourceLocation Where) {
    const auto [File, Offset] = Sources.getDecomposedSpellingLoc(Where);
    Places[Variable.getCanonicalDecl()].insert({Sources.getFileEntryForID(File), Offset});
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
  std::set<const clang::Expr *> Loaded; ///< What only a value is taken of.
  bool OnHost = true;
};

class BlockReader {
public:
  explicit BlockReader(clang::ASTContext &Context) : Context(Context) {}

  std::optional<BlockShape> operator()(const clang::CUDAKernelCallExpr &Launch) {
    // In device code the configuration is another call.
    const clang::FunctionDecl *Configure = Launch.getConfig()->getDirectCallee();
    const bool FromHost = Configure && (Configure->getName() == "__cudaPushCallConfiguration" ||
                                        Configure->getName() == "cudaConfigureCall");
    return FromHost ? shape(Launch.getConfig()->getArg(1)) : std::nullopt;
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
    auto *Function = llvm::dyn_cast_or_null<clang::FunctionDecl>(Variable->getParentFunctionOrMethod());
    if (!Function || !Function->getBody())
      return Variable->getType().isConstQualified() ? Variable->getInit() : nullptr;
    return changedIn(*Function->getBody()).count(Variable) ? nullptr : Variable->getInit();
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
  unsigned Followed = 0;
};

} // namespace

HostCode::HostCode(const ParsedUnit &Unit) : Unit(Unit) {
  Walk Found(Unit);
  Launches = std::move(Found.Launches);
  Named = std::move(Found.Named);
  Written = std::move(Found.Written);
  Places = std::move(Found.Places);
  if (!Unit.errors().empty())
    unreadable(Found.Device);
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
/// device's functions is where the host may name a variable.
void HostCode::unreadable(llvm::ArrayRef<clang::SourceRange> Device) {
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
    for (const RawToken &Token : rawTokens(textOf(File)))
      if (Token.IsIdentifier &&
          llvm::none_of(Ranges, [&](const auto &R) { return R.first <= Token.Offset && Token.Offset <= R.second; }))
        ++Words[Token.Spelling];
  }
}

std::vector<std::optional<BlockShape>> HostCode::launchBlocks(const clang::FunctionDecl &Kernel) const {
  std::vector<std::optional<BlockShape>> Blocks;
  const auto Found = Launches.find(Kernel.getCanonicalDecl());
  if (Found != Launches.end())
    for (const clang::CUDAKernelCallExpr *Launch : Found->second)
      Blocks.push_back(BlockReader(Unit.ast())(*Launch));
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
