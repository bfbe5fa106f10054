// Tokens as they are before the preprocessor, by Clang's lexer: comments, spaces and joined lines are gone.
#pragma once

#include <llvm/ADT/StringRef.h>

#include <memory>
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
  ~RawLexer();
  RawToken next();
  /// What is left of the line that the last token lies on.
  std::vector<RawToken> restOfLine();
  /// Behind the last token.
  size_t offset() const;

private:
  struct State;
  std::unique_ptr<State> Own;
};

std::vector<RawToken> rawTokens(llvm::StringRef Text);

} // namespace cufuse
