#include "SourceText.h"

#include <clang/AST/Attr.h>
#include <clang/AST/Decl.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/Lex/Lexer.h>

namespace cufuse {

TextPlace SourceText::end(clang::SourceLocation At) const {
  const clang::SourceLocation Last = Sources.getExpansionRange(At).getEnd();
  const auto [File, Begin] = Sources.getDecomposedLoc(Last);
  return {File, Begin + clang::Lexer::MeasureTokenLength(Last, Sources, Unit.ast().getLangOpts())};
}

const std::vector<TextToken> &SourceText::tokens(clang::FileID File) {
  auto [Entry, New] = Tokens.try_emplace(File);
  std::vector<TextToken> &Found = Entry->second;
  if (!New)
    return Found;
  const llvm::StringRef Text = buffer(File);
  clang::Lexer Lexer(Sources.getLocForStartOfFile(File), Unit.ast().getLangOpts(), Text.begin(), Text.begin(),
                     Text.end());
  Lexer.SetCommentRetentionState(true);
  clang::Token Token;
  while (true) {
    Lexer.LexFromRawLexer(Token);
    if (Token.is(clang::tok::eof))
      return Found;
    const unsigned Offset = Sources.getFileOffset(Token.getLocation());
    Found.push_back({Offset, Token.getKind(), Token.isAtStartOfLine(), Text.substr(Offset, Token.getLength())});
  }
}

std::vector<TextToken> SourceText::tokensIn(const Slice &S) {
  std::vector<TextToken> Found;
  const std::vector<TextToken> &All = tokens(S.File);
  auto First = std::lower_bound(All.begin(), All.end(), S.Begin,
                                [](const TextToken &T, unsigned Offset) { return T.Offset < Offset; });
  for (; First != All.end() && First->Offset < S.End; ++First)
    if (First->Kind != clang::tok::comment)
      Found.push_back(*First);
  return Found;
}

bool SourceText::holds(const Slice &S, clang::SourceLocation Where) const {
  while (Where.isValid()) {
    const auto [File, Offset] = offset(Where);
    if (File == S.File)
      return S.Begin <= Offset && Offset < S.End;
    Where = Sources.getIncludeLoc(File);
  }
  return false;
}

std::vector<Slice> SourceText::withIncluded(const Slice &S) const {
  std::vector<Slice> All = {S};
  for (const clang::FileID File : Unit.included())
    if (holds(S, Sources.getIncludeLoc(File)))
      All.push_back({File, 0, static_cast<unsigned>(buffer(File).size())});
  return All;
}

std::set<std::string> SourceText::names(const Slice &S) {
  std::set<std::string> Names;
  for (const Slice &Each : withIncluded(S))
    for (const TextToken &Token : tokensIn(Each))
      if (Token.isIdentifier())
        Names.insert(Token.Text.str());
  return Names;
}

/// Where the attribute whose token is `I` begins: the brackets of `[[…]]` or `__attribute__((…))` are around it, if
/// any.
static size_t attributeBegin(const std::vector<TextToken> &All, size_t I) {
  int Depth = 0;
  for (size_t J = I; J-- > 0 && !All[J].is(";") && !All[J].is("{") && !All[J].is("}");) {
    Depth += All[J].is("(") || All[J].is("[");
    Depth -= All[J].is(")") || All[J].is("]");
    if (Depth == 2 && All[J].is("["))
      return J;
    if (Depth == 2)
      return J > 0 && (All[J - 1].is("__attribute__") || All[J - 1].is("__attribute")) ? J - 1 : I;
  }
  return I;
}

Slice SourceText::declaration(const clang::Decl &D) {
  auto [File, Begin] = offset(D.getBeginLoc());
  // A template that is a member of a template begins with its own parameters.
  if (auto *Template = llvm::dyn_cast<clang::FunctionTemplateDecl>(&D))
    if (auto [Outer, At] = offset(Template->getTemplatedDecl()->getOuterLocStart()); Outer == File)
      Begin = std::min(Begin, At);
  const clang::CharSourceRange EndRange = Sources.getExpansionRange(D.getEndLoc());
  auto [EndFile, Last] = Sources.getDecomposedLoc(EndRange.getEnd());

  const std::vector<TextToken> &All = tokens(File);
  auto At = [&](unsigned Offset) {
    return std::upper_bound(All.begin(), All.end(), Offset,
                            [](unsigned O, const TextToken &T) { return O < T.Offset; }) -
           All.begin();
  };
  for (const clang::Attr *Attribute : D.attrs())
    if (Attribute->getLocation().isValid() && !Attribute->isImplicit() && !Attribute->isInherited())
      if (auto [AttributeFile, Named] = offset(Attribute->getLocation()); AttributeFile == File && Named < Begin)
        Begin = All[attributeBegin(All, std::max<size_t>(At(Named), 1) - 1)].Offset;
  size_t Final = std::max<size_t>(At(Last), 1) - 1; // the token that holds the end
  unsigned End = All.empty() ? Begin : All[Final].end();
  auto NextCode = [&](size_t I) {
    while (++I < All.size() && All[I].Kind == clang::tok::comment)
      ;
    return I;
  };
  const bool HasBody = [&] {
    if (auto *Template = llvm::dyn_cast<clang::FunctionTemplateDecl>(&D))
      return Template->getTemplatedDecl()->doesThisDeclarationHaveABody();
    auto *Function = llvm::dyn_cast<clang::FunctionDecl>(&D);
    return Function && Function->doesThisDeclarationHaveABody();
  }();
  if (HasBody || D.getEndLoc().isMacroID()) {
    if (size_t Next = NextCode(Final); D.getEndLoc().isMacroID() && Next < All.size() && All[Next].is(";"))
      End = All[Next].end();
  } else {
    // The bracket of `T name(value);` may lie behind the declaration's end.
    int Depth = llvm::isa<clang::VarDecl>(D) && llvm::cast<clang::VarDecl>(D).getInitStyle() != clang::VarDecl::CInit &&
                        NextCode(Final) < All.size() && All[NextCode(Final)].is(")")
                    ? 1
                    : 0;
    for (size_t I = NextCode(Final); I < All.size(); I = NextCode(I)) {
      Depth += All[I].is("(") || All[I].is("{") || All[I].is("[");
      Depth -= All[I].is(")") || All[I].is("}") || All[I].is("]");
      if (Depth < 0)
        break;
      End = All[I].end();
      if (Depth == 0 && All[I].is(";"))
        break;
    }
  }
  // The comments right above, with no blank line between.
  const llvm::StringRef Text = buffer(File);
  size_t First = std::max<size_t>(At(Begin), 1) - 1;
  while (First > 0 && All[First - 1].Kind == clang::tok::comment && All[First - 1].StartsLine &&
         Text.slice(All[First - 1].end(), Begin).count('\n') <= 1 &&
         Text.slice(All[First - 1].end(), Begin).trim().empty()) {
    --First;
    Begin = All[First].Offset;
  }
  return {File, Begin, End};
}

std::string SourceText::withoutConditionals(const Slice &S) {
  std::string Text = text(S).str();
  // Lines keep their number: what is taken out leaves empty lines.
  std::vector<std::pair<unsigned, unsigned>> Out;
  for (clang::SourceRange Skipped : Unit.log().Skipped)
    if (auto [File, Begin] = offset(Skipped.getBegin()); File == S.File)
      Out.push_back({Begin, offset(Skipped.getEnd()).second});
  const std::vector<TextToken> &All = tokens(S.File);
  for (size_t I = 0; I + 1 < All.size(); ++I)
    if (All[I].is("#") && All[I].StartsLine &&
        (All[I + 1].Text.starts_with("if") || All[I + 1].Text.starts_with("el") || All[I + 1].is("endif"))) {
      size_t Last = I + 1; // or a comment behind it, which may go on in the next line
      while (Last + 1 < All.size() && !All[Last + 1].StartsLine)
        ++Last;
      Out.push_back({All[I].Offset, All[Last].end()});
    }
  for (auto [Begin, End] : Out)
    for (unsigned I = std::max(Begin, S.Begin); I < std::min(End, S.End); ++I)
      if (char &C = Text[I - S.Begin]; C != '\n')
        C = ' ';
  return Text;
}

} // namespace cufuse
