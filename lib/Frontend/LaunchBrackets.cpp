#include "LaunchBrackets.h"

#include "cufuse/Frontend/RawTokens.h"

#include <llvm/ADT/StringRef.h>

namespace cufuse {

std::vector<std::string> asNvccReads(std::string Token) {
  return Token == "<<<" || Token == ">>>" ? std::vector{Token.substr(1), Token.substr(2)}
                                          : std::vector{std::move(Token)};
}

std::string asClangReads(std::string Text) {
  auto IsSpaced = [&](const RawToken &First, const RawToken &Next, llvm::StringRef Of) {
    return First.Spelling == Of.drop_back() && Next.Spelling == Of.take_back() && Next.Offset > First.Offset + 2 &&
           llvm::StringRef(Text).slice(First.Offset + 2, Next.Offset).find_first_not_of(" \t") == llvm::StringRef::npos;
  };
  if (!llvm::StringRef(Text).contains("<< <") && !llvm::StringRef(Text).contains(">> >"))
    return Text;
  const std::vector<RawToken> Tokens = rawTokens(Text);
  bool InLaunch = false;
  for (size_t I = 1; I + 1 < Tokens.size(); ++I) {
    const RawToken &T = Tokens[I], &Next = Tokens[I + 1];
    const bool Begins = IsSpaced(T, Next, "<<<") && Tokens[I - 1].Spelling != "operator";
    if (Begins || (InLaunch && IsSpaced(T, Next, ">>>")))
      std::swap(Text[T.Offset + 2], Text[Next.Offset]);
    InLaunch = (InLaunch || Begins || T.Spelling == "<<<") && T.Spelling != ">>>" && T.Spelling != ";";
  }
  return Text;
}

} // namespace cufuse
