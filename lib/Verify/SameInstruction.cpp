// What an instruction says beside its operands.
#include "SameCode.h"

#include <fmt/core.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/LLVMContext.h>

namespace cufuse {

namespace {

bool failsAssertion(const llvm::Function *F) {
  return F && F->isDeclaration() && (F->getName() == "__assertfail" || F->getName() == "__assert_fail");
}

} // namespace

bool SameCode::details(const llvm::Instruction &A, const llvm::Instruction &B) {
  for (unsigned Kind : {llvm::LLVMContext::MD_invariant_load, llvm::LLVMContext::MD_nontemporal})
    if (!A.getMetadata(Kind) != !B.getMetadata(Kind))
      return differ("memory is read by another way");
  if (auto *Local = llvm::dyn_cast<llvm::AllocaInst>(&A)) {
    const auto SizeOf = [&](const llvm::Instruction &I) {
      return Layout->getTypeAllocSize(llvm::cast<llvm::AllocaInst>(I).getAllocatedType()).getFixedValue();
    };
    if (SizeOf(A) != SizeOf(B))
      return differ("the size of a local variable", std::to_string(SizeOf(A)), std::to_string(SizeOf(B)));
    return sameAlignment(Local->getAlign(), llvm::cast<llvm::AllocaInst>(B).getAlign());
  }
  if (auto *Element = llvm::dyn_cast<llvm::GetElementPtrInst>(&A))
    return isSame(Element->getSourceElementType(), llvm::cast<llvm::GetElementPtrInst>(B).getSourceElementType()) ||
           differ("an address is computed otherwise");
  if (auto *Switch = llvm::dyn_cast<llvm::SwitchInst>(&A)) // whose values are no operands, and another context's
    return llvm::equal(Switch->cases(), llvm::cast<llvm::SwitchInst>(B).cases(),
                       [](const auto &OfA, const auto &OfB) {
                         return OfA.getCaseValue()->getValue() == OfB.getCaseValue()->getValue();
                       }) ||
           differ("a `case` has another label");
  if (!A.hasSameSpecialState(&B, /*IgnoreAlignment=*/true)) {
    const std::string OfA = described(&A), OfB = described(&B);
    return OfA == OfB ? differ(fmt::format("{} may do something else in the output", OfA)) : differ("it", OfA, OfB);
  }
  // A weaker alignment holds, too: references to dynamic shared memory do not say that of the array.
  auto AlignmentOf = [](const llvm::Instruction &I) -> std::optional<llvm::Align> {
    if (auto *Changes = llvm::dyn_cast<llvm::AtomicRMWInst>(&I))
      return Changes->getAlign();
    if (auto *Swaps = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&I))
      return Swaps->getAlign();
    return llvm::isa<llvm::LoadInst, llvm::StoreInst>(I) ? std::optional(llvm::getLoadStoreAlignment(&I))
                                                         : std::nullopt;
  };
  if (const std::optional<llvm::Align> OfA = AlignmentOf(A)) {
    const llvm::Align OfB = *AlignmentOf(B);
    const bool IsOfType = KnowsMore && llvm::isa<llvm::LoadInst, llvm::StoreInst>(A) &&
                          OfB <= Layout->getABITypeAlign(llvm::getLoadStoreType(&A));
    const llvm::Value *Pointer = llvm::getLoadStorePointerOperand(&B);
    const bool IsOfOwn = Pointer && isDefined(*llvm::getUnderlyingObject(Pointer));
    return *OfA >= OfB || IsOfType || IsOfOwn || sameAlignment(*OfA, OfB);
  }
  return A.isBinaryOp() || A.isUnaryOp() || A.isCast() ||
         llvm::isa<llvm::BranchInst, llvm::ReturnInst, llvm::UnreachableInst, llvm::SelectInst, llvm::FreezeInst,
                   llvm::ExtractElementInst, llvm::InsertElementInst, llvm::VAArgInst, llvm::CmpInst, llvm::FenceInst,
                   llvm::ExtractValueInst, llvm::InsertValueInst, llvm::ShuffleVectorInst>(A) ||
         differ(fmt::format("{} is not known to be the same", described(&A)));
}

bool SameCode::assembly(const llvm::CallBase &A, const llvm::CallBase &B) {
  if (!B.isInlineAsm())
    return differ("it", described(&A), described(&B));
  auto *OfA = llvm::cast<llvm::InlineAsm>(A.getCalledOperand()),
       *OfB = llvm::cast<llvm::InlineAsm>(B.getCalledOperand());
  if (OfA->getAsmString() != OfB->getAsmString())
    return differ("the text of the assembly", OfA->getAsmString().str(), OfB->getAsmString().str());
  if (OfA->getConstraintString() != OfB->getConstraintString() || OfA->hasSideEffects() != OfB->hasSideEffects() ||
      !isSame(OfA->getFunctionType(), OfB->getFunctionType()))
    return differ("assembly has other operands");
  return sameArguments(A, B);
}

bool SameCode::sameArguments(const llvm::CallBase &A, const llvm::CallBase &B) {
  if (A.arg_size() != B.arg_size())
    return differ("a call has other arguments");
  for (unsigned I = 0; I < A.arg_size(); ++I)
    if (!value(A.getArgOperand(I), B.getArgOperand(I)))
      return false;
  return true;
}

bool SameCode::call(const llvm::CallBase &A, const llvm::CallBase &B) {
  if (A.isInlineAsm())
    return assembly(A, B);
  if (B.isInlineAsm() || A.getOpcode() != B.getOpcode())
    return differ("it", described(&A), described(&B));
  const llvm::Function *CalleeA = A.getCalledFunction(), *CalleeB = B.getCalledFunction();
  if (!CalleeA != !CalleeB)
    return differ("it", described(&A), described(&B));
  if (!value(A.getCalledOperand(), B.getCalledOperand()))
    return false;
  // What is said of a failed assertion is where it is.
  if (failsAssertion(CalleeA) && failsAssertion(CalleeB))
    return true;
  if (!isSame(A.getFunctionType(), B.getFunctionType()) || !A.hasSameSubclassOptionalData(&B) ||
      A.isConvergent() != B.isConvergent() || A.doesNotReturn() != B.doesNotReturn() ||
      A.getMemoryEffects() != B.getMemoryEffects() || A.getNumOperandBundles() != B.getNumOperandBundles())
    return differ(fmt::format("{} may do something else in the output", described(&A)));
  for (unsigned I = 0; I < A.getNumOperandBundles(); ++I) { // what `llvm.assume` says of a pointer
    const llvm::OperandBundleUse OfA = A.getOperandBundleAt(I), OfB = B.getOperandBundleAt(I);
    if (OfA.getTagName() != OfB.getTagName() ||
        !llvm::all_of_zip(OfA.Inputs, OfB.Inputs, [&](auto &X, auto &Y) { return value(X.get(), Y.get()); }))
      return differ(fmt::format("{} says something else in the output", described(&A)));
  }
  for (unsigned I = 0; I < A.arg_size(); ++I)
    if (const llvm::Type *OfA = A.getParamByValType(I), *OfB = B.getParamByValType(I);
        !OfA != !OfB || (OfA && !isSame(OfA, OfB)))
      return differ("an argument is handed on otherwise");
  return sameArguments(A, B);
}

} // namespace cufuse
