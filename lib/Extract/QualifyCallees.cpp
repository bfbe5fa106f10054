#include "QualifyCallees.h"

namespace cufuse {

/// Does an argument bring a scope of its own into the lookup?
static bool bringsScope(const clang::CallExpr &Call) {
  return std::any_of(Call.arg_begin(), Call.arg_end(), [](const clang::Expr *Argument) {
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
  return std::any_of((Pattern ? Pattern : &Callee)->redecls_begin(), (Pattern ? Pattern : &Callee)->redecls_end(),
                     [](const clang::FunctionDecl *Each) { return Each->getLexicalDeclContext()->isFileContext(); });
}

std::map<std::pair<clang::FileID, unsigned>, std::string>
calleesToQualify(const Reached &Reach, const SelectCopied &Chosen, SourceText &Text, const Slice &S) {
  struct Named {
    std::optional<std::string> Path; ///< Nothing when it is not copied, or not known at the call.
    bool BringsScope = false;
  };
  std::map<std::pair<clang::FileID, unsigned>, Named> Names;
  for (const auto &[Function, Use] : Reach.Functions)
    for (const CallSite &Site : Use.Calls) {
      if (!Site.Call || llvm::isa<clang::CXXOperatorCallExpr>(Site.Call) || Site.Callee->isCXXClassMember())
        continue; // found in other ways
      auto *Name = llvm::dyn_cast<clang::DeclRefExpr>(Site.Call->getCallee()->IgnoreImpCasts());
      if (!Name || Name->hasQualifier() || Name->getLocation().isMacroID())
        continue;
      if (!Text.holds(S, Name->getLocation()))
        continue;
      const auto At = Text.offset(Name->getLocation());
      const clang::Decl *Whole = enclosingUnit(Site.Callee);
      Named Found{std::nullopt, bringsScope(*Site.Call)};
      if (Whole && Chosen.Units.contains(Whole) && hasName(*Site.Callee)) {
        const auto Declared = Text.offset(Whole->getLocation());
        if (Declared.first != At.first || Declared.second < At.second)
          Found.Path = namespacePath(*Site.Callee);
      }
      if (auto [Known, New] = Names.try_emplace(At, Found); !New) {
        Known->second.BringsScope |= Found.BringsScope;
        if (Known->second.Path != Found.Path)
          Known->second.Path.reset();
      }
    }
  std::map<std::pair<clang::FileID, unsigned>, std::string> Result;
  for (const auto &[At, Name] : Names)
    if (Name.Path && Name.BringsScope)
      Result.emplace(At, *Name.Path);
  return Result;
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
