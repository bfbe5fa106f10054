#include "CheckHostsText.h"

#include "cufuse/Analysis/CopiedFiles.h"
#include "cufuse/Analysis/Reach.h"

#include <clang/Lex/MacroInfo.h>
#include <fmt/core.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/ADT/StringSet.h>

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
    if (!Condition && !Directive)
      Found.push_back(T);
  }
  return Found;
}

/// Names in the bodies of functions and among their parameters, which mean nothing outside. Nothing is known of the
/// text but its tokens: what has a directive or a macro, or says what may be a type or a namespace, is left out.
std::set<unsigned> CheckHostsText::localNames(const Slice &S) {
  std::set<unsigned> Local;
  const std::vector<TextToken> Tokens = Text.tokensIn(S);
  auto Is = [&](size_t I, clang::tok::TokenKind Kind) { return I < Tokens.size() && Tokens[I].Kind == Kind; };
  auto Behind = [&](size_t Open) { // the bracket that closes it
    int Depth = 0;
    for (size_t I = Open; I < Tokens.size(); ++I) {
      Depth += Is(I, clang::tok::l_paren) || Is(I, clang::tok::l_brace);
      Depth -= Is(I, clang::tok::r_paren) || Is(I, clang::tok::r_brace);
      if (Depth == 0)
        return I + 1;
    }
    return Tokens.size();
  };
  auto IsPlain = [&](const TextToken &T) {
    static const llvm::StringSet<> Scopes = {"struct", "class", "union", "enum", "namespace", "extern"};
    return T.Kind != clang::tok::hash && !Scopes.contains(T.Text) &&
           !(T.isIdentifier() && Text.unit().ast().Idents.get(T.Text).hadMacroDefinition());
  };
  size_t Head = 0;
  for (size_t I = 0; I < Tokens.size(); ++I) {
    while (Is(I, clang::tok::hash) && I == Head) // a directive between declarations
      do
        Head = ++I;
      while (I < Tokens.size() && !Tokens[I].StartsLine);
    if (Is(I, clang::tok::semi) || Is(I, clang::tok::r_brace))
      Head = I + 1;
    if (!Is(I, clang::tok::l_paren) || I < Head + 2 || !Tokens[I - 1].isIdentifier())
      continue;
    // `type name(parameters) {`
    const size_t Body = Behind(I), End = Is(Body, clang::tok::l_brace) ? Behind(Body) : Tokens.size();
    if (End == Tokens.size() || !std::all_of(Tokens.begin() + Head, Tokens.begin() + End, IsPlain))
      continue;
    for (; I < End; ++I)
      Local.insert(Tokens[I].Offset);
    Head = I--;
  }
  return Local;
}

/// May the name mean, in the files whose text is copied, what the output does not have? Such are declarations that are
/// not copied, and whatever stands outside declarations where only the host reads it.
bool CheckHostsText::isLeftOut(llvm::StringRef Name) {
  if (!LeftOut) {
    LeftOut.emplace();
    std::vector<Slice> Declarations, Regions;
    eachTopLevel(Text.unit(), [&](const clang::Decl *D) {
      const auto [File, Begin] = Text.offset(D->getBeginLoc());
      if (!Chosen.Absorbed.count(File) || llvm::isa<clang::NamespaceDecl, clang::LinkageSpecDecl>(D))
        return;
      Declarations.push_back({File, Begin, Text.offset(D->getEndLoc()).second});
      if (auto *Named = llvm::dyn_cast<clang::NamedDecl>(D); Named && !Chosen.Units.contains(enclosingUnit(D)))
        leaveOut(*Named);
    });
    for (const clang::SourceRange &Skipped : Text.unit().log().Skipped) {
      const auto [File, Begin] = Text.offset(Skipped.getBegin());
      if (Chosen.Absorbed.count(File) && differs(File, Begin) &&
          llvm::none_of(Declarations, [&, File = File, Begin = Begin](const Slice &D) {
            return D.File == File && D.Begin <= Begin && Begin < D.End;
          }))
        Regions.push_back({File, Begin, Text.offset(Skipped.getEnd()).second});
    }
    // Macros that only the host knows may have braces.
    const bool MakesMacros = llvm::any_of(Regions, [this](const Slice &Region) {
      return llvm::any_of(Text.tokensIn(Region), [](const TextToken &T) { return T.is("define") || T.is("include"); });
    });
    for (const Slice &Region : Regions) {
      const std::set<unsigned> Local = MakesMacros ? std::set<unsigned>() : localNames(Region);
      for (bool Operator = false; const TextToken &T : words(Region)) {
        if ((T.isIdentifier() || Operator) && !Local.count(T.Offset))
          LeftOut->insert(T.Text.str());
        Operator = T.is("operator");
      }
    }
  }
  return LeftOut->count(Name.str());
}

void CheckHostsText::leaveOut(const clang::NamedDecl &Named) {
  const auto Operator = Named.getDeclName().getCXXOverloadedOperator();
  if (Operator != clang::OO_None && !Named.isCXXClassMember())
    LeftOut->insert(clang::getOperatorSpelling(Operator));
  else if (Named.getDeclName())
    LeftOut->insert(Named.getNameAsString());
  if (auto *Enum = llvm::dyn_cast<clang::EnumDecl>(&Named); Enum && !Enum->isScoped())
    for (const clang::EnumConstantDecl *Each : Enum->enumerators())
      LeftOut->insert(Each->getNameAsString());
}

/// What its macros expand to stands there, too.
std::set<std::string> CheckHostsText::expanded(std::set<std::string> Names) const {
  for (bool Changed = true; Changed;) {
    Changed = false;
    for (const MacroEvent &Event : Text.unit().log().Macros)
      if (Event.Info && Names.count(Event.Name))
        for (const clang::Token &T : Event.Info->tokens()) {
          const char *Operator = clang::tok::getPunctuatorSpelling(T.getKind());
          if (const clang::IdentifierInfo *Name = T.getIdentifierInfo(); Operator || Name)
            Changed |= Names.insert(Operator ? Operator : Name->getName().str()).second;
        }
  }
  return Names;
}

static bool isWord(llvm::StringRef Text) { return llvm::isAlpha(Text.front()) || Text.front() == '_'; }

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
  std::set<std::string> Known, Differing;
  for (const Slice &Each : Text.withIncluded(S))
    for (const TextToken &T : words(Each))
      if (differs(Each.File, T.Offset))
        Differing.insert(T.Text.str());
      else
        Known.insert(T.Text.str());
  // A file that only the host includes may declare whatever the rest of the text does not name.
  const bool Includes = isLeftOut("include");
  for (const std::string &Name : expanded(Differing))
    if (isIdentifier(Name) && (isLeftOut(Name) || (Includes && isWord(Name) && !Known.count(Name))))
      return Refuse(fmt::format("it names `{}`, where its text depends on __CUDA_ARCH__", Name));
}

void CheckHostsText::macro(const MacroEvent &Macro, std::vector<Blocker> &Blockers) {
  const bool NamesLeftOut = Host.depends(Macro.Name) && llvm::any_of(expanded({Macro.Name}), [&](const std::string &N) {
                              return N != Macro.Name && isLeftOut(N);
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

void CheckHostsText::unread(const std::set<std::string> &Names, std::vector<Blocker> &Blockers) {
  eachTopLevel(Text.unit(), [&](const clang::Decl *D) {
    const clang::FunctionDecl *Function = D->getAsFunction();
    if (!Function || !Function->isInvalidDecl() || !Chosen.Absorbed.count(Text.offset(D->getLocation()).first) ||
        !Names.count(Function->getNameAsString()))
      return;
    const std::vector<TextToken> Tokens = Text.tokensIn(Text.declaration(*D));
    const bool Specialises = Tokens.size() > 2 && Tokens[0].is("template") && Tokens[2].is(">");
    auto *Class = llvm::dyn_cast<clang::CXXRecordDecl>(Function->getDeclContext());
    if (!Class || (Specialises && Chosen.copies(Class)))
      Blockers.push_back({BlockerKind::HostReadsOther, Text.unit().place(D->getLocation()),
                          "a parameter's type may call it there, and Clang does not accept it"});
  });
}

} // namespace cufuse
