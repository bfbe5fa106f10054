// Every name in a declaration or a body, whatever form it has.
#pragma once

#include <clang/AST/Attr.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/AST/DynamicRecursiveASTVisitor.h>

namespace cufuse {

inline bool isKernel(const clang::NamedDecl *D) {
  if (auto *Template = llvm::dyn_cast<clang::FunctionTemplateDecl>(D))
    D = Template->getTemplatedDecl();
  return llvm::isa<clang::FunctionDecl>(D) && D->hasAttr<clang::CUDAGlobalAttr>();
}

/// Visits a declaration or body and reports every name in it.
class NameVisitor : public clang::ConstDynamicRecursiveASTVisitor {
public:
  NameVisitor() { ShouldVisitImplicitCode = true; }
  virtual void name(const clang::NamedDecl *D, const clang::Expr *Use, clang::SourceLocation Where) = 0;
  virtual void globalQualifier(clang::SourceLocation) {}

  bool VisitDeclRefExpr(const clang::DeclRefExpr *E) override {
    introduced(E->getFoundDecl(), E->getLocation());
    name(E->getDecl(), E, E->getLocation());
    return true;
  }
  bool VisitMemberExpr(const clang::MemberExpr *E) override {
    // An implicit conversion has no name in the text.
    name(E->getMemberDecl(), E, E->getMemberLoc().isValid() ? E->getMemberLoc() : E->getBeginLoc());
    return true;
  }
  bool VisitCXXConstructExpr(const clang::CXXConstructExpr *E) override {
    name(E->getConstructor(), E, E->getLocation());
    return true;
  }
  bool VisitAttributedStmt(const clang::AttributedStmt *S) override { // the count of `#pragma unroll`
    for (const clang::Attr *Each : S->getAttrs())
      if (auto *Hint = llvm::dyn_cast<clang::LoopHintAttr>(Each); Hint && Hint->getValue())
        TraverseStmt(Hint->getValue());
    return true;
  }
  bool VisitOverloadExpr(const clang::OverloadExpr *E) override {
    for (const clang::NamedDecl *D : E->decls()) {
      introduced(D, E->getNameLoc());
      name(D->getUnderlyingDecl(), nullptr, E->getNameLoc());
    }
    return true;
  }
  bool VisitUnresolvedLookupExpr(const clang::UnresolvedLookupExpr *E) override { return VisitOverloadExpr(E); }
  bool VisitTypedefTypeLoc(clang::TypedefTypeLoc L) override { return type(L.getDecl(), L.getBeginLoc()); }
  bool VisitRecordTypeLoc(clang::RecordTypeLoc L) override { return type(L.getDecl(), L.getBeginLoc()); }
  bool VisitEnumTypeLoc(clang::EnumTypeLoc L) override { return type(L.getDecl(), L.getBeginLoc()); }
  bool VisitConceptReference(const clang::ConceptReference *R) override {
    if (const clang::NamedDecl *Found = R->getFoundDecl())
      introduced(Found, R->getConceptNameLoc());
    name(R->getNamedConcept(), nullptr, R->getConceptNameLoc());
    return true;
  }
  bool VisitUsingDecl(const clang::UsingDecl *D) override {
    if (D->getDeclContext()->isFunctionOrMethod())
      for (const clang::UsingShadowDecl *Shadow : D->shadows())
        name(Shadow->getTargetDecl(), nullptr, D->getLocation());
    return true;
  }
  bool VisitUsingDirectiveDecl(const clang::UsingDirectiveDecl *D) override {
    name(D->getNominatedNamespace(), nullptr, D->getLocation());
    return true;
  }
  bool VisitNamespaceAliasDecl(const clang::NamespaceAliasDecl *D) override {
    name(D->getNamespace(), nullptr, D->getLocation());
    return true;
  }
  bool VisitUsingTypeLoc(clang::UsingTypeLoc L) override {
    name(L.getDecl(), nullptr, L.getBeginLoc());
    name(L.getDecl()->getTargetDecl(), nullptr, L.getBeginLoc());
    return true;
  }
  bool VisitTemplateSpecializationTypeLoc(clang::TemplateSpecializationTypeLoc L) override {
    templateName(L.getTypePtr()->getTemplateName(), L.getBeginLoc());
    if (const auto *Record = L.getTypePtr()->getAsCXXRecordDecl())
      name(Record, nullptr, L.getBeginLoc());
    return true;
  }
  bool VisitDeducedTemplateSpecializationTypeLoc(clang::DeducedTemplateSpecializationTypeLoc L) override {
    templateName(L.getTypePtr()->getTemplateName(), L.getBeginLoc());
    return true;
  }
  bool TraverseTemplateName(clang::TemplateName N) override {
    templateName(N, {});
    return clang::ConstDynamicRecursiveASTVisitor::TraverseTemplateName(N);
  }
  bool TraverseNestedNameSpecifierLoc(clang::NestedNameSpecifierLoc L) override {
    if (L && L.getNestedNameSpecifier().getKind() == clang::NestedNameSpecifier::Kind::Global)
      globalQualifier(L.getBeginLoc());
    if (L && L.getNestedNameSpecifier().getKind() == clang::NestedNameSpecifier::Kind::Namespace)
      name(L.getNestedNameSpecifier().getAsNamespaceAndPrefix().Namespace, nullptr, L.getBeginLoc());
    return clang::ConstDynamicRecursiveASTVisitor::TraverseNestedNameSpecifierLoc(L);
  }

private:
  void templateName(clang::TemplateName N, clang::SourceLocation Where) {
    if (const clang::UsingShadowDecl *Shadow = N.getAsUsingShadowDecl())
      introduced(Shadow, Where);
    if (const clang::TemplateDecl *T = N.getAsTemplateDecl())
      name(T, nullptr, Where);
  }
  /// The using-declaration that makes a name mean what it does.
  void introduced(const clang::NamedDecl *Found, clang::SourceLocation Where) {
    if (llvm::isa<clang::UsingShadowDecl>(Found))
      name(Found, nullptr, Where);
  }
  bool type(const clang::NamedDecl *D, clang::SourceLocation Where) {
    name(D, nullptr, Where);
    return true;
  }
};

} // namespace cufuse
