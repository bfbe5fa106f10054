#include "HostVariables.h"

#include "cufuse/Analysis/Declarations.h"

#include <clang/AST/Attr.h>
#include <clang/AST/DynamicRecursiveASTVisitor.h>
#include <clang/AST/ExprCXX.h>
#include <llvm/ADT/STLExtras.h>

namespace cufuse {

namespace {

/// Finds what may give another value each time, or makes an object that may change.
struct SameAnywhere : clang::ConstDynamicRecursiveASTVisitor {
  bool VisitCXXNewExpr(const clang::CXXNewExpr *) override { return false; }
  bool TraverseLambdaExpr(MaybeConst<clang::LambdaExpr> *E) override { return E->capture_size() == 0; }
  bool VisitMaterializeTemporaryExpr(const clang::MaterializeTemporaryExpr *E) override {
    return E->getStorageDuration() != clang::SD_Static;
  }
  bool VisitCXXConstructExpr(const clang::CXXConstructExpr *E) override {
    return E->getConstructor()->isConstexpr() || E->getConstructor()->isTrivial();
  }
  /// Of functions that are no constants, those of numbers alone: `acos(-1.0)`.
  bool VisitCallExpr(const clang::CallExpr *E) override {
    const clang::FunctionDecl *F = E->getDirectCallee();
    return E->isTypeDependent() || E->isValueDependent() || (F && F->isConstexpr()) ||
           (F && F->getReturnType()->isFloatingType() && F->getNumParams() > 0 &&
            llvm::all_of(F->parameters(),
                         [](const clang::ParmVarDecl *P) { return P->getType()->isArithmeticType(); }));
  }
};

struct Finder : clang::ConstDynamicRecursiveASTVisitor {
  bool VisitVarDecl(const clang::VarDecl *V) override {
    // Clang takes what is const for constant memory.
    const bool OfDevice = llvm::any_of(V->attrs(), [](const clang::Attr *A) {
      return !A->isImplicit() && llvm::isa<clang::CUDADeviceAttr, clang::CUDAConstantAttr, clang::CUDASharedAttr>(A);
    });
    const bool IsSame = isTable(*V) && (!V->getInit() || SameAnywhere().TraverseStmt(V->getInit()));
    if (V->hasGlobalStorage() && V->isThisDeclarationADefinition() && !OfDevice && !IsSame)
      Found.push_back(V);
    return true;
  }
  std::vector<const clang::VarDecl *> Found;
};

} // namespace

std::vector<const clang::VarDecl *> hostVariables(const clang::Decl &Whole) {
  Finder Each;
  Each.TraverseDecl(&Whole);
  return std::move(Each.Found);
}

} // namespace cufuse
