#include "cufuse/Frontend/RawTokens.h"

#include <clang/Basic/LangOptions.h>
#include <clang/Lex/Lexer.h>

namespace cufuse {

static clang::LangOptions latestLanguage() {
  clang::LangOptions Options;
  Options.CPlusPlus = Options.CPlusPlus11 = Options.CPlusPlus14 = Options.CPlusPlus17 = Options.CPlusPlus20 = 1;
  Options.LineComment = Options.RawStringLiterals = Options.Digraphs = Options.HexFloats = Options.CUDA = 1;
  Options.DollarIdents = 1;
  return Options;
}

struct RawLexer::State {
  State(llvm::StringRef Text, size_t Offset)
      : Text(Text), Options(latestLanguage()), Start(clang::SourceLocation::getFromRawEncoding(1)),
        Lexer(Start, Options, Text.begin(), Text.begin() + Offset, Text.end()) {}
  RawToken lex() {
    clang::Token T;
    Lexer.LexFromRawLexer(T);
    RawToken Result;
    Result.IsEnd = T.is(clang::tok::eof) || T.is(clang::tok::eod);
    Result.Offset = T.getLocation().getRawEncoding() - Start.getRawEncoding();
    Result.StartsLine = T.isAtStartOfLine();
    Result.SpaceBefore = T.hasLeadingSpace();
    Result.IsIdentifier = T.is(clang::tok::raw_identifier);
    if (Result.IsEnd)
      return Result;
    const llvm::StringRef Written = Text.substr(Result.Offset, T.getLength());
    Result.Spelling = Written.str();
    if (T.needsCleaning()) // Joined lines.
      Result.Spelling = cleaned(Written);
    return Result;
  }
  static std::string cleaned(llvm::StringRef Written) {
    std::string Text;
    for (size_t I = 0; I < Written.size(); ++I) {
      if (Written[I] == '\\') {
        size_t End = I + 1;
        while (End < Written.size() && (Written[End] == ' ' || Written[End] == '\t' || Written[End] == '\r'))
          ++End;
        if (End < Written.size() && Written[End] == '\n') {
          I = End;
          continue;
        }
      }
      Text += Written[I];
    }
    return Text;
  }

  llvm::StringRef Text;
  clang::LangOptions Options;
  clang::SourceLocation Start;
  clang::Lexer Lexer;
};

RawLexer::RawLexer(llvm::StringRef Text, size_t Offset) : Own(std::make_unique<State>(Text, Offset)) {}
RawLexer::~RawLexer() = default;

RawToken RawLexer::next() { return Own->lex(); }

std::vector<RawToken> RawLexer::restOfLine() {
  std::vector<RawToken> Tokens;
  Own->Lexer.setParsingPreprocessorDirective(true);
  for (RawToken T = Own->lex(); !T.IsEnd; T = Own->lex())
    Tokens.push_back(std::move(T));
  Own->Lexer.setParsingPreprocessorDirective(false);
  return Tokens;
}

size_t RawLexer::offset() const { return Own->Lexer.getBufferLocation() - Own->Text.begin(); }

std::vector<RawToken> rawTokens(llvm::StringRef Text) {
  const std::string Ended = Text.str();
  RawLexer Lexer(Ended, 0);
  std::vector<RawToken> Tokens;
  for (RawToken T = Lexer.next(); !T.IsEnd; T = Lexer.next())
    Tokens.push_back(std::move(T));
  return Tokens;
}

} // namespace cufuse
