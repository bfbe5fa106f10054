#include "cufuse/Facts/HostText.h"

#include "cufuse/Frontend/RawTokens.h"

#include <clang/AST/ASTContext.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Lex/MacroInfo.h>
#include <llvm/ADT/STLExtras.h>

namespace cufuse {

/// A word, or a directive with the rest of its line.
struct HostText::Token : RawToken {
  std::vector<RawToken> Line;
};

std::map<clang::FileID, OffsetRanges> offsetsOf(llvm::ArrayRef<clang::SourceRange> Ranges,
                                                const clang::SourceManager &Sources) {
  std::map<clang::FileID, OffsetRanges> Found;
  for (const clang::SourceRange &Range : Ranges) {
    const auto [Begin, From] = Sources.getDecomposedExpansionLoc(Range.getBegin());
    const auto [End, To] = Sources.getDecomposedExpansionLoc(Range.getEnd());
    if (Begin == End)
      Found[Begin].push_back({From, To});
  }
  return Found;
}

bool HostText::depends(llvm::StringRef Name) const {
  // Those of the toolkit's headers that are made of it.
  static constexpr llvm::StringLiteral Prefixes[] = {"__CUDA_ARCH",
                                                     "__CUDA_MINIMUM_ARCH__",
                                                     "NV_IF_TARGET",
                                                     "NV_IF_ELSE_TARGET",
                                                     "NV_DISPATCH_TARGET",
                                                     "NV_TARGET_",
                                                     "NV_IS_",
                                                     "NV_PROVIDES_",
                                                     "NV_HAS_FEATURE_",
                                                     "CUB_PTX_ARCH",
                                                     "_CCCL_PTX_ARCH",
                                                     "_CCCL_DEVICE_COMPILATION"};
  if (Name == "__CUDA_ARCH_LIST__")
    return false;
  return Macros.contains(Name) ||
         llvm::any_of(Prefixes, [&](llvm::StringRef Prefix) { return Name.starts_with(Prefix); });
}

bool HostText::mayDeclare(llvm::StringRef Name) const {
  static const llvm::StringSet<> OfEveryHead = {"__device__",   "__host__",     "__global__",       "__forceinline__",
                                                "__inline__",   "__noinline__", "__constant__",     "__shared__",
                                                "__restrict__", "__managed__",  "__launch_bounds__"};
  return IncludesUnread || Uses || (Declared.contains(Name) && !OfEveryHead.contains(Name));
}

HostText::HostText(const ParsedUnit &Unit, llvm::ArrayRef<File> Files, llvm::ArrayRef<clang::SourceRange> Bodies)
    : Sources(Unit.ast().getSourceManager()) {
  if (llvm::none_of(Files, [](const File &Each) {
        return llvm::any_of(llvm::ArrayRef<llvm::StringRef>{"__CUDA_", "NV_", "_PTX_ARCH", "_CCCL_DEVICE"},
                            [&](llvm::StringRef Part) { return Each.second.contains(Part); });
      }))
    return;
  for (const IncludeEvent &Include : Unit.log().Includes) {
    const auto [File, Offset] = Sources.getDecomposedExpansionLoc(Include.Hash);
    Includes[{Sources.getFileEntryForID(File), Offset}] = Include.File ? &Include.File->getFileEntry() : nullptr;
  }
  // The log leaves out what a header behind `-isystem` includes.
  for (const clang::FileID &Read : Unit.included()) {
    const auto [File, Offset] = Sources.getDecomposedExpansionLoc(Sources.getIncludeLoc(Read));
    Includes[{Sources.getFileEntryForID(File), Offset}] = Sources.getFileEntryForID(Read);
  }
  std::map<clang::FileID, OffsetRanges> InBodies = offsetsOf(Bodies, Sources);
  std::vector<std::vector<Token>> All;
  for (const File &Each : Files) {
    const std::string Ended = Each.second.str();
    RawLexer Lexer(Ended, 0);
    std::vector<Token> &Tokens = All.emplace_back();
    for (RawToken T = Lexer.next(); !T.IsEnd; T = Lexer.next()) {
      const bool Directive = T.Spelling == "#" && T.StartsLine;
      if (Directive || T.IsIdentifier || T.Spelling == "(" || T.Spelling == ")" || T.Spelling == "{" ||
          T.Spelling == "}")
        Tokens.push_back({std::move(T), Directive ? Lexer.restOfLine() : std::vector<RawToken>()});
      else if (!Tokens.empty() && !Tokens.back().Spelling.empty())
        Tokens.push_back({RawToken(), {}});
    }
  }
  // A macro may be used in a file before the one that is read later here.
  for (size_t Before = -1; Before != Macros.size() + Whole.size();) {
    Before = Macros.size() + Whole.size();
    Places.clear();
    Declared.clear();
    for (size_t I = 0; I < Files.size(); ++I)
      read(Sources.getFileEntryForID(Files[I].first), All[I], InBodies[Files[I].first]);
  }
}

void HostText::read(const clang::FileEntry *Entry, llvm::ArrayRef<Token> Tokens, const OffsetRanges &Bodies) {
  constexpr unsigned None = -1;
  OffsetRanges &Own = Places[Entry];
  const bool IsWhole = Whole.count(Entry);
  std::vector<unsigned> Open; // conditions: from where on they depend
  unsigned Dependent = IsWhole;
  auto Depends = [&](const RawToken &T) { return T.IsIdentifier && depends(T.Spelling); };
  auto IsInBody = [&](const RawToken &T) {
    return llvm::any_of(Bodies, [&](const auto &R) { return R.first <= T.Offset && T.Offset <= R.second; });
  };
  // What is skipped has bodies and parameters, too: their names mean nothing outside.
  unsigned Parentheses = 0, Braces = 0; // the latter since a body began
  auto Declare = [&](const Token &T, const Token *Before) {
    if (T.Spelling == "(")
      ++Parentheses;
    else if (T.Spelling == ")")
      Parentheses -= Parentheses > 0;
    else if (T.Spelling == "{")
      Braces += Braces > 0 || (Before && Before->Spelling == ")");
    else if (T.Spelling == "}")
      Braces -= Braces > 0;
    else if (T.IsIdentifier && Parentheses == 0 && Braces == 0 && !IsInBody(T)) {
      Declared.insert(T.Spelling);
      Uses |= T.Spelling == "using";
    }
  };
  int Depth = 0; // in the arguments of a macro
  unsigned Arguments = 0;
  for (size_t I = 0; I < Tokens.size(); ++I) {
    const Token &T = Tokens[I];
    if (T.Line.empty()) {
      if (Dependent)
        Declare(T, I > 0 ? &Tokens[I - 1] : nullptr);
      if (T.Spelling == "(" && (Depth > 0 || (I > 0 && Depends(Tokens[I - 1])))) {
        if (++Depth == 1)
          Arguments = T.Offset;
      } else if (T.Spelling == ")" && Depth > 0) {
        if (--Depth == 0)
          Own.push_back({Arguments, T.Offset});
      } else if (Depends(T)) {
        Own.push_back({T.Offset, T.Offset});
      }
      continue;
    }
    const std::string &Kind = T.Line[0].Spelling;
    Parentheses = Braces = 0;
    const bool Here = llvm::any_of(T.Line, Depends);
    if (llvm::StringRef(Kind).starts_with("if")) {
      Open.push_back(Here ? T.Offset : None);
      Dependent += Here;
    } else if (llvm::StringRef(Kind).starts_with("elif")) {
      if (Here && !Open.empty() && Open.back() == None) {
        Open.back() = T.Offset;
        ++Dependent;
      }
    } else if (Kind == "endif" && !Open.empty()) {
      if (Open.back() != None) {
        Own.push_back({Open.back(), T.Offset});
        --Dependent;
      }
      Open.pop_back();
    } else if ((Kind == "define" || Kind == "undef") && T.Line.size() > 1) {
      if (Dependent || Here)
        Macros.insert(T.Line[1].Spelling);
    } else if (Kind == "include" && Dependent) {
      const auto Read = Includes.lower_bound({Entry, T.Offset});
      if (Read == Includes.end() || Read->first.first != Entry || Read->first.second > T.Line.back().Offset)
        IncludesUnread |= T.Line.size() > 1 && T.Line[1].Spelling.front() == '"';
      else if (Read->second)
        Whole[Read->second] = true;
    }
  }
  if (IsWhole)
    Own.push_back({0, None});
}

bool HostText::mayDiffer(clang::SourceRange Range) const {
  if (Places.empty() || Range.isInvalid())
    return false;
  const clang::CharSourceRange Written = Sources.getExpansionRange(Range);
  const auto [Begin, From] = Sources.getDecomposedLoc(Written.getBegin());
  const auto [End, To] = Sources.getDecomposedLoc(Written.getEnd());
  const auto Known = Places.find(Sources.getFileEntryForID(Begin));
  if (Known == Places.end())
    return false;
  const unsigned Last = Begin == End ? To : -1;
  return llvm::any_of(Known->second, [&, From = From](const auto &R) { return R.first <= Last && From <= R.second; });
}

} // namespace cufuse
