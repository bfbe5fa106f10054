#include "cufuse/Facts/WriteOutMacros.h"

#include "cufuse/Facts/FindKernel.h"
#include "cufuse/Frontend/ExpandMacro.h"
#include "cufuse/Frontend/RawTokens.h"
#include "cufuse/Reach/AllIn.h"
#include "cufuse/Reach/Assembly.h"
#include "cufuse/Reach/DynamicShared.h"
#include "cufuse/Reach/Reach.h"

#include <clang/AST/Attr.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Lex/Lexer.h>
#include <fmt/core.h>

#include <map>

namespace cufuse {

namespace {

/// A macro's call in a file.
struct MacroCall {
  clang::FileID File;
  unsigned Begin = 0, End = 0; ///< Offsets.
  bool WholeKernel = true;     ///< Of those that it is a part of, each lies in it as a whole.
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
std::vector<MacroCall> callsAround(const ParsedUnit &Unit) {
  const clang::SourceManager &Sources = Unit.ast().getSourceManager();
  std::map<std::pair<clang::FileID, unsigned>, MacroCall> Calls;
  auto Add = [&](clang::SourceLocation At, const clang::FunctionDecl *Kernel) {
    if (!At.isMacroID())
      return;
    const clang::CharSourceRange Range = Sources.getExpansionRange(At);
    const auto [File, Begin] = Sources.getDecomposedLoc(Range.getBegin());
    if (Sources.isInSystemHeader(Range.getBegin()) || !Sources.getFileEntryRefForID(File))
      return;
    MacroCall &Call = Calls.try_emplace({File, Begin}, MacroCall{File, Begin}).first->second;
    // What its expansion ends with may be a macro whose arguments follow.
    Call.End =
        std::max(Call.End, Sources.getFileOffset(Range.getEnd()) +
                               clang::Lexer::MeasureTokenLength(Range.getEnd(), Sources, Unit.ast().getLangOpts()));
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
      if (!inUsersFile(Declared))
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
        eachReturn(Body, [&](clang::SourceLocation At) { Add(At, Declared); });
      }
    }
  auto IsSystems = [&](clang::SourceLocation At) { return Sources.isInSystemHeader(At); };
  auto AddPart = [&](clang::SourceLocation At) {
    // It may lie in a kernel that is written out as a whole.
    if (!Calls.count(Sources.getDecomposedExpansionLoc(At)))
      Add(At, nullptr);
  };
  for (const auto *Shared : allIn<clang::VarDecl>(Unit.ast(), IsSystems))
    if (Shared->hasAttr<clang::CUDASharedAttr>() && Shared->hasExternalStorage() && inUsersFile(Shared))
      AddPart(Shared->getLocation());
  for (const auto *Function : allIn<clang::FunctionDecl>(Unit.ast(), IsSystems))
    if (Function->isThisDeclarationADefinition() && !Function->isImplicit() && inUsersFile(Function))
      for (const auto &[Shared, References] : dynamicSharedOutOfReach(*Function))
        for (const clang::DeclRefExpr *E : References)
          if (Sources.isMacroBodyExpansion(E->getLocation()))
            AddPart(E->getLocation());
  for (const auto *Each : allIn<clang::GCCAsmStmt>(Unit.ast(), IsSystems)) {
    if (scanAssembly(Each->getAsmString()).Mentions.empty()) // it says nothing of the block
      continue;
    AddPart(Each->getAsmLoc());
    if (auto *Text = llvm::dyn_cast<clang::StringLiteral>(Each->getAsmStringExpr()))
      for (unsigned I = 0; I < Text->getNumConcatenated(); ++I)
        AddPart(Text->getStrTokenLoc(I));
  }
  const auto All = llvm::make_second_range(Calls);
  return {All.begin(), All.end()};
}

/// Is nothing on the lines of the call but that call?
bool standsAlone(llvm::StringRef Text, unsigned Begin, unsigned End) {
  return Text.take_front(Begin).rtrim(" \t").ends_with("\n") &&
         Text.substr(End).take_until([](char C) { return C == '\n'; }).find_first_not_of(" \t;\r") ==
             llvm::StringRef::npos;
}

/// A call on one line. Nothing where a directive stands in it.
std::optional<std::string> joined(llvm::StringRef Call) {
  std::string Text;
  for (const RawToken &T : rawTokens(Call)) {
    if (T.StartsLine && T.Offset > 0 && T.Spelling == "#")
      return std::nullopt;
    Text += (T.SpaceBefore || T.StartsLine) && !Text.empty() ? " " : "";
    Text += T.Spelling;
  }
  return Text;
}

/// Clang gives a call of several lines the number of the last, and gcc, which reads for nvcc, that of the first.
bool asksForLine(const ParsedUnit &Unit, const MacroCall &Call) {
  const clang::SourceManager &Sources = Unit.ast().getSourceManager();
  const auto Use = Unit.log().PlaceUses.find(Sources.getLocForStartOfFile(Call.File).getLocWithOffset(Call.Begin));
  return Use != Unit.log().PlaceUses.end() && Use->second.Line &&
         Sources.getBufferData(Call.File).slice(Call.Begin, Call.End).contains('\n');
}

/// How calls are written.
enum class Form {
  Joined, ///< As they are, on one line.
  Flat,   ///< Expanded, on one line.
  Spread, ///< Expanded, those of whole kernels over the lines of their macros.
};

/// A text in place of [Begin, End) of a file.
struct Change {
  unsigned Begin = 0, End = 0;
  std::string Text;
};

/// Lines behind a call keep their numbers.
std::optional<Change> written(const ParsedUnit &Unit, const MacroCall &Call, Form How) {
  const clang::SourceManager &Sources = Unit.ast().getSourceManager();
  const llvm::StringRef Text = Sources.getBufferData(Call.File);
  const bool Spread = How == Form::Spread && Call.WholeKernel && standsAlone(Text, Call.Begin, Call.End);
  const llvm::StringRef AsWritten = Text.slice(Call.Begin, Call.End);
  auto Written = How == Form::Joined ? joined(AsWritten) : expandMacro(Unit, Call.File, Call.Begin, Call.End, Spread);
  if (!Written)
    return std::nullopt;
  Change Made{Call.Begin, Call.End, std::move(*Written)};
  if (Spread) {
    Made.End = std::min(Text.find('\n', Call.End), Text.size());
    const clang::PresumedLoc At =
        Sources.getPresumedLoc(Sources.getLocForStartOfFile(Call.File).getLocWithOffset(Call.End));
    Made.Text += fmt::format("{}\n#line {}", Text.slice(Call.End, Made.End).str(), At.getLine() + 1);
  } else {
    if (Text.substr(Call.End).starts_with(";")) {
      ++Made.End;
      Made.Text += ';';
    }
    Made.Text.append(AsWritten.count('\n'), '\n');
  }
  return Made;
}

bool isReadAgain(clang::FileEntryRef File, const clang::SourceManager &Sources) {
  unsigned Times = 0;
  for (unsigned I = 0; I < Sources.local_sloc_entry_size(); ++I)
    if (const clang::SrcMgr::SLocEntry &Entry = Sources.getLocalSLocEntry(I); Entry.isFile())
      Times += Entry.getFile().getContentCache().OrigEntry == File;
  return Times > 1;
}

/// The text of a file that is included more than once, in place of the directive: each time it is another one. Nothing
/// where that could mean something else.
std::optional<Change> included(const ParsedUnit &Unit, clang::FileID File, const std::string &Text) {
  const clang::SourceManager &Sources = Unit.ast().getSourceManager();
  const auto [Parent, At] = Sources.getDecomposedIncludedLoc(File);
  const std::vector<RawToken> Tokens = rawTokens(Text);
  for (size_t I = 0; I + 1 < Tokens.size(); ++I)
    if (Tokens[I].StartsLine && Tokens[I].Spelling == "#" &&
        (Tokens[I + 1].Spelling.starts_with("include") || Tokens[I + 1].Spelling == "pragma"))
      return std::nullopt;
  if (Parent.isInvalid())
    return std::nullopt;
  const llvm::StringRef Around = Sources.getBufferData(Parent);
  const unsigned Begin = Around.take_front(At).rfind('\n') + 1, End = std::min(Around.find('\n', At), Around.size());
  auto Name = [&](clang::FileID Of) {
    return clang::Lexer::Stringify(Sources.getPresumedLoc(Sources.getLocForStartOfFile(Of)).getFilename());
  };
  const unsigned Line = Sources.getPresumedLoc(Sources.getLocForStartOfFile(Parent).getLocWithOffset(At)).getLine();
  return Change{Begin, End,
                fmt::format("#line 1 \"{}\"\n{}\n#line {} \"{}\"", Name(File), Text, Line + 1, Name(Parent))};
}

/// The files with those of the calls written so that can be.
std::vector<OutputFile> writtenOut(const ParsedUnit &Unit, llvm::ArrayRef<MacroCall> Calls, Form How) {
  const clang::SourceManager &Sources = Unit.ast().getSourceManager();
  std::map<clang::FileID, std::vector<Change>> Changes;
  for (const MacroCall &Call : Calls)
    if (auto Made = written(Unit, Call, How))
      Changes[Call.File].push_back(std::move(*Made));
  std::vector<OutputFile> Files;
  // A file comes behind the one that includes it.
  while (!Changes.empty()) {
    auto [File, Own] = *std::prev(Changes.end());
    Changes.erase(std::prev(Changes.end()));
    llvm::sort(Own, [](const Change &A, const Change &B) { return A.Begin > B.Begin; });
    std::string Text = Sources.getBufferData(File).str();
    if (File == Sources.getMainFileID())
      Text.resize(Unit.fileSize());
    for (const Change &Each : Own)
      Text.replace(Each.Begin, Each.End - Each.Begin, Each.Text);
    const clang::FileEntryRef Entry = *Sources.getFileEntryRefForID(File);
    if (!isReadAgain(Entry, Sources))
      Files.push_back({Entry.getName().str(), std::move(Text)});
    else if (auto Made = included(Unit, File, Text))
      Changes[Sources.getDecomposedIncludedLoc(File).first].push_back(std::move(*Made));
  }
  return Files;
}

/// Does code ask on which line it stands, other than by `__LINE__`?
bool asksForLines(const ParsedUnit &Unit) {
  return !allIn<clang::SourceLocExpr>(
              Unit.ast(), [&](clang::SourceLocation At) { return Unit.inLibrary(At); }, /*Instances=*/true)
              .empty();
}

} // namespace

llvm::Expected<std::unique_ptr<ParsedUnit>> parseWrittenOut(const Toolchain &Tools, const ParseRequest &Request) {
  auto Original = parse(Tools, Request);
  if (!Original)
    return Original;
  std::vector<MacroCall> Calls = callsAround(**Original);
  if (Calls.empty())
    return Original;
  const ParsedUnit *Read = Original->get();
  auto Parse = [&](llvm::ArrayRef<MacroCall> Of, Form How) {
    ParseRequest Next = Request;
    Next.MacrosWrittenOut = true;
    Next.Overlay = writtenOut(*Read, Of, How);
    auto Parsed = parse(Tools, Next);
    if (Parsed)
      (*Parsed)->takeUsersText(**Original);
    return Parsed;
  };
  llvm::Expected<std::unique_ptr<ParsedUnit>> Joined = nullptr;
  if (llvm::any_of(Calls, [&](const MacroCall &Call) { return asksForLine(**Original, Call); })) {
    Joined = Parse(Calls, Form::Joined);
    if (!Joined)
      return Joined;
    Read = Joined->get();
    Calls = callsAround(*Read);
  }
  for (const Form How : {Form::Spread, Form::Flat}) {
    if (How == Form::Spread && asksForLines(*Read))
      continue;
    auto Parsed = Parse(Calls, How);
    if (!Parsed || (*Parsed)->tokens() == Read->tokens())
      return Parsed;
  }
  // All but those that mean something else so.
  std::vector<MacroCall> Good;
  std::vector<std::vector<MacroCall>> Left = {std::move(Calls)};
  while (!Left.empty()) {
    const std::vector<MacroCall> Tried = std::move(Left.back());
    Left.pop_back();
    std::vector<MacroCall> All = Good;
    llvm::append_range(All, Tried);
    auto Parsed = Parse(All, Form::Flat);
    if (!Parsed)
      return Parsed;
    if ((*Parsed)->tokens() == Read->tokens()) {
      Good = std::move(All);
      if (Left.empty())
        return Parsed;
    } else if (Tried.size() > 1) {
      const auto Half = Tried.begin() + Tried.size() / 2;
      Left.push_back({Tried.begin(), Half});
      Left.push_back({Half, Tried.end()});
    }
  }
  return Good.empty() ? std::move(Original) : Parse(Good, Form::Flat);
}

} // namespace cufuse
