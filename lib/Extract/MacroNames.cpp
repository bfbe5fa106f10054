#include "MacroNames.h"

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

llvm::StringSet<> macrosOutside(const ParsedUnit &Unit, const SelectCopied &Chosen) {
  const clang::SourceManager &Sources = Unit.ast().getSourceManager();
  clang::Preprocessor &Preprocessor = Unit.preprocessor();
  llvm::StringSet<> Names;
  for (const auto &[Identifier, State] : Preprocessor.macros())
    for (const clang::MacroDirective *D = Preprocessor.getLocalMacroDirectiveHistory(Identifier); D;
         D = D->getPrevious())
      if (auto *Define = llvm::dyn_cast<clang::DefMacroDirective>(D))
        if (!Chosen.Absorbed.count(Sources.getFileID(Sources.getExpansionLoc(Define->getLocation())))) {
          Names.insert(Identifier->getName());
          break;
        }
  return Names;
}

} // namespace cufuse
