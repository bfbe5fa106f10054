// Tokens as they are before the preprocessor, by Clang's lexer: comments, spaces and joined lines are gone.
#pragma once

#include <clang/Lex/Lexer.h>

#include <string>
#include <vector>

namespace cufuse {

struct RawToken {
  std::string Spelling;
  size_t Offset = 0; ///< In the text.
  bool IsIdentifier = false, IsEnd = false;
  bool StartsLine = false, SpaceBefore = false;
};

/// Reads a text from an offset on. A byte of 0 follows the text.
class RawLexer {
public:
  RawLexer(llvm::StringRef Text, size_t Offset);
  RawToken next();
  /// What is left of the line that the last token lies on.
  std::vector<RawToken> restOfLine();
  /// Behind the last token.
  size_t offset() const { return Lexer.getBufferLocation() - Text.begin(); }

private:
  llvm::StringRef Text;
  clang::LangOptions Options;
  clang::Lexer Lexer;
};

std::vector<RawToken> rawTokens(llvm::StringRef Text);

} // namespace cufuse
