#include "cufuse/Reach/DynamicShared.h"

#include <clang/AST/DynamicRecursiveASTVisitor.h>
#include <clang/AST/ExprCXX.h>
#include <llvm/Support/SaveAndRestore.h>

namespace cufuse {

namespace {

struct OutOfReach : clang::ConstDynamicRecursiveASTVisitor {
  bool VisitVarDecl(const clang::VarDecl *V) override {
    if (V->isLocalExternDecl() && V->hasAttr<clang::CUDASharedAttr>())
      DeclaredAt[V] = Depth;
    return true;
  }
  bool VisitDeclRefExpr(const clang::DeclRefExpr *E) override {
    const auto *V = llvm::dyn_cast<clang::VarDecl>(E->getDecl());
    if (const auto Declared = DeclaredAt.find(V); Declared != DeclaredAt.end() && Declared->second < Depth)
      Found[V->getLocation()].push_back(E);
    return true;
  }
  bool TraverseLambdaExpr(const clang::LambdaExpr *Lambda) override {
    const bool Hides = Lambda->getCaptureDefault() != clang::LCD_ByRef;
    // What captures are made of stands outside.
    for (auto [Capture, Init] : llvm::zip(Lambda->captures(), Lambda->capture_inits()))
      if (Lambda->isInitCapture(&Capture))
        TraverseStmt(Init);
    const llvm::SaveAndRestore Inside(Depth, Depth + Hides);
    for (const clang::ParmVarDecl *Parameter : Lambda->getCallOperator()->parameters())
      TraverseDecl(Parameter);
    return TraverseStmt(Lambda->getBody());
  }
  bool TraverseCXXRecordDecl(const clang::CXXRecordDecl *Record) override {
    const llvm::SaveAndRestore Inside(Depth, Depth + 1);
    return clang::ConstDynamicRecursiveASTVisitor::TraverseCXXRecordDecl(Record);
  }

  std::map<const clang::VarDecl *, unsigned> DeclaredAt;
  std::map<clang::SourceLocation, std::vector<const clang::DeclRefExpr *>> Found;
  unsigned Depth = 0;
};

} // namespace

std::map<clang::SourceLocation, std::vector<const clang::DeclRefExpr *>>
dynamicSharedOutOfReach(const clang::Decl &Unit) {
  OutOfReach Visitor;
  Visitor.TraverseDecl(&Unit);
  return std::move(Visitor.Found);
}

} // namespace cufuse
