// Tokens and stretches of the user's files.
#pragma once

#include "cufuse/Frontend/Parse.h"

#include <clang/AST/DeclBase.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Lex/Token.h>

#include <map>
#include <set>
#include <string>
#include <vector>

namespace cufuse {

struct TextToken {
  unsigned Offset = 0;
  clang::tok::TokenKind Kind = clang::tok::unknown;
  bool StartsLine = false;
  llvm::StringRef Text;
  unsigned end() const { return Offset + Text.size(); }
  bool is(llvm::StringRef Spelling) const { return Text == Spelling; }
  bool isIdentifier() const { return Kind == clang::tok::raw_identifier; }
};

/// A place in a file, in bytes.
using TextPlace = std::pair<clang::FileID, unsigned>;

/// A range of one file, in bytes.
struct Slice {
  clang::FileID File;
  unsigned Begin = 0, End = 0;
};

/// The text of the user's files, without macro expansion.
class SourceText {
public:
  explicit SourceText(const ParsedUnit &Unit) : Unit(Unit), Sources(Unit.ast().getSourceManager()) {}

  const ParsedUnit &unit() const { return Unit; }
  llvm::StringRef buffer(clang::FileID File) const { return Sources.getBufferData(File); }
  llvm::StringRef text(const Slice &S) const { return buffer(S.File).slice(S.Begin, S.End); }
  /// All tokens of the file, comments included, directives not interpreted.
  const std::vector<TextToken> &tokens(clang::FileID File);
  /// The tokens that lie in the slice, comments left out.
  std::vector<TextToken> tokensIn(const Slice &S);

  /// The slice from there to the end of its file.
  Slice behind(TextPlace At) const { return {At.first, At.second, static_cast<unsigned>(buffer(At.first).size())}; }

  /// Where a location is written out; in the file of the expansion.
  TextPlace offset(clang::SourceLocation At) const { return Sources.getDecomposedLoc(Sources.getExpansionLoc(At)); }
  /// Behind the token that is written there; of an expansion, behind its last.
  TextPlace end(clang::SourceLocation At) const;
  clang::SourceLocation location(const Slice &S) const {
    return Sources.getLocForStartOfFile(S.File).getLocWithOffset(S.Begin);
  }

  /// Is the place in the slice, or in a file that is included from inside it?
  bool holds(const Slice &S, clang::SourceLocation Where) const;
  /// The slice, and all of the files that are included from inside it.
  std::vector<Slice> withIncluded(const Slice &S) const;

  /// The identifiers in all of these.
  std::set<std::string> names(const Slice &S);

  /// The whole declaration: leading comment and attributes, up to its closing brace or semicolon.
  Slice declaration(const clang::Decl &D);

  /// The text of a slice as it was compiled, whatever the macros are where the copy is: the preprocessor's conditionals
  /// and what they skipped are blank.
  std::string withoutConditionals(const Slice &S);

private:
  const ParsedUnit &Unit;
  const clang::SourceManager &Sources;
  std::map<clang::FileID, std::vector<TextToken>> Tokens;
};

} // namespace cufuse
