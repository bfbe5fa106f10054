#include "TextParts.h"

#include "cufuse/Frontend/ExpandMacro.h"

#include <clang/Lex/MacroInfo.h>
#include <clang/Lex/Preprocessor.h>

namespace cufuse {

void addNamesInMacros(const PreprocessorLog &Log, std::set<std::string> &Names) {
  for (bool Changed = true; Changed;) {
    Changed = false;
    for (const MacroEvent &Event : Log.Macros)
      if (Event.Info && Names.count(Event.Name))
        for (const clang::Token &Token : Event.Info->tokens())
          if (const clang::IdentifierInfo *Name = Token.getIdentifierInfo())
            Changed |= Names.insert(Name->getName().str()).second;
  }
}

std::set<std::string> macrosDefinedIn(SourceText &Text, const Slice &S) {
  std::set<std::string> Names;
  for (const Slice &Each : Text.withIncluded(S)) {
    const std::vector<TextToken> Tokens = Text.tokensIn(Each);
    for (size_t I = 0; I + 2 < Tokens.size(); ++I)
      if (Tokens[I].is("#") && Tokens[I].StartsLine && Tokens[I + 1].is("define"))
        Names.insert(Tokens[I + 2].Text.str());
  }
  return Names;
}

llvm::StringMap<MacroText> macrosOutside(const ParsedUnit &Unit, const SelectCopied &Chosen,
                                         const std::set<std::string> &Names) {
  const clang::SourceManager &Sources = Unit.ast().getSourceManager();
  clang::Preprocessor &Preprocessor = Unit.preprocessor();
  auto IsCopied = [&](clang::SourceLocation Where) {
    return Chosen.Absorbed.contains(Sources.getFileID(Sources.getExpansionLoc(Where)));
  };
  llvm::StringMap<MacroText> Macros;
  std::set<std::string> Asked;
  for (const auto &[Identifier, State] : Preprocessor.macros())
    for (const clang::MacroDirective *D = Preprocessor.getLocalMacroDirectiveHistory(Identifier); D;
         D = D->getPrevious())
      if (auto *Define = llvm::dyn_cast<clang::DefMacroDirective>(D))
        if (!IsCopied(Define->getLocation())) {
          Macros.try_emplace(Identifier->getName());
          if (Names.contains(Identifier->getName().str()))
            Asked.insert(Identifier->getName().str());
          break;
        }
  for (MacroText &Said : textsOfMacros(Unit, Asked, IsCopied))
    Macros[llvm::StringRef(Said.Call).split('(').first] = std::move(Said);
  return Macros;
}

/// A place that the preprocessor has passed over, or whose branch it has.
static bool isSkipped(SourceText &Text, TextPlace At, bool Branch) {
  return llvm::any_of(Text.unit().log().Skipped, [&](clang::SourceRange Skipped) {
    const auto [File, Begin] = Text.offset(Skipped.getBegin());
    return File == At.first &&
           (Branch ? Begin == At.second : Begin < At.second && At.second < Text.offset(Skipped.getEnd()).second);
  });
}

/// Is the identifier no macro there, and not the compiler's own word?
static bool isMissing(clang::Preprocessor &Preprocessor, llvm::StringRef Name, clang::SourceLocation Where) {
  clang::IdentifierInfo *Known = Preprocessor.getIdentifierInfo(Name);
  return Known->getTokenID() == clang::tok::identifier && Name != "defined" && !Name.starts_with("__") &&
         !Preprocessor.getMacroDefinitionAtLoc(Known, Where).getMacroInfo();
}

std::set<std::string> macrosMissing(SourceText &Text, llvm::ArrayRef<Slice> Copied) {
  struct Condition {
    unsigned If = 0, LastBranch = 0;
    bool IsTaken = false; ///< What follows is not asked.
    std::set<std::string> Names = {};
  };
  clang::Preprocessor &Preprocessor = Text.unit().preprocessor();
  std::set<std::string> Names;
  std::set<clang::FileID> Files;
  for (const Slice &Each : Copied)
    Files.insert(Each.File);
  for (const clang::FileID File : Files) {
    std::vector<Condition> Open;
    const std::vector<TextToken> &All = Text.tokens(File);
    for (size_t I = 0; I + 1 < All.size(); ++I) {
      if (!All[I].is("#") || !All[I].StartsLine || isSkipped(Text, {File, All[I].Offset}, false))
        continue;
      const TextToken &Word = All[I + 1];
      if (Word.Text.starts_with("if"))
        Open.push_back({All[I].Offset, All[I].Offset});
      if (Open.empty())
        continue;
      Condition &Last = Open.back();
      if (Word.Text.starts_with("el")) {
        Last.IsTaken |= !isSkipped(Text, {File, Last.LastBranch}, true);
        Last.LastBranch = All[I].Offset;
      }
      if (Word.Text.starts_with("if") || (Word.Text.starts_with("elif") && !Last.IsTaken))
        for (size_t T = I + 2; T < All.size() && !All[T].StartsLine && !All[T].Text.starts_with("__has_"); ++T)
          if (All[T].isIdentifier() &&
              isMissing(Preprocessor, All[T].Text, Text.location({File, All[I].Offset, All[I].end()})))
            Last.Names.insert(All[T].Text.str());
      if (!Word.is("endif"))
        continue;
      if (llvm::any_of(Copied,
                       [&](const Slice &S) { return S.File == File && Last.If < S.End && S.Begin < All[I].Offset; }))
        Names.merge(Last.Names);
      Open.pop_back();
    }
  }
  // What lets a file in once defines a name for it, and nothing else.
  for (const MacroEvent &Event : Text.unit().log().Macros)
    if (Event.Info && Event.Info->tokens_empty())
      Names.erase(Event.Name);
  return Names;
}

} // namespace cufuse
