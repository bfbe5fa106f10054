#include "LoopValues.h"

#include "DeviceUniformity.h"

#include <llvm/ADT/GenericCycleImpl.h>
#include <llvm/Analysis/SimplifyQuery.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/PatternMatch.h>

namespace cufuse {

bool isIn(const Value &V, const Cycle &Loop) {
  auto *I = dyn_cast<Instruction>(&V);
  return I && Loop.contains(I->getParent());
}

bool isEntryPhi(const Instruction &I, const Cycle &Loop) {
  return isa<PHINode>(I) && llvm::is_contained(Loop.getEntries(), I.getParent());
}

Instructions parts(const Value &V, const Cycle &Loop, bool OfEarlierTurns, const Instruction *End) {
  Instructions Parts;
  auto Add = [&](const Value *Of) {
    if (isIn(*Of, Loop))
      Parts.insert(llvm::cast<Instruction>(Of));
  };
  Add(&V);
  for (size_t At = 0; At < Parts.size(); ++At)
    if (Parts[At] != End && (OfEarlierTurns || !isEntryPhi(*Parts[At], Loop)))
      for (const Value *Operand : Parts[At]->operands())
        Add(Operand);
  return Parts;
}

bool usesMemory(const Instruction &I) {
  auto *Call = dyn_cast<llvm::CallBase>(&I);
  return I.mayReadOrWriteMemory() && !(Call && isArithmetic(*Call));
}

bool isFixed(const Value &V, const Cycle &Loop) {
  return llvm::none_of(parts(V, Loop), [](const Instruction *Part) { return isa<PHINode>(Part) || usesMemory(*Part); });
}

bool isSome(const Value &V, const Instruction &At, unsigned Depth) {
  if (auto *Constant = dyn_cast<llvm::Constant>(&V))
    return !Constant->isZeroValue();
  const llvm::DominatorTree Guards(const_cast<llvm::Function &>(*At.getFunction()));
  if (llvm::isKnownNonZero(&V, llvm::SimplifyQuery(At.getDataLayout(), &Guards, /*AC=*/nullptr, &At)))
    return true;
  auto *I = dyn_cast<llvm::BinaryOperator>(withoutCasts(&V));
  auto IsSome = [&](unsigned Side) { return isSome(*withoutCasts(I->getOperand(Side)), At, Depth - 1); };
  return I && Depth > 0 && (I->getOpcode() == Instruction::Shl || (I->getOpcode() == Instruction::Mul && IsSome(1))) &&
         IsSome(0);
}

bool isOfLaunch(const Value &V, unsigned Depth) {
  if (auto *Argument = dyn_cast<llvm::Argument>(&V))
    return Argument->getParent()->getCallingConv() == llvm::CallingConv::PTX_Kernel;
  auto *I = dyn_cast<Instruction>(&V);
  if (!I || Depth == 0)
    return isa<llvm::Constant>(V);
  if (auto *Load = dyn_cast<llvm::LoadInst>(I)) {
    auto *Of = dyn_cast<llvm::Argument>(Load->getPointerOperand()->stripInBoundsConstantOffsets());
    return Of && Of->hasByValAttr() && isOfLaunch(*Of) && isOnlyRead(*Of);
  }
  const llvm::StringRef Register = intrinsicName(I);
  return Register.contains(".sreg.ntid.") || Register.contains(".sreg.nctaid.") ||
         (isa<llvm::BinaryOperator, llvm::CastInst, llvm::SelectInst, llvm::MinMaxIntrinsic>(I) &&
          llvm::all_of(I->operands(), [&](const Value *Of) { return isOfLaunch(*Of, Depth - 1); }));
}

llvm::SmallVector<const Value *, 4> waysOf(const Instruction &I) {
  if (!isa<PHINode, llvm::SelectInst>(I))
    return {};
  return {I.op_begin() + (isa<llvm::SelectInst>(I) ? 1 : 0), I.op_end()};
}

const Value *withoutCasts(const Value *V) {
  while (auto *I = dyn_cast<Instruction>(V)) {
    auto *Call = dyn_cast<llvm::CallBase>(I);
    const bool IsOfBits = Call && Call->getCalledFunction() && Call->arg_size() == 1 &&
                          (Call->getCalledFunction()->getName().contains("_as_") ||
                           Call->getCalledFunction()->getName().contains("bitcast"));
    if (!isa<llvm::CastInst, llvm::FreezeInst>(I) && !IsOfBits)
      break;
    V = I->getOperand(0);
  }
  return V;
}

llvm::SmallVector<std::pair<const Value *, bool>, 4> factsOf(const llvm::BranchInst &Branch, unsigned To) {
  using namespace llvm::PatternMatch;
  llvm::SmallVector<std::pair<const Value *, bool>, 4> Facts = {{Branch.getCondition(), To == 0}};
  for (size_t At = 0; At < Facts.size(); ++At) {
    const auto [V, Is] = Facts[At];
    const Value *A = nullptr, *B = nullptr;
    if (match(V, m_Not(m_Value(A))))
      Facts.push_back({A, !Is});
    else if (Is ? match(V, m_LogicalAnd(m_Value(A), m_Value(B))) : match(V, m_LogicalOr(m_Value(A), m_Value(B))))
      Facts.append({{A, Is}, {B, Is}});
  }
  return Facts;
}

bool endsByComparison(const Cycle &Loop, llvm::function_ref<bool(const llvm::CmpInst &)> Is) {
  auto IsSuch = [&](const std::pair<const Value *, bool> &Fact) {
    auto *Compare = dyn_cast<llvm::CmpInst>(Fact.first);
    return Compare && Is(*Compare);
  };
  return llvm::any_of(Loop.blocks(), [&](const llvm::BasicBlock *Block) {
    auto *Branch = dyn_cast<llvm::BranchInst>(Block->getTerminator());
    return Branch && Branch->isConditional() &&
           (!Loop.contains(Branch->getSuccessor(0)) || !Loop.contains(Branch->getSuccessor(1))) &&
           (llvm::any_of(factsOf(*Branch, 0), IsSuch) || llvm::any_of(factsOf(*Branch, 1), IsSuch));
  });
}

} // namespace cufuse
