// What an instruction says beside its operands.
#include "SameCode.h"

#include <fmt/core.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Operator.h>

namespace cufuse {

namespace {

bool sameScope(llvm::SyncScope::ID A, const llvm::Instruction &InA, llvm::SyncScope::ID B,
               const llvm::Instruction &InB) {
  return InA.getContext().getSyncScopeName(A) == InB.getContext().getSyncScopeName(B);
}

bool failsAssertion(const llvm::Function *F) {
  return F && F->isDeclaration() && (F->getName() == "__assertfail" || F->getName() == "__assert_fail");
}

} // namespace

bool SameCode::details(const llvm::Instruction &A, const llvm::Instruction &B) {
  // A weaker alignment holds, too: references to dynamic shared memory do not say that of the array.
  auto Accesses = [&](const auto *a, const auto *b) {
    if (a->isVolatile() != b->isVolatile())
      return differ(a->isVolatile() ? "`volatile` is lost" : "it is `volatile` only in the output");
    auto *Type = llvm::isa<llvm::LoadInst, llvm::StoreInst>(A) ? llvm::getLoadStoreType(&A) : nullptr;
    return a->getAlign() >= b->getAlign() || (KnowsMore && Type && b->getAlign() <= Layout->getABITypeAlign(Type)) ||
           differ("the alignment", std::to_string(a->getAlign().value()), std::to_string(b->getAlign().value()));
  };
  auto Orders = [&](const auto *a, const auto *b) {
    return (a->getOrdering() == b->getOrdering() && sameScope(a->getSyncScopeID(), A, b->getSyncScopeID(), B)) ||
           differ("memory is ordered otherwise");
  };
  for (unsigned Kind : {llvm::LLVMContext::MD_invariant_load, llvm::LLVMContext::MD_nontemporal})
    if (!A.getMetadata(Kind) != !B.getMetadata(Kind))
      return differ("memory is read by another way");
  switch (A.getOpcode()) {
  case llvm::Instruction::ICmp:
  case llvm::Instruction::FCmp: {
    const auto *a = llvm::cast<llvm::CmpInst>(&A), *b = llvm::cast<llvm::CmpInst>(&B);
    return a->getPredicate() == b->getPredicate() || differ("the comparison", described(a), described(b));
  }
  case llvm::Instruction::Load: {
    const auto *a = llvm::cast<llvm::LoadInst>(&A), *b = llvm::cast<llvm::LoadInst>(&B);
    return Accesses(a, b) && Orders(a, b);
  }
  case llvm::Instruction::Store: {
    const auto *a = llvm::cast<llvm::StoreInst>(&A), *b = llvm::cast<llvm::StoreInst>(&B);
    return Accesses(a, b) && Orders(a, b);
  }
  case llvm::Instruction::AtomicRMW: {
    const auto *a = llvm::cast<llvm::AtomicRMWInst>(&A), *b = llvm::cast<llvm::AtomicRMWInst>(&B);
    return (a->getOperation() == b->getOperation() || differ("the atomic", described(a), described(b))) &&
           Accesses(a, b) && Orders(a, b);
  }
  case llvm::Instruction::AtomicCmpXchg: {
    const auto *a = llvm::cast<llvm::AtomicCmpXchgInst>(&A), *b = llvm::cast<llvm::AtomicCmpXchgInst>(&B);
    return Accesses(a, b) && ((a->isWeak() == b->isWeak() && a->getSuccessOrdering() == b->getSuccessOrdering() &&
                               a->getFailureOrdering() == b->getFailureOrdering() &&
                               sameScope(a->getSyncScopeID(), A, b->getSyncScopeID(), B)) ||
                              differ("memory is ordered otherwise"));
  }
  case llvm::Instruction::Fence: {
    const auto *a = llvm::cast<llvm::FenceInst>(&A), *b = llvm::cast<llvm::FenceInst>(&B);
    return Orders(a, b);
  }
  case llvm::Instruction::ExtractValue: {
    const auto *a = llvm::cast<llvm::ExtractValueInst>(&A), *b = llvm::cast<llvm::ExtractValueInst>(&B);
    return a->getIndices() == b->getIndices() || differ("another member is read");
  }
  case llvm::Instruction::InsertValue: {
    const auto *a = llvm::cast<llvm::InsertValueInst>(&A), *b = llvm::cast<llvm::InsertValueInst>(&B);
    return a->getIndices() == b->getIndices() || differ("another member is set");
  }
  case llvm::Instruction::ShuffleVector: {
    const auto *a = llvm::cast<llvm::ShuffleVectorInst>(&A), *b = llvm::cast<llvm::ShuffleVectorInst>(&B);
    return a->getShuffleMask() == b->getShuffleMask() || differ("elements are put otherwise");
  }
  case llvm::Instruction::Alloca: {
    const auto *a = llvm::cast<llvm::AllocaInst>(&A), *b = llvm::cast<llvm::AllocaInst>(&B);
    const auto Size = [](const llvm::AllocaInst *I) {
      return I->getDataLayout().getTypeAllocSize(I->getAllocatedType()).getFixedValue();
    };
    if (Size(a) != Size(b))
      return differ("the size of a local variable", std::to_string(Size(a)), std::to_string(Size(b)));
    return a->getAlign() == b->getAlign() ||
           differ("the alignment", std::to_string(a->getAlign().value()), std::to_string(b->getAlign().value()));
  }
  case llvm::Instruction::GetElementPtr: {
    const auto *a = llvm::cast<llvm::GetElementPtrInst>(&A), *b = llvm::cast<llvm::GetElementPtrInst>(&B);
    return isSame(a->getSourceElementType(), b->getSourceElementType()) || differ("an address is computed otherwise");
  }
  default:
    return A.isBinaryOp() || A.isUnaryOp() || A.isCast() ||
           llvm::isa<llvm::BranchInst, llvm::SwitchInst, llvm::ReturnInst, llvm::UnreachableInst, llvm::SelectInst,
                     llvm::FreezeInst, llvm::ExtractElementInst, llvm::InsertElementInst, llvm::VAArgInst>(A) ||
           differ(fmt::format("{} is not known to be the same", described(&A)));
  }
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
      A.getMemoryEffects() != B.getMemoryEffects() || A.hasOperandBundles() || B.hasOperandBundles())
    return differ(fmt::format("{} may do something else in the output", described(&A)));
  for (unsigned I = 0; I < A.arg_size(); ++I)
    if (const llvm::Type *OfA = A.getParamByValType(I), *OfB = B.getParamByValType(I);
        !OfA != !OfB || (OfA && !isSame(OfA, OfB)))
      return differ("an argument is handed on otherwise");
  return sameArguments(A, B);
}

} // namespace cufuse
