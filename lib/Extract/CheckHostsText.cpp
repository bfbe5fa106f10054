#include "CheckHostsText.h"

#include "cufuse/Analysis/Reach.h"

#include <clang/Lex/MacroInfo.h>
#include <fmt/core.h>
#include <llvm/ADT/STLExtras.h>

namespace cufuse {

std::vector<TextToken> CheckHostsText::words(const Slice &S) {
  std::vector<TextToken> Found;
  bool Condition = false, Directive = false;
  for (const TextToken &T : Text.tokensIn(S)) {
    if (T.StartsLine)
      Condition = Directive = false;
    if (Directive) {
      Directive = false;
      Condition = T.Text.starts_with("if") || T.Text.starts_with("el") || T.is("endif");
      if (!T.is("include"))
        continue;
    }
    Directive = T.is("#") && T.StartsLine;
    if (T.isIdentifier() && !Condition)
      Found.push_back(T);
  }
  return Found;
}

/// May the name mean, in the files whose text is copied, what the output does not have? Such are declarations that are
/// not copied, and whatever stands outside declarations where only the host reads it.
bool CheckHostsText::isLeftOut(llvm::StringRef Name) {
  if (!LeftOut) {
    LeftOut.emplace();
    std::vector<Slice> Declarations;
    eachTopLevel(Text.unit(), [&](const clang::Decl *D) {
      const auto [File, Begin] = Text.offset(D->getBeginLoc());
      if (!Chosen.Absorbed.count(File) || llvm::isa<clang::NamespaceDecl, clang::LinkageSpecDecl>(D))
        return;
      Declarations.push_back({File, Begin, Text.offset(D->getEndLoc()).second});
      if (auto *Named = llvm::dyn_cast<clang::NamedDecl>(D);
          Named && Named->getDeclName() && !Chosen.Units.contains(enclosingUnit(D)))
        LeftOut->insert(Named->getNameAsString());
    });
    for (const clang::SourceRange &Skipped : Text.unit().log().Skipped) {
      const auto [File, Begin] = Text.offset(Skipped.getBegin());
      if (Chosen.Absorbed.count(File) && differs(File, Begin) &&
          llvm::none_of(Declarations, [&, File = File, Begin = Begin](const Slice &D) {
            return D.File == File && D.Begin <= Begin && Begin < D.End;
          }))
        for (const TextToken &T : words({File, Begin, Text.offset(Skipped.getEnd()).second}))
          LeftOut->insert(T.Text.str());
    }
  }
  return LeftOut->count(Name.str());
}

bool CheckHostsText::isIdentifier(llvm::StringRef Word) const {
  return Text.unit().ast().Idents.get(Word).getTokenID() == clang::tok::identifier;
}

void CheckHostsText::declaration(const Slice &S, std::vector<Blocker> &Blockers) {
  const std::vector<TextToken> Own = Text.tokensIn(S);
  if (Own.empty() || !Host.mayDiffer({Text.location(S), Text.location({S.File, Own.back().Offset, S.End})}))
    return;
  auto Refuse = [&](std::string Fact) {
    const Slice At{S.File, Own.front().Offset, S.End};
    Blockers.push_back({BlockerKind::HostReadsOther, Text.unit().place(Text.location(At)), std::move(Fact)});
  };
  if (differs(S.File, Own.front().Offset) || differs(S.File, Own.back().Offset))
    return Refuse("it stands where the text depends on __CUDA_ARCH__");
  std::set<llvm::StringRef> Known;
  std::vector<llvm::StringRef> Differing;
  for (const Slice &Each : Text.withIncluded(S))
    for (const TextToken &T : words(Each))
      if (differs(Each.File, T.Offset))
        Differing.push_back(T.Text);
      else
        Known.insert(T.Text);
  // A file that only the host includes may declare whatever the rest of the text does not name.
  const bool Includes = isLeftOut("include");
  for (llvm::StringRef Name : Differing)
    if (isIdentifier(Name) && (isLeftOut(Name) || (Includes && !Known.count(Name))))
      return Refuse(fmt::format("it names `{}`, where its text depends on __CUDA_ARCH__", Name.str()));
}

void CheckHostsText::macro(const MacroEvent &Macro, std::vector<Blocker> &Blockers) {
  const bool NamesLeftOut =
      Host.depends(Macro.Name) && Macro.Info && llvm::any_of(Macro.Info->tokens(), [&](const clang::Token &T) {
        return T.getIdentifierInfo() && isLeftOut(T.getIdentifierInfo()->getName());
      });
  if (NamesLeftOut || Host.mayDiffer(Macro.Where))
    Blockers.push_back({BlockerKind::HostReadsOther, Text.unit().place(Macro.Where),
                        fmt::format("the macro {} depends on __CUDA_ARCH__", Macro.Name)});
}

void CheckHostsText::include(clang::SourceLocation Hash, std::vector<Blocker> &Blockers) const {
  if (Host.mayDiffer(Hash))
    Blockers.push_back({BlockerKind::HostReadsOther, Text.unit().place(Hash),
                        "whether the file is included depends on __CUDA_ARCH__"});
}

} // namespace cufuse
