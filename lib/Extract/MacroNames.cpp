#include "TextParts.h"

#include "cufuse/Frontend/ExpandMacro.h"

#include <clang/Lex/MacroInfo.h>
#include <clang/Lex/Preprocessor.h>
#include <llvm/ADT/STLExtras.h>

#include <functional>
#include <utility>

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

namespace {

/// From its `#if` to its `#endif`.
struct Condition {
  Slice At;
  struct Name {
    llvm::StringRef Spelled;
    unsigned At;
    bool IsValue; ///< Not only whether it is a macro.
  };
  std::vector<Name> Asked;           ///< By what is evaluated.
  std::set<llvm::StringRef> Defined; ///< Or undefined, in any branch.
};

} // namespace

/// Those of the file whose first `#if` is read, as the preprocessor has gone through them.
static std::vector<Condition> conditionsOf(SourceText &Text, clang::FileID File) {
  std::vector<std::pair<unsigned, unsigned>> Skipped; // each ends in the line of the directive that ends it
  std::multimap<unsigned, llvm::StringRef> Expanded;  // whatever puts their names together
  for (const MacroUse &Use : Text.unit().log().Uses)
    if (const auto [In, At] = Text.offset(Use.Where); In == File)
      Expanded.insert({At, Use.Name});
  for (const clang::SourceRange &Range : Text.unit().log().Skipped)
    if (const auto [In, Begin] = Text.offset(Range.getBegin()); In == File)
      Skipped.push_back({Begin, Text.offset(Range.getEnd()).second});
  const std::vector<TextToken> &All = Text.tokens(File);
  auto IsPassed = [&](size_t From, size_t To, unsigned Least) {
    return llvm::any_of(Skipped, [&](const auto &Each) {
      return Each.first + Least <= All[From].Offset && All[To].Offset < Each.second;
    });
  };
  std::vector<Condition> Found;
  std::vector<std::pair<std::vector<size_t>, std::set<llvm::StringRef>>> Open; // directives, and what is defined
  for (size_t I = 0; I + 1 < All.size(); ++I) {
    const llvm::StringRef Word = All[I + 1].Text;
    if (!All[I].is("#") || !All[I].StartsLine)
      continue;
    if (Word.starts_with("if"))
      Open.emplace_back();
    if (Open.empty())
      continue;
    if (I + 2 < All.size() && (Word == "define" || Word == "undef"))
      Open.back().second.insert(All[I + 2].Text);
    if (Word.starts_with("if") || Word.starts_with("el") || Word == "endif")
      Open.back().first.push_back(I);
    if (Word != "endif")
      continue;
    const auto [Directives, Defined] = std::move(Open.back());
    Open.pop_back();
    if (!Open.empty())
      Open.back().second.insert(Defined.begin(), Defined.end());
    if (IsPassed(Directives.front(), I, 1))
      continue;
    Condition &Each = Found.emplace_back(Condition{{File, All[Directives.front()].Offset, All[I].end()}, {}, Defined});
    for (size_t Branch = 0; Branch + 1 < Directives.size(); ++Branch) {
      const size_t Begin = Directives[Branch];
      if (!All[Begin + 1].is("else"))
        for (size_t T = Begin + 2; T < All.size() && !All[T].StartsLine && !All[T].Text.starts_with("__has_"); ++T)
          if (All[T].isIdentifier() && !All[T].is("defined")) {
            const unsigned At = All[Begin].Offset;
            const bool IsValue =
                !All[Begin + 1].Text.ends_with("def") && !All[T - 1].is("defined") && !All[T - 2].is("defined");
            Each.Asked.push_back({All[T].Text, At, IsValue});
            for (auto [Use, End] = Expanded.equal_range(All[T].Offset); Use != End; ++Use)
              Each.Asked.push_back({Use->second, At, true});
          }
      if (!IsPassed(Begin, Directives[Branch + 1], 0))
        break; // what follows is not asked
    }
  }
  return Found;
}

AskedMacros macrosAsked(SourceText &Text, llvm::ArrayRef<Slice> Copied, const std::set<clang::FileID> &CopiedFiles,
                        std::set<std::string> Names) {
  std::set<clang::FileID> Files = CopiedFiles;
  for (const Slice &Each : Copied)
    Files.insert(Each.File);
  std::vector<Condition> Left;
  for (const clang::FileID File : Files)
    llvm::append_range(Left, conditionsOf(Text, File));
  AskedMacros Result;
  clang::Preprocessor &Preprocessor = Text.unit().preprocessor();
  std::set<const clang::MacroInfo *> Entered;
  std::function<void(clang::IdentifierInfo *, clang::SourceLocation, bool)> Ask =
      [&](clang::IdentifierInfo *Name, clang::SourceLocation Where, bool IsValue) {
        const clang::MacroInfo *Info = Preprocessor.getMacroDefinitionAtLoc(Name, Where).getMacroInfo();
        if (Name->getTokenID() != clang::tok::identifier || (Info && Text.unit().inLibrary(Info->getDefinitionLoc())))
          return;
        (Info ? Result.There : Result.Missing).insert(Name->getName().str());
        Names.insert(Name->getName().str());
        if (Info && IsValue && Entered.insert(Info).second)
          for (const clang::Token &T : Info->tokens())
            if (T.getIdentifierInfo() && Info->getParameterNum(T.getIdentifierInfo()) < 0)
              Ask(T.getIdentifierInfo(), Where, true);
      };
  for (bool Changed = true; std::exchange(Changed, false);)
    llvm::erase_if(Left, [&](const Condition &Each) {
      const bool Matters =
          llvm::any_of(Copied,
                       [&](const Slice &S) {
                         return S.File == Each.At.File && Each.At.Begin < S.End && S.Begin < Each.At.End;
                       }) ||
          llvm::any_of(Each.Defined, [&](llvm::StringRef Name) { return Names.contains(Name.str()); });
      if (Matters)
        for (const Condition::Name &Name : Each.Asked)
          Ask(Preprocessor.getIdentifierInfo(Name.Spelled), Text.location({Each.At.File, Name.At, Name.At}),
              Name.IsValue);
      Changed |= Matters;
      return Matters;
    });
  // What lets a file in once defines a name for it, and nothing else.
  for (const MacroEvent &Event : Text.unit().log().Macros)
    if (Event.Info && Event.Info->tokens_empty())
      Result.Missing.erase(Event.Name);
  // Clang shows itself by these whatever it passes for; what depends on the architecture is asked otherwise.
  for (llvm::StringRef Prefix : {"__clang", "__CUDA_ARCH"})
    std::erase_if(Result.Missing, [&](const std::string &Name) { return llvm::StringRef(Name).starts_with(Prefix); });
  return Result;
}

} // namespace cufuse
