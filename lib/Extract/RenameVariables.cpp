#include "EditText.h"

#include "TextParts.h"

#include "cufuse/Reach/AllIn.h"
#include "cufuse/Reach/BuiltinVariables.h"

#include <clang/AST/Attr.h>
#include <clang/AST/ExprCXX.h>
#include <clang/Lex/MacroInfo.h>

namespace cufuse {

bool isDynamicShared(const clang::VarDecl &Variable) {
  return Variable.hasAttr<clang::CUDASharedAttr>() && Variable.hasExternalStorage();
}

void editReferences(TextEdits &Edits, llvm::ArrayRef<const clang::DeclRefExpr *> References, const std::string &Name) {
  const clang::SourceManager &Sources = Edits.Text.unit().ast().getSourceManager();
  std::set<TextPlace> Seen; // A macro may use its argument twice.
  for (const clang::DeclRefExpr *E : References) {
    if (!Edits.holds(E->getBeginLoc()))
      continue;
    // An argument of a macro is text, what stands in the macro is not.
    const TextPlace Begin = Sources.getDecomposedLoc(Sources.getFileLoc(E->getBeginLoc()));
    const TextPlace At = Sources.getDecomposedLoc(Sources.getFileLoc(E->getLocation()));
    const std::vector<TextToken> Tokens = Edits.Text.tokensIn(Edits.Text.behind(At));
    if (At.first == Begin.first && !Tokens.empty() && Tokens[0].is(E->getDecl()->getNameAsString()) &&
        Seen.insert(Begin).second)
      Edits.All.push_back({Begin, Tokens[0].end() - Begin.second, Name});
  }
}

namespace {

struct NamesOfText {
  std::map<std::string, std::vector<const clang::DeclRefExpr *>> References;
  std::set<std::string> Others; ///< The names of all else.
};

bool hasStandIn(const clang::ValueDecl &D) {
  auto *Variable = llvm::dyn_cast<clang::VarDecl>(&D);
  return builtinVariable(D) || (Variable && isDynamicShared(*Variable));
}

/// Of copied declarations, with all references to variables that something else stands for in the output.
NamesOfText namesOfText(const SelectCopied &Chosen) {
  NamesOfText Names;
  auto Meets = [&](const clang::NamedDecl &D, const clang::DeclRefExpr *By = nullptr) {
    auto *Value = llvm::dyn_cast<clang::ValueDecl>(&D);
    if (!Value || !hasStandIn(*Value))
      Names.Others.insert(D.getNameAsString());
    else if (By)
      Names.References[D.getNameAsString()].push_back(By);
  };
  for (const clang::Decl *Whole : Chosen.Units) {
    for (const auto *D : allIn<clang::NamedDecl>(*Whole))
      Meets(*D);
    for (const auto *E : allIn<clang::Expr>(*Whole))
      if (auto *Reference = llvm::dyn_cast<clang::DeclRefExpr>(E))
        Meets(*Reference->getDecl(), Reference);
      else if (auto *Member = llvm::dyn_cast<clang::MemberExpr>(E))
        Meets(*Member->getMemberDecl());
      else if (auto *Dependent = llvm::dyn_cast<clang::CXXDependentScopeMemberExpr>(E))
        Names.Others.insert(Dependent->getMember().getAsString());
      else if (auto *Initialises = llvm::dyn_cast<clang::DesignatedInitExpr>(E))
        for (const auto &Each : Initialises->designators())
          if (Each.isFieldDesignator())
            Names.Others.insert(Each.getFieldName()->getName().str());
  }
  return Names;
}

/// Among the parameters, or where a declaration may not have the name of one.
bool isDeclaredBeside(const clang::FunctionDecl &Kernel, llvm::StringRef Name) {
  auto HasName = [&](const clang::Decl *D) {
    auto *Named = llvm::dyn_cast<clang::NamedDecl>(D);
    return Named && Named->getDeclName().isIdentifier() && Named->getName() == Name;
  };
  return llvm::any_of(Kernel.parameters(), HasName) ||
         llvm::any_of(Kernel.getBody()->children(), [&](const clang::Stmt *Each) {
           auto *Declares = llvm::dyn_cast_or_null<clang::DeclStmt>(Each);
           return Declares && llvm::any_of(Declares->decls(), HasName);
         });
}

} // namespace

RenamedVariables::RenamedVariables(const ParsedUnit &Unit, const Reached &Reach, const SelectCopied &Chosen,
                                   const KernelFacts &Facts) {
  const clang::SourceManager &Sources = Unit.ast().getSourceManager();
  NamesOfText Names = namesOfText(Chosen);
  for (const MacroEvent &Event : Unit.log().Macros)
    if (llvm::is_contained(BuiltinNames, Event.Name))
      Names.Others.insert(Event.Name);
  for (const clang::VarDecl *Global : Reach.Globals)
    if (isDynamicShared(*Global) && Names.Others.count(Global->getNameAsString()))
      llvm::copy_if(Names.References[Global->getNameAsString()], std::back_inserter(Shared[Global]),
                    [&](const auto *E) { return E->getDecl()->getCanonicalDecl() == Global->getCanonicalDecl(); });
  for (Builtin B : {Builtin::ThreadIdx, Builtin::BlockDim, Builtin::BlockIdx, Builtin::GridDim}) {
    const char *Name = BuiltinNames[static_cast<size_t>(B)];
    const bool IsParameter = (B == Builtin::BlockIdx || B == Builtin::GridDim) && !Facts.sharesIndices();
    if (!Names.Others.count(Name) || (IsParameter && !isDeclaredBeside(*Reach.Kernel, Name)))
      continue;
    Builtins[Name] = Names.References[Name];
    for (const clang::DeclRefExpr *E : Builtins[Name])
      if (const clang::SourceLocation Written = Sources.getSpellingLoc(E->getLocation());
          Written != Sources.getFileLoc(E->getLocation()))
        InMacros.insert(Sources.getDecomposedLoc(Written));
  }
}

std::string RenamedVariables::nameFor(const clang::VarDecl &SharedMemory) const {
  return (Shared.count(SharedMemory.getCanonicalDecl()) ? "cufuse_shared_" : "") + SharedMemory.getNameAsString();
}

std::string RenamedVariables::nameFor(llvm::StringRef Builtin) const {
  return (Builtins.count(Builtin) ? "cufuse_" : "") + Builtin.str();
}

void RenamedVariables::edit(TextEdits &Edits) const {
  for (const auto &[Global, References] : Shared)
    editReferences(Edits, References, nameFor(*Global));
  for (const auto &[Name, References] : Builtins)
    editReferences(Edits, References, nameFor(Name));
  for (const TextPlace &At : InMacros)
    if (Edits.holds(Edits.Text.unit().ast().getSourceManager().getComposedLoc(At.first, At.second)))
      Edits.All.push_back({At, 0, "cufuse_"});
}

std::string RenamedVariables::directiveOf(SourceText &Text, const MacroEvent &Macro) const {
  std::string Directive = cufuse::directiveOf(Text, Macro);
  if (!Macro.Info)
    return Directive;
  const auto [File, Begin] = Text.offset(Macro.Info->getDefinitionLoc());
  const unsigned End = Text.end(Macro.Info->getDefinitionEndLoc()).second;
  for (const TextPlace &At : llvm::reverse(InMacros))
    if (At.first == File && At.second >= Begin && At.second < End)
      Directive.insert(Directive.size() - (End - At.second), "cufuse_");
  return Directive;
}

} // namespace cufuse
