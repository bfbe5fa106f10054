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

} // namespace cufuse
