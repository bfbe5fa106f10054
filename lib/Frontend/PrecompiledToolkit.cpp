#include "PrecompiledToolkit.h"

#include "cufuse/Frontend/RawTokens.h"
#include "cufuse/Frontend/UsersText.h"
#include "cufuse/Ptx/PtxExpectation.h"
#include "cufuse/Support/ArtifactCache.h"

#include <clang/AST/DeclCXX.h>
#include <clang/Basic/Version.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/FrontendActions.h>
#include <clang/Frontend/MultiplexConsumer.h>
#include <clang/Lex/PPCallbacks.h>
#include <clang/Lex/Preprocessor.h>
#include <clang/Lex/PreprocessorOptions.h>
#include <clang/Sema/Sema.h>
#include <clang/Sema/SemaConsumer.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/Path.h>

#include <optional>

namespace cufuse {

namespace {

/// The wrapper, and nvcc_compat.h.
constexpr size_t HeadersBeforeAll = 2;

/// nvcc accepts `__shared__ cuda::barrier<…> b;`, whose destructor nothing ever calls. Clang allows shared memory only
/// with a destructor that does nothing, and would drop the variable and every expression that names it.
class LibraryBarriers : public clang::ASTConsumer {
public:
  void HandleInlineFunctionDefinition(clang::FunctionDecl *F) override {
    auto *Destructor = llvm::dyn_cast<clang::CXXDestructorDecl>(F);
    if (!Destructor || !Destructor->getParent()->getIdentifier() || Destructor->getParent()->getName() != "barrier")
      return;
    const clang::DeclContext *Scope = Destructor->getParent()->getDeclContext();
    while (Scope->isInlineNamespace())
      Scope = Scope->getParent();
    if (auto *Space = llvm::dyn_cast<clang::NamespaceDecl>(Scope);
        Space && Space->getName() == "cuda" && Space->getParent()->isTranslationUnit())
      Destructor->setTrivial(true);
  }
};

/// What Clang would ask of the headers at the end of every file that reads them: is each of their functions used, and
/// does one with errors that are put off run on the device? Reading all of them for that took a third of a small
/// fusion, and they have no such errors.
class LeaveSettled : public clang::SemaConsumer {
public:
  void InitializeSema(clang::Sema &S) override { Own = &S; }
  void HandleTranslationUnit(clang::ASTContext &) override {
    Own->DeclsToCheckForDeferredDiags.clear();
    Own->UnusedFileScopedDecls = {};
  }

private:
  clang::Sema *Own = nullptr;
};

/// The names that headers are included by, each of which a folder before the header's own may have, too, and which
/// headers include which.
struct Included : clang::PPCallbacks {
  Included(std::set<std::string> &Names, std::set<std::string> &Includes, const clang::SourceManager &Sources)
      : Names(Names), Includes(Includes), Sources(Sources) {}
  void InclusionDirective(clang::SourceLocation Hash, const clang::Token &, llvm::StringRef Name, bool,
                          clang::CharSourceRange, clang::OptionalFileEntryRef File, llvm::StringRef, llvm::StringRef,
                          const clang::Module *, bool, clang::SrcMgr::CharacteristicKind) override {
    Names.insert(Name.str());
    if (const auto Includer = Sources.getFileEntryRefForID(Sources.getFileID(Hash)); Includer && File)
      Includes.insert((Includer->getName() + "\t" + File->getName()).str());
  }
  void HasInclude(clang::SourceLocation, llvm::StringRef Name, bool, clang::OptionalFileEntryRef,
                  clang::SrcMgr::CharacteristicKind) override {
    Names.insert(Name.str());
  }
  std::set<std::string> &Names, &Includes;
  const clang::SourceManager &Sources;
};

struct Precompile : clang::GeneratePCHAction {
  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance &Compiler,
                                                        llvm::StringRef File) override {
    std::vector<std::unique_ptr<clang::ASTConsumer>> All;
    All.push_back(knowLibraryBarriers());
    All.push_back(std::make_unique<LeaveSettled>());
    All.push_back(GeneratePCHAction::CreateASTConsumer(Compiler, File));
    return std::make_unique<clang::MultiplexConsumer>(std::move(All));
  }
  bool BeginSourceFileAction(clang::CompilerInstance &Compiler) override {
    Compiler.getPreprocessor().addPPCallbacks(std::make_unique<Included>(Names, Includes, Compiler.getSourceManager()));
    return GeneratePCHAction::BeginSourceFileAction(Compiler);
  }
  void EndSourceFileAction() override {
    const clang::SourceManager &Sources = getCompilerInstance().getSourceManager();
    for (auto File = Sources.fileinfo_begin(); File != Sources.fileinfo_end(); ++File)
      if (llvm::sys::fs::exists(File->first.getName()))
        Read.insert(File->first.getName().str());
    GeneratePCHAction::EndSourceFileAction();
  }
  std::set<std::string> Names, Includes, Read;
};

/// Or one that comes behind the toolkit's. What was read is compared by content.
bool isLibrarys(const clang::HeaderSearchOptions::Entry &Folder, LibraryFiles &Libraries) {
  const std::string Path = realPath(Folder.Path);
  return Path == "/usr/local/include" || Libraries.contains(within(Path, "any.h"));
}

/// What reads the headers alone.
std::shared_ptr<clang::CompilerInvocation> headersOnly(const clang::CompilerInvocation &Invocation,
                                                       LibraryFiles &Libraries) {
  auto Only = std::make_shared<clang::CompilerInvocation>(Invocation);
  clang::FrontendOptions &Frontend = Only->getFrontendOpts();
  Frontend.Inputs = {clang::FrontendInputFile("/dev/null", Frontend.Inputs[0].getKind())};
  Frontend.ProgramAction = clang::frontend::GeneratePCH;
  // By content, as the cache does: a header may have another time and be the same.
  Only->getHeaderSearchOpts().ValidateASTInputFilesContent = true;
  Only->getLangOpts().PCHInstantiateTemplates = true;
  // What differs from file to file, and concerns only generated code.
  Only->getLangOpts().CUID.clear();
  Only->getCodeGenOpts().MainFileName.clear();
  Only->getCodeGenOpts().DebugCompilationDir.clear();
  llvm::erase_if(Only->getHeaderSearchOpts().UserEntries,
                 [&](const auto &Folder) { return !isLibrarys(Folder, Libraries); });
  return Only;
}

/// Headers that are precompiled, as the cache has them.
struct PrecompiledHeaders {
  std::string Pch;
  std::vector<std::string> Names;
  std::set<std::string> Read, Includes;
};

std::vector<std::string> linesOf(const std::string &Path) {
  std::vector<std::string> Lines;
  if (auto Text = llvm::MemoryBuffer::getFile(Path))
    for (llvm::StringRef Line : llvm::split((*Text)->getBuffer(), '\n'))
      Lines.push_back(Line.str());
  return Lines;
}

using FileSystem = llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem>;

/// Nothing where the cache cannot be written, the headers have errors, or a folder of the user's has one of that name.
std::optional<PrecompiledHeaders> precompiled(std::shared_ptr<clang::CompilerInvocation> Only,
                                              std::vector<std::string> Key, const clang::CompilerInvocation &Invocation,
                                              const Toolchain &Tools, const FileSystem &Files,
                                              llvm::ArrayRef<unsigned> Accepted, LibraryFiles &Libraries) {
  const std::vector<std::string> Flags = Only->getCC1CommandLine();
  Key.push_back(clang::getClangFullVersion());
  Key.insert(Key.end(), Flags.begin(), Flags.end());
  // A header that is new in a folder may come before the one that was read.
  for (const auto &Folder : Only->getHeaderSearchOpts().UserEntries)
    if (llvm::sys::fs::file_status Status; !llvm::sys::fs::status(Folder.Path, Status))
      Key.push_back(std::to_string(Status.getLastModificationTime().time_since_epoch().count()));
  bool IsNew = false;
  const auto Entry = llvm::expectedToOptional(Tools.Cache->get(Key, [&](const std::string &Folder) -> llvm::Error {
    IsNew = true;
    const std::string Pch = Only->getFrontendOpts().OutputFile = within(Folder, "headers.pch");
    clang::CompilerInstance Compiler(Only);
    Compiler.setVirtualFileSystem(Files);
    Compiler.createDiagnostics(new clang::IgnoringDiagConsumer);
    for (const unsigned Id : Accepted)
      Compiler.getDiagnostics().setSeverity(Id, clang::diag::Severity::Ignored, {});
    Precompile Action;
    // Without the header where it has errors, which it will have the next time, too.
    if (!Compiler.ExecuteAction(Action) || Compiler.getDiagnostics().hasErrorOccurred())
      llvm::sys::fs::remove(Pch);
    return writeFiles({{within(Folder, "names"), llvm::join(Action.Names, "\n")},
                       {within(Folder, "includes"), llvm::join(Action.Includes, "\n")},
                       {within(Folder, "depends"), llvm::join(Action.Read, "\n")}});
  }));
  if (!Entry)
    return std::nullopt;
  if (IsNew)
    Tools.Cache->prune();
  PrecompiledHeaders Made;
  Made.Pch = within(*Entry, "headers.pch");
  Made.Names = linesOf(within(*Entry, "names"));
  if (!llvm::sys::fs::exists(Made.Pch) || Made.Names.empty())
    return std::nullopt;
  for (const auto &Folder : Invocation.getHeaderSearchOpts().UserEntries)
    if (!isLibrarys(Folder, Libraries))
      for (llvm::StringRef Name : Made.Names)
        if (Files->exists(within(Folder.Path, Name)))
          return std::nullopt;
  for (const std::string &File : linesOf(within(*Entry, "depends")))
    Made.Read.insert(realPath(File));
  for (const std::string &Line : linesOf(within(*Entry, "includes")))
    Made.Includes.insert(Line);
  return Made;
}

/// The includes of libraries' headers that a text begins with.
class LeadingIncludes {
public:
  LeadingIncludes(const std::set<std::string> &Read, const clang::CompilerInvocation &Invocation,
                  const Toolchain &Tools, const FileSystem &Files, LibraryFiles &Libraries)
      : Read(Read), Folders(Invocation.getHeaderSearchOpts().UserEntries), Files(Files), Libraries(Libraries),
        Toolkit(Tools) {}

  /// One per line, up to the last one of the toolkit, without those that are `Read` already: headers for the host alone
  /// take little time.
  std::string of(llvm::StringRef Path) {
    const auto File = Files->getBufferForFile(Path);
    if (!File)
      return "";
    const llvm::StringRef Main = (*File)->getBuffer();
    std::string Text;
    size_t Taken = 0;
    RawLexer Lexer(Main, 0);
    for (RawToken T = Lexer.next(); T.Spelling == "#" && T.StartsLine; T = Lexer.next()) {
      const std::vector<RawToken> Line = Lexer.restOfLine();
      if (hasExpectation(Main) && isPlainHeader(Line, Main, llvm::sys::path::parent_path(Path)))
        continue;
      const auto [Name, Found] = inLibrary(Line, Main);
      if (Found.empty())
        break;
      if (Read.contains(Found))
        continue;
      Text += ("#include <" + Name + ">\n").str();
      if (Toolkit.contains(Found))
        Taken = Text.size();
    }
    return Text.substr(0, Taken);
  }

private:
  /// The name in `#include <NAME>` and the library's file; none if it is another line or file.
  std::pair<llvm::StringRef, std::string> inLibrary(llvm::ArrayRef<RawToken> Line, llvm::StringRef Text) {
    if (Line.size() < 4 || Line[0].Spelling != "include" || Line[1].Spelling != "<" || Line.back().Spelling != ">")
      return {};
    const llvm::StringRef Name = Text.substr(Line[1].Offset + 1).split('>').first;
    for (const auto &Folder : Folders)
      if (const std::string Found = realPath(within(Folder.Path, Name)); llvm::sys::fs::exists(Found))
        return {Name, Libraries.contains(Found) ? Found : ""};
    return {};
  }

  /// An output's own header comes before its libraries', and changes nothing in them: its directives include others.
  bool isPlainHeader(llvm::ArrayRef<RawToken> Line, llvm::StringRef Main, llvm::StringRef Folder) {
    if (Line.size() != 2 || Line[0].Spelling != "include")
      return false;
    const auto File = Files->getBufferForFile(within(Folder, llvm::StringRef(Line[1].Spelling).trim('"')));
    if (!File)
      return false;
    const llvm::StringRef Header = (*File)->getBuffer();
    RawLexer Lexer(Header, 0);
    for (RawToken T = Lexer.next(); !T.IsEnd; T = Lexer.next())
      if (T.Spelling == "#" && T.StartsLine) {
        const std::vector<RawToken> Each = Lexer.restOfLine();
        const bool Once = Each.size() == 2 && Each[0].Spelling == "pragma" && Each[1].Spelling == "once";
        if (!Once && inLibrary(Each, Header).second.empty())
          return false;
      }
    return true;
  }

  const std::set<std::string> &Read;
  const std::vector<clang::HeaderSearchOptions::Entry> &Folders;
  const FileSystem &Files;
  LibraryFiles &Libraries;
  ToolkitFiles Toolkit;
};

} // namespace

static constexpr HeaderChange Changes[] = {
    // Built-in variables are objects of classes of Clang's own; nvcc's are in nvcc_compat.h.
    {"/include/__clang_cuda_builtin_vars.h",
     "__CUDA_BUILTIN_VAR __cuda_builtin_threadIdx_t threadIdx;\n"
     "__CUDA_BUILTIN_VAR __cuda_builtin_blockIdx_t blockIdx;\n"
     "__CUDA_BUILTIN_VAR __cuda_builtin_blockDim_t blockDim;\n"
     "__CUDA_BUILTIN_VAR __cuda_builtin_gridDim_t gridDim;\n",
     ""},
    // For the host alone, which is not read; not every toolkit has it, and nvcc includes none before the user does.
    {ClangsWrapper, "#include \"curand_mtgp32_kernel.h\"", ""},
    // Clang's own headers need no more of it, and cuda_runtime.h does not include it: the user's text has its types
    // and macros only where it does.
    {ClangsWrapper, "#include \"cuda.h\"", "#define CUDA_VERSION 13000\ntypedef unsigned cuuint32_t;"},
    // Other types: overloads of the user's would be chosen by them.
    {"/include/__clang_cuda_cmath.h", "float pow(float __base, int __iexp) {\n  return ::powif(__base, __iexp);",
     "double pow(float __base, int __iexp) {\n  return ::powi(__base, __iexp);"},
    {"/include/__clang_cuda_math_forward_declares.h", "float pow(float, int);", "double pow(float, int);"},
    {"/include/__clang_cuda_device_functions.h", "int clock() {", "long clock() {"},
    {"/include/__clang_cuda_intrinsics.h", "__device__ inline unsigned __reduce_add_sync(",
     "__device__ inline int __reduce_add_sync(unsigned __mask, int __value) {\n"
     "  return __nvvm_redux_sync_add(__value, __mask);\n"
     "}\n"
     "__device__ inline unsigned __reduce_add_sync("},
};
const llvm::ArrayRef<HeaderChange> HeaderChanges = Changes;

std::unique_ptr<clang::ASTConsumer> knowLibraryBarriers() { return std::make_unique<LibraryBarriers>(); }

std::set<std::string> loadToolkitPrecompiled(clang::CompilerInvocation &Invocation, const Toolchain &Tools,
                                             llvm::IntrusiveRefCntPtr<llvm::vfs::OverlayFileSystem> Files,
                                             llvm::ArrayRef<unsigned> Accepted, llvm::StringRef File) {
  clang::PreprocessorOptions &Preprocessor = Invocation.getPreprocessorOpts();
  if (Preprocessor.Includes.size() < HeadersBeforeAll || !ClangsWrapper.ends_with("/" + Preprocessor.Includes[0]))
    return {};
  LibraryFiles Libraries(Tools);
  auto Only = headersOnly(Invocation, Libraries);
  Only->getPreprocessorOpts().Includes.resize(HeadersBeforeAll);
  std::vector<std::string> Key = {"headers before all, settled"};
  // Headers that are ours, or that we change, as this version of cufuse has them.
  std::vector<std::string> Headers = {Only->getPreprocessorOpts().Includes[1]};
  for (const HeaderChange &Each : HeaderChanges)
    Headers.push_back(Tools.ResourceDir + Each.Header.str());
  for (const std::string &Header : Headers)
    if (auto Text = Files->getBufferForFile(Header))
      Key.push_back((*Text)->getBuffer().str());
  const auto Base = precompiled(Only, Key, Invocation, Tools, Files, Accepted, Libraries);
  if (!Base)
    return {};
  Preprocessor.ImplicitPCHInclude = Base->Pch;
  Preprocessor.Includes.erase(Preprocessor.Includes.begin(), Preprocessor.Includes.begin() + HeadersBeforeAll);
  Invocation.getHeaderSearchOpts().ValidateASTInputFilesContent = true;

  // What a flag includes comes before the file.
  const std::string Leading = Preprocessor.Includes.empty() && Preprocessor.MacroIncludes.empty()
                                  ? LeadingIncludes(Base->Read, Invocation, Tools, Files, Libraries).of(File)
                                  : "";
  llvm::sys::fs::file_status Status;
  if (Leading.empty() || llvm::sys::fs::status(Base->Pch, Status))
    return {};
  auto Memory = llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
  Memory->addFile(LeadingHeaders, 0, llvm::MemoryBuffer::getMemBufferCopy(Leading, LeadingHeaders));
  Files->pushOverlay(Memory);
  Only = headersOnly(Invocation, Libraries);
  Only->getFrontendOpts().Inputs = {
      clang::FrontendInputFile(LeadingHeaders, Only->getFrontendOpts().Inputs[0].getKind())};
  const auto Above = precompiled(
      Only, {"headers of a file", Leading, std::to_string(Status.getLastModificationTime().time_since_epoch().count())},
      Invocation, Tools, Files, Accepted, Libraries);
  if (!Above)
    return {};
  Preprocessor.ImplicitPCHInclude = Above->Pch;
  return Above->Includes;
}

} // namespace cufuse
