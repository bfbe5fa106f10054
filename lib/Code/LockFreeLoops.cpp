#include "LoopValues.h"

#include <llvm/ADT/GenericCycleImpl.h>
#include <llvm/IR/Constants.h>

#include <array>

namespace cufuse {

namespace {

class LockFreeLoop {
public:
  LockFreeLoop(const Cycle &Loop, FreshReads &Reads) : Loop(Loop), Reads(Reads) {}

  bool isLockFree(const Read &R) {
    auto Counts = [&](const Instruction &I) {
      const Read *Other = Reads.of(I);
      if (auto *Swap = dyn_cast<AtomicCmpXchgInst>(&I)) // of a value of its own, once
        return Other->Does == Effect::Compares && isFixed(*Swap->getNewValOperand(), Loop) &&
               isLastRead(*Other->Operand, *Other->Address);
      return Other && &I != R.I && Other->Does == Effect::Adds && Other->Address && R.Address &&
             isSamePlace(*Other->Address, *R.Address) && advances(*Other, Loop, Reads);
    };
    unsigned Left = 2000;
    for (const BasicBlock *Entry : Loop.getEntries()) {
      llvm::SmallSetVector<const BasicBlock *, 16> Seen;
      Seen.insert(Entry);
      for (size_t At = 0; At < Seen.size(); ++At) {
        if (llvm::any_of(*Seen[At], Counts))
          continue;
        const Instruction &End = *Seen[At]->getTerminator();
        auto *Branch = dyn_cast<llvm::BranchInst>(&End);
        for (unsigned To = 0; To < End.getNumSuccessors(); ++To) {
          const BasicBlock *Next = End.getSuccessor(To);
          if (!Loop.contains(Next) ||
              (Branch && Branch->isConditional() && llvm::any_of(factsOf(*Branch, To), [&](const auto &Fact) {
                 return isFailure(*Fact.first, Fact.second, Left);
               })))
            continue;
          if (Next == Entry)
            return false;
          Seen.insert(Next);
        }
      }
    }
    return true;
  }

private:
  /// Does the value say, where it is true or where it is not, that an atomic has found another value than the last one
  /// that was read there? So many values are Left to look at.
  bool isFailure(const Value &V, bool Is, unsigned &Left) {
    if (Left == 0)
      return false;
    --Left;
    auto IsWay = [&](const Value *Way) {
      if (auto *Constant = dyn_cast<llvm::ConstantInt>(Way))
        return Constant->isZero() == Is; // never
      return isFailure(*Way, Is, Left);
    };
    if (auto *Cast = dyn_cast<llvm::CastInst>(&V)) // bool in memory
      return IsWay(Cast->getOperand(0));
    if (auto *Phi = dyn_cast<PHINode>(&V))
      return llvm::all_of(llvm::seq(Phi->getNumIncomingValues()), [&](unsigned In) {
        return (isEntryPhi(*Phi, Loop) && !Loop.contains(Phi->getIncomingBlock(In))) ||
               IsWay(Phi->getIncomingValue(In));
      });
    if (auto *Select = dyn_cast<llvm::SelectInst>(&V))
      return llvm::all_of(std::array{true, false}, [&](bool Side) {
        return IsWay(Side ? Select->getTrueValue() : Select->getFalseValue()) ||
               isFailure(*Select->getCondition(), Side, Left);
      });
    auto Found = [&](const Value *By, const Value *Instead) {
      auto *I = dyn_cast<Instruction>(By);
      const Read *R = I ? Reads.of(*I) : nullptr;
      return R && R->Does != Effect::None && R->Address &&
             (R->Does != Effect::Compares || (R->Operand && withoutCasts(R->Operand) == withoutCasts(Instead))) &&
             isLastRead(*Instead, *R->Address);
    };
    if (auto *Success = dyn_cast<llvm::ExtractValueInst>(&V)) {
      auto *Swap = dyn_cast<AtomicCmpXchgInst>(Success->getAggregateOperand());
      return !Is && Swap && Success->getIndices() == llvm::ArrayRef(1u) && Found(Swap, Swap->getCompareOperand());
    }
    auto *Compare = dyn_cast<llvm::CmpInst>(&V);
    if (!Compare || !Compare->isEquality() ||
        (Compare->getPredicate() == llvm::CmpInst::ICMP_EQ || Compare->getPredicate() == llvm::CmpInst::FCMP_OEQ) == Is)
      return false;
    auto Differ = [&](const Value *Old, const Value *Instead) {
      if (auto *Member = dyn_cast<llvm::ExtractValueInst>(Old))
        Old = Member->getAggregateOperand();
      return Found(Old, Instead);
    };
    const Value *A = withoutCasts(Compare->getOperand(0)), *B = withoutCasts(Compare->getOperand(1));
    auto *OfA = dyn_cast<PHINode>(A), *OfB = dyn_cast<PHINode>(B);
    if (OfA && OfB && OfA->getParent() == OfB->getParent() && isIn(*A, Loop)) // asked in the next turn
      return llvm::all_of(llvm::seq(OfA->getNumIncomingValues()), [&](unsigned I) {
        const Value *From = OfB->getIncomingValueForBlock(OfA->getIncomingBlock(I));
        return !Loop.contains(OfA->getIncomingBlock(I)) || Differ(withoutCasts(OfA->getIncomingValue(I)), From) ||
               Differ(withoutCasts(From), OfA->getIncomingValue(I));
      });
    return Differ(A, B) || Differ(B, A);
  }

  /// Is it the very value that the loop has read there?
  bool isLastRead(const Value &V, const Value &Address) {
    llvm::SmallSetVector<const Value *, 8> From;
    From.insert(&V);
    bool IsRead = false;
    for (size_t At = 0; At < From.size(); ++At) {
      auto *I = dyn_cast<Instruction>(From[At]);
      if (!I || !Loop.contains(I->getParent()))
        return false;
      if (auto *Phi = dyn_cast<PHINode>(I)) {
        for (unsigned In = 0; In < Phi->getNumIncomingValues(); ++In)
          if (Loop.contains(Phi->getIncomingBlock(In)))
            From.insert(Phi->getIncomingValue(In));
      } else if (isa<llvm::SelectInst>(I))
        From.insert(I->op_begin() + 1, I->op_end());
      else if (isa<llvm::ExtractValueInst>(I) || withoutCasts(I) != I)
        From.insert(isa<llvm::ExtractValueInst>(I) ? I->getOperand(0) : withoutCasts(I));
      else {
        const Read *R = Reads.of(*I);
        if (!R || !R->Address || !(isSamePlace(*R->Address, Address) || leadsTo(*R, Address)))
          return false;
        IsRead = true;
      }
    }
    return IsRead;
  }

  /// Is the address in the same table, at what was read?
  bool leadsTo(const Read &R, const Value &Address) {
    return Reads.isSameObject(*R.Address, Address) && parts(Address, Loop).contains(R.I);
  }

  const Cycle &Loop;
  FreshReads &Reads;
};

} // namespace

bool isLockFree(const Read &R, const Cycle &Loop, FreshReads &Reads) { return LockFreeLoop(Loop, Reads).isLockFree(R); }

bool advances(const Read &R, const Cycle &Loop, FreshReads &Reads) {
  auto *Of = dyn_cast_or_null<llvm::ConstantInt>(R.Operand);
  auto *Atomic = dyn_cast<AtomicRMWInst>(R.I);
  auto Shrinks = [](const AtomicRMWInst &Atomic) {
    auto *Operand = dyn_cast<llvm::ConstantInt>(Atomic.getValOperand());
    switch (Atomic.getOperation()) {
    case AtomicRMWInst::UIncWrap:
      return false;
    case AtomicRMWInst::UDecWrap:
      return true;
    default:
      return (Atomic.getOperation() == AtomicRMWInst::Sub || Atomic.getOperation() == AtomicRMWInst::FSub) !=
             (Operand && Operand->isNegative());
    }
  };
  // A sum of floats may be what it was before.
  return R.Address && !R.I->getType()->isFloatingPointTy() && (!R.Operand || isSome(*R.Operand, *R.I)) &&
         !anyOf(Loop, [&](const Instruction &I) {
           const Value *Written = Reads.writtenBy(I);
           if (&I == R.I || !Written || !isSamePlace(*Written, *R.Address))
             return false;
           auto *Other = dyn_cast<AtomicRMWInst>(&I);
           if (Atomic && Other && Of && isa<llvm::ConstantInt>(Other->getValOperand()))
             return Reads.of(I)->Does != Effect::Adds || Shrinks(*Atomic) != Shrinks(*Other);
           return !isSamePlace(*R.I, I);
         });
}

} // namespace cufuse
