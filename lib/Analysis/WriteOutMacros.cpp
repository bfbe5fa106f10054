#include "cufuse/Analysis/WriteOutMacros.h"

#include "cufuse/Analysis/DynamicShared.h"
#include "cufuse/Analysis/FindKernel.h"
#include "cufuse/Analysis/Reach.h"

#include <clang/AST/Attr.h>
#include <clang/AST/DynamicRecursiveASTVisitor.h>
#include <clang/Lex/Lexer.h>
#include <clang/Lex/MacroInfo.h>
#include <clang/Lex/Preprocessor.h>
#include <fmt/core.h>
#include <llvm/ADT/StringExtras.h>

#include <map>
#include <set>

namespace cufuse {

namespace {

constexpr unsigned MostRounds = 8; // macros that call macros

/// A macro's call in a file.
struct MacroCall {
  unsigned End = 0;        ///< Offset behind it.
  bool WholeKernel = true; ///< Of those that it is a part of, each lies in it as a whole.
};
using MacroCalls = std::map<clang::FileID, std::map<unsigned, MacroCall>>; ///< By offset.

/// What lies between two tokens. Breaks of lines are kept only if `Lines`, with `Indent` spaces less behind them, and
/// comments only where nothing could get into one.
std::string between(llvm::StringRef Gap, bool Lines, size_t Indent) {
  if (!Lines)
    return Gap.trim(" ").empty() ? Gap.str() : " ";
  const bool KeepsComments = !Gap.contains("//");
  std::string Text;
  while (Gap.contains('\n')) {
    const auto [Line, Rest] = Gap.split('\n');
    Text += (KeepsComments ? Line.rtrim(" \t\r\\").str() : "") + '\n';
    Gap = Rest.drop_front(std::min(Indent, Rest.size() - Rest.ltrim(' ').size()));
  }
  return Text + (KeepsComments ? Gap : Gap.take_while([](char C) { return C == ' '; })).str();
}

/// The text of one macro call, with its arguments put in.
class Expansion {
public:
  Expansion(const ParsedUnit &Unit, clang::FileID File, unsigned Begin, unsigned End, bool Lines)
      : Sources(Unit.ast().getSourceManager()), Options(Unit.ast().getLangOpts()), Lines(Lines) {
    readCall(File, Begin, End);
    if (Call.empty())
      return;
    clang::Preprocessor &Preprocessor = Unit.preprocessor();
    clang::IdentifierInfo *Name = Preprocessor.getIdentifierInfo(Call[0].getRawIdentifier());
    Macro = Preprocessor.getMacroDefinitionAtLoc(Name, Call[0].getLocation()).getMacroInfo();
  }

  /// Null where the macro is not understood.
  std::optional<std::string> text() {
    if (!Macro || (Macro->isFunctionLike() && !readArguments()))
      return std::nullopt;
    std::string Text;
    bool Pastes = false;
    std::set<size_t> Closes; // of `__VA_OPT__(`
    const llvm::ArrayRef<clang::Token> Tokens = Macro->tokens();
    const size_t Indent = Tokens.empty() ? 0 : indentOf(Tokens.front());
    for (size_t I = 0; I < Tokens.size(); ++I) {
      const clang::Token &T = Tokens[I];
      if (T.is(clang::tok::hashhash)) {
        Pastes = true;
        continue;
      }
      if (I > 0 && !Pastes)
        Text += between(gapBefore(T, Tokens[I - 1]), Lines, Indent);
      if (T.is(clang::tok::hash) && Macro->isFunctionLike()) {
        const std::string *Argument = I + 1 < Tokens.size() ? argument(Tokens[I + 1]) : nullptr;
        if (!Argument)
          return std::nullopt;
        Text += quoted(*Argument);
        ++I;
      } else if (const std::string *Argument = argument(T)) {
        // GNU: the comma before an empty `##__VA_ARGS__` goes.
        if (Pastes && Argument->empty() && llvm::StringRef(Text).ends_with(","))
          Text.pop_back();
        Text += *Argument;
      } else if (T.getIdentifierInfo() && T.getIdentifierInfo()->getName() == "__VA_OPT__") {
        // Kept where there are other arguments, which may turn out to be nothing: the caller compares.
        const size_t Close = closingOptional(Tokens, I);
        if (Pastes || Close == 0 || (Close + 1 < Tokens.size() && Tokens[Close + 1].is(clang::tok::hashhash)))
          return std::nullopt;
        if (Arguments.back().empty())
          I = Close;
        else
          Closes.insert(Close), ++I;
      } else if (!Closes.count(I)) {
        Text += clang::Lexer::getSpelling(T, Sources, Options);
      }
      Pastes = false;
    }
    return Text;
  }

private:
  /// The bracket that closes `__VA_OPT__(`.
  static size_t closingOptional(llvm::ArrayRef<clang::Token> Tokens, size_t I) {
    unsigned Depth = 0;
    while (++I < Tokens.size()) {
      Depth += Tokens[I].is(clang::tok::l_paren);
      Depth -= Tokens[I].is(clang::tok::r_paren);
      if (Depth == 0)
        return I;
    }
    return 0;
  }
  void readCall(clang::FileID File, unsigned Begin, unsigned End) {
    Buffer = Sources.getBufferData(File);
    clang::Lexer Lexer(Sources.getLocForStartOfFile(File), Options, Buffer.begin(), Buffer.begin() + Begin,
                       Buffer.end());
    for (clang::Token T; !Lexer.LexFromRawLexer(T) && Sources.getFileOffset(T.getLocation()) < End;)
      Call.push_back(T);
  }
  unsigned offset(const clang::Token &T) const { return Sources.getFileOffset(T.getLocation()); }

  bool readArguments() {
    if (Call.size() < 3 || Call[1].isNot(clang::tok::l_paren) || Call.back().isNot(clang::tok::r_paren))
      return false;
    const unsigned Count = Macro->getNumParams();
    unsigned Depth = 0;
    std::vector<clang::Token> Own;
    auto Finish = [&] {
      Arguments.push_back(spelled(Own));
      Own.clear();
    };
    for (size_t I = 2; I + 1 < Call.size(); ++I) {
      const clang::Token &T = Call[I];
      Depth += T.is(clang::tok::l_paren);
      Depth -= T.is(clang::tok::r_paren);
      const bool IsLast = Macro->isVariadic() && Arguments.size() + 1 == Count;
      if (T.is(clang::tok::comma) && Depth == 0 && !IsLast)
        Finish();
      else
        Own.push_back(T);
    }
    if (Count > 0)
      Finish();
    while (Macro->isVariadic() && Arguments.size() < Count)
      Arguments.emplace_back();
    return Arguments.size() == Count;
  }
  std::string spelled(llvm::ArrayRef<clang::Token> Tokens) const {
    std::string Text;
    for (size_t I = 0; I < Tokens.size(); ++I) {
      if (I > 0)
        Text += between(Buffer.slice(offset(Tokens[I - 1]) + Tokens[I - 1].getLength(), offset(Tokens[I])), Lines, 0);
      Text += Buffer.substr(offset(Tokens[I]), Tokens[I].getLength());
    }
    return Text;
  }
  const std::string *argument(const clang::Token &T) const {
    const int Number =
        Macro->isFunctionLike() && T.getIdentifierInfo() ? Macro->getParameterNum(T.getIdentifierInfo()) : -1;
    return Number < 0 ? nullptr : &Arguments[Number];
  }
  llvm::StringRef gapBefore(const clang::Token &T, const clang::Token &Before) const {
    const auto [File, At] = Sources.getDecomposedLoc(T.getLocation());
    return Sources.getBufferData(File).slice(Sources.getFileOffset(Before.getLocation()) + Before.getLength(), At);
  }
  /// Of its line, if it is the first on it.
  size_t indentOf(const clang::Token &T) const {
    const auto [File, At] = Sources.getDecomposedLoc(T.getLocation());
    const llvm::StringRef Before = Sources.getBufferData(File).take_front(At).rsplit('\n').second;
    return Before.trim(' ').empty() ? Before.size() : 0;
  }
  static std::string quoted(llvm::StringRef Text) {
    std::string Quoted = "\"";
    bool Inside = false;
    for (size_t I = 0; I < Text.size(); ++I) {
      if (Text[I] == '"' && (I == 0 || Text[I - 1] != '\\'))
        Inside = !Inside;
      if (Text[I] == '"' || (Text[I] == '\\' && Inside))
        Quoted += '\\';
      Quoted += Text[I] == '\n' ? ' ' : Text[I];
    }
    return Quoted + "\"";
  }

  const clang::SourceManager &Sources;
  const clang::LangOptions &Options;
  const bool Lines;
  llvm::StringRef Buffer;
  std::vector<clang::Token> Call; ///< Without comments.
  const clang::MacroInfo *Macro = nullptr;
  std::vector<std::string> Arguments;
};

/// What files of the user define.
struct Definitions : clang::ConstDynamicRecursiveASTVisitor {
  explicit Definitions(const ParsedUnit &Unit) : Sources(Unit.ast().getSourceManager()) { TraverseAST(Unit.ast()); }
  bool TraverseDecl(MaybeConst<clang::Decl> *D) override {
    if (D && !llvm::isa<clang::TranslationUnitDecl>(D) && Sources.isInSystemHeader(D->getLocation()))
      return true;
    return clang::ConstDynamicRecursiveASTVisitor::TraverseDecl(D);
  }
  bool VisitFunctionDecl(const clang::FunctionDecl *F) override {
    if (F->isThisDeclarationADefinition() && !F->isImplicit() && inUsersFile(F, Sources))
      Functions.push_back(F);
    return true;
  }
  bool VisitVarDecl(const clang::VarDecl *V) override {
    if (V->hasAttr<clang::CUDASharedAttr>() && V->hasExternalStorage() && inUsersFile(V, Sources))
      Shared.push_back(V);
    return true;
  }
  const clang::SourceManager &Sources;
  std::vector<const clang::FunctionDecl *> Functions;
  std::vector<const clang::VarDecl *> Shared;
};

/// Where the function itself returns: not in its lambdas.
void eachReturn(const clang::Stmt *S, llvm::function_ref<void(clang::SourceLocation)> Visit) {
  if (!S || llvm::isa<clang::LambdaExpr>(S))
    return;
  if (auto *Return = llvm::dyn_cast<clang::ReturnStmt>(S))
    Visit(Return->getReturnLoc());
  for (const clang::Stmt *Child : S->children())
    eachReturn(Child, Visit);
}

/// The calls of macros that spell parts of a kernel which have to stand in its text.
MacroCalls callsAround(const ParsedUnit &Unit, bool Returns) {
  const clang::SourceManager &Sources = Unit.ast().getSourceManager();
  MacroCalls Calls;
  auto Add = [&](clang::SourceLocation At, const clang::FunctionDecl *Kernel) {
    if (!At.isMacroID())
      return;
    const clang::CharSourceRange Range = Sources.getExpansionRange(At);
    const auto [File, Begin] = Sources.getDecomposedLoc(Range.getBegin());
    if (Sources.isInSystemHeader(Range.getBegin()) || !Sources.getFileEntryRefForID(File))
      return;
    MacroCall &Call = Calls[File][Begin];
    Call.End = Sources.getFileOffset(Range.getEnd()) +
               clang::Lexer::MeasureTokenLength(Range.getEnd(), Sources, Unit.ast().getLangOpts());
    if (!Kernel) {
      Call.WholeKernel = false;
      return;
    }
    const clang::FunctionTemplateDecl *Template = Kernel->getDescribedFunctionTemplate();
    for (clang::SourceLocation End : {Template ? Template->getBeginLoc() : Kernel->getBeginLoc(), Kernel->getEndLoc()})
      Call.WholeKernel &= End.isMacroID() && Sources.getExpansionLoc(End) == Range.getBegin();
  };
  for (const clang::FunctionDecl *Kernel : allKernels(Unit))
    for (const clang::FunctionDecl *Declared : Kernel->redecls()) {
      if (!inUsersFile(Declared, Sources))
        continue;
      Add(Declared->getLocation(), Declared);
      if (const clang::FunctionTypeLoc Type = Declared->getFunctionTypeLoc())
        Add(Type.getLParenLoc(), Declared);
      if (const auto *Global = Declared->getAttr<clang::CUDAGlobalAttr>(); Global && !Global->isInherited())
        // `__global__` is a macro itself.
        if (const auto [File, At] = Sources.getDecomposedExpansionLoc(Global->getLocation());
            !Sources.getBufferData(File).substr(At).starts_with("__global__"))
          Add(Global->getLocation(), Declared);
      if (const auto *Body = llvm::dyn_cast_or_null<clang::CompoundStmt>(
              Declared->doesThisDeclarationHaveABody() ? Declared->getBody() : nullptr)) {
        Add(Body->getLBracLoc(), Declared);
        Add(Body->getRBracLoc(), Declared);
        if (Returns)
          eachReturn(Body, [&](clang::SourceLocation At) { Add(At, Declared); });
      }
    }
  const Definitions Found(Unit);
  auto AddPart = [&](clang::SourceLocation At) {
    // It may lie in a kernel that is written out as a whole.
    const auto [File, Begin] = Sources.getDecomposedExpansionLoc(At);
    if (auto Known = Calls.find(File); Known == Calls.end() || !Known->second.count(Begin))
      Add(At, nullptr);
  };
  for (const clang::VarDecl *Shared : Found.Shared)
    AddPart(Shared->getLocation());
  for (const clang::FunctionDecl *Function : Found.Functions)
    for (const auto &[Shared, References] : dynamicSharedOutOfReach(*Function))
      for (const clang::DeclRefExpr *E : References)
        if (Sources.isMacroBodyExpansion(E->getLocation()))
          AddPart(E->getLocation());
  return Calls;
}

/// Is nothing on the lines of the call but that call?
bool standsAlone(llvm::StringRef Text, unsigned Begin, unsigned End) {
  return Text.take_front(Begin).rtrim(" \t").ends_with("\n") &&
         Text.substr(End).take_until([](char C) { return C == '\n'; }).find_first_not_of(" \t;\r") ==
             llvm::StringRef::npos;
}

/// The files with those of the calls written out that can be.
std::vector<OutputFile> writtenOut(const ParsedUnit &Unit, const MacroCalls &Calls, bool Lines) {
  const clang::SourceManager &Sources = Unit.ast().getSourceManager();
  std::vector<OutputFile> Files;
  for (const auto &[File, Own] : Calls) {
    std::string Text = Sources.getBufferData(File).str();
    if (Sources.isInMainFile(Sources.getLocForStartOfFile(File)))
      Text.resize(Unit.fileSize());
    bool Changed = false;
    for (const auto &[Begin, Call] : llvm::reverse(Own)) {
      const bool Spread = Lines && Call.WholeKernel && standsAlone(Text, Begin, Call.End);
      const auto Written = Expansion(Unit, File, Begin, Call.End, Spread).text();
      if (!Written)
        continue;
      Changed = true;
      if (Spread) {
        // The line behind keeps its number.
        const size_t Next = std::min(Text.find('\n', Call.End), Text.size());
        const clang::PresumedLoc At =
            Sources.getPresumedLoc(Sources.getLocForStartOfFile(File).getLocWithOffset(Call.End));
        Text.insert(Next, fmt::format("\n#line {}", At.getLine() + 1));
      }
      // So do those behind a call of several lines, whose __LINE__ is the first for GCC: Clang, for which it is the
      // last, then finds another one in the output.
      if (!Spread)
        Text.insert(Call.End + (llvm::StringRef(Text).substr(Call.End).starts_with(";")),
                    llvm::StringRef(Text).slice(Begin, Call.End).count('\n'), '\n');
      Text.replace(Begin, Call.End - Begin, *Written);
    }
    if (Changed)
      Files.push_back({Sources.getFileEntryRefForID(File)->getName().str(), std::move(Text)});
  }
  return Files;
}

/// What Clang makes of all functions.
std::string meaning(const ParsedUnit &Unit) {
  std::string Text;
  llvm::raw_string_ostream Out(Text);
  for (const clang::FunctionDecl *Function : Definitions(Unit).Functions) {
    Function->print(Out, Unit.ast().getPrintingPolicy());
    Out << '\n';
  }
  return Text;
}

} // namespace

llvm::Expected<std::unique_ptr<ParsedUnit>> parseWrittenOut(const Toolchain &Tools, const ParseRequest &Request) {
  auto Original = parse(Tools, Request);
  if (!Original)
    return Original;
  constexpr std::pair<bool, bool> Ways[] = {{true, true}, {true, false}, {false, false}};
  for (const auto &[Lines, Returns] : Ways) {
    std::unique_ptr<ParsedUnit> Last;
    ParseRequest Next = Request;
    Next.MacrosWrittenOut = true;
    for (unsigned Round = 0; Round < MostRounds; ++Round) {
      const ParsedUnit &Unit = Last ? *Last : **Original;
      std::vector<OutputFile> Files = writtenOut(Unit, callsAround(Unit, Returns), Lines);
      if (Files.empty())
        return Last ? std::move(Last) : std::move(Original);
      for (OutputFile &File : Files) {
        llvm::erase_if(Next.Overlay, [&](const OutputFile &Known) { return Known.Path == File.Path; });
        Next.Overlay.push_back(std::move(File));
      }
      auto Parsed = parse(Tools, Next);
      if (!Parsed)
        return Parsed;
      Last = std::move(*Parsed);
      Last->takeUsersText(**Original);
      if (meaning(*Last) != meaning(**Original))
        break;
    }
  }
  return Original;
}

} // namespace cufuse
