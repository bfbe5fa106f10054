#include "LoopValues.h"

#include <llvm/ADT/GenericCycleImpl.h>
#include <llvm/ADT/SmallSet.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Constants.h>

#include <array>

namespace cufuse {

struct LoopProgress::Steps {
  const PHINode &Phi;
  const Read &R;
  const Cycle &Loop;
  const Instructions &Made; ///< What depends on the read.
  const bool MayWrap;
  unsigned &Left; ///< So many values more are looked at.
};

namespace {

bool marks(const Read &R) { return R.Does == Effect::Marks || R.Does == Effect::Compares; }

/// Does it write as the other does? Of swaps, what they expect counts.
bool isLike(const Read &A, const Read &B) {
  return A.Does == B.Does && A.Operand && B.Operand && isSamePlace(*A.Operand, *B.Operand) &&
         (A.Does == Effect::Compares || A.I->isSameOperationAs(B.I));
}

/// Does it look for a key, or for an end? That is a table that is not written now, and no flags.
bool looksUp(const Read &R, const Cycle &Loop) {
  llvm::SmallPtrSet<const Value *, 4> Keys;
  for (const BasicBlock *Block : Loop.blocks())
    if (auto *Branch = dyn_cast<llvm::BranchInst>(Block->getTerminator()); Branch && Branch->isConditional())
      for (const unsigned To : {0u, 1u})
        if (Loop.contains(Branch->getSuccessor(To)) && !Loop.contains(Branch->getSuccessor(1 - To)))
          for (const auto &[V, Is] : factsOf(*Branch, To))
            if (auto *Compare = dyn_cast<llvm::ICmpInst>(V); Compare && Compare->isEquality())
              for (const unsigned Side : {0u, 1u})
                if (parts(*Compare->getOperand(Side), Loop).contains(R.I))
                  Keys.insert(Compare->getOperand(1 - Side));
  return Keys.size() > 1;
}

/// So many turns may come round while somebody waits.
constexpr unsigned FewBits = 16;

/// How many bits of it count on, where these are as many as the type has. A pointer has enough.
unsigned bitsOf(const llvm::Type &Type) { return Type.isIntegerTy() ? Type.getIntegerBitWidth() : 64; }

/// The same of a multiple of the number, or of what steps by it.
unsigned bitsOfTimes(const Value &Number) {
  auto *Constant = dyn_cast<llvm::ConstantInt>(&Number);
  return bitsOf(*Number.getType()) - (Constant ? Constant->getValue().countr_zero() : 0);
}

/// Is what is added to the part no counter that takes it back? It is the same in every turn, or counted by inner loops,
/// by which ones does not depend on the part.
bool isBeside(const Value &V, const Instruction &Part, const Read &R, const Cycle &Loop) {
  auto Turns = [&](const Instruction &Phi, const Cycle &Inner, auto Turns) -> bool {
    auto Depends = [&](const BasicBlock *Block) {
      auto *Branch = dyn_cast<llvm::BranchInst>(Block->getTerminator());
      return Branch && Branch->isConditional() &&
             !(Inner.contains(Branch->getSuccessor(0)) && Inner.contains(Branch->getSuccessor(1))) &&
             parts(*Branch->getCondition(), Loop, /*OfEarlierTurns=*/true, R.I).contains(&Part);
    };
    return Inner.contains(Phi.getParent()) &&
           ((isEntryPhi(Phi, Inner) && llvm::any_of(Inner.blocks(), Depends)) ||
            llvm::any_of(Inner.children(), [&](const Cycle *Child) { return Turns(Phi, *Child, Turns); }));
  };
  return llvm::all_of(parts(V, Loop), [&](const Instruction *Of) {
    return !(usesMemory(*Of) && Of->mayWriteToMemory()) && !isEntryPhi(*Of, Loop) &&
           !(isa<PHINode>(Of) && Turns(*Of, Loop, Turns));
  });
}

/// Is it as much more or less as the part is, or so many times that? Then it is another place where the part is another
/// number. What chooses, rounds, leads around or loads may come to one place for many.
bool leads(const Value &V, const Instruction &Part, const Read &R, const Cycle &Loop, unsigned Depth = 32) {
  if (bitsOf(*V.getType()) <= FewBits)
    return false;
  if (&V == &Part)
    return true;
  auto *I = dyn_cast<Instruction>(&V);
  if (!I || Depth == 0)
    return false;
  const Value *Own = nullptr; // of what it is made of, the only one that the part is in
  for (const Value *Operand : I->operands())
    if (isIn(*Operand, Loop) && parts(*Operand, Loop).contains(&Part)) {
      if (Own)
        return false;
      Own = Operand;
    } else if (!isBeside(*Operand, Part, R, Loop))
      return false;
  auto IsTimes = [&](const Value *Factor) {
    return isFixed(*Factor, Loop) && isSome(*Factor, *I) && bitsOfTimes(*Factor) > FewBits;
  };
  switch (Own ? I->getOpcode() : Instruction::Unreachable) {
  case Instruction::GetElementPtr:
  case Instruction::Freeze:
  case Instruction::SExt:
  case Instruction::ZExt:
  case Instruction::BitCast:
  case Instruction::AddrSpaceCast:
  case Instruction::PtrToInt:
  case Instruction::IntToPtr:
  case Instruction::Trunc:
  case Instruction::Add:
  case Instruction::Sub:
    break;
  case Instruction::Or:
    if (!llvm::cast<llvm::PossiblyDisjointInst>(I)->isDisjoint())
      return false;
    break;
  case Instruction::Mul:
    if (!IsTimes(I->getOperand(Own == I->getOperand(0) ? 1 : 0)))
      return false;
    break;
  case Instruction::Shl:
    if (auto *By = dyn_cast<llvm::ConstantInt>(I->getOperand(1));
        !By || By->getValue().uge(bitsOf(*I->getType()) - FewBits))
      return false;
    break;
  default:
    return false;
  }
  return leads(*Own, Part, R, Loop, Depth - 1);
}

/// Does a counter come to the limit before it comes round? One of few bits is counted by one, up to what has no more
/// bits.
bool isReached(const Value &Counter, const Value &Limit, llvm::CmpInst::Predicate Predicate, const Cycle &Loop) {
  const Value *Own = withoutCasts(&Counter), *End = withoutCasts(&Limit);
  unsigned Bits = bitsOf(*Own->getType());
  for (const Value *V = &Counter; V != Own; V = llvm::cast<Instruction>(V)->getOperand(0))
    Bits = std::min(Bits, bitsOf(*V->getType()));
  if (Bits > FewBits)
    return true;
  auto *Wider = dyn_cast<llvm::CastInst>(&Counter), *OfLimit = dyn_cast<llvm::CastInst>(&Limit);
  auto *Number = dyn_cast<llvm::ConstantInt>(End);
  const bool HasRoom = Number ? Number->getValue().getActiveBits() < Bits + isa_and_nonnull<llvm::ZExtInst>(Wider)
                              : End->getType() == Own->getType() && !Wider == !OfLimit &&
                                    (!Wider || Wider->getOpcode() == OfLimit->getOpcode());
  auto IsOne = [](const Instruction *Step) {
    auto *By = dyn_cast<llvm::ConstantInt>(Step->getOperand(Step->getNumOperands() - 1));
    return isa<PHINode>(Step) || Step->isShift() || (By && (By->isOne() || By->isMinusOne()));
  };
  return bitsOf(*Own->getType()) == Bits && HasRoom && llvm::all_of(parts(*Own, Loop), IsOne) &&
         (llvm::ICmpInst::isEquality(Predicate) || llvm::CmpInst::isStrictPredicate(Predicate));
}

} // namespace

bool LoopProgress::isWritten(const Read &R) {
  return !R.Address || llvm::any_of(Writes, [&](const Instruction *I) { return Reads.mayMeet(*I, R); });
}

bool LoopProgress::isUndone(const Read &R) {
  return R.Address && llvm::any_of(Writes, [&](const Instruction *I) {
           const Read *Other = Reads.of(*I);
           return I != R.I && Reads.mayMeet(*I, R) && !(Other && Other->Does == Effect::Adds && isLike(*Other, R));
         });
}

/// Does the kernel do nothing to the object but to mark what was free?
bool LoopProgress::isOnlyMarked(const Read &R) {
  return R.Address && llvm::all_of(Writes, [&](const Instruction *I) {
           if (I == R.I || !Reads.mayMeet(*I, R))
             return true;
           const Read *Other = Reads.of(*I);
           return Other && Other->Operand &&
                  (marks(R) ? isLike(*Other, R)
                            : Other->Does == Effect::Compares && isa<llvm::Constant>(Other->Operand));
         });
}

bool LoopProgress::moves(const Read &R, const Cycle &Loop, const Instructions &Made) {
  const Instructions Parts = parts(*R.Address, Loop);
  // Around and around, one finds a free place, if nobody frees places.
  auto *Atomic = dyn_cast<AtomicRMWInst>(R.I);
  const bool Takes =
      Atomic && Atomic->getOperation() == AtomicRMWInst::Xchg && isa<llvm::Constant>(Atomic->getValOperand());
  auto Marks = [&](const Instruction &I) { return Reads.of(I) && marks(*Reads.of(I)) && Reads.mayMeet(I, R); };
  const bool OnlyMarks = isOnlyMarked(R), MayWrap = !Takes && OnlyMarks && (anyOf(Loop, Marks) || looksUp(R, Loop));
  return llvm::any_of(Parts, [&](const Instruction *Part) {
    if (!MayWrap && !(Takes && OnlyMarks) && !leads(*R.Address, *Part, R, Loop))
      return false;
    if (const Read *Counter = Reads.of(*Part); Counter && Counter->Does == Effect::Adds)
      return Part != R.I && Dominators.dominates(Part, R.I) && advances(*Counter, Loop, Reads);
    if (!isEntryPhi(*Part, Loop))
      return false;
    auto &Phi = *llvm::cast<PHINode>(Part);
    unsigned Left = 2000;
    return llvm::all_of(llvm::seq(Phi.getNumIncomingValues()), [&](unsigned I) {
      return !Loop.contains(Phi.getIncomingBlock(I)) ||
             isNext(*Phi.getIncomingValue(I), {Phi, R, Loop, Made, MayWrap, Left});
    });
  });
}

/// Is it made of the value of the last turn by arithmetic, or where that leads to? Steps are not looked at, but that
/// they do not come of what has been read.
bool LoopProgress::isNext(const Value &V, const Steps &S, unsigned Depth) {
  if (!isIn(V, S.Loop) || &V == &S.Phi || Depth == 0 || S.Left == 0)
    return false;
  --S.Left;
  auto &I = llvm::cast<Instruction>(V);
  auto IsNext = [&](const Value *Way) { return isNext(*Way, S, Depth - 1); };
  if (isEntryPhi(I, S.Loop))
    return false;
  const Instructions Now = parts(I, S.Loop, /*OfEarlierTurns=*/false, S.R.I);
  const bool Follows = Now.contains(S.R.I);
  if (isa<PHINode, llvm::SelectInst>(I)) {
    // From the last place on to the first one.
    auto *Select = dyn_cast<llvm::SelectInst>(&I);
    const bool Wraps = Select && S.MayWrap && !parts(*Select->getCondition(), S.Loop).contains(S.R.I);
    return (S.MayWrap || Follows) && llvm::all_of(waysOf(I), [&](const Value *Way) {
             return (Wraps && isa<llvm::Constant>(Way)) || IsNext(Way);
           });
  }
  if (Follows) // from place to place by what is read there
    return !parts(I, S.Loop, /*OfEarlierTurns=*/true, S.R.I).contains(&S.Phi) && S.R.Address &&
           parts(*S.R.Address, S.Loop).contains(&S.Phi) && (S.MayWrap || isTested(I, S));
  auto *Place = dyn_cast<Instruction>(withoutCasts(&I));
  const Read *Other = Place ? Reads.of(*Place) : nullptr;
  if (Other && Other->Address && Now.contains(&S.Phi) && isTested(I, S)) // by another read
    return true;
  if (!Now.contains(&S.Phi) ||
      llvm::any_of(parts(I, S.Loop, /*OfEarlierTurns=*/true, &S.Phi),
                   [&](const Instruction *Part) { return !isEntryPhi(*Part, S.Loop) && S.Made.contains(Part); }))
    return false;
  if (!S.MayWrap && !goesOn(I, S))
    return false;
  // A step back, or to the start, may come before the step.
  return llvm::all_of(Now, [&](const Instruction *Part) {
    const auto Ways = isEntryPhi(*Part, S.Loop) ? llvm::SmallVector<const Value *, 4>() : waysOf(*Part);
    return llvm::none_of(
               Ways,
               [&](const Value *Way) { return parts(*Way, S.Loop, /*OfEarlierTurns=*/false).contains(&S.Phi); }) ||
           llvm::all_of(Ways, IsNext);
  });
}

/// Is it the value of the last turn, and as much more or less in each turn? Of several steps, none takes back another.
bool LoopProgress::goesOn(const Instruction &Next, const Steps &S) {
  llvm::SmallSet<std::pair<const Value *, bool>, 2> Steps; // numbers count by their sign alone
  for (const Value *V = &Next; V != &S.Phi;) {
    auto *I = dyn_cast<Instruction>(V);
    if (!I || !isIn(*I, S.Loop) || bitsOf(*I->getType()) <= FewBits)
      return false;
    auto IsStep = [&](const Value *By) {
      if (!isFixed(*By, S.Loop) || !isSome(*By, *I) || bitsOfTimes(*By) <= FewBits)
        return false;
      auto *Number = dyn_cast<llvm::ConstantInt>(By);
      Steps.insert({Number ? nullptr : By, (I->getOpcode() == Instruction::Sub) != (Number && Number->isNegative())});
      return true;
    };
    unsigned From = 0;
    if (auto *Place = dyn_cast<llvm::GetElementPtrInst>(I)) {
      if (!llvm::all_of(Place->indices(), [&](const Value *By) { return isFixed(*By, S.Loop); }) ||
          llvm::count_if(Place->indices(), IsStep) == 0)
        return false;
    } else if (I->getOpcode() == Instruction::Add && !IsStep(I->getOperand(1))) {
      if (!IsStep(I->getOperand(0)))
        return false;
      From = 1;
    } else if (I->getOpcode() != Instruction::Add && !isa<llvm::CastInst>(I) &&
               (I->getOpcode() != Instruction::Sub || !IsStep(I->getOperand(1)))) {
      return false;
    }
    V = I->getOperand(From);
  }
  return Steps.size() == 1;
}

/// Does the loop end by where it has come to? A list that is followed may be a circle.
bool LoopProgress::isTested(const Instruction &Next, const Steps &S) {
  auto IsPlace = [&](const Value *V) {
    V = withoutCasts(V);
    return V == &S.Phi || V == &Next || V == withoutCasts(&Next) || llvm::is_contained(S.Phi.operand_values(), V);
  };
  return endsByComparison(S.Loop, [&](const llvm::CmpInst &Compare) {
    return IsPlace(Compare.getOperand(0)) || IsPlace(Compare.getOperand(1));
  });
}

bool LoopProgress::isBounded(const Read &R, const Cycle &Loop) {
  auto IsLatch = [&](const BasicBlock *Block) {
    return llvm::any_of(llvm::successors(Block),
                        [&](const BasicBlock *Next) { return llvm::is_contained(Loop.getEntries(), Next); });
  };
  auto Bounds = [&](const std::pair<const Value *, bool> &Fact) {
    auto *Compare = dyn_cast<llvm::ICmpInst>(Fact.first);
    return Compare && llvm::any_of(std::array{0u, 1u}, [&](unsigned Side) {
             const Value &Limit = *Compare->getOperand(1 - Side);
             const auto Predicate = Side == 0 ? Compare->getPredicate() : Compare->getSwappedPredicate();
             return isCounter(*Compare->getOperand(Side), Loop) &&
                    isReached(*Compare->getOperand(Side), Limit, Predicate, Loop) &&
                    (isFixed(Limit, Loop) ||
                     (withoutCasts(&Limit) == R.I &&
                      (Fact.second ? llvm::ICmpInst::isLT(Predicate) : llvm::ICmpInst::isGE(Predicate))));
           });
  };
  auto Ends = [&](const BasicBlock *Block) {
    auto *Branch = dyn_cast<llvm::BranchInst>(Block->getTerminator());
    if (!Branch || !Branch->isConditional())
      return false;
    const bool Stays[] = {Loop.contains(Branch->getSuccessor(0)), Loop.contains(Branch->getSuccessor(1))};
    return Stays[0] != Stays[1] && llvm::any_of(factsOf(*Branch, Stays[0] ? 0 : 1), Bounds) &&
           llvm::all_of(Loop.blocks(),
                        [&](const BasicBlock *Latch) { return !IsLatch(Latch) || Dominators.dominates(Block, Latch); });
  };
  auto Works = [&](const Instruction &I) {
    if (&I == R.I || isFence(I))
      return false;
    const Value *Written = Reads.writtenBy(I);
    auto *Call = dyn_cast<llvm::CallBase>(&I);
    return (Written ? !Reads.isOfBlock(*Written) : isa<llvm::LoadInst>(I) || (Call && Call->isInlineAsm())) &&
           llvm::any_of(I.operands(), [&](const Value *Operand) { return !isFixed(*Operand, Loop); });
  };
  return llvm::any_of(Loop.blocks(), Ends) && ((R.Address && !isFixed(*R.Address, Loop)) || anyOf(Loop, Works));
}

/// Does it grow or shrink by as much in each turn?
bool LoopProgress::isCounter(const Value &V, const Cycle &Loop) {
  const Value *Counter = withoutCasts(&V);
  auto StepOf = [&](const Value *Of) -> const Value * {
    auto *I = dyn_cast<llvm::BinaryOperator>(Of);
    return I && (I->isShift() || I->getOpcode() == Instruction::Add || I->getOpcode() == Instruction::Sub) &&
                   isIn(*I, Loop) && isFixed(*I->getOperand(1), Loop) && isSome(*I->getOperand(1), *I)
               ? I->getOperand(0)
               : nullptr;
  };
  if (auto *I = dyn_cast<Instruction>(Counter))
    if (const Read *R = Reads.of(*I); R && R->Does == Effect::Adds && isIn(*I, Loop))
      return advances(*R, Loop, Reads);
  auto *Phi = dyn_cast<PHINode>(Counter);
  if (!Phi)
    Phi = dyn_cast_or_null<PHINode>(StepOf(Counter));
  return Phi && isEntryPhi(*Phi, Loop) && llvm::all_of(llvm::seq(Phi->getNumIncomingValues()), [&](unsigned I) {
           return !Loop.contains(Phi->getIncomingBlock(I)) || StepOf(Phi->getIncomingValue(I)) == Phi;
         });
}

bool LoopProgress::marksOthers(const Read &R, const Cycle &Loop) {
  if (!isOnlyMarked(R))
    return false;
  const Instructions Parts = parts(*R.Address, Loop);
  return anyOf(Loop, [&](const Instruction &I) {
    auto *Store = dyn_cast<llvm::StoreInst>(&I);
    auto *Place = Store ? dyn_cast<Instruction>(Store->getValueOperand()) : nullptr;
    return Place && isa<llvm::LoadInst>(Place) &&
           llvm::any_of(Parts, [&](const Instruction *Part) { return isSamePlace(*Part, *Place); });
  });
}

} // namespace cufuse
