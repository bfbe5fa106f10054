#include "SameCode.h"

#include <fmt/core.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>
#include <llvm/Support/SaveAndRestore.h>

namespace cufuse {

namespace {

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

bool SameCode::isSame(const llvm::Type *A, const llvm::Type *B) {
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

bool SameCode::isDefined(const llvm::Value &V) {
  auto *Global = llvm::dyn_cast<llvm::GlobalVariable>(&V);
  return Global && !Global->isDeclaration();
}

bool SameCode::sameAlignment(llvm::Align A, llvm::Align B) {
  return A == B || differ("the alignment", std::to_string(A.value()), std::to_string(B.value()));
}

bool SameCode::sameType(const llvm::GlobalVariable &A, const llvm::GlobalVariable &B) {
  const llvm::Type *TypeA = A.getValueType(), *TypeB = B.getValueType();
  // With few values given, an array is a structure of them and of zeros.
  auto Bytes = [](const llvm::GlobalVariable &V) {
    return V.getValueType()->isSized() ? V.getDataLayout().getTypeAllocSize(V.getValueType()).getFixedValue() : 0;
  };
  const bool AreGiven = A.hasInitializer() && B.hasInitializer();
  return isSame(TypeA, TypeB) || (!AreGiven && Bytes(A) > 0 && Bytes(A) == Bytes(B)) ||
         differ(fmt::format("the type of {}", described(&A)), typeName(TypeA), typeName(TypeB));
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
  if (const auto OfA = A.getAlign().valueOrOne(), OfB = B.getAlign().valueOrOne();
      OfA != OfB && !(isDefined(B) && OfB > OfA))
    return differ(fmt::format("the alignment of {}", described(&A)), std::to_string(OfA.value()),
                  std::to_string(OfB.value()));
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
