#include "cufuse/Facts/HostCode.h"

#include "cufuse/Facts/CollectFacts.h"
#include "cufuse/Frontend/RawTokens.h"
#include "cufuse/Launches/HostLaunches.h"
#include "cufuse/Reach/AllIn.h"

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
  bool VisitCUDAKernelCallExpr(const clang::CUDAKernelCallExpr *Launch) override {
    const clang::FunctionDecl *Callee = Launch->getDirectCallee();
    if (Callee && Launch->getConfig() && Launch->getConfig()->getNumArgs() >= 2)
      Launches[Callee->getCanonicalDecl()].push_back(Launch);
    return true;
  }
  bool TraverseUnaryExprOrTypeTraitExpr(MaybeConst<clang::UnaryExprOrTypeTraitExpr> *E) override {
    notWritten(E->isArgumentType() ? nullptr : E->getArgumentExpr());
    return clang::ConstDynamicRecursiveASTVisitor::TraverseUnaryExprOrTypeTraitExpr(E);
  }
  bool VisitDecltypeTypeLoc(clang::DecltypeTypeLoc Type) override {
    notWritten(Type.getUnderlyingExpr());
    return true;
  }
  bool VisitDeclRefExpr(const clang::DeclRefExpr *E) override {
    if (auto *Variable = llvm::dyn_cast<clang::VarDecl>(E->getDecl()); Variable && Variable->hasGlobalStorage()) {
      if (OnHost)
        Named.insert(Variable->getCanonicalDecl());
      if (!Loaded.count(E) && !IsPattern) // else its instances say it
        Written.insert(Variable->getCanonicalDecl());
    }
    return true;
  }
  bool VisitGCCAsmStmt(const clang::GCCAsmStmt *Assembly) override {
    forEachWord(Assembly->getAsmString(), [this](llvm::StringRef Word) { AssemblyWords.insert(Word); });
    return true;
  }

  std::map<const clang::FunctionDecl *, std::vector<const clang::CUDAKernelCallExpr *>> Launches;
  std::set<const clang::ValueDecl *> Named, Written;
  llvm::StringSet<> AssemblyWords;
  std::vector<clang::SourceRange> Device, Bodies; ///< Functions that only the device has; bodies of any.

private:
  void notWritten(const clang::Expr *Unevaluated) {
    if (Unevaluated)
      for (const clang::DeclRefExpr *E : allIn<clang::DeclRefExpr>(*Unevaluated))
        Loaded.insert(E);
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
  std::set<const clang::Expr *> Loaded; ///< What only a value is taken of.
  bool OnHost = true, IsPattern = false;
};

} // namespace

HostCode::~HostCode() = default;

HostCode::HostCode(const ParsedUnit &Unit) : Unit(Unit) {
  Walk Found(Unit);
  Launches = std::move(Found.Launches);
  Named = std::move(Found.Named);
  Written = std::move(Found.Written);
  AssemblyWords = std::move(Found.AssemblyWords);
  OfDevice = offsetsOf(Found.Device, Unit.ast().getSourceManager());
  std::vector<HostText::File> Files;
  for (const clang::FileID &File : usersFiles())
    Files.push_back({File, textOf(File)});
  Text = std::make_unique<HostText>(Unit, Files, Found.Bodies);
  if (!Unit.errors().empty())
    unreadable();
}

std::set<clang::FileID> HostCode::usersFiles() const {
  const clang::SourceManager &Sources = Unit.ast().getSourceManager();
  std::set<clang::FileID> Files = {Sources.getMainFileID()};
  for (const clang::FileID &File : Unit.included())
    if (!Unit.inLibrary(Sources.getLocForStartOfFile(File)))
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
void HostCode::unreadable() {
  for (const clang::FileID &File : usersFiles())
    for (const RawToken &Token : rawTokens(textOf(File)))
      if (Token.IsIdentifier && !isOfDevice(File, Token.Offset))
        ++Words[Token.Spelling];
}

bool HostCode::isOfDevice(clang::FileID File, unsigned At) const {
  const auto Known = OfDevice.find(File);
  return Known != OfDevice.end() &&
         llvm::any_of(Known->second, [At](const auto &R) { return R.first <= At && At <= R.second; });
}

std::vector<LaunchFacts> HostCode::launches(const clang::FunctionDecl &Kernel) const {
  std::vector<LaunchFacts> Known;
  if (const auto Found = Launches.find(Kernel.getCanonicalDecl()); Found != Launches.end())
    for (const clang::CUDAKernelCallExpr *Launch : Found->second)
      Known.push_back({blockOf(*Launch, Unit.ast()), Unit.place(Launch->getBeginLoc())});
  return Known;
}

/// Does code that nvcc's other compilation has, that for the host, name the variable? This one leaves out what a
/// condition or a macro has for the host alone, be it of a header of anybody's.
bool HostCode::isNamedForHost(const clang::VarDecl &Variable, bool InDeviceCode) const {
  if (!UnitForHost) {
    auto Read = Unit.forHost();
    if (!Read) {
      llvm::consumeError(Read.takeError());
      return true; // for all we know
    }
    UnitForHost = std::move(*Read);
    ForHost = std::make_unique<HostCode>(*UnitForHost);
  }
  const std::string Name = Variable.getQualifiedNameAsString();
  auto IsAmong = [&](const std::set<const clang::ValueDecl *> &Variables) {
    return llvm::any_of(Variables, [&](const auto *V) { return V->getQualifiedNameAsString() == Name; });
  };
  return IsAmong(ForHost->Named) || ForHost->mayBeDropped(Variable) ||
         (InDeviceCode && (IsAmong(ForHost->Written) || ForHost->assemblyNames(Variable)));
}

bool HostCode::assemblyNames(const clang::VarDecl &Variable) const {
  return llvm::any_of(AssemblyWords.keys(),
                      [&](llvm::StringRef Word) { return mayBeSymbolOf(Word, Variable.getName()); });
}

bool HostCode::mayBeDropped(const clang::VarDecl &Variable) const {
  // Its declarations name it, too.
  const long Own =
      llvm::count_if(Variable.redecls(), [](const clang::VarDecl *D) { return D->getLocation().isFileID(); });
  const auto Word = Words.find(Variable.getName());
  return Word != Words.end() && Word->second > Own;
}

/// Somebody wrote what it begins with: an object that is only declared has a constructor's call, too.
static bool isInitialised(const clang::VarDecl *Definition) {
  if (!Definition || !Definition->hasInit())
    return false;
  const auto *Made = llvm::dyn_cast<clang::CXXConstructExpr>(Definition->getInit()->IgnoreImplicit());
  return !Made || Made->isListInitialization() || Made->getParenOrBraceRange().isValid() ||
         (Made->getNumArgs() > 0 && !llvm::isa<clang::CXXDefaultArgExpr>(Made->getArg(0)));
}

/// Does a file of its folder include it? So are the samples of CUDA: `#include "scan_kernel.cu"`.
bool HostCode::isIncludedBeside() const {
  if (Beside)
    return *Beside;
  const llvm::StringRef File = Unit.request().File, Name = llvm::sys::path::filename(File);
  llvm::vfs::FileSystem &Files = Unit.ast().getSourceManager().getFileManager().getVirtualFileSystem();
  const std::string Folder = llvm::sys::path::has_parent_path(File) ? llvm::sys::path::parent_path(File).str() : ".";
  Beside = false;
  constexpr std::uint64_t LargestSource = 4 << 20; // bytes
  std::error_code Failed;
  for (llvm::vfs::directory_iterator Each = Files.dir_begin(Folder, Failed), End; Each != End && !Failed && !*Beside;
       Each.increment(Failed)) {
    // A source of any name: no data.
    const auto Status = Files.status(Each->path());
    if (!Status || !Status->isRegularFile() || Status->getSize() > LargestSource ||
        llvm::sys::path::filename(Each->path()) == Name)
      continue;
    const auto Text = Files.getBufferForFile(Each->path());
    llvm::StringRef Rest = Text ? (*Text)->getBuffer() : "";
    if (Rest.take_front(512).contains('\0'))
      continue;
    while (!Rest.empty() && !*Beside) {
      llvm::StringRef Line;
      std::tie(Line, Rest) = Rest.split('\n');
      if (!Line.contains(Name) || !(Line = Line.ltrim()).consume_front("#"))
        continue;
      // `"…"`, `<…>`, or a macro that is one.
      Line = Line.ltrim();
      llvm::SmallVector<llvm::StringRef> Parts;
      if (Line.starts_with("include") || Line.starts_with("define")) {
        llvm::SplitString(Line, Parts, "\"<>");
        Beside = llvm::any_of(Parts, [&](llvm::StringRef Part) { return llvm::sys::path::filename(Part) == Name; });
      }
    }
  }
  return *Beside;
}

/// May another file have the text, too? What is named like a source is compiled as it is, unless it is included, too.
bool HostCode::isInHeader(clang::SourceLocation Where) const {
  const clang::SourceManager &Sources = Unit.ast().getSourceManager();
  return Sources.getFileID(Sources.getExpansionLoc(Where)) != Sources.getMainFileID() ||
         !llvm::is_contained({".cu", ".c", ".cc", ".cpp", ".cxx"}, llvm::sys::path::extension(Unit.request().File)) ||
         isIncludedBeside();
}

bool HostCode::mustStayShared(const clang::VarDecl &Variable, const clang::FunctionDecl &Kernel) const {
  if (Variable.hasAttr<clang::CUDASharedAttr>())
    return false;
  const clang::VarDecl *Definition = Variable.getDefinition();
  const bool IsConst = isTable(Variable);
  // What a library's header defines comes with its #include: a table that every object has.
  if (Unit.ast().getSourceManager().isInSystemHeader(Variable.getLocation()))
    return !Unit.inToolkit(Variable.getLocation()) && !IsConst && !Variable.isConstexpr() &&
           (!isInitialised(Definition) || Written.count(Variable.getCanonicalDecl()) || isNamedForHost(Variable, true));
  // A constant of a class needs no definition.
  if (IsConst && Variable.getAnyInitializer())
    return false;
  // Clang takes what is const for constant memory.
  const auto *Constant = Variable.getAttr<clang::CUDAConstantAttr>();
  const bool OfDevice = !Constant || Constant->isImplicit();
  if (!isInitialised(Definition))
    return true;
  // Another object file may fill or change what is visible to it: without -rdc, nvcc gives what a file defines no name
  // for others.
  if (Variable.hasExternalFormalLinkage() && (Unit.request().Flags.Relocatable || isInHeader(Variable.getLocation())))
    return true;
  // Device code may change it, but for one that is seen here wherever it is named.
  if (OfDevice && (spaceOf(Variable) == "__managed__" || !Unit.errors().empty() ||
                   Written.count(Variable.getCanonicalDecl()) || assemblyNames(Variable)))
    return true;
  // Another file that has the header may fill a variable of its own, and launch the kernel that reads this one.
  if (!Variable.isStaticLocal() && isInHeader(Variable.getLocation()) && isInHeader(Kernel.getLocation()))
    return true;
  return Named.count(Variable.getCanonicalDecl()) || mayBeDropped(Variable) || isNamedForHost(Variable, OfDevice);
}

} // namespace cufuse
