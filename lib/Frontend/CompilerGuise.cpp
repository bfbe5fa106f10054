#include "cufuse/Frontend/CompilerGuise.h"

#include "CompilerHeaders.h"
#include "LaunchBrackets.h"

#include "cufuse/Frontend/ExpandMacro.h"
#include "cufuse/Frontend/RawTokens.h"

#include <clang/Lex/Lexer.h>
#include <clang/Lex/MacroArgs.h>
#include <clang/Lex/MacroInfo.h>
#include <clang/Lex/PPCallbacks.h>
#include <clang/Lex/Preprocessor.h>
#include <clang/Lex/PreprocessorOptions.h>
#include <llvm/ADT/StringSet.h>
#include <llvm/Support/xxhash.h>

#include <mutex>

namespace cufuse {

namespace {

/// By which Clang shows itself, whatever it passes for.
bool isClangs(llvm::StringRef Name) {
  return Name.starts_with("__clang") || Name.starts_with("__llvm") || Name == "__CUDA__" || Name == "__CLANG__" ||
         Name == "__apple_build_version__";
}

/// Clang's own operators, which `#ifdef` finds; those that gcc has too are not among them.
constexpr const char *ClangsOperators[] = {"__has_feature",     "__has_extension",         "__has_warning",
                                           "__is_identifier",   "__has_constexpr_builtin", "__has_declspec_attribute",
                                           "__building_module", "__is_target_arch",        "__is_target_vendor",
                                           "__is_target_os",    "__is_target_environment", "__has_embed"};

/// cuda.h's, which libraries have from Clang's headers.
constexpr llvm::StringLiteral DriversVersion = "CUDA_VERSION";

class Guise : public clang::PPCallbacks {
public:
  Guise(clang::Preprocessor &Preprocessor, const Toolchain &Tools, const std::vector<std::string> *Predefined,
        ReadingOrder &Order, std::function<void()> AtToken)
      : Preprocessor(Preprocessor), Sources(Preprocessor.getSourceManager()), Libraries(Tools), Predefined(Predefined),
        Order(Order) {
    Preprocessor.setTokenWatcher([this, AtToken = std::move(AtToken)](const clang::Token &T) {
      AtToken();
      if (!T.isAnnotation() && T.getIdentifierInfo())
        noteIfPasted(T);
      if (Worn)
        this->Order.Tokens = combined(this->Order.Tokens, hashOf(T));
    });
  }

  void MacroExpands(const clang::Token &Name, const clang::MacroDefinition &, clang::SourceRange,
                    const clang::MacroArgs *) override {
    noteIfPasted(Name);
  }

  void FileChanged(clang::SourceLocation Where, FileChangeReason Reason, clang::SrcMgr::CharacteristicKind,
                   clang::FileID) override {
    if (Reason != EnterFile && Reason != ExitFile)
      return;
    const clang::FileID File = Sources.getFileID(Where);
    if (Reason == EnterFile)
      Order.Files.push_back(File);
    const auto Entry = Sources.getFileEntryRefForID(File);
    // Clang's own definitions come behind the beginning of the main file, and before anything else.
    if (Reason == ExitFile || (Entry && File != Sources.getMainFileID()))
      Ready = true;
    const bool Users = File == Sources.getMainFileID() || (Entry && !Libraries.contains(Entry->getName()));
    if (!Ready || Users == Worn)
      return;
    Users ? wear(Where) : drop(Where);
  }

  void SourceRangeSkipped(clang::SourceRange Range, clang::SourceLocation) override { Order.Skipped.push_back(Range); }

private:
  struct Disguise {
    clang::IdentifierInfo *Name;
    clang::MacroInfo *Nvccs;            ///< Null: not defined.
    clang::MacroInfo *Clangs = nullptr; ///< While it is worn.
    bool Users = false;                 ///< The user has defined it himself.
  };

  void noteIfPasted(const clang::Token &Name) {
    const clang::SourceLocation Where = Name.getLocation();
    if (Where.isMacroID() && Sources.isWrittenInScratchSpace(Sources.getSpellingLoc(Where)))
      Order.Pasted[Sources.getExpansionLoc(Where)].insert(Name.getIdentifierInfo()->getName().str());
  }

  std::uint64_t hashOf(const clang::Token &T) {
    // Where a library says that it is: as much as the comparison with the input takes for the same.
    if (const auto Named = isNumberOf("__LINE__", T, Preprocessor))
      if (const auto File = Sources.getFileEntryRefForID(Sources.getFileID(*Named));
          File && Libraries.contains(File->getName()))
        return T.getKind();
    llvm::SmallString<64> Buffer;
    const llvm::StringRef Text = T.isAnnotation()        ? ""
                                 : T.getIdentifierInfo() ? T.getIdentifierInfo()->getName()
                                 : T.isLiteral()         ? Preprocessor.getSpelling(T, Buffer)
                                                         : "";
    return combined(T.getKind(), llvm::xxh3_64bits(Text));
  }

  /// Has cuda.h been read?
  bool hasDriver() const { return Preprocessor.getIdentifierInfo("__cuda_cuda_h__")->hasMacroDefinition(); }

  clang::MacroInfo *current(const clang::IdentifierInfo *Name) const {
    const clang::MacroDefinition Definition = Preprocessor.getMacroDefinition(Name);
    return Definition ? Definition.getMacroInfo() : nullptr;
  }
  void define(clang::IdentifierInfo *Name, clang::MacroInfo *Info, clang::SourceLocation Where) {
    if (Info)
      Preprocessor.appendDefMacroDirective(Name, Info, Where);
    else if (current(Name))
      Preprocessor.appendMacroDirective(Name, new (Preprocessor.getPreprocessorAllocator())
                                                  clang::UndefMacroDirective(Where));
  }
  std::string spelled(const clang::MacroInfo &Info) const {
    std::string Text;
    for (const clang::IdentifierInfo *Parameter : Info.params())
      Text += Parameter->getName().str() + ",";
    for (const clang::Token &T : Info.tokens())
      Text += "\x1f" + Preprocessor.getSpelling(T);
    return Text;
  }

  void wear(clang::SourceLocation Where) {
    if (!Prepared)
      prepare();
    for (Disguise &Each : Disguises) {
      if (Each.Users || (Each.Name->getName() == DriversVersion && hasDriver()))
        continue;
      Each.Clangs = current(Each.Name);
      define(Each.Name, Each.Nvccs, Where);
    }
    Worn = true;
  }
  void drop(clang::SourceLocation Where) {
    for (Disguise &Each : Disguises)
      if (current(Each.Name) != Each.Nvccs)
        Each.Users = true;
      else if (!Each.Users)
        define(Each.Name, Each.Clangs, Where);
    Worn = false;
  }

  /// Compares what both predefine.
  void prepare() {
    Prepared = true;
    llvm::StringSet<> Known;
    if (Predefined)
      for (const std::string &Text : *Predefined) {
        std::string Name;
        const auto Definition = readDefinition(Text, Name);
        if (!Definition)
          continue;
        Known.insert(Name);
        clang::MacroInfo *Info = made(Name, Text, *Definition);
        clang::IdentifierInfo *Identifier = Preprocessor.getIdentifierInfo(Name);
        const clang::MacroInfo *Clangs = current(Identifier);
        if (!Clangs || spelled(*Clangs) != spelled(*Info))
          Disguises.push_back({Identifier, Info});
      }
    for (const std::string &Name : ofCompilers())
      if ((Predefined || isClangs(Name)) && !Known.contains(Name))
        Disguises.push_back({Preprocessor.getIdentifierInfo(Name), nullptr});
    for (const char *Operator : ClangsOperators)
      Disguises.push_back({Preprocessor.getIdentifierInfo(Operator), nullptr});
    Disguises.push_back({Preprocessor.getIdentifierInfo(DriversVersion), nullptr});
  }

  /// The macros that Clang defines itself. To list those of precompiled headers takes as long as all else of a small
  /// file, and each time they are the same.
  std::set<std::string> ofCompilers() {
    static std::mutex Guard;
    static std::map<std::string, std::set<std::string>> OfPrecompiled;
    const std::string &From = Preprocessor.getPreprocessorOpts().ImplicitPCHInclude;
    auto IsOfCompiler = [&](const clang::IdentifierInfo *Name) {
      const clang::MacroInfo *Info = current(Name);
      // The header that is only ours claims what nvcc has with some flags.
      return Info && !Info->isBuiltinMacro() &&
             (isClangs(Name->getName()) || Name->getName().starts_with("__CUDACC_") ||
              Sources.isWrittenInBuiltinFile(Info->getDefinitionLoc()));
    };
    const std::lock_guard Lock(Guard);
    const auto Known = OfPrecompiled.find(From);
    std::set<std::string> Names;
    for (const auto &[Name, State] : Preprocessor.macros(/*IncludeExternalMacros=*/Known == OfPrecompiled.end()))
      if (IsOfCompiler(Name))
        Names.insert(Name->getName().str());
    if (Known == OfPrecompiled.end())
      OfPrecompiled[From] = Names;
    else
      llvm::copy_if(Known->second, std::inserter(Names, Names.end()),
                    [&](const std::string &Name) { return IsOfCompiler(Preprocessor.getIdentifierInfo(Name)); });
    return Names;
  }

  /// A macro as if it had been read from the compiler's own definitions.
  clang::MacroInfo *made(llvm::StringRef Name, const std::string &Text, const MacroDefinition &Definition) {
    const clang::FileID File = Sources.createFileID(llvm::MemoryBuffer::getMemBufferCopy(Text, "<built-in>"));
    const clang::SourceLocation Start = Sources.getLocForStartOfFile(File);
    clang::MacroInfo *Info = Preprocessor.AllocateMacroInfo(Start);
    if (Definition.IsFunction) {
      Info->setIsFunctionLike();
      std::vector<clang::IdentifierInfo *> Parameters;
      for (const std::string &Parameter : Definition.Parameters)
        Parameters.push_back(Preprocessor.getIdentifierInfo(Parameter));
      Info->setParameterList(Parameters, Preprocessor.getPreprocessorAllocator());
    }
    clang::Lexer Lexer(File, Sources.getBufferOrFake(File), Sources, Preprocessor.getLangOpts());
    std::vector<clang::Token> Tokens;
    for (clang::Token T;;) {
      Lexer.LexFromRawLexer(T);
      if (T.is(clang::tok::eof))
        break;
      if (T.is(clang::tok::raw_identifier))
        Preprocessor.LookUpIdentifierInfo(T);
      Tokens.push_back(T);
    }
    const size_t Head = Tokens.size() - std::min(Tokens.size(), Definition.Body.size());
    Info->setTokens(llvm::ArrayRef(Tokens).drop_front(Head), Preprocessor.getPreprocessorAllocator());
    Info->setDefinitionEndLoc(Tokens.empty() ? Start : Tokens.back().getLocation());
    return Info;
  }

  clang::Preprocessor &Preprocessor;
  clang::SourceManager &Sources;
  LibraryFiles Libraries;
  const std::vector<std::string> *Predefined;
  ReadingOrder &Order;
  std::vector<Disguise> Disguises;
  bool Ready = false, Prepared = false, Worn = false;
};

/// Defined alike by every compiler that nvcc works with on this machine, or by none.
bool isPortable(llvm::StringRef Name) {
  static const llvm::StringSet<> Names = {
      // CUDA, but not by which compiler.
      "__CUDA_ARCH__", "__CUDACC__", "__NVCC__", "__CUDACC_RDC__", "__USE_FAST_MATH__",
      // The language.
      "__cplusplus", "__CHAR_BIT__", "__STDC__", "__STDC_HOSTED__", "__has_include", "__FILE__", "__LINE__", "__DATE__",
      "__TIME__", "__TIMESTAMP__", "__COUNTER__", "__BASE_FILE__", "__INCLUDE_LEVEL__", "__VA_ARGS__", "__VA_OPT__",
      // This machine.
      "__linux__", "__linux", "__gnu_linux__", "__unix__", "__unix", "__x86_64__", "__x86_64", "__amd64__", "__amd64",
      "__aarch64__", "__LP64__",
      // Other machines and systems.
      "__arm__", "__ARM_ARCH", "__i386__", "__powerpc64__", "__APPLE__", "__MACH__", "__CYGWIN__", "__ANDROID__",
      "__FreeBSD__", "__EMSCRIPTEN__",
      // Compilers that nvcc does not work with.
      "__INTEL_COMPILER", "__ICC", "__INTEL_LLVM_COMPILER", "__PGI", "__PGIC__", "__NVCOMPILER", "__CUDACC_RTC__",
      "__BORLANDC__", "__SUNPRO_CC", "__IBMCPP__", "__HCC__", "__HIPCC__", "__HIP__"};
  if (Names.contains(Name))
    return true;
  for (llvm::StringRef Prefix :
       {"__SIZEOF_", "__BYTE_ORDER", "__ORDER_", "__HIP_", "__MINGW", "__SYCL", "__OPENCL", "__FLT_", "__DBL_",
        "__LDBL_", "__INT", "__UINT", "__SIZE_", "__PTRDIFF_", "__WCHAR_", "__SCHAR_", "__SHRT_", "__LONG_"})
    if (Name.starts_with(Prefix))
      return Name != "__INTEL_CXX11_MODE__";
  return false;
}

class Reader {
public:
  Reader(clang::Preprocessor &Preprocessor, const Toolchain &Tools, const ReadingOrder &Order, size_t MainBytes)
      : Preprocessor(Preprocessor), Sources(Preprocessor.getSourceManager()), Libraries(Tools), Compilers(Tools),
        Order(Order), MainBytes(MainBytes) {
    for (const clang::FileID File : Order.Files)
      if (const clang::SourceLocation From = Sources.getIncludeLoc(File); From.isValid()) {
        const auto [Parent, Offset] = Sources.getDecomposedExpansionLoc(From);
        Included[Parent].push_back({Offset, File});
      }
    for (const clang::SourceRange Range : Order.Skipped) {
      const auto [File, Begin] = Sources.getDecomposedExpansionLoc(Range.getBegin());
      Skipped[File].push_back({Begin, Sources.getDecomposedExpansionLoc(Range.getEnd()).second});
    }
  }

  UsersText read() {
    visit(Preprocessor.getPredefinesFileID());
    visit(Sources.getMainFileID());
    return std::move(Text);
  }

private:
  void visit(clang::FileID File) {
    const auto Entry = Sources.getFileEntryRefForID(File);
    const bool IsMain = File == Sources.getMainFileID();
    if (!IsMain && (!Entry || Libraries.contains(Entry->getName()))) {
      for (const auto &[Offset, Inner] : Included[File])
        visit(Inner);
      return;
    }
    const unsigned Number = Text.Files.size();
    Text.Files.push_back(Entry ? Entry->getName().str() : "");
    const llvm::StringRef Buffer = Sources.getBufferData(File);
    const std::vector<std::pair<unsigned, clang::FileID>> Inner = Included[File];
    const std::vector<std::pair<unsigned, unsigned>> Left = Skipped[File];
    const size_t End = IsMain ? std::min(MainBytes, Buffer.size()) : Buffer.size();
    size_t Next = 0, Hidden = 0, Counted = 0;
    unsigned Line = 1;
    RawLexer Lexer(Buffer, Buffer.starts_with("\xEF\xBB\xBF") ? 3 : 0);
    for (RawToken T = Lexer.next(); !T.IsEnd && T.Offset < End; T = Lexer.next()) {
      for (; Next < Inner.size() && Inner[Next].first < T.Offset; ++Next)
        visit(Inner[Next].second);
      for (; Hidden < Left.size() && Left[Hidden].second <= T.Offset; ++Hidden)
        ;
      const bool Active = Hidden == Left.size() || T.Offset < Left[Hidden].first;
      Line += Buffer.slice(Counted, T.Offset).count('\n');
      Counted = T.Offset;
      const clang::SourceLocation Where = Sources.getLocForStartOfFile(File).getLocWithOffset(T.Offset);
      auto Add = [&](std::string Spelling, bool IsIdentifier) {
        std::uint64_t Meaning = IsIdentifier ? meaning(Spelling, Where) : 0;
        std::set<std::string> Pasted;
        if (auto Found = Order.Pasted.find(Where); Meaning && Found != Order.Pasted.end())
          Pasted = Found->second;
        for (const std::string &Name : Pasted)
          Meaning = combined(Meaning, meaning(Name, Where));
        Text.Tokens.push_back({Number, Line, std::move(Spelling), Meaning, std::move(Pasted)});
        if (Meaning && dependsOnCompiler(Text.Tokens.back().Spelling, Where))
          Text.Compilers.push_back(Text.Tokens.back());
      };
      if (T.Spelling != "#" || !T.StartsLine) {
        for (std::string &Part : asNvccReads(std::move(T.Spelling)))
          if (Active)
            Add(std::move(Part), T.IsIdentifier);
        continue;
      }
      const std::vector<RawToken> Rest = Lexer.restOfLine();
      if (Rest.empty())
        continue;
      const llvm::StringRef Directive = Rest[0].Spelling;
      if (Active && Directive == "pragma") {
        if (isSwallowedPragma(Rest))
          continue;
        Add("#pragma", false);
        for (const RawToken &Each : llvm::drop_begin(Rest))
          Add(Each.Spelling, Each.IsIdentifier);
      } else if ((Active || (Hidden < Left.size() && T.Offset == Left[Hidden].first)) &&
                 (Directive.starts_with("if") || Directive.starts_with("elif"))) {
        for (const RawToken &Each : llvm::drop_begin(Rest))
          if (Each.IsIdentifier && dependsOnCompiler(Each.Spelling, Where))
            Text.Compilers.push_back({Number, Line, Each.Spelling, 0});
      }
    }
    for (; Next < Inner.size(); ++Next)
      visit(Inner[Next].second);
  }

  clang::MacroInfo *macro(llvm::StringRef Name, clang::SourceLocation Where) const {
    const clang::IdentifierInfo *Identifier = Preprocessor.getIdentifierInfo(Name);
    return Identifier->hadMacroDefinition() ? Preprocessor.getMacroDefinitionAtLoc(Identifier, Where).getMacroInfo()
                                            : nullptr;
  }

  std::uint64_t meaning(llvm::StringRef Name, clang::SourceLocation Where) {
    if (!macro(Name, Where))
      return 0;
    return meaningOf(Name, [&](llvm::StringRef Other) -> std::optional<MacroDefinition> {
      const clang::MacroInfo *Info = macro(Other, Where);
      const auto File = Info ? Sources.getFileEntryRefForID(Sources.getFileID(Info->getDefinitionLoc())) : std::nullopt;
      if (!Info || Info->isBuiltinMacro() || (File && Compilers.contains(File->getName())))
        return std::nullopt;
      MacroDefinition Definition;
      Definition.IsFunction = Info->isFunctionLike();
      Definition.Variadic = Info->isVariadic();
      for (const clang::IdentifierInfo *Parameter : Info->params())
        Definition.Parameters.push_back(Parameter->getName().str());
      for (const clang::Token &T : Info->tokens())
        Definition.Body.push_back(Preprocessor.getSpelling(T));
      Definition.Users =
          File && (Sources.isInMainFile(Info->getDefinitionLoc()) || !Libraries.contains(File->getName()));
      return Definition;
    });
  }

  bool dependsOnCompiler(llvm::StringRef Name, clang::SourceLocation Where) {
    llvm::StringSet<> Seen;
    return dependsOnCompiler(Name, Where, Seen);
  }
  bool dependsOnCompiler(llvm::StringRef Name, clang::SourceLocation Where, llvm::StringSet<> &Seen) {
    if (isPortable(Name) || !Seen.insert(Name).second)
      return false;
    const clang::MacroInfo *Info = macro(Name, Where);
    if (!Info || Info->isBuiltinMacro() || Sources.isWrittenInBuiltinFile(Info->getDefinitionLoc()))
      return Name.starts_with("__");
    return llvm::any_of(Info->tokens(), [&](const clang::Token &T) {
      return T.getIdentifierInfo() && macro(T.getIdentifierInfo()->getName(), Where) &&
             meaning(T.getIdentifierInfo()->getName(), Where) &&
             dependsOnCompiler(T.getIdentifierInfo()->getName(), Where, Seen);
    });
  }

  clang::Preprocessor &Preprocessor;
  const clang::SourceManager &Sources;
  LibraryFiles Libraries;
  CompilerHeaders Compilers;
  const ReadingOrder &Order;
  const size_t MainBytes;
  UsersText Text;
  std::map<clang::FileID, std::vector<std::pair<unsigned, clang::FileID>>> Included;
  std::map<clang::FileID, std::vector<std::pair<unsigned, unsigned>>> Skipped;
};

} // namespace

std::unique_ptr<clang::PPCallbacks> passForNvcc(clang::Preprocessor &Preprocessor, const Toolchain &Tools,
                                                const std::vector<std::string> *Predefined, ReadingOrder &Order,
                                                std::function<void()> AtToken) {
  return std::make_unique<Guise>(Preprocessor, Tools, Predefined, Order, std::move(AtToken));
}

UsersText usersText(clang::Preprocessor &Preprocessor, const Toolchain &Tools, const ReadingOrder &Order,
                    size_t MainBytes) {
  return Reader(Preprocessor, Tools, Order, MainBytes).read();
}

} // namespace cufuse
