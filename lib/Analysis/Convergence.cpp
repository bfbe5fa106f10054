#include "cufuse/Analysis/Convergence.h"

#include "cufuse/Analysis/Assembly.h"

#include <clang/AST/Attr.h>

namespace cufuse {

namespace {

/// Functions that do something, or call one that does.
llvm::SetVector<const clang::FunctionDecl *> thatReach(const Reached &Reach,
                                                       llvm::function_ref<bool(const FunctionUse &)> Does) {
  llvm::SetVector<const clang::FunctionDecl *> Found;
  for (const auto &[Function, Use] : Reach.Functions)
    if (Does(Use))
      Found.insert(Function);
  for (bool Changed = true; Changed;) {
    Changed = false;
    for (const auto &[Function, Use] : Reach.Functions)
      for (const CallSite &Call : Use.Calls)
        if (Found.contains(withBody(Call.Callee)))
          Changed |= Found.insert(Function);
  }
  return Found;
}

bool calls(const FunctionUse &Use, Intrinsic Kind) {
  return llvm::any_of(Use.Calls, [&](const CallSite &Call) { return classify(*Call.Callee) == Kind; });
}

llvm::SetVector<const clang::FunctionDecl *> callersOf(const Reached &Reach, Intrinsic Kind) {
  return thatReach(Reach, [&](const FunctionUse &Use) {
    return calls(Use, Kind) ||
           (Kind == Intrinsic::Barrier && llvm::any_of(Use.Assembly, [](auto *A) { return waitsForBlock(*A); }));
  });
}

} // namespace

llvm::SetVector<const clang::FunctionDecl *> synchronisingFunctions(const Reached &Reach) {
  return callersOf(Reach, Intrinsic::Barrier);
}

llvm::SetVector<const clang::FunctionDecl *> libraryFunctionsOfLinker(const Reached &Reach) {
  auto Result = thatReach(Reach, [](const FunctionUse &Use) {
    return Use.System && (!Use.Reads.empty() || calls(Use, Intrinsic::Barrier));
  });
  Result.remove_if([&](const clang::FunctionDecl *Function) {
    return !Reach.Functions.find(Function)->second.System || Function->hasAttr<clang::AlwaysInlineAttr>() ||
           !Function->isExternallyVisible();
  });
  return Result;
}

} // namespace cufuse
