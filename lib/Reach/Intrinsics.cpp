#include "cufuse/Reach/Intrinsics.h"

#include "cufuse/Reach/Declarations.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>

namespace cufuse {

Intrinsic classify(const clang::FunctionDecl &Function) {
  if (!Function.getIdentifier() || !Function.getDeclContext()->getRedeclContext()->isTranslationUnit())
    return Intrinsic::None;
  const llvm::StringRef Name = Function.getName();
  if (Name == "__syncthreads" || Name == "__syncthreads_count" || Name == "__syncthreads_and" ||
      Name == "__syncthreads_or" || Name == "__barrier_sync")
    return Intrinsic::Barrier;
  if (Name.starts_with("__barrier_sync") || Name.starts_with("__nvvm_bar"))
    return Intrinsic::NamedBarrier;
  if (Name.starts_with("__cluster") || Name.starts_with("__nv_cluster") || Name.starts_with("__nvvm_cluster"))
    return Intrinsic::Cluster;
  if (Name.starts_with("__shfl") || Name.starts_with("__match_") || Name.starts_with("__reduce_") ||
      Name == "__syncwarp" || Name == "__activemask" || Name == "__any_sync" || Name == "__all_sync" ||
      Name == "__ballot_sync")
    return Intrinsic::WarpPrimitive;
  if (Name.starts_with("atomic") || Name.starts_with("__nv_atomic"))
    return Intrinsic::Atomic;
  return Intrinsic::None;
}

bool isLdg(const clang::FunctionDecl &Function) {
  return Function.getIdentifier() && Function.getName() == "__ldg" && !inUsersFile(&Function) &&
         Function.getDeclContext()->getRedeclContext()->isTranslationUnit();
}

Intrinsic classify(const CallSite &Call) {
  const Intrinsic Kind = classify(*Call.Callee);
  if (Kind != Intrinsic::Barrier || Call.Callee->getName() != "__barrier_sync")
    return Kind;
  clang::Expr::EvalResult Number;
  const clang::Expr *Argument = Call.Call && Call.Call->getNumArgs() > 0 ? Call.Call->getArg(0) : nullptr;
  const bool OfBlock = Argument && !Argument->isValueDependent() &&
                       Argument->EvaluateAsInt(Number, Call.Callee->getASTContext()) && Number.Val.getInt() == 0;
  return OfBlock ? Intrinsic::Barrier : Intrinsic::NamedBarrier;
}

} // namespace cufuse
