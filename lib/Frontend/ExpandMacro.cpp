#include "cufuse/Frontend/ExpandMacro.h"

#include "cufuse/Frontend/RawTokens.h"

#include <clang/Basic/DiagnosticOptions.h>
#include <clang/Basic/FileManager.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Basic/TargetInfo.h>
#include <clang/Lex/HeaderSearch.h>
#include <clang/Lex/HeaderSearchOptions.h>
#include <clang/Lex/MacroInfo.h>
#include <clang/Lex/ModuleLoader.h>
#include <clang/Lex/Preprocessor.h>
#include <clang/Lex/PreprocessorOptions.h>
#include <clang/Lex/TokenConcatenation.h>
#include <fmt/core.h>

#include <set>

namespace cufuse {

namespace {

/// Stands between a library's macro and its arguments as they are written, in quotes.
constexpr llvm::StringLiteral Unexpanded = "cufuse_unexpanded";

/// As a directive says it, behind `#define`.
llvm::StringRef definitionOf(const ParsedUnit &Unit, const clang::MacroInfo &Info) {
  const clang::SourceManager &Sources = Unit.ast().getSourceManager();
  const auto [File, Begin] = Sources.getDecomposedLoc(Info.getDefinitionLoc());
  const unsigned Last = Sources.getFileOffset(Info.getDefinitionEndLoc());
  return Sources.getBufferData(File).slice(
      Begin, Last + clang::Lexer::MeasureTokenLength(Info.getDefinitionEndLoc(), Sources, Unit.ast().getLangOpts()));
}

/// A text that defines the macros of the user as they are at a place, and ends with the call.
class CallAlone {
public:
  CallAlone(const ParsedUnit &Unit, clang::FileID File, unsigned Begin, unsigned End)
      : Unit(Unit), Sources(Unit.ast().getSourceManager()), Preprocessor(Unit.preprocessor()),
        Call(Sources.getBufferData(File).slice(Begin, End)),
        Where(Sources.getLocForStartOfFile(File).getLocWithOffset(Begin)) {}

  std::optional<std::string> text() {
    const std::vector<RawToken> Tokens = rawTokens(Call);
    for (const RawToken &T : Tokens)
      if (T.StartsLine && T.Offset > 0 && T.Spelling == "#")
        return std::nullopt;
      else if (T.IsIdentifier)
        Named.insert(T.Spelling);
    const clang::MacroInfo *Called = macro(*Preprocessor.getIdentifierInfo(Tokens[0].Spelling));
    if (!Called || Called->isBuiltinMacro())
      return std::nullopt;
    // A library that makes kernels is expanded like the user's text.
    ExpandsLibraries = Unit.inLibrary(Called->getDefinitionLoc());
    if (ExpandsLibraries && isKept(*Called))
      return std::nullopt;
    std::string Text;
    std::vector<std::pair<llvm::StringRef, const clang::MacroInfo *>> Kept;
    for (const auto &[Name, State] : Preprocessor.macros()) {
      const clang::MacroInfo *Info = macro(*Name);
      if (!Info || Info->isBuiltinMacro())
        continue;
      if (isKept(*Info)) {
        if (Info->isFunctionLike())
          Kept.push_back({Name->getName(), Info});
        continue;
      }
      for (const clang::Token &T : Info->tokens())
        if (T.getIdentifierInfo())
          Named.insert(T.getIdentifierInfo()->getName().str());
      Text += fmt::format("#define {}\n", definitionOf(Unit, *Info).str());
    }
    for (const auto &[Name, Info] : Kept)
      if (Named.count(Name.str()))
        Text += fmt::format("#define {0}(...) {0} {1} #__VA_ARGS__\n", Name.str(), Unexpanded.str());
    const clang::PresumedLoc At = Sources.getPresumedLoc(Where);
    Text += fmt::format("#define __LINE__ {}\n#define __FILE__ \"{}\"\n", At.getLine(),
                        clang::Lexer::Stringify(llvm::StringRef(At.getFilename())));
    return Text + Call.str();
  }
  unsigned counter() const {
    const auto Use = Unit.log().PlaceUses.find(Where);
    return Use == Unit.log().PlaceUses.end() ? 0 : Use->second.Counter.value_or(0);
  }

private:
  const clang::MacroInfo *macro(const clang::IdentifierInfo &Name) const {
    return Name.hadMacroDefinition() ? Preprocessor.getMacroDefinitionAtLoc(&Name, Where).getMacroInfo() : nullptr;
  }
  bool isKept(const clang::MacroInfo &Info) const {
    const clang::SourceLocation Defined = Info.getDefinitionLoc();
    return ExpandsLibraries ? Unit.inToolkit(Defined) && !Sources.isWrittenInCommandLineFile(Defined)
                            : Unit.inLibrary(Defined);
  }

  const ParsedUnit &Unit;
  const clang::SourceManager &Sources;
  clang::Preprocessor &Preprocessor;
  const llvm::StringRef Call;
  const clang::SourceLocation Where;
  bool ExpandsLibraries = false;
  std::set<std::string> Named;
};

/// The tokens that a preprocessor makes of the text, as text again.
class Writer {
public:
  Writer(clang::Preprocessor &Preprocessor, bool Lines)
      : Preprocessor(Preprocessor), Sources(Preprocessor.getSourceManager()), Concatenation(Preprocessor),
        Lines(Lines) {}

  std::optional<std::string> write() {
    std::string Text;
    clang::Token Before, T, Previous;
    Previous.startToken();
    Before.startToken();
    for (Preprocessor.Lex(T); T.isNot(clang::tok::eof); Preprocessor.Lex(T)) {
      if (T.isAnnotation())
        continue;
      if (isNumberOf("__COUNTER__", T, Preprocessor))
        return std::nullopt;
      if (T.getIdentifierInfo() && T.getIdentifierInfo()->getName() == Unexpanded) {
        Preprocessor.Lex(T);
        Text += "(" + unquoted(Preprocessor.getSpelling(T)) + ")";
      } else {
        if (Text.empty())
          Indent = indentOf(placeInMacro(T.getLocation()).first);
        else
          Text += gap(Before, Previous, T);
        Text += Preprocessor.getSpelling(T);
      }
      Before = std::exchange(Previous, T);
    }
    return Text;
  }

private:
  using Range = std::pair<clang::SourceLocation, clang::SourceLocation>; ///< The last is the end of the last token.

  /// Where the token, or the call of a macro or the parameter that it comes from, stands in the outermost macro.
  Range placeInMacro(clang::SourceLocation Where) const {
    clang::SourceLocation First = Where, Last = Where;
    auto Climb = [&](clang::SourceLocation &At, bool Begin) {
      while (At.isMacroID()) {
        const clang::CharSourceRange Outer = Sources.getImmediateExpansionRange(At);
        const clang::SourceLocation Next = Begin ? Outer.getBegin() : Outer.getEnd();
        if (Next.isFileID())
          break;
        At = Next;
      }
    };
    Climb(First, true);
    Climb(Last, false);
    return {Sources.getSpellingLoc(First), behind(Sources.getSpellingLoc(Last))};
  }
  clang::SourceLocation behind(clang::SourceLocation Token) const {
    return Token.getLocWithOffset(clang::Lexer::MeasureTokenLength(Token, Sources, Preprocessor.getLangOpts()));
  }
  /// Of its line, if it is the first on it.
  size_t indentOf(clang::SourceLocation At) const {
    const auto [File, Offset] = Sources.getDecomposedLoc(At);
    const llvm::StringRef Before = Sources.getBufferData(File).take_front(Offset).rsplit('\n').second;
    return Before.trim(' ').empty() ? Before.size() : 0;
  }

  /// What is written between the two places; nothing where that is more than blanks and comments.
  std::optional<llvm::StringRef> written(clang::SourceLocation From, clang::SourceLocation To) const {
    const auto [File, Begin] = Sources.getDecomposedLoc(From);
    const auto [Same, End] = Sources.getDecomposedLoc(To);
    if (File != Same || File != Sources.getMainFileID() || End < Begin)
      return std::nullopt;
    const llvm::StringRef Gap = Sources.getBufferData(File).slice(Begin, End);
    // A copy, behind which the lexer finds an end.
    return rawTokens(Gap.str()).empty() ? std::optional(Gap) : std::nullopt;
  }
  std::string gap(const clang::Token &Before, const clang::Token &Previous, const clang::Token &T) const {
    auto Gap = written(behind(Sources.getSpellingLoc(Previous.getLocation())), Sources.getSpellingLoc(T.getLocation()));
    if (!Gap && Previous.getLocation().isMacroID() && T.getLocation().isMacroID())
      Gap = written(placeInMacro(Previous.getLocation()).second, placeInMacro(T.getLocation()).first);
    std::string Text;
    if (Gap && Lines)
      Text = spread(*Gap);
    else if (Gap ? !Gap->empty() : T.hasLeadingSpace() || T.isAtStartOfLine())
      Text = " ";
    return Text.empty() && Concatenation.AvoidConcat(Before, Previous, T) ? " " : Text;
  }
  /// With `Indent` spaces less behind each break of a line. Comments are kept only where nothing could get into one.
  std::string spread(llvm::StringRef Gap) const {
    const bool KeepsComments = !Gap.contains("//");
    std::string Text;
    while (Gap.contains('\n')) {
      const auto [Line, Rest] = Gap.split('\n');
      Text += (KeepsComments ? Line.rtrim(" \t\r\\").str() : "") + '\n';
      Gap = Rest.drop_front(std::min(Indent, Rest.size() - Rest.ltrim(' ').size()));
    }
    return Text + (KeepsComments ? Gap : Gap.take_while([](char C) { return C == ' '; })).str();
  }
  /// What `#` made a string of.
  static std::string unquoted(llvm::StringRef Literal) {
    std::string Text;
    const llvm::StringRef Inside = Literal.drop_front().drop_back();
    for (size_t I = 0; I < Inside.size(); ++I) {
      const bool Escaped = Inside[I] == '\\' && I + 1 < Inside.size();
      I += Escaped;
      Text += Escaped && Inside[I] == 'n' ? '\n' : Inside[I];
    }
    return Text;
  }

  clang::Preprocessor &Preprocessor;
  const clang::SourceManager &Sources;
  const clang::TokenConcatenation Concatenation;
  const bool Lines;
  size_t Indent = 0;
};

} // namespace

std::optional<clang::SourceLocation> isNumberOf(llvm::StringRef Name, const clang::Token &T,
                                                const clang::Preprocessor &Preprocessor) {
  const clang::SourceManager &Sources = Preprocessor.getSourceManager();
  clang::SourceLocation At = T.getLocation();
  while (Sources.isMacroArgExpansion(At))
    At = Sources.getImmediateSpellingLoc(At);
  if (T.isNot(clang::tok::numeric_constant) || !At.isMacroID() ||
      !Sources.isWrittenInScratchSpace(Sources.getSpellingLoc(At)))
    return std::nullopt;
  const clang::SourceLocation Named = Sources.getSpellingLoc(Sources.getImmediateExpansionRange(At).getBegin());
  return llvm::StringRef(Sources.getCharacterData(Named)).starts_with(Name) ? std::optional(Named) : std::nullopt;
}

namespace {

/// The lines of which something is said.
struct BadLines : clang::DiagnosticConsumer {
  std::set<unsigned> Numbers;
  void HandleDiagnostic(clang::DiagnosticsEngine::Level Level, const clang::Diagnostic &Said) override {
    if (Level >= clang::DiagnosticsEngine::Warning && Said.getLocation().isValid())
      Numbers.insert(Said.getSourceManager().getExpansionLineNumber(Said.getLocation()));
  }
};

} // namespace

/// What Clang's preprocessor makes of the text, in which only what the text defines is a macro.
static std::optional<std::string> preprocess(const ParsedUnit &Unit, const std::string &Text, unsigned Counter,
                                             bool Lines, BadLines &Bad) {
  clang::FileManager Files({});
  clang::DiagnosticOptions DiagnosticOptions;
  clang::DiagnosticsEngine Diagnostics(clang::DiagnosticIDs::create(), DiagnosticOptions, &Bad,
                                       /*ShouldOwnClient=*/false);
  clang::SourceManager Sources(Diagnostics, Files);
  Sources.setMainFileID(Sources.createFileID(llvm::MemoryBuffer::getMemBuffer(Text)));
  const clang::HeaderSearchOptions Search;
  const clang::PreprocessorOptions Options;
  const clang::LangOptions &Language = Unit.ast().getLangOpts();
  const clang::TargetInfo &Target = Unit.ast().getTargetInfo();
  clang::HeaderSearch Headers(Search, Sources, Diagnostics, Language, &Target);
  clang::TrivialModuleLoader Modules;
  clang::Preprocessor Preprocessor(Options, Diagnostics, Language, Sources, Headers, Modules);
  Preprocessor.Initialize(Target);
  // The compiler's own stay, among them `_Pragma`.
  const clang::SourceLocation Start = Sources.getLocForStartOfFile(Sources.getMainFileID());
  std::vector<const clang::IdentifierInfo *> Builtins;
  for (const auto &[Name, State] : Preprocessor.macros())
    if (Name->getName() != "__COUNTER__")
      Builtins.push_back(Name);
  for (const clang::IdentifierInfo *Name : Builtins)
    Preprocessor.appendMacroDirective(const_cast<clang::IdentifierInfo *>(Name),
                                      new (Preprocessor.getPreprocessorAllocator()) clang::UndefMacroDirective(Start));
  Preprocessor.setCounterValue(Counter);
  Preprocessor.EnterMainSourceFile();
  return Writer(Preprocessor, Lines).write();
}

std::optional<std::string> expandMacro(const ParsedUnit &Unit, clang::FileID File, unsigned Begin, unsigned End,
                                       bool Lines) {
  CallAlone Alone(Unit, File, Begin, End);
  const std::optional<std::string> Text = Alone.text();
  BadLines Bad;
  return Text ? preprocess(Unit, *Text, Alone.counter(), Lines, Bad) : std::nullopt;
}

std::vector<MacroText> textsOfMacros(const ParsedUnit &Unit, const std::set<std::string> &Names,
                                     llvm::function_ref<bool(clang::SourceLocation)> IsCopied) {
  clang::Preprocessor &Preprocessor = Unit.preprocessor();
  const clang::SourceManager &Sources = Preprocessor.getSourceManager();
  llvm::StringSet<> Others;
  std::string Text;
  std::vector<MacroText> Calls;
  for (const auto &[Name, State] : Preprocessor.macros()) {
    const clang::MacroInfo *Info = Preprocessor.getMacroInfo(Name);
    if (!Info || (!Info->isBuiltinMacro() && IsCopied(Info->getDefinitionLoc())))
      continue;
    const llvm::StringRef Spelled = Name->getName();
    // Else the compiler's own, which another has otherwise.
    const bool IsUsers = Sources.getFileEntryRefForID(Sources.getFileID(Info->getDefinitionLoc())) ||
                         llvm::any_of(Unit.request().Flags.Macros, [&](llvm::StringRef Flag) {
                           return Flag.consume_front("-D") && Flag.split('=').first.split('(').first == Spelled;
                         });
    if (Info->isBuiltinMacro() || Unit.inLibrary(Info->getDefinitionLoc()) || (Spelled.starts_with("__") && !IsUsers)) {
      Others.insert(Spelled);
      continue;
    }
    Text += fmt::format("#define {}\n", definitionOf(Unit, *Info).str());
    if (!Names.contains(Spelled.str()))
      continue;
    std::string Call = Spelled.str();
    for (unsigned I = 0; I < Info->getNumParams(); ++I)
      Call += fmt::format("{}cufuse_{}", I == 0 ? "(" : ", ", I + 1);
    Calls.push_back({Call + (Info->isObjectLike() ? "" : Info->getNumParams() ? ")" : "()"), ""});
  }
  constexpr llvm::StringLiteral Next = "cufuse_next";
  unsigned Line = llvm::count(Text, '\n') + 1;
  for (const MacroText &Each : Calls)
    Text += fmt::format("{}\n{}\n", Each.Call, Next.str());
  BadLines Bad;
  const std::optional<std::string> All = preprocess(Unit, Text, 0, /*Lines=*/false, Bad);
  if (!All)
    return {};
  std::vector<MacroText> Known;
  llvm::StringRef Rest = *All;
  for (MacroText &Each : Calls) {
    llvm::StringRef Said;
    std::tie(Said, Rest) = Rest.split(Next);
    Each.Text = Said.trim().str();
    const std::vector<RawToken> Tokens = rawTokens(Each.Text);
    int Depth = 0;
    bool IsKnown = llvm::all_of(Tokens, [&](const RawToken &T) {
      Depth += (T.Spelling == "(") - (T.Spelling == ")");
      return Depth >= 0 && !Others.contains(T.Spelling);
    });
    IsKnown &= !Bad.Numbers.contains(Line); // its call with words that are made up may be no text
    Line += 2;
    if (IsKnown && Depth == 0)
      Known.push_back(std::move(Each));
  }
  llvm::sort(Known, [](const MacroText &A, const MacroText &B) { return A.Call < B.Call; });
  return Known;
}

} // namespace cufuse
