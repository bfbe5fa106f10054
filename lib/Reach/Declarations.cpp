#include "cufuse/Reach/Declarations.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/Basic/SourceManager.h>
#include <llvm/ADT/STLExtras.h>

namespace cufuse {

template <typename Kind> static const clang::Decl *patternOf(const clang::Decl *D) {
  auto *Instance = llvm::dyn_cast<Kind>(D);
  return Instance ? Instance->getTemplateInstantiationPattern() : nullptr;
}

const clang::Decl *pattern(const clang::Decl *D) {
  for (auto *Of : {patternOf<clang::FunctionDecl>, patternOf<clang::VarDecl>, patternOf<clang::CXXRecordDecl>,
                   patternOf<clang::EnumDecl>})
    if (const clang::Decl *From = Of(D))
      return From;
  return D;
}

const clang::FunctionDecl *withBody(const clang::FunctionDecl *F) {
  const clang::FunctionDecl *Definition = nullptr;
  return F && F->hasBody(Definition) ? Definition : nullptr;
}

bool isLambda(const clang::FunctionDecl &F) {
  auto *Method = llvm::dyn_cast<clang::CXXMethodDecl>(&F);
  return Method && Method->getParent()->isLambda();
}

bool isOfGroups(const clang::CXXRecordDecl *Record, llvm::ArrayRef<llvm::StringRef> Names) {
  return Record && Record->getIdentifier() && llvm::is_contained(Names, Record->getName()) &&
         llvm::StringRef(Record->getQualifiedNameAsString()).starts_with("cooperative_groups::");
}

clang::FileID fileOf(const clang::Decl *D) {
  return D->getASTContext().getSourceManager().getDecomposedExpansionLoc(D->getLocation()).first;
}

bool inUsersFile(const clang::Decl *D) {
  // Clang declares a built-in where the file first names it.
  if (auto *Function = llvm::dyn_cast<clang::FunctionDecl>(D);
      Function && Function->isImplicit() && Function->getBuiltinID())
    return false;
  const clang::SourceManager &Sources = D->getASTContext().getSourceManager();
  const clang::SourceLocation At = Sources.getExpansionLoc(D->getLocation());
  return At.isValid() && !Sources.isInSystemHeader(At) && !Sources.isWrittenInBuiltinFile(At) &&
         !Sources.isWrittenInCommandLineFile(At);
}

bool anyPart(clang::QualType T, llvm::function_ref<std::optional<bool>(clang::QualType)> Is) {
  T = clang::QualType(T.getCanonicalType()->getBaseElementTypeUnsafe(), 0);
  if (const std::optional<bool> Known = Is(T))
    return *Known;
  const clang::CXXRecordDecl *Record = T->getAsCXXRecordDecl();
  return Record && Record->hasDefinition() &&
         (llvm::any_of(Record->fields(), [&](const auto *Field) { return anyPart(Field->getType(), Is); }) ||
          llvm::any_of(Record->bases(), [&](const auto &Base) { return anyPart(Base.getType(), Is); }));
}

bool copiesBytes(const clang::CXXRecordDecl &Record) {
  return !anyPart(Record.getASTContext().getCanonicalTagType(&Record), [](clang::QualType T) -> std::optional<bool> {
    const clang::CXXRecordDecl *Part = T->getAsCXXRecordDecl();
    if (!Part || (Part->getIdentifier() && (Part->getName() == "__half2" || Part->getName() == "__nv_bfloat162")))
      return false;
    if (Part->hasNonTrivialDestructor())
      return true;
    if (!Part->hasNonTrivialCopyConstructor() && !Part->hasNonTrivialMoveConstructor())
      return false;
    if (Part->isDynamicClass() ||
        llvm::any_of(Part->ctors(), [](const auto *C) { return C->isCopyOrMoveConstructor() && C->isUserProvided(); }))
      return true;
    return std::nullopt;
  });
}

bool isCopiedByCode(const clang::ParmVarDecl &Parameter) {
  const clang::CXXRecordDecl *Record = Parameter.getType()->getAsCXXRecordDecl();
  if (!Record || !(Record = Record->getDefinition()) || Record->isDependentType())
    return false;
  // What the fused kernel has is constant.
  const bool CopiesConstant =
      Record->hasUserDeclaredCopyConstructor()
          ? llvm::any_of(Record->ctors(),
                         [](const clang::CXXConstructorDecl *Made) {
                           return Made->isCopyConstructor() && !Made->isDeleted() &&
                                  Made->getParamDecl(0)->getType().getNonReferenceType().isConstQualified();
                         })
          : Record->hasCopyConstructorWithConstParam() && !Record->defaultedCopyConstructorIsDeleted();
  if (!copiesBytes(*Record) || !CopiesConstant)
    return true;
  // A template may be taken for a constructor that copies.
  const clang::ASTContext &Context = Parameter.getASTContext();
  const clang::QualType Copied = Context.getCanonicalTagType(Record);
  return llvm::any_of(Record->decls(), [&](const clang::Decl *Member) {
    auto *Template = llvm::dyn_cast<clang::FunctionTemplateDecl>(Member);
    auto *Made = Template ? llvm::dyn_cast<clang::CXXConstructorDecl>(Template->getTemplatedDecl()) : nullptr;
    return Made && Made->getMinRequiredArguments() <= 1 &&
           llvm::any_of(Template->specializations(), [&](const clang::FunctionDecl *Special) {
             return Special->getNumParams() >= 1 &&
                    Context.hasSameUnqualifiedType(Special->getParamDecl(0)->getType().getNonReferenceType(), Copied);
           });
  });
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
  const clang::TemplateDecl *Template = Unit->getDescribedTemplate();
  return Template ? Template : Unit;
}

bool isTable(const clang::VarDecl &Variable) {
  clang::QualType T = Variable.getType();
  return !T->isReferenceType() &&
         T.isConstantStorage(Variable.getASTContext(), /*ExcludeCtor=*/true, /*ExcludeDtor=*/true);
}

clang::QualType endOf(clang::QualType T) {
  T = T.getCanonicalType();
  while (!T->getPointeeType().isNull() || T->isArrayType())
    T = T->isArrayType() ? clang::QualType(T->getArrayElementTypeNoTypeQual(), 0) : T->getPointeeType();
  return T;
}

bool leadsToCode(clang::QualType T, unsigned Depth) {
  if (T.isNull() || T->isDependentType())
    return false;
  T = endOf(T);
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
