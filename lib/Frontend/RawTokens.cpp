#include "cufuse/Frontend/RawTokens.h"

namespace cufuse {

static clang::LangOptions latestLanguage() {
  clang::LangOptions Options;
  Options.CPlusPlus = Options.CPlusPlus11 = Options.CPlusPlus14 = Options.CPlusPlus17 = Options.CPlusPlus20 = 1;
  Options.LineComment = Options.RawStringLiterals = Options.Digraphs = Options.HexFloats = Options.CUDA = 1;
  Options.DollarIdents = 1;
  return Options;
}

/// Without the ends of joined lines.
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

/// Of a text, which is a file of its own.
static const clang::SourceLocation Start = clang::SourceLocation::getFromRawEncoding(1);

RawLexer::RawLexer(llvm::StringRef Text, size_t Offset)
    : Text(Text), Options(latestLanguage()), Lexer(Start, Options, Text.begin(), Text.begin() + Offset, Text.end()) {}

RawToken RawLexer::next() {
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
  Result.Spelling = T.needsCleaning() ? cleaned(Written) : Written.str();
  return Result;
}

std::vector<RawToken> RawLexer::restOfLine() {
  std::vector<RawToken> Tokens;
  Lexer.setParsingPreprocessorDirective(true);
  for (RawToken T = next(); !T.IsEnd; T = next())
    Tokens.push_back(std::move(T));
  Lexer.setParsingPreprocessorDirective(false);
  return Tokens;
}

std::vector<RawToken> rawTokens(llvm::StringRef Text) {
  const std::string Ended = Text.str();
  RawLexer Lexer(Ended, 0);
  std::vector<RawToken> Tokens;
  for (RawToken T = Lexer.next(); !T.IsEnd; T = Lexer.next())
    Tokens.push_back(std::move(T));
  return Tokens;
}

} // namespace cufuse
