#include "EditText.h"

namespace cufuse {

/// Does an argument bring a scope of its own into the lookup?
static bool bringsScope(const clang::CallExpr &Call) {
  return llvm::any_of(Call.arguments(), [](const clang::Expr *Argument) {
    clang::QualType T = Argument->getType();
    while (!T->getPointeeType().isNull())
      T = T->getPointeeType();
    const clang::Type *Element = T->getBaseElementTypeUnsafe();
    return Element->isRecordType() || Element->isEnumeralType();
  });
}

/// Is it declared in a namespace, where its qualified name finds it? A friend that only its class declares is not.
static bool hasName(const clang::FunctionDecl &Callee) {
  const clang::FunctionDecl *Pattern = Callee.getTemplateInstantiationPattern();
  return llvm::any_of((Pattern ? Pattern : &Callee)->redecls(),
                      [](const clang::FunctionDecl *Each) { return Each->getLexicalDeclContext()->isFileContext(); });
}

void qualifyCallees(TextEdits &Edits, const Reached &Reach, const SelectCopied &Chosen) {
  const SourceText &Text = Edits.Text;
  struct Named {
    std::optional<std::string> Path; ///< Nothing when it is not copied, or not known at the call.
    bool BringsScope = false;
  };
  std::map<TextPlace, Named> Names;
  for (const auto &[Function, Use] : Reach.Functions)
    for (const CallSite &Site : Use.Calls) {
      if (!Site.Call || llvm::isa<clang::CXXOperatorCallExpr>(Site.Call) || Site.Callee->isCXXClassMember())
        continue; // found in other ways
      auto *Name = llvm::dyn_cast<clang::DeclRefExpr>(Site.Call->getCallee()->IgnoreImpCasts());
      if (!Name || Name->hasQualifier() || Name->getLocation().isMacroID())
        continue;
      if (!Edits.holds(Name->getLocation()))
        continue;
      const auto At = Text.offset(Name->getLocation());
      Named Found{std::nullopt, bringsScope(*Site.Call)};
      // An instance is where its template is defined, which may have been declared before.
      const clang::FunctionTemplateDecl *Template = Site.Callee->getPrimaryTemplate();
      auto IsKnown = [&](const clang::Decl *Each) {
        const clang::Decl *Declaration = enclosingUnit(Each);
        if (!Declaration || !Chosen.Units.contains(Declaration))
          return false;
        const auto Declared = Text.offset(Declaration->getLocation());
        return Declared.first != At.first || Declared.second < At.second;
      };
      if (hasName(*Site.Callee) && (IsKnown(Site.Callee) || (Template && llvm::any_of(Template->redecls(), IsKnown))))
        Found.Path = namespacePath(*Site.Callee);
      if (auto [Known, New] = Names.try_emplace(At, Found); !New) {
        Known->second.BringsScope |= Found.BringsScope;
        if (Known->second.Path != Found.Path)
          Known->second.Path.reset();
      }
    }
  for (const auto &[At, Name] : Names)
    if (Name.Path && Name.BringsScope)
      Edits.All.push_back(
          {At, 0,
           outputText("{}::{}::{}", Text.buffer(At.first).take_front(At.second).ends_with(":") ? " " : "",
                      OutputText(OutputText::Slot::Path), *Name.Path)});
}

std::string toolkitType(const clang::FunctionDecl &Kernel, llvm::StringRef Name) {
  const clang::DeclarationName Sought(&Kernel.getASTContext().Idents.get(Name));
  for (const clang::DeclContext *Scope = Kernel.getDeclContext(); Scope; Scope = Scope->getParent()) {
    if (!Scope->isTranslationUnit() && !Scope->lookup(Sought).empty())
      return "::" + Name.str();
    for (const clang::UsingDirectiveDecl *Directive : Scope->using_directives())
      if (!Directive->getNominatedNamespace()->lookup(Sought).empty())
        return "::" + Name.str();
  }
  return Name.str();
}

} // namespace cufuse
