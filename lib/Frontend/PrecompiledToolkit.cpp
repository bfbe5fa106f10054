#include "PrecompiledToolkit.h"

#include "cufuse/Frontend/UsersText.h"
#include "cufuse/Support/ArtifactCache.h"

#include <clang/Basic/Version.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/FrontendActions.h>
#include <clang/Lex/PPCallbacks.h>
#include <clang/Lex/Preprocessor.h>
#include <clang/Lex/PreprocessorOptions.h>
#include <fmt/core.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/Path.h>

#include <set>

namespace cufuse {

namespace {

/// The wrapper, and nvcc_compat.h.
constexpr size_t HeadersBeforeAll = 2;

/// The names that headers are included by, each of which a folder before the header's own may have, too.
struct IncludedNames : clang::PPCallbacks {
  explicit IncludedNames(std::set<std::string> &Names) : Names(Names) {}
  void InclusionDirective(clang::SourceLocation, const clang::Token &, llvm::StringRef Name, bool,
                          clang::CharSourceRange, clang::OptionalFileEntryRef, llvm::StringRef, llvm::StringRef,
                          const clang::Module *, bool, clang::SrcMgr::CharacteristicKind) override {
    Names.insert(Name.str());
  }
  void HasInclude(clang::SourceLocation, llvm::StringRef Name, bool, clang::OptionalFileEntryRef,
                  clang::SrcMgr::CharacteristicKind) override {
    Names.insert(Name.str());
  }
  std::set<std::string> &Names;
};

struct Precompile : clang::GeneratePCHAction {
  bool BeginSourceFileAction(clang::CompilerInstance &Compiler) override {
    Compiler.getPreprocessor().addPPCallbacks(std::make_unique<IncludedNames>(Names));
    return GeneratePCHAction::BeginSourceFileAction(Compiler);
  }
  void EndSourceFileAction() override {
    const clang::SourceManager &Sources = getCompilerInstance().getSourceManager();
    for (auto File = Sources.fileinfo_begin(); File != Sources.fileinfo_end(); ++File)
      if (llvm::sys::fs::exists(File->first.getName()))
        Read.insert(File->first.getName().str());
    GeneratePCHAction::EndSourceFileAction();
  }
  std::set<std::string> Names, Read;
};

bool isLibrarys(const clang::HeaderSearchOptions::Entry &Folder, LibraryFiles &Libraries) {
  return Libraries.contains(within(realPath(Folder.Path), "any.h"));
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
  Only->getPreprocessorOpts().Includes.resize(HeadersBeforeAll);
  llvm::erase_if(Only->getHeaderSearchOpts().UserEntries,
                 [&](const auto &Folder) { return !isLibrarys(Folder, Libraries); });
  return Only;
}

} // namespace

static constexpr HeaderChange Changes[] = {
    // Built-in variables cannot be copied; nvcc's are plain uint3 and dim3.
    {"/include/__clang_cuda_builtin_vars.h", "#define __CUDA_DISALLOW_BUILTINVAR_ACCESS(TypeName)",
     "#define __CUDA_DISALLOW_BUILTINVAR_ACCESS(TypeName) __attribute__((device)) TypeName() = default\n"
     "#define CUFUSE_UNUSED(TypeName)"},
    // For the host alone, which is not read; not every toolkit has it, and nvcc includes none before the user does.
    {ClangsWrapper, "#include \"curand_mtgp32_kernel.h\"", ""},
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

void loadToolkitPrecompiled(clang::CompilerInvocation &Invocation, const Toolchain &Tools,
                            llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> Files, llvm::ArrayRef<unsigned> Accepted) {
  clang::PreprocessorOptions &Preprocessor = Invocation.getPreprocessorOpts();
  if (Preprocessor.Includes.size() < HeadersBeforeAll || !ClangsWrapper.ends_with("/" + Preprocessor.Includes[0]))
    return;
  LibraryFiles Libraries(Tools);
  auto Only = headersOnly(Invocation, Libraries);
  std::vector<std::string> Key = Only->getCC1CommandLine();
  Key.insert(Key.begin(), {"headers before all", clang::getClangFullVersion()});
  // Headers that are ours, or that we change, as this version of cufuse has them.
  std::vector<std::string> Headers = {Only->getPreprocessorOpts().Includes[1]};
  for (const HeaderChange &Each : HeaderChanges)
    Headers.push_back(Tools.ResourceDir + Each.Header.str());
  for (const std::string &Header : Headers)
    if (auto Text = Files->getBufferForFile(Header))
      Key.push_back((*Text)->getBuffer().str());
  // A header that is new in a folder may come before the one that was read.
  for (const auto &Folder : Only->getHeaderSearchOpts().UserEntries)
    if (llvm::sys::fs::file_status Status; !llvm::sys::fs::status(Folder.Path, Status))
      Key.push_back(std::to_string(Status.getLastModificationTime().time_since_epoch().count()));

  bool IsNew = false;
  auto Entry = Tools.Cache->get(Key, [&](const std::string &Folder) -> llvm::Error {
    IsNew = true;
    Only->getFrontendOpts().OutputFile = within(Folder, "headers.pch");
    clang::CompilerInstance Compiler(Only);
    Compiler.setVirtualFileSystem(Files);
    Compiler.createDiagnostics(new clang::IgnoringDiagConsumer);
    for (const unsigned Id : Accepted)
      Compiler.getDiagnostics().setSeverity(Id, clang::diag::Severity::Ignored, {});
    Precompile Action;
    if (!Compiler.ExecuteAction(Action) || Compiler.getDiagnostics().hasErrorOccurred())
      return badInput("");
    return writeFiles({{within(Folder, "names"), llvm::join(Action.Names, "\n")},
                       {within(Folder, "depends"), llvm::join(Action.Read, "\n")}});
  });
  if (!Entry)
    return llvm::consumeError(Entry.takeError());
  if (IsNew)
    Tools.Cache->prune();
  auto Names = llvm::MemoryBuffer::getFile(within(*Entry, "names"));
  if (!Names)
    return;
  for (const auto &Folder : Invocation.getHeaderSearchOpts().UserEntries)
    if (!isLibrarys(Folder, Libraries))
      for (llvm::StringRef Name : llvm::split((*Names)->getBuffer(), '\n'))
        if (Files->exists(within(Folder.Path, Name)))
          return;
  Preprocessor.ImplicitPCHInclude = within(*Entry, "headers.pch");
  Preprocessor.Includes.erase(Preprocessor.Includes.begin(), Preprocessor.Includes.begin() + HeadersBeforeAll);
  Invocation.getHeaderSearchOpts().ValidateASTInputFilesContent = true;
}

} // namespace cufuse
