#include "cufuse/Analysis/HostCode.h"

#include "LaunchBlock.h"
#include "cufuse/Analysis/AllIn.h"
#include "cufuse/Analysis/CollectFacts.h"
#include "cufuse/Analysis/HostText.h"
#include "cufuse/Analysis/Reach.h"
#include "cufuse/Frontend/RawTokens.h"

#include <clang/AST/Attr.h>
#include <clang/AST/DynamicRecursiveASTVisitor.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Lex/MacroInfo.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/Path.h>
#include <llvm/Support/SaveAndRestore.h>

namespace cufuse {

namespace {

/// What may be a symbol.
void forEachWord(llvm::StringRef Text, llvm::function_ref<void(llvm::StringRef)> Found) {
  auto IsPart = [](char C) { return llvm::isAlnum(C) || C == '_' || C == '$'; };
  for (Text = Text.drop_until(IsPart); !Text.empty(); Text = Text.drop_while(IsPart).drop_until(IsPart))
    Found(Text.take_while(IsPart));
}

/// As it is, or mangled.
bool mayBeSymbolOf(llvm::StringRef Word, llvm::StringRef Name) {
  return Word == Name || (Word.starts_with("_Z") && Word.contains(Name));
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
    const llvm::SaveAndRestore Around(OnHost), Inside(IsPattern, IsPattern || (F && F->isDependentContext()));
    if (F && (F->hasAttr<clang::CUDAGlobalAttr>() ||
              (F->hasAttr<clang::CUDADeviceAttr>() && !F->hasAttr<clang::CUDAHostAttr>()))) {
      if (std::exchange(OnHost, false))
        Device.push_back(F->getSourceRange());
    }
    if (F && F->doesThisDeclarationHaveABody())
      Bodies.push_back(F->getBody()->getSourceRange());
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
  bool VisitExplicitCastExpr(const clang::ExplicitCastExpr *Cast) override {
    if (OnHost)
      Casts.note(*Cast, Unit.ast());
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
      if (!Loaded.count(E) && !IsPattern) // else its instances say it
        Written.insert(Variable->getCanonicalDecl());
      place(*Variable, E->getLocation());
    }
    if (auto *Kernel = llvm::dyn_cast<clang::FunctionDecl>(E->getDecl());
        Kernel && Kernel->hasAttr<clang::CUDAGlobalAttr>()) {
      KernelNames.insert(spelled(E->getLocation()));
      if (!Understood.count(E) && !Unit.inProbe(E->getLocation()))
        HandedOn.try_emplace(Kernel->getCanonicalDecl(), E->getLocation());
    }
    return true;
  }
  bool VisitOverloadExpr(const clang::OverloadExpr *E) override {
    for (const clang::NamedDecl *D : E->decls())
      if (auto *Template = llvm::dyn_cast<clang::FunctionTemplateDecl>(D->getUnderlyingDecl()))
        InTemplates.try_emplace(Template->getTemplatedDecl()->getCanonicalDecl(), E->getNameLoc());
    KernelNames.insert(spelled(E->getNameLoc()));
    return true;
  }
  bool VisitVarDecl(const clang::VarDecl *V) override {
    if (V->hasGlobalStorage())
      place(*V, V->getLocation());
    return true;
  }
  bool VisitGCCAsmStmt(const clang::GCCAsmStmt *Assembly) override {
    forEachWord(Assembly->getAsmString(), [this](llvm::StringRef Word) { AssemblyWords.insert(Word); });
    return true;
  }

  std::map<const clang::FunctionDecl *, std::vector<const clang::CUDAKernelCallExpr *>> Launches;
  std::map<const clang::FunctionDecl *, clang::SourceLocation> HandedOn; ///< Named by something else than a launch.
  std::map<const clang::FunctionDecl *, clang::SourceLocation> InTemplates;
  std::set<const clang::ValueDecl *> Named, Written;
  std::map<const clang::ValueDecl *, std::set<HostCode::Place>> Places;
  llvm::StringSet<> AssemblyWords;
  std::set<HostCode::Place> KernelNames;          ///< Where functions are named that may be kernels.
  std::vector<clang::SourceRange> Device, Bodies; ///< Functions that only the device has; bodies of any.
  ConstCasts Casts;

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
  void understandAll(const clang::Expr *Unevaluated) {
    if (Unevaluated)
      for (const clang::DeclRefExpr *E : allIn<clang::DeclRefExpr>(*Unevaluated)) {
        Understood.insert(E);
        Loaded.insert(E);
      }
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
      const clang::FileEntry *Entry = Sources.getFileEntryForID(File);
      const llvm::StringRef Name = Entry ? Entry->tryGetRealPathName() : "";
      Known->second = Name.starts_with("/usr/include/") || Name.starts_with("/usr/lib/");
    }
    return Known->second;
  }

  const ParsedUnit &Unit;
  const clang::SourceManager &Sources;
  std::map<clang::FileID, bool> Libraries;
  std::set<const clang::Expr *> Loaded;     ///< What only a value is taken of.
  std::set<const clang::Expr *> Understood; ///< Names of kernels that are launched, or asked about, there.
  bool OnHost = true, IsPattern = false;
};

} // namespace

HostCode::~HostCode() = default;

HostCode::HostCode(const ParsedUnit &Unit) : Unit(Unit) {
  Walk Found(Unit);
  Launches = std::move(Found.Launches);
  Named = std::move(Found.Named);
  Written = std::move(Found.Written);
  Places = std::move(Found.Places);
  AssemblyWords = std::move(Found.AssemblyWords);
  HandedOn = std::move(Found.HandedOn);
  InTemplates = std::move(Found.InTemplates);
  Casts = std::make_unique<ConstCasts>(std::move(Found.Casts));
  OfDevice = offsets(Found.Device);
  std::vector<HostText::File> Files;
  for (const clang::FileID &File : usersFiles())
    Files.push_back({File, textOf(File)});
  Text = std::make_unique<HostText>(Unit, Files, Found.Device, Found.Bodies);
  if (!Unit.errors().empty())
    unreadable(Found.KernelNames);
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
void HostCode::unreadable(const std::set<Place> &KernelNames) {
  const clang::SourceManager &Sources = Unit.ast().getSourceManager();
  for (const clang::FileID &File : usersFiles()) {
    const clang::FileEntry *Entry = Sources.getFileEntryForID(File);
    const std::vector<RawToken> Tokens = rawTokens(textOf(File));
    bool Defines = false; // What uses the macro may be unread, whoever else does.
    for (size_t I = 0; I < Tokens.size(); ++I) {
      const RawToken &Token = Tokens[I];
      const llvm::StringRef Next = I + 1 < Tokens.size() ? llvm::StringRef(Tokens[I + 1].Spelling) : "";
      if (Token.StartsLine)
        Defines = Token.Spelling == "#" && Next == "define";
      if (!Token.IsIdentifier || isOfDevice(File, Token.Offset))
        continue;
      ++Words[Token.Spelling];
      if (Next != "(" && (Defines || !KernelNames.count({Entry, static_cast<unsigned>(Token.Offset)})))
        Unread.insert(Token.Spelling);
    }
  }
}

std::map<clang::FileID, HostCode::Offsets> HostCode::offsets(llvm::ArrayRef<clang::SourceRange> Ranges) const {
  const clang::SourceManager &Sources = Unit.ast().getSourceManager();
  std::map<clang::FileID, Offsets> Found;
  for (const clang::SourceRange &Range : Ranges) {
    const auto [Begin, From] = Sources.getDecomposedExpansionLoc(Range.getBegin());
    const auto [End, To] = Sources.getDecomposedExpansionLoc(Range.getEnd());
    if (Begin == End)
      Found[Begin].push_back({From, To});
  }
  return Found;
}

bool HostCode::isOfDevice(clang::FileID File, unsigned At) const {
  const auto Known = OfDevice.find(File);
  return Known != OfDevice.end() &&
         llvm::any_of(Known->second, [At](const auto &R) { return R.first <= At && At <= R.second; });
}

std::vector<std::optional<BlockShape>> HostCode::launchBlocks(const clang::FunctionDecl &Kernel) const {
  std::vector<std::optional<BlockShape>> Blocks;
  if (const auto Found = Launches.find(Kernel.getCanonicalDecl()); Found != Launches.end())
    Blocks = blocksOf(Found->second, Unit.ast(), *Text, *Casts);
  if (HandedOn.count(Kernel.getCanonicalDecl()) || mayBeLaunchedUnread(Kernel))
    Blocks.push_back(std::nullopt);
  return Blocks;
}

bool HostCode::mayBeLaunchedUnread(const clang::FunctionDecl &Kernel) const {
  return Kernel.getDeclName().isIdentifier() &&
         (Text->mayLaunch(Kernel.getName()) || Unread.contains(Kernel.getName()));
}

std::vector<std::pair<std::string, clang::SourceLocation>>
HostCode::openLaunches(const clang::FunctionDecl &Kernel) const {
  std::vector<std::pair<std::string, clang::SourceLocation>> Open;
  if (const auto Found = Launches.find(Kernel.getCanonicalDecl()); Found != Launches.end()) {
    const auto Blocks = blocksOf(Found->second, Unit.ast(), *Text, *Casts);
    for (size_t I = 0; I < Blocks.size(); ++I)
      if (!Blocks[I])
        Open.push_back({"its block is not constant, at", Found->second[I]->getBeginLoc()});
  }
  if (const auto Found = HandedOn.find(Kernel.getCanonicalDecl()); Found != HandedOn.end())
    Open.push_back({"what it is handed on to may launch it, at", Found->second});
  if (mayBeLaunchedUnread(Kernel))
    Open.push_back({"host code that names it is not read", {}});
  const clang::FunctionDecl *Pattern = Kernel.getTemplateInstantiationPattern();
  if (const auto Found = InTemplates.find((Pattern ? Pattern : &Kernel)->getCanonicalDecl());
      Found != InTemplates.end() && Open.empty() && !Launches.count(Kernel.getCanonicalDecl()))
    Open.push_back({"nothing instantiates the template that launches it, at", Found->second});
  return Open;
}

/// May the variable be named where this compilation, for the device and one architecture, does not see it: in a region
/// that is skipped here, in an argument or a definition of a macro that means less here, or under a name that is put
/// together?
bool HostCode::mayBeNamedUnseen(const clang::VarDecl &Variable, bool InDeviceCode) const {
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
    bool Assembly = false; // its strings name variables, too
    auto IsVariable = [&](const RawToken &T) {
      bool Named = T.IsIdentifier && T.Spelling == Variable.getName() && !IsKnown(T);
      if (T.IsIdentifier && llvm::StringRef(T.Spelling).trim('_') == "asm")
        Assembly = true;
      else if (T.Spelling == ";")
        Assembly = false;
      else if (Assembly && llvm::StringRef(T.Spelling).ends_with("\""))
        forEachWord(T.Spelling, [&](llvm::StringRef Word) { Named |= mayBeSymbolOf(Word, Variable.getName()); });
      return Named;
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
      if (!InDeviceCode && isOfDevice(File, T.Offset))
        continue;
      const bool Named = IsVariable(T);
      if (IsSkipped(T) ? Named || Pasting.contains(T.Spelling) : Depth > 0 && Named)
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

/// Somebody wrote what it begins with: an object that is only declared has a constructor's call, too.
static bool isInitialised(const clang::VarDecl *Definition) {
  if (!Definition || !Definition->hasInit())
    return false;
  const auto *Made = llvm::dyn_cast<clang::CXXConstructExpr>(Definition->getInit()->IgnoreImplicit());
  return !Made || Made->isListInitialization() || Made->getParenOrBraceRange().isValid() ||
         (Made->getNumArgs() > 0 && !llvm::isa<clang::CXXDefaultArgExpr>(Made->getArg(0)));
}

/// May another file have the text, too?
bool HostCode::isInHeader(clang::SourceLocation Where) const {
  const clang::SourceManager &Sources = Unit.ast().getSourceManager();
  return Sources.getFileID(Sources.getExpansionLoc(Where)) != Sources.getMainFileID() ||
         !llvm::is_contained({".cu", ".c", ".cc", ".cpp", ".cxx"}, llvm::sys::path::extension(Unit.request().File));
}

bool HostCode::mustStayShared(const clang::VarDecl &Variable, const clang::FunctionDecl &Kernel) const {
  if (Variable.hasAttr<clang::CUDASharedAttr>())
    return false;
  const clang::VarDecl *Definition = Variable.getDefinition();
  const bool IsConst = isTable(Variable);
  // What a library's header defines comes with its #include: a table that every object has.
  if (Unit.ast().getSourceManager().isInSystemHeader(Variable.getLocation()))
    return !Unit.inToolkit(Variable.getLocation()) && !IsConst && !Variable.isConstexpr() &&
           (!isInitialised(Definition) || Written.count(Variable.getCanonicalDecl()));
  // A constant of a class needs no definition.
  if (IsConst && Variable.getAnyInitializer())
    return false;
  // Clang takes what is const for constant memory.
  const auto *Constant = Variable.getAttr<clang::CUDAConstantAttr>();
  const bool OfDevice = !Constant || Constant->isImplicit();
  if (!isInitialised(Definition))
    return true;
  // Device code may change it, but for one that is seen here wherever it is named.
  if (OfDevice && (Variable.hasExternalFormalLinkage() || spaceOf(Variable) == "__managed__" ||
                   !Unit.errors().empty() || Written.count(Variable.getCanonicalDecl()) ||
                   llvm::any_of(AssemblyWords.keys(),
                                [&](llvm::StringRef Word) { return mayBeSymbolOf(Word, Variable.getName()); })))
    return true;
  // Another file that has the header may fill a variable of its own, and launch the kernel that reads this one.
  if (!Variable.isStaticLocal() && isInHeader(Variable.getLocation()) &&
      (Variable.hasExternalFormalLinkage() || isInHeader(Kernel.getLocation())))
    return true;
  // Another object file may fill what is visible to it.
  if (Unit.request().Flags.Relocatable && Variable.hasExternalFormalLinkage())
    return true;
  // Its declarations name it, too.
  const long Own =
      llvm::count_if(Variable.redecls(), [](const clang::VarDecl *D) { return D->getLocation().isFileID(); });
  const auto Word = Words.find(Variable.getName());
  return Named.count(Variable.getCanonicalDecl()) || (Word != Words.end() && Word->second > Own) ||
         mayBeNamedUnseen(Variable, OfDevice);
}

} // namespace cufuse
