#include "cufuse/Analysis/Declarations.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/Basic/SourceManager.h>
#include <llvm/ADT/STLExtras.h>

namespace cufuse {

const clang::Decl *pattern(const clang::Decl *D) {
  if (auto *Function = llvm::dyn_cast<clang::FunctionDecl>(D)) {
    if (const clang::FunctionDecl *From = Function->getTemplateInstantiationPattern())
      return From;
  } else if (auto *Variable = llvm::dyn_cast<clang::VarDecl>(D)) {
    if (const clang::VarDecl *From = Variable->getTemplateInstantiationPattern())
      return From;
  } else if (auto *Record = llvm::dyn_cast<clang::CXXRecordDecl>(D)) {
    if (const clang::CXXRecordDecl *From = Record->getTemplateInstantiationPattern())
      return From;
  } else if (auto *Enum = llvm::dyn_cast<clang::EnumDecl>(D)) {
    if (const clang::EnumDecl *From = Enum->getTemplateInstantiationPattern())
      return From;
  }
  return D;
}

const clang::FunctionDecl *withBody(const clang::FunctionDecl *F) {
  const clang::FunctionDecl *Definition = nullptr;
  return F && F->hasBody(Definition) ? Definition : nullptr;
}

bool isOfGroups(const clang::CXXRecordDecl *Record, llvm::ArrayRef<llvm::StringRef> Names) {
  return Record && Record->getIdentifier() && llvm::is_contained(Names, Record->getName()) &&
         llvm::StringRef(Record->getQualifiedNameAsString()).starts_with("cooperative_groups::");
}

bool inUsersFile(const clang::Decl *D, const clang::SourceManager &Sources) {
  // Clang declares a built-in where the file first names it.
  if (auto *Function = llvm::dyn_cast<clang::FunctionDecl>(D);
      Function && Function->isImplicit() && Function->getBuiltinID())
    return false;
  const clang::SourceLocation At = Sources.getExpansionLoc(D->getLocation());
  return At.isValid() && !Sources.isInSystemHeader(At) && !Sources.isWrittenInBuiltinFile(At) &&
         !Sources.isWrittenInCommandLineFile(At);
}

const clang::Decl *enclosingUnit(const clang::Decl *D) {
  const clang::Decl *Unit = D;
  while (true) {
    Unit = pattern(Unit);
    const clang::DeclContext *Context = Unit->getLexicalDeclContext();
    if (!Context || llvm::isa<clang::TranslationUnitDecl, clang::NamespaceDecl>(Unit))
      return nullptr;
    if (llvm::isa<clang::TranslationUnitDecl, clang::NamespaceDecl, clang::LinkageSpecDecl>(Context))
      break;
    Unit = llvm::cast<clang::Decl>(Context);
  }
  if (llvm::isa<clang::LinkageSpecDecl>(Unit))
    return nullptr;
  if (auto *Function = llvm::dyn_cast<clang::FunctionDecl>(Unit))
    if (const clang::FunctionTemplateDecl *T = Function->getDescribedFunctionTemplate())
      return T;
  if (auto *Record = llvm::dyn_cast<clang::CXXRecordDecl>(Unit))
    if (const clang::ClassTemplateDecl *T = Record->getDescribedClassTemplate())
      return T;
  if (auto *Variable = llvm::dyn_cast<clang::VarDecl>(Unit))
    if (const clang::VarTemplateDecl *T = Variable->getDescribedVarTemplate())
      return T;
  if (auto *Alias = llvm::dyn_cast<clang::TypeAliasDecl>(Unit))
    if (const clang::TypeAliasTemplateDecl *T = Alias->getDescribedAliasTemplate())
      return T;
  return Unit;
}

bool isTable(const clang::VarDecl &Variable) {
  clang::QualType T = Variable.getType();
  return !T->isReferenceType() &&
         T.isConstantStorage(Variable.getASTContext(), /*ExcludeCtor=*/true, /*ExcludeDtor=*/true);
}

bool leadsToCode(clang::QualType T, unsigned Depth) {
  if (T.isNull() || T->isDependentType())
    return false;
  T = T.getCanonicalType();
  while (!T->getPointeeType().isNull() || T->isArrayType())
    T = T->isArrayType() ? clang::QualType(T->getArrayElementTypeNoTypeQual(), 0) : T->getPointeeType();
  if (T->isFunctionType() || T->isMemberFunctionPointerType())
    return true;
  const clang::CXXRecordDecl *Record = T->getAsCXXRecordDecl();
  if (!Record || !Record->hasDefinition())
    return false;
  constexpr unsigned Deepest = 8;
  if (Record->isPolymorphic() || Depth > Deepest)
    return true;
  return std::any_of(Record->field_begin(), Record->field_end(),
                     [&](const clang::FieldDecl *F) { return leadsToCode(F->getType(), Depth + 1); }) ||
         std::any_of(Record->bases_begin(), Record->bases_end(),
                     [&](const clang::CXXBaseSpecifier &B) { return leadsToCode(B.getType(), Depth + 1); });
}

} // namespace cufuse
