#include "SameCode.h"

#include <fmt/core.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>
#include <llvm/Support/SaveAndRestore.h>

namespace cufuse {

namespace {

/// By what they are made of: names of structures are those of the text.
bool isSame(const llvm::Type *A, const llvm::Type *B) {
  if (A == B)
    return true;
  if (A->getTypeID() != B->getTypeID() || A->getNumContainedTypes() != B->getNumContainedTypes())
    return false;
  for (unsigned I = 0; I < A->getNumContainedTypes(); ++I)
    if (!isSame(A->getContainedType(I), B->getContainedType(I)))
      return false;
  if (A->isIntegerTy())
    return A->getIntegerBitWidth() == B->getIntegerBitWidth();
  if (A->isPointerTy())
    return A->getPointerAddressSpace() == B->getPointerAddressSpace();
  if (A->isArrayTy())
    return A->getArrayNumElements() == B->getArrayNumElements();
  if (auto *Vector = llvm::dyn_cast<llvm::VectorType>(A))
    return Vector->getElementCount() == llvm::cast<llvm::VectorType>(B)->getElementCount();
  if (auto *Struct = llvm::dyn_cast<llvm::StructType>(A))
    return Struct->isPacked() == llvm::cast<llvm::StructType>(B)->isPacked() &&
           Struct->isOpaque() == llvm::cast<llvm::StructType>(B)->isOpaque();
  if (auto *Function = llvm::dyn_cast<llvm::FunctionType>(A))
    return Function->isVarArg() == llvm::cast<llvm::FunctionType>(B)->isVarArg();
  return !A->isTargetExtTy() || A->getTargetExtName() == B->getTargetExtName();
}

bool sameScope(llvm::SyncScope::ID A, const llvm::Instruction &InA, llvm::SyncScope::ID B,
               const llvm::Instruction &InB) {
  return InA.getContext().getSyncScopeName(A) == InB.getContext().getSyncScopeName(B);
}

std::string typeName(const llvm::Type *T) {
  std::string Text;
  llvm::raw_string_ostream(Text) << *T;
  return Text;
}

/// What a structure in memory is passed as: its bytes.
std::optional<unsigned long long> bytesByValue(const llvm::Argument &A) {
  const llvm::Type *T = A.getParamByValType();
  if (!T)
    return std::nullopt;
  return A.getParent()->getDataLayout().getTypeAllocSize(const_cast<llvm::Type *>(T)).getFixedValue();
}

bool failsAssertion(const llvm::Function *F) {
  return F && F->isDeclaration() && (F->getName() == "__assertfail" || F->getName() == "__assert_fail");
}

/// An address as a beginning, bytes behind it, and what is added for values.
struct Address {
  explicit Address(const llvm::Value *V, const llvm::DataLayout &Layout) : Base(V) {
    const unsigned Bits = Layout.getIndexTypeSizeInBits(V->getType());
    Offset = llvm::APInt(Bits, 0);
    while (auto *Element = llvm::dyn_cast<llvm::GEPOperator>(Base)) {
      llvm::SmallMapVector<llvm::Value *, llvm::APInt, 4> Variable;
      if (!Element->collectOffset(Layout, Bits, Variable, Offset))
        break;
      for (const auto &[Value, Scale] : Variable)
        Values.push_back({Value, Scale});
      Base = Element->getPointerOperand();
    }
  }
  const llvm::Value *Base;
  llvm::APInt Offset;
  std::vector<std::pair<const llvm::Value *, llvm::APInt>> Values;
};

} // namespace

bool SameCode::differ(std::string What) {
  if (!Found)
    Found = {std::move(What), InA, InB};
  return false;
}

bool SameCode::differ(const std::string &What, const std::string &A, const std::string &B) {
  return differ(fmt::format("{} is {} in its file, and {} in the output", What, A, B));
}

std::string SameCode::nameOf(const llvm::GlobalValue &Global) const { return llvm::demangle(Global.getName()); }

std::string SameCode::described(const llvm::Value *V) const {
  if (auto *Global = llvm::dyn_cast<llvm::GlobalValue>(V))
    return fmt::format("`{}`", nameOf(*Global));
  if (auto *Number = llvm::dyn_cast<llvm::ConstantInt>(V))
    return llvm::toString(Number->getValue(), 10, /*Signed=*/true);
  if (auto *Number = llvm::dyn_cast<llvm::ConstantFP>(V)) {
    llvm::SmallString<32> Text;
    Number->getValueAPF().toString(Text);
    return std::string(Text);
  }
  if (auto *Call = llvm::dyn_cast<llvm::CallBase>(V)) {
    if (Call->isInlineAsm())
      return "assembly";
    if (const llvm::Function *Callee = Call->getCalledFunction())
      return fmt::format("a call of `{}`", nameOf(*Callee));
    return "a call by a pointer";
  }
  if (auto *Argument = llvm::dyn_cast<llvm::Argument>(V))
    return fmt::format("parameter {}", Argument->getArgNo() + 1);
  if (auto *Compare = llvm::dyn_cast<llvm::CmpInst>(V))
    return fmt::format("`{} {}`", Compare->getOpcodeName(),
                       llvm::CmpInst::getPredicateName(Compare->getPredicate()).str());
  if (auto *Change = llvm::dyn_cast<llvm::AtomicRMWInst>(V))
    return fmt::format("`atomicrmw {}`", llvm::AtomicRMWInst::getOperationName(Change->getOperation()).str());
  if (auto *I = llvm::dyn_cast<llvm::Operator>(V)) {
    auto *Instruction = llvm::dyn_cast<llvm::Instruction>(V);
    return fmt::format("`{}`",
                       Instruction ? Instruction->getOpcodeName() : llvm::Instruction::getOpcodeName(I->getOpcode()));
  }
  return "a constant";
}

std::optional<CodeDifference> SameCode::compare(const llvm::Function &A, const llvm::Function &B) {
  Layout = &A.getDataLayout();
  Forward[&A] = &B;
  Back[&B] = &A;
  bool Same = function(A, B, B.arg_size() - std::min(A.arg_size(), B.arg_size()));
  while (Same && !Functions.empty()) {
    const auto [OfA, OfB] = Functions.back();
    Functions.pop_back();
    Same = function(*OfA, *OfB, 0);
  }
  return std::move(Found);
}

bool SameCode::pair(const llvm::Value *A, const llvm::Value *B) {
  const auto [OfA, NewA] = Forward.try_emplace(A, B);
  const auto [OfB, NewB] = Back.try_emplace(B, A);
  if (OfA->second == B && OfB->second == A)
    return true;
  return OfA->second != B ? differ(fmt::format("{} is two things in the output", described(A)))
                          : differ(fmt::format("{} stands for two things in the output", described(B)));
}

bool SameCode::isOrdered(const llvm::Instruction &I) const {
  if (llvm::isa<llvm::NoAliasScopeDeclInst>(I))
    return false;
  if (I.isTerminator() || I.mayHaveSideEffects())
    return true;
  auto *Call = llvm::dyn_cast<llvm::CallBase>(&I);
  auto *Local = llvm::dyn_cast<llvm::AllocaInst>(&I);
  return (Call && Call->isConvergent()) || (Local && !Local->isStaticAlloca()) || Live.contains(&I);
}

void SameCode::addLive(const llvm::Function &F) {
  std::vector<const llvm::Instruction *> Work;
  llvm::DenseSet<const llvm::Instruction *> Seen;
  for (const llvm::Instruction &I : llvm::instructions(F))
    if (isOrdered(I) && Seen.insert(&I).second)
      Work.push_back(&I);
  while (!Work.empty()) {
    const llvm::Instruction *I = Work.back();
    Work.pop_back();
    if (I->mayReadFromMemory())
      Live.insert(I);
    for (const llvm::Value *Operand : I->operands())
      if (auto *Used = llvm::dyn_cast<llvm::Instruction>(Operand); Used && Seen.insert(Used).second)
        Work.push_back(Used);
  }
}

bool SameCode::function(const llvm::Function &A, const llvm::Function &B, unsigned Before) {
  InA = InB = nullptr;
  if (!isSame(A.getReturnType(), B.getReturnType()))
    return differ("what it returns", typeName(A.getReturnType()), typeName(B.getReturnType()));
  if (A.arg_size() + Before != B.arg_size() || A.isVarArg() != B.isVarArg())
    return differ("the number of parameters", std::to_string(A.arg_size()), std::to_string(B.arg_size()));
  for (unsigned I = 0; I < A.arg_size(); ++I) {
    const llvm::Argument &OfA = *A.getArg(I), &OfB = *B.getArg(I + Before);
    const auto What = [&] { return fmt::format("parameter {}", I + 1); };
    if (!isSame(OfA.getType(), OfB.getType()))
      return differ(What(), typeName(OfA.getType()), typeName(OfB.getType()));
    // What a kernel only reads, its body may have by reference.
    if (const auto Bytes = bytesByValue(OfB); Bytes && bytesByValue(OfA) != Bytes)
      return differ("the size of " + What(), std::to_string(bytesByValue(OfA).value_or(8)), std::to_string(*Bytes));
    if (OfB.hasNoAliasAttr() && !OfA.hasNoAliasAttr())
      return differ(What() + " is `__restrict__` only in the output");
    if (!pair(&OfA, &OfB))
      return false;
  }
  // Of the functions that it called.
  auto Restricted = [](const llvm::Function &F) {
    return llvm::count_if(llvm::instructions(F),
                          [](const llvm::Instruction &I) { return llvm::isa<llvm::NoAliasScopeDeclInst>(I); });
  };
  if (Restricted(B) > Restricted(A))
    return differ("a pointer is `__restrict__` only in the output");
  addLive(A);
  addLive(B);
  if (!blocks(&A.getEntryBlock(), &B.getEntryBlock()))
    return false;
  while (!Blocks.empty()) {
    const auto [OfA, OfB] = Blocks.back();
    Blocks.pop_back();
    if (!block(*OfA, *OfB))
      return false;
  }
  while (!Phis.empty()) {
    const auto [OfA, OfB] = Phis.back();
    Phis.pop_back();
    if (!phi(*OfA, *OfB))
      return false;
  }
  return true;
}

bool SameCode::blocks(const llvm::BasicBlock *A, const llvm::BasicBlock *B) {
  const bool New = !Forward.contains(A);
  if (!Back.contains(B) != New || (!New && Forward.lookup(A) != B))
    return differ("another way is taken");
  if (New) {
    Forward[A] = B;
    Back[B] = A;
    Blocks.push_back({A, B});
  }
  return true;
}

bool SameCode::block(const llvm::BasicBlock &A, const llvm::BasicBlock &B) {
  auto Next = [this](auto At) {
    while (!isOrdered(*At))
      ++At;
    return At;
  };
  for (auto I = Next(A.begin()), J = Next(B.begin());; I = Next(std::next(I)), J = Next(std::next(J))) {
    const llvm::SaveAndRestore AtA(InA, &*I), AtB(InB, &*J);
    if (I->getOpcode() != J->getOpcode()) {
      if (I->isTerminator() != J->isTerminator())
        return differ(I->isTerminator() ? fmt::format("{} is there in the output, and not in its file", described(&*J))
                                        : fmt::format("{} is lost", described(&*I)));
      return differ("it", described(&*I), described(&*J));
    }
    if (!operation(&*I, &*J) || !pair(&*I, &*J))
      return false;
    if (I->isTerminator())
      return true;
  }
}

bool SameCode::phi(const llvm::PHINode &A, const llvm::PHINode &B) {
  InA = &A;
  InB = &B;
  if (Forward.lookup(A.getParent()) != B.getParent())
    return differ("a value depends on another way");
  for (unsigned I = 0; I < A.getNumIncomingValues(); ++I) {
    const llvm::Value *From = Forward.lookup(A.getIncomingBlock(I));
    if (!From) // nothing comes from there
      continue;
    const int J = B.getBasicBlockIndex(llvm::cast<llvm::BasicBlock>(From));
    if (J < 0)
      return differ("a value depends on another way");
    if (!value(A.getIncomingValue(I), B.getIncomingValue(J)))
      return false;
  }
  return true;
}

bool SameCode::value(const llvm::Value *A, const llvm::Value *B) {
  if (Known.contains({A, B}))
    return true;
  if (!isSame(A->getType(), B->getType()))
    return differ("the type", typeName(A->getType()), typeName(B->getType()));
  auto IsElement = [](const llvm::Value *V) { return llvm::isa<llvm::GEPOperator>(V) && V->getType()->isPointerTy(); };
  if (IsElement(A) || IsElement(B)) {
    if (!address(A, B))
      return false;
  } else if (llvm::isa<llvm::Argument>(A) && llvm::isa<llvm::Argument>(B)) {
    if (Forward.lookup(A) != B)
      return differ("it", described(A), described(B));
  } else if (auto *ConstantA = llvm::dyn_cast<llvm::Constant>(A), *ConstantB = llvm::dyn_cast<llvm::Constant>(B);
             ConstantA && ConstantB) {
    if (!constant(*ConstantA, *ConstantB))
      return false;
  } else {
    auto *OfA = llvm::dyn_cast<llvm::Operator>(A), *OfB = llvm::dyn_cast<llvm::Operator>(B);
    auto *InstructionA = llvm::dyn_cast<llvm::Instruction>(A), *InstructionB = llvm::dyn_cast<llvm::Instruction>(B);
    if (!OfA || !OfB || OfA->getOpcode() != OfB->getOpcode()) {
      InA = InstructionA ? InstructionA : InA;
      InB = InstructionB ? InstructionB : InB;
      return differ("it", described(A), described(B));
    }
    auto IsOne = [this](const llvm::Instruction *I) {
      return I && (llvm::isa<llvm::PHINode, llvm::AllocaInst, llvm::FreezeInst>(I) || isOrdered(*I));
    };
    const bool New = !Forward.contains(A);
    if (IsOne(InstructionA) != IsOne(InstructionB))
      return differ("it", described(A), described(B));
    if (IsOne(InstructionA) && !pair(A, B))
      return false;
    if (IsOne(InstructionA) && isOrdered(*InstructionA)) // compared where it stands
      return true;
    if (auto *PhiA = llvm::dyn_cast<llvm::PHINode>(A)) {
      if (New)
        Phis.push_back({PhiA, llvm::cast<llvm::PHINode>(B)});
      return true;
    }
    if (!operation(OfA, OfB))
      return false;
  }
  Known.insert({A, B});
  return true;
}

bool SameCode::address(const llvm::Value *A, const llvm::Value *B) {
  const Address OfA(A, *Layout), OfB(B, *Layout);
  if (!value(OfA.Base, OfB.Base))
    return false;
  if (OfA.Offset != OfB.Offset)
    return differ("the place in memory", llvm::toString(OfA.Offset, 10, true), llvm::toString(OfB.Offset, 10, true));
  if (OfA.Values.size() != OfB.Values.size())
    return differ("an address is computed otherwise");
  for (size_t I = 0; I < OfA.Values.size(); ++I) {
    if (OfA.Values[I].second != OfB.Values[I].second)
      return differ("the size of an element", llvm::toString(OfA.Values[I].second, 10, true),
                    llvm::toString(OfB.Values[I].second, 10, true));
    if (!value(OfA.Values[I].first, OfB.Values[I].first))
      return false;
  }
  return true;
}

bool SameCode::operation(const llvm::User *A, const llvm::User *B) {
  auto *InstructionA = llvm::dyn_cast<llvm::Instruction>(A), *InstructionB = llvm::dyn_cast<llvm::Instruction>(B);
  const llvm::SaveAndRestore AtA(InA, InstructionA ? InstructionA : InA), AtB(InB, InstructionB ? InstructionB : InB);
  auto *CallA = llvm::dyn_cast<llvm::CallBase>(A), *CallB = llvm::dyn_cast<llvm::CallBase>(B);
  if (CallA && CallB)
    return call(*CallA, *CallB);
  if (!isSame(A->getType(), B->getType()))
    return differ("the type", typeName(A->getType()), typeName(B->getType()));
  if (!A->hasSameSubclassOptionalData(B)) // signed or not, contracted or not
    return differ(fmt::format("{} may do something else in the output", described(A)));
  if (InstructionA && InstructionB && !details(*InstructionA, *InstructionB))
    return false;
  if (A->getNumOperands() != B->getNumOperands())
    return differ("it", described(A), described(B));
  for (unsigned I = 0; I < A->getNumOperands(); ++I) {
    const llvm::Value *OfA = A->getOperand(I), *OfB = B->getOperand(I);
    auto *BlockA = llvm::dyn_cast<llvm::BasicBlock>(OfA), *BlockB = llvm::dyn_cast<llvm::BasicBlock>(OfB);
    if (BlockA && BlockB ? !blocks(BlockA, BlockB) : !value(OfA, OfB))
      return false;
  }
  return true;
}

/// What an instruction says beside its operands.
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

bool SameCode::constant(const llvm::Constant &A, const llvm::Constant &B) {
  auto *GlobalA = llvm::dyn_cast<llvm::GlobalValue>(&A), *GlobalB = llvm::dyn_cast<llvm::GlobalValue>(&B);
  if (GlobalA && GlobalB)
    return global(*GlobalA, *GlobalB);
  auto *ExprA = llvm::dyn_cast<llvm::ConstantExpr>(&A), *ExprB = llvm::dyn_cast<llvm::ConstantExpr>(&B);
  auto Differ = [&] { return differ("it", described(&A), described(&B)); };
  if (ExprA && ExprB)
    return ExprA->getOpcode() == ExprB->getOpcode() ? operation(ExprA, ExprB) : Differ();
  if (GlobalA || GlobalB || ExprA || ExprB)
    return Differ();
  if (auto *Int = llvm::dyn_cast<llvm::ConstantInt>(&A); Int && llvm::isa<llvm::ConstantInt>(B))
    return Int->getValue() == llvm::cast<llvm::ConstantInt>(B).getValue() ||
           differ("the number", described(&A), described(&B));
  if (auto *Number = llvm::dyn_cast<llvm::ConstantFP>(&A); Number && llvm::isa<llvm::ConstantFP>(B))
    return Number->getValueAPF().bitwiseIsEqual(llvm::cast<llvm::ConstantFP>(B).getValueAPF()) ||
           differ("the number", described(&A), described(&B));
  if (A.isNullValue() || B.isNullValue())
    return (A.isNullValue() && B.isNullValue()) || Differ();
  if (llvm::isa<llvm::UndefValue>(A) || llvm::isa<llvm::UndefValue>(B))
    return A.getValueID() == B.getValueID() || Differ();
  auto *DataA = llvm::dyn_cast<llvm::ConstantDataSequential>(&A),
       *DataB = llvm::dyn_cast<llvm::ConstantDataSequential>(&B);
  if (DataA && DataB && DataA->getRawDataValues() == DataB->getRawDataValues())
    return true;
  if (DataA && DataB && DataA->isCString() && DataB->isCString())
    return differ("the text", fmt::format("\"{}\"", DataA->getAsCString().str()),
                  fmt::format("\"{}\"", DataB->getAsCString().str()));
  if (!A.getAggregateElement(0u) || !B.getAggregateElement(0u))
    return Differ();
  for (unsigned I = 0;; ++I) {
    const llvm::Constant *OfA = A.getAggregateElement(I), *OfB = B.getAggregateElement(I);
    if (!OfA && !OfB)
      return true;
    if (!OfA || !OfB || !value(OfA, OfB))
      return !OfA || !OfB ? Differ() : false;
  }
}

bool SameCode::global(const llvm::GlobalValue &A, const llvm::GlobalValue &B) {
  auto *FunctionA = llvm::dyn_cast<llvm::Function>(&A), *FunctionB = llvm::dyn_cast<llvm::Function>(&B);
  if (FunctionA && FunctionB)
    return global(*FunctionA, *FunctionB);
  auto *VariableA = llvm::dyn_cast<llvm::GlobalVariable>(&A), *VariableB = llvm::dyn_cast<llvm::GlobalVariable>(&B);
  if (VariableA && VariableB)
    return global(*VariableA, *VariableB);
  return differ("it", described(&A), described(&B));
}

bool SameCode::global(const llvm::Function &A, const llvm::Function &B) {
  const bool IsKernel = A.getCallingConv() == llvm::CallingConv::PTX_Kernel; // launched, it stays what it is
  if (A.getCallingConv() != B.getCallingConv() || A.isDeclaration() != B.isDeclaration() || A.isIntrinsic() ||
      IsKernel) {
    if (A.isIntrinsic() || B.isIntrinsic() || A.getCallingConv() != B.getCallingConv() || IsKernel)
      return A.getName() == B.getName() || differ("it", described(&A), described(&B));
    return differ(fmt::format("{} is defined only in one of both", described(&A)));
  }
  if (A.isDeclaration())
    return (A.getName() == B.getName() && isSame(A.getFunctionType(), B.getFunctionType()) &&
            A.isConvergent() == B.isConvergent() && A.doesNotReturn() == B.doesNotReturn() &&
            A.getMemoryEffects() == B.getMemoryEffects()) ||
           differ("the function", described(&A), described(&B));
  if (!isSame(A.getFunctionType(), B.getFunctionType()))
    return differ(fmt::format("the type of {}", described(&A)), typeName(A.getFunctionType()),
                  typeName(B.getFunctionType()));
  const bool New = !Forward.contains(&A);
  if (!pair(&A, &B))
    return false;
  if (New)
    Functions.push_back({&A, &B});
  return true;
}

bool SameCode::sameType(const llvm::GlobalVariable &A, const llvm::GlobalVariable &B) {
  const llvm::Type *TypeA = A.getValueType(), *TypeB = B.getValueType();
  return isSame(TypeA, TypeB) || differ(fmt::format("the type of {}", described(&A)), typeName(TypeA), typeName(TypeB));
}

bool SameCode::global(const llvm::GlobalVariable &A, const llvm::GlobalVariable &B) {
  if (const std::optional<bool> Special = variable(A, B))
    return *Special;
  const bool New = !Forward.contains(&A);
  // Equal ones of these may be one, or not.
  const bool IsText = A.isConstant() && B.isConstant() && A.hasGlobalUnnamedAddr() && B.hasGlobalUnnamedAddr();
  if (!IsText && !pair(&A, &B))
    return false;
  if (!New && !IsText)
    return true;
  if (A.isDeclaration() != B.isDeclaration())
    return differ(fmt::format("{} is defined only in one of both", described(&A)));
  if (A.isDeclaration() && A.getName() != B.getName())
    return differ("the variable", described(&A), described(&B));
  if (!sameType(A, B))
    return false;
  if (A.isConstant() != B.isConstant() || A.isThreadLocal() != B.isThreadLocal() ||
      A.isExternallyInitialized() != B.isExternallyInitialized())
    return differ(fmt::format("{} is stored otherwise", described(&A)));
  const llvm::Align AlignA = A.getAlign().valueOrOne(), AlignB = B.getAlign().valueOrOne();
  if (AlignA != AlignB)
    return differ(fmt::format("the alignment of {}", described(&A)), std::to_string(AlignA.value()),
                  std::to_string(AlignB.value()));
  if (A.isDeclaration())
    return true;
  // Where it is, not where it is named.
  const std::string Name = described(&A);
  if (value(A.getInitializer(), B.getInitializer()))
    return true;
  if (Found && Found->What.find(Name) == std::string::npos)
    Found->What = fmt::format("of {}, {}", Name, Found->What);
  return false;
}

} // namespace cufuse
