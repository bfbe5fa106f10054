#include "cufuse/Analysis/Convergence.h"

#include <clang/AST/Attr.h>

namespace cufuse {

llvm::SetVector<const clang::FunctionDecl *> libraryFunctionsOfLinker(const Reached &Reach) {
  llvm::SetVector<const clang::FunctionDecl *> Found;
  for (const auto &[Function, Use] : Reach.Functions)
    if (Use.System && (!Use.Reads.empty() || llvm::any_of(Use.Calls, [](const CallSite &Call) {
          return classify(*Call.Callee) == Intrinsic::Barrier;
        })))
      Found.insert(Function);
  for (bool Changed = true; Changed;) { // what calls these
    Changed = false;
    for (const auto &[Function, Use] : Reach.Functions)
      for (const CallSite &Call : Use.Calls)
        if (Found.contains(withBody(Call.Callee)))
          Changed |= Found.insert(Function);
  }
  Found.remove_if([&](const clang::FunctionDecl *Function) {
    return !Reach.Functions.find(Function)->second.System || Function->hasAttr<clang::AlwaysInlineAttr>() ||
           !Function->isExternallyVisible();
  });
  return Found;
}

} // namespace cufuse
