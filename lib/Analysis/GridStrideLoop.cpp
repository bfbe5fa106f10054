#include "cufuse/Analysis/GridStrideLoop.h"

#include "cufuse/Analysis/KernelFacts.h"

#include <llvm/ADT/SmallPtrSet.h>

namespace cufuse {

namespace {

/// Does an expression come from the size of the launch, maybe by way of local variables?
struct LaunchSize : clang::ConstDynamicRecursiveASTVisitor {
  bool VisitDeclRefExpr(const clang::DeclRefExpr *E) override {
    auto *Variable = llvm::dyn_cast<clang::VarDecl>(E->getDecl());
    if (!Variable || !Seen.insert(Variable).second)
      return true;
    if (Variable->isLocalVarDecl() && Variable->hasInit())
      TraverseStmt(Variable->getInit());
    if (Variable->hasGlobalStorage())
      for (Builtin B : {Builtin::BlockDim, Builtin::GridDim})
        Found |= Variable->getIdentifier() && Variable->getName() == BuiltinNames[static_cast<size_t>(B)];
    return !Found;
  }
  llvm::SmallPtrSet<const clang::VarDecl *, 8> Seen;
  bool Found = false;
};

/// What the step adds; nothing for steps of other forms.
const clang::Expr *added(const clang::Expr *Step) {
  Step = Step ? Step->IgnoreParenImpCasts() : nullptr;
  if (auto *Both = llvm::dyn_cast_or_null<clang::BinaryOperator>(Step);
      Both && (Both->getOpcode() == clang::BO_AddAssign || Both->getOpcode() == clang::BO_Assign))
    return Both->getRHS();
  return nullptr;
}

struct LoopFinder : clang::ConstDynamicRecursiveASTVisitor {
  bool VisitForStmt(const clang::ForStmt *Loop) override {
    const clang::Expr *Step = added(Loop->getInc());
    if (!Step)
      return true;
    LaunchSize Size;
    Size.TraverseStmt(Step);
    if (Size.Found)
      Found = Loop;
    return !Found;
  }
  bool TraverseLambdaExpr(MaybeConst<clang::LambdaExpr> *) override { return true; }
  const clang::ForStmt *Found = nullptr;
};

} // namespace

const clang::ForStmt *gridStrideLoop(const clang::FunctionDecl &Kernel) {
  LoopFinder Finder;
  if (Kernel.getBody())
    Finder.TraverseStmt(Kernel.getBody());
  return Finder.Found;
}

} // namespace cufuse
