#include "cufuse/Frontend/Parse.h"

#include "LaunchBrackets.h"
#include "PrecompiledToolkit.h"
#include "WithoutSides.h"
#include "cufuse/Frontend/CompilersAnswers.h"
#include "cufuse/Kernel/KernelSpec.h"
#include "cufuse/Support/GuardedThread.h"

#include <clang/AST/Attr.h>
#include <clang/AST/DynamicRecursiveASTVisitor.h>
#include <clang/Basic/DiagnosticAST.h>
#include <clang/Basic/DiagnosticLex.h>
#include <clang/Basic/DiagnosticParse.h>
#include <clang/Basic/DiagnosticSema.h>
#include <clang/Driver/CreateInvocationFromArgs.h>
#include <clang/Frontend/FrontendActions.h>
#include <clang/Lex/Pragma.h>
#include <clang/Lex/Preprocessor.h>
#include <clang/Sema/ParsedAttr.h>
#include <clang/Sema/Sema.h>
#include <fmt/core.h>
#include <llvm/ADT/SmallVectorExtras.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/Path.h>
#include <llvm/Support/VirtualFileSystem.h>

namespace cufuse {

namespace {

constexpr const char *NvccCompatPath = "/cufuse-virtual/nvcc_compat.h";

/// Declares for Clang what nvcc gives; force-included, and never seen by the output.
constexpr const char *NvccCompat =
#include "NvccCompat.inc"
    ;

/// Errors of Clang where nvcc accepts the code; they do not change what the code means.
constexpr unsigned AcceptedByNvcc[] = {
    clang::diag::err_shared_var_init,
    clang::diag::err_dynamic_var_init,
    clang::diag::err_attributes_not_allowed,
    clang::diag::err_attributes_are_not_compatible, // of a kernel and WithoutSides
    clang::diag::err_asm_invalid_escape,
    clang::diag::err_ref_bad_target,
    clang::diag::err_ref_bad_target_global_initializer,
    clang::diag::err_pragma_loop_precedes_nonloop, // nvcc ignores the pragma
};

constexpr const char *ProbePrefix = "cufuse_probe_";

/// nvcc's attributes of kernels whose blocks are clusters, where Clang does not know them. An annotation stands for
/// each, wherever it comes from.
struct ClusterAttributes : clang::ParsedAttrInfo {
  ClusterAttributes() {
    static constexpr Spelling Written[] = {{clang::AttributeCommonInfo::AS_GNU, "block_size"},
                                           {clang::AttributeCommonInfo::AS_CXX11, "gnu::block_size"},
                                           {clang::AttributeCommonInfo::AS_CXX11, "gnu::cluster_dims"}};
    Spellings = Written;
    OptArgs = 15;
  }
  AttrHandling handleDeclAttribute(clang::Sema &Sema, clang::Decl *D, const clang::ParsedAttr &Attr) const override {
    const bool OfSize = Attr.getAttrName()->getName() == "block_size";
    auto Annotate = [&](clang::Decl *Each) {
      Each->addAttr(clang::AnnotateAttr::Create(Sema.Context, OfSize ? BlockSizeAnnotation : ClusterDimsAnnotation,
                                                nullptr, 0, Attr));
    };
    Annotate(D);
    // Clang lets none of a declaration behind the definition hold for that. For nvcc it does.
    if (auto *F = llvm::dyn_cast<clang::FunctionDecl>(D))
      for (clang::NamedDecl *Known : F->getDeclContext()->getRedeclContext()->lookup(F->getDeclName()))
        if (clang::FunctionDecl *Before = Known->getAsFunction();
            Before && Sema.Context.hasSameType(Before->getType(), F->getType()))
          llvm::for_each(Before->redecls(), Annotate);
    return AttributeApplied;
  }
};

/// nvcc reads these as `__shared__` and its like, where Clang would ignore them.
struct GnuAttributes : clang::ParsedAttrInfo {
  GnuAttributes() {
    static constexpr Spelling Written[] = {{clang::AttributeCommonInfo::AS_CXX11, "gnu::shared"},
                                           {clang::AttributeCommonInfo::AS_CXX11, "gnu::constant"},
                                           {clang::AttributeCommonInfo::AS_CXX11, "gnu::managed"},
                                           {clang::AttributeCommonInfo::AS_CXX11, "gnu::grid_constant"}};
    Spellings = Written;
  }
  AttrHandling handleDeclAttribute(clang::Sema &Sema, clang::Decl *D, const clang::ParsedAttr &Attr) const override {
    clang::DiagnosticsEngine &Diagnostics = Sema.getDiagnostics();
    Diagnostics.Report(D->getLocation(), Diagnostics.getCustomDiagID(clang::DiagnosticsEngine::Error,
                                                                     "only nvcc reads [[gnu::%0]] as __%0__"))
        << Attr.getAttrName()->getName();
    return AttributeNotApplied;
  }
};

/// A kernel of tiles is none for Clang.
struct TileAttribute : clang::ParsedAttrInfo {
  TileAttribute() {
    static constexpr Spelling Written[] = {{clang::AttributeCommonInfo::AS_GNU, "tile_global"},
                                           {clang::AttributeCommonInfo::AS_CXX11, "gnu::tile_global"}};
    Spellings = Written;
  }
  AttrHandling handleDeclAttribute(clang::Sema &Sema, clang::Decl *D, const clang::ParsedAttr &Attr) const override {
    D->addAttr(clang::CUDAGlobalAttr::Create(Sema.Context, Attr));
    D->addAttr(clang::AnnotateAttr::Create(Sema.Context, TileAnnotation, nullptr, 0, Attr));
    return AttributeApplied;
  }
};

const clang::ParsedAttrInfoRegistry::Add<TileAttribute> KnowTiles("tiles", "nvcc's __tile_global__");
const clang::ParsedAttrInfoRegistry::Add<ClusterAttributes> KnowClusters("clusters", "nvcc's __block_size__");
const clang::ParsedAttrInfoRegistry::Add<GnuAttributes> KnowGnu("gnu", "nvcc's [[gnu::shared]] and its like");

/// Keeps the errors and where they are; a probe's errors say why its kernel was not found.
class Collector : public clang::DiagnosticConsumer {
public:
  void HandleDiagnostic(clang::DiagnosticsEngine::Level Level, const clang::Diagnostic &Info) override {
    DiagnosticConsumer::HandleDiagnostic(Level, Info);
    if (Info.getID() == clang::diag::warn_attribute_precede_definition)
      Ignored = Info.getLocation();
    else if (Info.getID() == clang::diag::note_previous_definition && Ignored.isValid())
      Late.push_back({Info.getLocation(), std::exchange(Ignored, {})});
    if (Level < clang::DiagnosticsEngine::Error)
      return;
    llvm::SmallString<128> Text;
    Info.FormatDiagnostic(Text);
    Errors.push_back({Info.getLocation(), {}, std::string(Text), Info.getID() == clang::diag::err_pp_file_not_found});
  }
  std::vector<ParseError> Errors;                                            ///< Without their places.
  std::vector<std::pair<clang::SourceLocation, clang::SourceLocation>> Late; ///< Definitions with ignored attributes.

private:
  clang::SourceLocation Ignored;
};

struct ReadSyntax : clang::SyntaxOnlyAction {
  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance &, llvm::StringRef) override {
    return knowLibraryBarriers();
  }
};

std::vector<std::string> arguments(const Toolchain &Tools, const ParseRequest &Request) {
  std::vector<std::string> Arguments = {"clang++",
                                        "-x",
                                        "cuda",
                                        "--cuda-path=" + Tools.CudaPath,
                                        "--cuda-gpu-arch=" + Request.Arch,
                                        Request.ForHost ? "--cuda-host-only" : "--cuda-device-only",
                                        "-fsyntax-only",
                                        "-resource-dir",
                                        Tools.ResourceDir,
                                        "-w",
                                        "-Wno-unknown-cuda-version",
                                        "-Wno-register",
                                        "-Wno-c++11-narrowing",
                                        "-Wno-reserved-user-defined-literal", // "%"PRIu64
                                        "-fcheck-new",                        // as nvcc: it is malloc
                                        "-fno-spell-checking", // else a name may be taken for another one's
                                        "-ferror-limit=0",
                                        "-include",
                                        NvccCompatPath};
  Arguments.push_back("-std=" + (Request.Flags.Standard.empty() ? "c++17" : Request.Flags.Standard)); // nvcc's default
  Arguments.insert(Arguments.end(), Request.Flags.Macros.begin(), Request.Flags.Macros.end());
  const std::vector<std::string> Known = Request.Predefined
                                             ? Request.Predefined->Folders
                                             : std::vector<std::string>{"-isystem" + Tools.CudaPath + "/include",
                                                                        "-isystem" + Tools.CudaPath + "/include/cccl"};
  std::vector<std::string> Own;
  for (const std::string &Folder : Known)
    (llvm::StringRef(Folder).starts_with("-") ? Arguments : Own).push_back(Folder);
  Arguments.insert(Arguments.end(), Request.Flags.Clang.begin(), Request.Flags.Clang.end());
  for (const std::string &Folder : Request.ExtraIncludeFolders)
    Arguments.insert(Arguments.end(), {"-iquote", Folder});
  Arguments.insert(Arguments.end(), {"-isystem", (VirtualFolder + "include").str()});
  if (!Own.empty()) {
    // Clang's headers are in the place of the host compiler's. Of the latter, nvcc finds some that Clang does not
    // bring, as those of the sanitizers.
    const size_t At =
        llvm::find_if(Own,
                      [](const std::string &Folder) { return llvm::sys::fs::exists(within(Folder, "stddef.h")); }) -
        Own.begin();
    Own.push_back(Tools.ResourceDir + "/include");
    std::swap(Own[At], Own.back());
    Arguments.push_back("-nostdinc");
    for (const std::string &Folder : Own)
      Arguments.insert(Arguments.end(), {"-Xclang", "-internal-isystem", "-Xclang", Folder});
  }
  Arguments.push_back(Request.File);
  return Arguments;
}

/// Stands behind the end of a file: whoever is to name kernels there then knows all of them.
constexpr llvm::StringLiteral ProbesPragma = "cufuse_probes";
std::string askedForProbes(llvm::StringRef Text) { return (Text + "\n;;\n#pragma " + ProbesPragma + "\n").str(); }

/// Has the parser read functions that name the kernels, so that Clang resolves and instantiates them.
class ReadProbes : public clang::PragmaHandler {
public:
  ReadProbes(clang::CompilerInstance &Compiler, const ParseRequest &Request, size_t FileSize,
             std::vector<std::string> &Probes, clang::FileID &File)
      : PragmaHandler(ProbesPragma), Compiler(Compiler), Request(Request), FileSize(FileSize), Probes(Probes),
        File(File) {}

  void HandlePragma(clang::Preprocessor &Preprocessor, clang::PragmaIntroducer Introducer, clang::Token &) override {
    Preprocessor.DiscardUntilEndOfDirective();
    clang::SourceManager &Sources = Compiler.getSourceManager();
    if (!Sources.isInMainFile(Introducer.Loc) || Sources.getFileOffset(Introducer.Loc) < FileSize)
      return;
    Probes = Request.Probes(Compiler.getASTContext());
    if (Probes.empty())
      return;
    std::string Text;
    for (size_t I = 0; I < Probes.size(); ++I) {
      std::string Probe = Probes[I];
      llvm::replace(Probe, '\n', ' ');
      const size_t Parenthesis = signatureStart(Probe);
      if (Parenthesis == llvm::StringRef::npos)
        Text += fmt::format("void {}{}() {{ (void)(&{}); }}\n", ProbePrefix, I, Probe);
      else
        Text += fmt::format("void {}{}() {{ (void)static_cast<void (*){}>(&{}); }}\n", ProbePrefix, I,
                            Probe.substr(Parenthesis), Probe.substr(0, Parenthesis));
    }
    File = Sources.createFileID(llvm::MemoryBuffer::getMemBufferCopy(Text, "kernels"), clang::SrcMgr::C_User, 0, 0,
                                Introducer.Loc);
    clang::Lexer Lexer(File, Sources.getBufferOrFake(File), Sources, Preprocessor.getLangOpts());
    std::vector<clang::Token> Tokens;
    for (clang::Token T; !Lexer.LexFromRawLexer(T);) {
      if (T.is(clang::tok::raw_identifier))
        Preprocessor.LookUpIdentifierInfo(T);
      Tokens.push_back(T);
    }
    auto Owned = std::make_unique<clang::Token[]>(Tokens.size());
    llvm::copy(Tokens, Owned.get());
    Preprocessor.EnterTokenStream(std::move(Owned), Tokens.size(), /*DisableMacroExpansion=*/false,
                                  /*IsReinject=*/false);
  }

private:
  clang::CompilerInstance &Compiler;
  const ParseRequest &Request;
  const size_t FileSize;
  std::vector<std::string> &Probes;
  clang::FileID &File;
};

/// The function that a probe refers to.
struct FindProbed : clang::ConstDynamicRecursiveASTVisitor {
  const clang::FunctionDecl *Found = nullptr;
  bool VisitDeclRefExpr(const clang::DeclRefExpr *Reference) override {
    // Its template arguments follow, functions among them.
    if (auto *Function = llvm::dyn_cast<clang::FunctionDecl>(Reference->getDecl()); Function && !Found)
      Found = Function;
    return true;
  }
};

} // namespace

std::string ParseError::key() const {
  return fmt::format("{}:{}: {}", llvm::sys::path::filename(Where.File).str(), Where.Line, Text);
}

ParsedUnit::ParsedUnit(const Toolchain &Tools) : Tools(Tools), Toolkit(Tools), Libraries(Tools) {}

ParsedUnit::~ParsedUnit() {
  if (Action)
    Action->EndSourceFile();
}

clang::ASTContext &ParsedUnit::ast() const { return Compiler->getASTContext(); }
clang::Preprocessor &ParsedUnit::preprocessor() const { return Compiler->getPreprocessor(); }

llvm::Expected<std::unique_ptr<ParsedUnit>> ParsedUnit::read(const Toolchain &Tools, ParseRequest Request,
                                                             bool UsePrecompiled) {
  auto Memory = llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
  llvm::SmallString<256> Current;
  if (!llvm::sys::fs::current_path(Current))
    Memory->setCurrentWorkingDirectory(Current);
  auto Add = [&](const std::string &Path, llvm::StringRef Text) {
    Memory->addFile(Path, 0, llvm::MemoryBuffer::getMemBufferCopy(Text, Path));
  };
  std::string Compat = NvccCompat;
  if (Request.Predefined)
    for (llvm::StringRef Macro : Request.Predefined->Macros)
      if (Macro.starts_with("__CUDACC_VER_"))
        Compat += fmt::format("#undef {}\n#define {}\n", Macro.split(' ').first.str(), Macro.str());
  Add(NvccCompatPath, Compat);
  // OpenMP's functions are host code, which is not analysed; those that CUDA programs call, so that it parses.
  Add((VirtualFolder + "include/omp.h").str(),
      "extern \"C\" {\n"
      "int omp_get_thread_num(), omp_get_num_threads(), omp_get_max_threads(), omp_get_num_procs();\n"
      "void omp_set_num_threads(int);\n"
      "double omp_get_wtime();\n"
      "}\n");

  std::map<std::string, std::string> Changed;
  for (const auto &[Name, From, To] : HeaderChanges) {
    const std::string Header = Tools.ResourceDir + Name.str();
    auto [Text, New] = Changed.try_emplace(Header);
    if (auto Buffer = llvm::MemoryBuffer::getFile(Header); New && Buffer)
      Text->second = (*Buffer)->getBuffer().str();
    if (const size_t At = Text->second.find(From); At != std::string::npos)
      Text->second.replace(At, From.size(), To);
  }
  for (const auto &[Header, Text] : Changed)
    if (!Text.empty())
      Add(Header, Text);
  // Clang asks for these beside include/. Some toolkits have them elsewhere.
  for (const char *File : {"/bin/nvcc", "/nvvm/libdevice/libdevice.10.bc"})
    if (!llvm::sys::fs::exists(Tools.CudaPath + File))
      Add(Tools.CudaPath + File, "");

  bool InMemory = false;
  std::string Main;
  for (const OutputFile &File : Request.Overlay) {
    const bool IsMain = File.Path == Request.File;
    Add(File.Path, IsMain && Request.Probes ? askedForProbes(File.Text) : File.Text);
    if (IsMain)
      Main = File.Text;
    InMemory |= IsMain;
  }
  if (!InMemory) {
    if (llvm::sys::fs::is_directory(Request.File))
      return badInput("cannot read '" + Request.File + "': it is a directory");
    auto Text = llvm::MemoryBuffer::getFile(Request.File, /*IsText=*/true);
    if (!Text)
      return badInput("cannot read '" + Request.File + "': " + Text.getError().message());
    Main = asClangReads((*Text)->getBuffer().str());
    if (Request.Probes || Main != (*Text)->getBuffer())
      Add(Request.File, Request.Probes ? askedForProbes(Main) : Main);
  }
  const size_t FileSize = Main.size();
  auto Files = llvm::makeIntrusiveRefCnt<llvm::vfs::OverlayFileSystem>(llvm::vfs::createPhysicalFileSystem());
  Files->pushOverlay(Memory);

  std::unique_ptr<ParsedUnit> Unit(new ParsedUnit(Tools));
  Unit->Request = std::move(Request);
  Unit->FileSize = FileSize;
  const std::vector<std::string> Written = arguments(Tools, Unit->Request);
  const auto Arguments = llvm::map_to_vector(Written, [](const std::string &Argument) { return Argument.c_str(); });

  Collector Diagnostics;
  clang::DiagnosticOptions DriverOptions;
  clang::CreateInvocationOptions Options;
  Options.Diags =
      clang::CompilerInstance::createDiagnostics(*Files, DriverOptions, &Diagnostics, /*ShouldOwnClient=*/false);
  Options.VFS = Files;
  std::shared_ptr<clang::CompilerInvocation> Invocation = clang::createInvocation(Arguments, Options);
  if (!Invocation || !Diagnostics.Errors.empty())
    return badUsage("Clang does not accept the flags: " + (Diagnostics.Errors.empty()
                                                               ? std::string("no parse results from them")
                                                               : Diagnostics.Errors[0].Text));
  Invocation->getFrontendOpts().DisableFree = false;
  std::set<std::string> Precompiled;
  if (UsePrecompiled)
    Precompiled = loadToolkitPrecompiled(*Invocation, Tools, Files, AcceptedByNvcc, Unit->Request.File);
  Unit->Compiler = std::make_unique<clang::CompilerInstance>(std::move(Invocation));
  clang::CompilerInstance &Compiler = *Unit->Compiler;
  Compiler.setVirtualFileSystem(Files);
  Compiler.createDiagnostics(&Diagnostics, /*ShouldOwnClient=*/false);
  // The file would otherwise end at the first missing header, although what a kernel needs may be whole.
  Compiler.getDiagnostics().setFatalsAsError(true);
  for (unsigned Id : AcceptedByNvcc)
    Compiler.getDiagnostics().setSeverity(Id, clang::diag::Severity::Ignored, {});
  Compiler.getDiagnostics().setSeverity(clang::diag::warn_attribute_precede_definition, clang::diag::Severity::Remark,
                                        {}); // which -w leaves
  Compiler.createFileManager();
  Compiler.createSourceManager();
  if (!Compiler.createTarget())
    return badUsage("Clang does not know the architecture " + Unit->Request.Arch, "use one like sm_80 or sm_90a");

  auto Action = std::make_unique<ReadSyntax>();
  const auto &Input = Compiler.getFrontendOpts().Inputs[0];
  if (!Action->BeginSourceFile(Compiler, Input))
    return badInput("cannot read '" + Unit->Request.File + "'");
  Unit->Action = std::move(Action);
  Compiler.getPreprocessor().addPPCallbacks(recordPreprocessor(Compiler.getPreprocessor(), Unit->Log));
  Compiler.getPreprocessor().addPPCallbacks(passForNvcc(
      Compiler.getPreprocessor(), Unit->Tools, Unit->Request.Predefined ? &Unit->Request.Predefined->Macros : nullptr,
      Unit->Order, readWithoutSides(Compiler, Unit->Libraries)));
  Compiler.getPreprocessor().addPPCallbacks(answerAsNvcc(Compiler.getPreprocessor(), Unit->Tools, Unit->Request.Flags));
  if (Unit->Request.Probes)
    Compiler.getPreprocessor().AddPragmaHandler(
        new ReadProbes(Compiler, Unit->Request, FileSize, Unit->Probes, Unit->ProbesFile));
  TRY(Unit->Action->Execute());
  recordPoppedMacros(Compiler.getPreprocessor(), Unit->Log);
  for (llvm::StringRef Line : Precompiled) {
    const auto Includer = Compiler.getFileManager().getOptionalFileRef(Line.split('\t').first);
    const auto File = Compiler.getFileManager().getOptionalFileRef(Line.split('\t').second);
    if (Includer && File)
      Unit->Log.IncludedBy[&Includer->getFileEntry()].insert(&File->getFileEntry());
  }
  clang::ASTContext &Ast = Compiler.getASTContext();
  // Or code would depend on who else names a variable.
  Ast.CUDADeviceVarODRUsedByHost.clear();
  Ast.CUDAExternalDeviceDeclODRUsedByHost.clear();
  // Only what this parse has read, and not all that is precompiled.
  const auto Read = Ast.getTranslationUnitDecl()->noload_decls();
  Ast.setTraversalScope({Read.begin(), Read.end()});
  restoreSides(Ast, Unit->Libraries);
  if (Unit->Request.Overlay.empty())
    Unit->Users = std::make_shared<UsersText>(
        ::cufuse::usersText(Compiler.getPreprocessor(), Unit->Tools, Unit->Order, FileSize));

  const clang::SourceManager &Sources = Compiler.getSourceManager();
  // Macros' expansions are among the entries, by the hundred thousand.
  for (unsigned I = 1; I < Sources.local_sloc_entry_size(); ++I)
    if (const clang::SrcMgr::SLocEntry &Entry = Sources.getLocalSLocEntry(I);
        Entry.isFile() && Entry.getFile().getIncludeLoc().isValid())
      if (const auto File = Sources.getFileID(clang::SourceLocation::getFromRawEncoding(Entry.getOffset()));
          File != Unit->ProbesFile)
        Unit->Included.push_back(File);
  Unit->ProbeErrors.resize(Unit->Probes.size());
  for (ParseError &Error : Diagnostics.Errors) {
    const clang::SourceLocation At = Error.Location = Sources.getExpansionLoc(Error.Location);
    if (At.isValid() && Unit->inProbe(At)) {
      const unsigned Line = Sources.getSpellingLineNumber(At);
      if (Line <= Unit->ProbeErrors.size() && Unit->ProbeErrors[Line - 1].empty())
        Unit->ProbeErrors[Line - 1] = Error.Text;
      continue;
    }
    // Behind the end of the file stands what is ours.
    const bool IsBehind = FileSize > 0 && Sources.isInMainFile(At) && Sources.getFileOffset(At) >= FileSize;
    Error.Where = Unit->place(
        IsBehind ? Sources.getLocForStartOfFile(Sources.getMainFileID()).getLocWithOffset(FileSize - 1) : At);
    Unit->Errors.push_back(std::move(Error));
  }
  for (const auto &[Definition, Attribute] : Diagnostics.Late)
    if (llvm::StringRef(Sources.getCharacterData(Sources.getSpellingLoc(Attribute)))
            .ltrim('_')
            .starts_with("cluster_dims"))
      Unit->LateClusters[Definition] = Attribute;
  Compiler.getDiagnostics().setClient(new clang::IgnoringDiagConsumer, /*ShouldOwnClient=*/true);
  return Unit;
}

llvm::Expected<std::unique_ptr<ParsedUnit>> parse(const Toolchain &Tools, ParseRequest Request) {
  // Clang recurses as deep as the text nests, and crashes on some broken texts.
  constexpr unsigned StackBytes = 128u << 20;
  const std::string File = Request.File;
  llvm::Expected<std::unique_ptr<ParsedUnit>> Unit = nullptr;
  // Without what is precompiled should that go meanwhile.
  for (const bool Precompiled : {true, false}) {
    llvm::consumeError(Unit.takeError());
    if (!runGuarded([&] { Unit = ParsedUnit::read(Tools, Request, Precompiled); }, StackBytes))
      return badInput("Clang crashes while it reads '" + File + "'", "compile it with clang++ to see where");
    if (Unit)
      break;
  }
  return Unit;
}

llvm::Expected<std::unique_ptr<ParsedUnit>> ParsedUnit::forHost() const {
  ParseRequest Host = Request;
  Host.ForHost = true;
  Host.Probes = nullptr;
  if (std::exchange(Host.MacrosWrittenOut, false))
    Host.Overlay.clear();
  if (Host.Predefined) {
    auto Defined = std::make_shared<cufuse::Predefined>(*Host.Predefined);
    llvm::erase_if(Defined->Macros, [](llvm::StringRef Macro) {
      return Macro.starts_with("__CUDA_ARCH") && !Macro.starts_with("__CUDA_ARCH_LIST__");
    });
    Host.Predefined = std::move(Defined);
  }
  return parse(Tools, std::move(Host));
}

clang::SourceLocation ParsedUnit::lateCluster(const clang::FunctionDecl &Definition) const {
  const auto Known = LateClusters.find(Definition.getLocation());
  return Known == LateClusters.end() ? clang::SourceLocation() : Known->second;
}

const clang::FunctionDecl *ParsedUnit::probe(const std::string &Text) const {
  const std::string Name = ProbePrefix + std::to_string(llvm::find(Probes, Text) - Probes.begin());
  clang::IdentifierInfo &Identifier = Compiler->getPreprocessor().getIdentifierTable().get(Name);
  for (const clang::NamedDecl *Found : ast().getTranslationUnitDecl()->lookup(&Identifier)) {
    FindProbed Finder;
    Finder.TraverseDecl(const_cast<clang::NamedDecl *>(Found));
    return Finder.Found;
  }
  return nullptr;
}

std::string ParsedUnit::probeError(const std::string &Text) const {
  const size_t At = llvm::find(Probes, Text) - Probes.begin();
  return At < Probes.size() ? ProbeErrors[At] : "";
}

bool ParsedUnit::inProbe(clang::SourceLocation Where) const {
  const clang::SourceManager &Sources = Compiler->getSourceManager();
  return ProbesFile.isValid() && Sources.getFileID(Sources.getExpansionLoc(Where)) == ProbesFile;
}

/// There are places by the thousand, and nobody reads longer lines.
static constexpr size_t LongestLineShown = 500;

SourcePlace ParsedUnit::place(clang::SourceLocation Location) const {
  SourcePlace Place;
  if (Location.isInvalid())
    return Place;
  const clang::SourceManager &Sources = Compiler->getSourceManager();
  const clang::PresumedLoc Presumed =
      Sources.getPresumedLoc(Sources.getExpansionLoc(Location), /*UseLineDirectives=*/Request.MacrosWrittenOut);
  if (Presumed.isInvalid())
    return Place;
  Place.File = Presumed.getFilename();
  Place.Line = Presumed.getLine();
  Place.Column = Presumed.getColumn();
  const auto [Id, Offset] = Sources.getDecomposedLoc(Sources.getExpansionLoc(Location));
  const llvm::StringRef Text = Sources.getBufferData(Id);
  const llvm::StringRef Line = Text.substr(Offset + 1 - Place.Column, LongestLineShown + 1).take_until([](char C) {
    return C == '\n' || C == '\r';
  });
  if (Line.size() <= LongestLineShown)
    Place.LineText = Line.str();
  return Place;
}

clang::SourceLocation ParsedUnit::includeOf(clang::FileID File) const {
  const clang::SourceManager &Sources = Compiler->getSourceManager();
  const clang::SourceLocation Where = Sources.getIncludeLoc(File);
  if (Where.isValid() && Sources.getFilename(Where) == LeadingHeaders)
    for (const IncludeEvent &Include : Log.Includes)
      if (Include.File && Include.File == Sources.getFileEntryRefForID(File))
        return Include.Hash;
  return Where;
}

bool ParsedUnit::inStandardLibrary(clang::SourceLocation Location) const {
  const clang::SourceManager &Sources = Compiler->getSourceManager();
  if (Location.isInvalid() || !Sources.isInSystemHeader(Location))
    return false;
  const llvm::StringRef File = Sources.getFilename(Sources.getExpansionLoc(Location));
  return !File.empty() && !Toolkit.contains(File);
}

bool ParsedUnit::inToolkit(clang::SourceLocation Location) const {
  const clang::SourceManager &Sources = Compiler->getSourceManager();
  const auto File = Sources.getFileEntryRefForID(Sources.getFileID(Sources.getExpansionLoc(Location)));
  return !File || Toolkit.contains(File->getName()); // Clang's own buffers are no files
}

bool ParsedUnit::inLibrary(clang::SourceLocation Location) const {
  const clang::SourceManager &Sources = Compiler->getSourceManager();
  const clang::FileID Id = Sources.getFileID(Sources.getExpansionLoc(Location));
  const auto File = Sources.getFileEntryRefForID(Id);
  return Id != Sources.getMainFileID() && !Sources.isWrittenInCommandLineFile(Location) &&
         (!File || Libraries.contains(File->getName()));
}

bool ParsedUnit::inCompatHeader(clang::SourceLocation Location) const {
  const clang::SourceManager &Sources = Compiler->getSourceManager();
  return Sources.getFilename(Sources.getExpansionLoc(Location)).starts_with(VirtualFolder);
}

std::vector<std::string> ParsedUnit::dependencies() const {
  if (!Dependencies.empty())
    return Dependencies;
  std::vector<std::string> Paths = {Request.File};
  auto Add = [&](llvm::StringRef Path) {
    if (!Path.starts_with(VirtualFolder) && !Libraries.contains(Path) && !llvm::is_contained(Paths, Path))
      Paths.push_back(Path.str());
  };
  for (const IncludeEvent &Include : Log.Includes)
    if (Include.File)
      Add(Include.File->getName());
  // What a flag includes, and what headers do that are taken for a system's.
  std::vector<std::string> Others;
  const clang::SourceManager &Sources = Compiler->getSourceManager();
  for (auto File = Sources.fileinfo_begin(); File != Sources.fileinfo_end(); ++File)
    Others.push_back(File->first.getName().str());
  llvm::sort(Others);
  for (const std::string &Path : Others)
    if (llvm::sys::fs::exists(Path))
      Add(Path);
  return Paths;
}

} // namespace cufuse
