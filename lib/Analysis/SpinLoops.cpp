#include "cufuse/Analysis/SpinLoops.h"

#include "FreshReads.h"

#include <llvm/ADT/GenericCycleImpl.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/Analysis/AssumptionCache.h>
#include <llvm/Analysis/CycleAnalysis.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PassInstrumentation.h>
#include <llvm/IR/PassManager.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Support/Regex.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>
#include <llvm/Transforms/Utils/Cloning.h>

namespace cufuse {

namespace {

using llvm::AtomicCmpXchgInst;
using llvm::AtomicRMWInst;
using llvm::BasicBlock;
using llvm::Cycle;
using llvm::dyn_cast;
using llvm::Instruction;
using llvm::isa;
using llvm::PHINode;
using llvm::Value;
using Instructions = llvm::SmallSetVector<const Instruction *, 16>;
using Writes = std::vector<const Instruction *>;

/// A fence for other blocks, or a pause: what is behind it is read again, and who waits has one.
bool isFence(const Instruction &I) {
  static const llvm::Regex OfAssembly("(membar|fence)\\.([a-z_]*\\.)*(gl|gpu|sys)([^a-z]|$)|nanosleep");
  if (auto *Fence = dyn_cast<llvm::FenceInst>(&I))
    return Fence->getSyncScopeID() != llvm::SyncScope::SingleThread;
  auto *Call = dyn_cast<llvm::CallBase>(&I);
  if (Call && Call->isInlineAsm())
    return OfAssembly.match(llvm::cast<llvm::InlineAsm>(Call->getCalledOperand())->getAsmString());
  const llvm::Function *Callee = Call ? Call->getCalledFunction() : nullptr;
  return Callee &&
         llvm::is_contained({"llvm.nvvm.membar.gl", "llvm.nvvm.membar.sys", "llvm.nvvm.nanosleep"}, Callee->getName());
}

// The loops of a function.

class SpinLoops {
public:
  /// \p All is what the whole kernel writes.
  SpinLoops(llvm::Function &F, FreshReads &Reads, const Writes &All)
      : Reads(Reads), All(All), Dominators(F), PostDominators(F) {
    Cycles.compute(F);
  }

  bool waits(const Read &R) {
    const Cycle *Innermost = Cycles.getCycle(R.I->getParent());
    for (const Cycle *Loop = Innermost; Loop; Loop = Loop->getParentCycle()) {
      Instructions Made;
      if (mayWait(R, *Loop, Loop == Innermost, Made) || isWaitedFor(Made))
        return true;
    }
    return false;
  }

private:
  /// What is asked of a loop for every read there.
  struct OfLoop {
    std::vector<const Read *> Reads;
    bool HasFence = false;
    /// What it stores for the block, where no turn leaves anything else to the next one.
    std::optional<std::vector<const Value *>> Tells;
    bool HasBarrier = false; ///< Of any kind: what is behind it is read again.
  };

  /// What depends on the read is Made.
  bool mayWait(const Read &R, const Cycle &Loop, bool IsInnermost, Instructions &Made) {
    const bool IsPlain = R.IsPlain || (R.IsCached && !isWritten(R));
    if (IsPlain && !know(Loop).HasFence && !onlyLooks(R, Loop))
      return false;
    if (!decides(R, Loop, Made) || (R.Address && moves(R, Loop, Made)) || isBounded(R, Loop) || isLockFree(R, Loop))
      return false;
    switch (R.Does) {
    case Effect::Adds:
      return !advances(R, Loop);
    case Effect::Marks:
    case Effect::Compares:
      return IsInnermost || !marksOthers(R, Loop);
    case Effect::None:
      return true;
    }
    llvm_unreachable("every effect is above");
  }

  /// Do other threads of the block wait in a loop for what is told there?
  bool isWaitedFor(const Instructions &Made) {
    return llvm::any_of(Made, [&](const Instruction *I) {
      const Value *Told = Reads.writtenBy(*I);
      if (!Told || !Reads.isOfBlock(*Told))
        return false;
      return llvm::any_of(llvm::instructions(*I->getFunction()), [&](const Instruction &Other) {
        const Cycle *Loop = Cycles.getCycle(Other.getParent());
        const Read *R = Loop && !Loop->contains(I->getParent()) ? Reads.of(Other) : nullptr;
        Instructions Asked;
        return R && !R->IsPlain && R->Address && Reads.isSameObject(*R->Address, *Told) &&
               mayWait(*R, *Loop, /*IsInnermost=*/true, Asked);
      });
    });
  }

  const OfLoop &know(const Cycle &Loop) {
    auto [At, IsNew] = Loops.try_emplace(&Loop);
    if (!IsNew)
      return At->second;
    OfLoop &Of = At->second;
    bool HasState = false;
    std::vector<const Value *> Told;
    for (const BasicBlock *Block : Loop.blocks())
      for (const Instruction &I : *Block) {
        if (const Read *R = Reads.of(I))
          Of.Reads.push_back(R);
        Of.HasFence |= isFence(I);
        Of.HasBarrier |= isa<llvm::FenceInst>(I) || (isa<llvm::CallBase>(I) && I.mayWriteToMemory());
        HasState |= isOfUnknownCode(I);
        const Value *Written = Reads.writtenBy(I);
        if (auto *Branch = dyn_cast<llvm::BranchInst>(&I))
          HasState |=
              Branch->isConditional() && llvm::any_of(parts(*Branch->getCondition(), Loop),
                                                      [&](const Instruction *Part) { return isEntryPhi(*Part, Loop); });
        else if (auto *Store = dyn_cast<llvm::StoreInst>(&I); Store && Reads.isOfBlock(*Written))
          Told.push_back(Store->getValueOperand());
        else if (isa<llvm::MemTransferInst>(I) && Reads.isOfBlock(*Written))
          Told.push_back(&I);
        else
          HasState |= Written != nullptr;
      }
    if (!HasState)
      Of.Tells = std::move(Told);
    return Of;
  }

  static bool isIn(const Value &V, const Cycle &Loop) {
    auto *I = dyn_cast<Instruction>(&V);
    return I && Loop.contains(I->getParent());
  }

  static bool isEntryPhi(const Instruction &I, const Cycle &Loop) {
    return isa<PHINode>(I) && llvm::is_contained(Loop.getEntries(), I.getParent());
  }

  /// The instructions of the loop that a value is made of, those of earlier turns among them if wanted.
  static Instructions parts(const Value &V, const Cycle &Loop, bool OfEarlierTurns = true,
                            const Instruction *End = nullptr) {
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

  static bool usesMemory(const Instruction &I) {
    auto *Call = dyn_cast<llvm::CallBase>(&I);
    const llvm::Function *Callee = Call ? Call->getCalledFunction() : nullptr;
    return I.mayReadOrWriteMemory() && !(Callee && Callee->getName().starts_with("__nv_")); // libdevice
  }

  static bool isFixed(const Value &V, const Cycle &Loop) {
    return llvm::none_of(parts(V, Loop),
                         [](const Instruction *Part) { return isa<PHINode>(Part) || usesMemory(*Part); });
  }

  template <typename Function> static bool anyOf(const Cycle &Loop, Function Is) {
    return llvm::any_of(Loop.blocks(), [&](const BasicBlock *Block) {
      return llvm::any_of(*Block, [&](const Instruction &I) { return Is(I); });
    });
  }

  /// Does what is read say whether the loop has one more turn? It may say so by branches and by memory. All that
  /// depends on it in the loop is Made.
  bool decides(const Read &R, const Cycle &Loop, Instructions &Made) {
    llvm::SmallPtrSet<const Value *, 16> Known;
    // By a write whose size is not known, or by one that is.
    auto AddMemory = [&](const Value &Address, bool IsOfBlock, const Instruction *Write = nullptr) {
      if (!Known.insert(Write ? Write : &Address).second)
        return;
      for (const Read *Other : know(Loop).Reads)
        if (!Other->Address || (Write ? Reads.mayMeet(*Write, *Other) : Reads.isSameObject(*Other->Address, Address)) ||
            // Assembly may name shared memory by numbers.
            ((IsOfBlock || Other->IsOfBlock) &&
             (Other->IsOfBlock ? IsOfBlock || Reads.isOfBlock(Address) : Reads.isOfBlock(*Other->Address))))
          Made.insert(Other->I);
    };
    auto AddWritten = [&](const Instruction &I) {
      if (const Value *Written = Reads.writtenBy(I))
        AddMemory(*Written, Reads.of(I) && Reads.of(I)->IsOfBlock, &I);
    };
    bool Decides = false;
    Made.insert(R.I);
    if (auto *Call = dyn_cast<llvm::CallBase>(R.I)) // it may write what it has read there
      for (const Value *Argument : Call->args())
        if (Argument->getType()->isPointerTy() && Argument != R.Address)
          AddMemory(*Argument, false);
    for (size_t At = 0; At < Made.size(); ++At) {
      if (Made[At]->isTerminator()) {
        Decides |= turns(*Made[At]->getParent(), Loop, Made, AddWritten);
        continue;
      }
      if (Made[At] != R.I || isa<llvm::MemTransferInst>(R.I))
        AddWritten(*Made[At]);
      for (const llvm::User *User : Made[At]->users()) {
        auto *I = llvm::cast<Instruction>(User);
        if (!isIn(*I, Loop))
          continue;
        Decides |= isOfUnknownCode(*I);
        Made.insert(I);
      }
    }
    return Decides;
  }

  /// Does the branch at the end of the block lead out of the loop, or to one more turn? Where its ways meet again,
  /// values and memory may differ.
  template <typename Function>
  bool turns(const BasicBlock &Block, const Cycle &Loop, Instructions &Made, Function AddWritten) const {
    const auto *Node = PostDominators.getNode(&Block);
    const BasicBlock *Meet = Node && Node->getIDom() ? Node->getIDom()->getBlock() : nullptr;
    bool Turns = !Meet || !Loop.contains(Meet);
    llvm::SmallSetVector<const BasicBlock *, 16> Ways(llvm::succ_begin(&Block), llvm::succ_end(&Block));
    for (size_t At = 0; At < Ways.size(); ++At) {
      const BasicBlock &Way = *Ways[At];
      if (!Loop.contains(&Way)) {
        Turns = true;
        continue;
      }
      if (&Way != Meet && llvm::is_contained(Loop.getEntries(), &Way)) {
        Turns = true;
        continue;
      }
      for (const PHINode &Phi : Way.phis())
        Made.insert(&Phi);
      if (&Way == Meet)
        continue;
      for (const Instruction &I : Way) {
        Turns |= isOfUnknownCode(I);
        AddWritten(I);
      }
      Ways.insert(llvm::succ_begin(&Way), llvm::succ_end(&Way));
    }
    return Turns;
  }

  static bool marks(const Read &R) { return R.Does == Effect::Marks || R.Does == Effect::Compares; }

  /// Does it write as the other does? Of swaps, what they expect counts.
  static bool isLike(const Read &A, const Read &B) {
    return A.Does == B.Does && A.Operand && B.Operand && isSamePlace(*A.Operand, *B.Operand) &&
           (A.Does == Effect::Compares || A.I->isSameOperationAs(B.I));
  }

  bool isWritten(const Read &R) {
    return !R.Address || llvm::any_of(All, [&](const Instruction *I) { return Reads.mayMeet(*I, R); });
  }

  /// Does the kernel do nothing to the object but to mark what was free?
  bool isOnlyMarked(const Read &R) {
    return R.Address && llvm::all_of(All, [&](const Instruction *I) {
             if (I == R.I || !Reads.mayMeet(*I, R))
               return true;
             const Read *Other = Reads.of(*I);
             return Other && Other->Operand &&
                    (marks(R) ? isLike(*Other, R)
                              : Other->Does == Effect::Compares && isa<llvm::Constant>(Other->Operand));
           });
  }

  /// Does it look for a key, or for an end? That is a table that is not written now, and no flags.
  static bool looksUp(const Read &R, const Cycle &Loop) {
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

  /// May the arithmetic lead around, to places of before?
  static bool mayWrap(const Instruction &I, const Cycle &Loop) {
    switch (I.getOpcode()) {
    case Instruction::URem:
    case Instruction::SRem:
    case Instruction::UDiv:
    case Instruction::SDiv:
    case Instruction::LShr:
    case Instruction::AShr:
    case Instruction::And:
    case Instruction::Or:
    case Instruction::Xor:
      return !isFixed(I, Loop);
    case Instruction::Add:
    case Instruction::Sub:
    case Instruction::Trunc:
      return I.getType()->getScalarSizeInBits() < 32 && !isFixed(I, Loop);
    case Instruction::Call:
      return !usesMemory(I) && !isFixed(I, Loop);
    default:
      return false;
    }
  }

  /// Is it another address in each turn, whatever has been read there?
  bool moves(const Read &R, const Cycle &Loop, const Instructions &Made) {
    const Instructions Parts = parts(*R.Address, Loop);
    // Around and around, one finds a free place, if nobody frees places.
    auto *Atomic = dyn_cast<AtomicRMWInst>(R.I);
    const bool Takes =
        Atomic && Atomic->getOperation() == AtomicRMWInst::Xchg && isa<llvm::Constant>(Atomic->getValOperand());
    const bool MayWrap = !Takes && isOnlyMarked(R) && (isWritten(R) || looksUp(R, Loop));
    if (!MayWrap && llvm::any_of(Parts, [&](const Instruction *Part) { return mayWrap(*Part, Loop); }))
      return false;
    return llvm::any_of(Parts, [&](const Instruction *Part) {
      if (const Read *Counter = Reads.of(*Part); Counter && Counter->Does == Effect::Adds)
        return Part != R.I && Dominators.dominates(Part, R.I) && advances(*Counter, Loop);
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

  /// The values of which it is one.
  static llvm::SmallVector<const Value *, 4> waysOf(const Instruction &I) {
    if (!isa<PHINode, llvm::SelectInst>(I))
      return {};
    return {I.op_begin() + (isa<llvm::SelectInst>(I) ? 1 : 0), I.op_end()};
  }

  struct Steps {
    const PHINode &Phi;
    const Read &R;
    const Cycle &Loop;
    const Instructions &Made; ///< What depends on the read.
    const bool MayWrap;
    unsigned &Left; ///< So many values more are looked at.
  };

  /// Is it made of the value of the last turn by arithmetic, or where that leads to? Steps are not looked at, but that
  /// they do not come of what has been read.
  bool isNext(const Value &V, const Steps &S, unsigned Depth = 8) {
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
      return (S.R.Does == Effect::Marks || !parts(I, S.Loop, /*OfEarlierTurns=*/true, S.R.I).contains(&S.Phi)) &&
             S.R.Address && parts(*S.R.Address, S.Loop).contains(&S.Phi) && (S.MayWrap || isTested(I, S));
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

  /// Is it the value of the last turn, and as much more or less in each turn?
  static bool goesOn(const Instruction &Next, const Steps &S) {
    bool Steps = false;
    for (const Value *V = &Next; V != &S.Phi;) {
      auto *I = dyn_cast<Instruction>(V);
      if (!I || !isIn(*I, S.Loop))
        return false;
      auto IsStep = [&](const Value *Of) {
        auto *Constant = dyn_cast<llvm::Constant>(Of);
        return isFixed(*Of, S.Loop) && !(Constant && Constant->isZeroValue());
      };
      unsigned From = 0;
      if (auto *Place = dyn_cast<llvm::GetElementPtrInst>(I))
        Steps |= llvm::all_of(Place->indices(), [&](const Value *Of) { return isFixed(*Of, S.Loop); }) &&
                 llvm::any_of(Place->indices(), IsStep);
      else if (I->getOpcode() == Instruction::Add && IsStep(I->getOperand(1)))
        Steps = true;
      else if (I->getOpcode() == Instruction::Add && IsStep(I->getOperand(0)))
        Steps = From = 1;
      else if (I->getOpcode() == Instruction::Sub && IsStep(I->getOperand(1)))
        Steps = true;
      else if (!isa<llvm::CastInst>(I))
        return false;
      V = I->getOperand(From);
    }
    return Steps;
  }

  /// Does the loop end by where it has come to? A list that is followed may be a circle.
  bool isTested(const Instruction &Next, const Steps &S) const {
    return llvm::any_of(S.Loop.blocks(), [&](const BasicBlock *Block) {
      auto *Branch = dyn_cast<llvm::BranchInst>(Block->getTerminator());
      auto IsPlace = [&](const Value *V) {
        V = withoutCasts(V);
        return V == &S.Phi || V == &Next || V == withoutCasts(&Next) || llvm::is_contained(S.Phi.operand_values(), V);
      };
      return Branch && Branch->isConditional() &&
             (!S.Loop.contains(Branch->getSuccessor(0)) || !S.Loop.contains(Branch->getSuccessor(1))) &&
             llvm::any_of(std::array{0u, 1u}, [&](unsigned To) {
               return llvm::any_of(factsOf(*Branch, To), [&](const auto &Fact) {
                 auto *Compare = dyn_cast<llvm::CmpInst>(Fact.first);
                 return Compare && (IsPlace(Compare->getOperand(0)) || IsPlace(Compare->getOperand(1)));
               });
             });
    });
  }

  /// What a branch's condition says where it leads to that successor: each of these values is true, or false.
  static llvm::SmallVector<std::pair<const Value *, bool>, 4> factsOf(const llvm::BranchInst &Branch, unsigned To) {
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

  /// Does a counter end the loop, whatever is read? Not if the loop does nothing else: then it counts how long it
  /// waits.
  bool isBounded(const Read &R, const Cycle &Loop) {
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
             llvm::all_of(Loop.blocks(), [&](const BasicBlock *Latch) {
               return !IsLatch(Latch) || Dominators.dominates(Block, Latch);
             });
    };
    auto Works = [&](const Instruction &I) {
      if (&I == R.I || isFence(I))
        return false;
      if (const Value *Written = Reads.writtenBy(I))
        return !Reads.isOfBlock(*Written);
      auto *Call = dyn_cast<llvm::CallBase>(&I);
      return (isa<llvm::LoadInst>(I) || (Call && Call->isInlineAsm())) &&
             llvm::any_of(I.operands(), [&](const Value *Operand) { return !isFixed(*Operand, Loop); });
    };
    return llvm::any_of(Loop.blocks(), Ends) && ((R.Address && !isFixed(*R.Address, Loop)) || anyOf(Loop, Works));
  }

  /// Does it grow or shrink by as much in each turn?
  bool isCounter(const Value &V, const Cycle &Loop) {
    const Value *Counter = withoutCasts(&V);
    auto StepOf = [&](const Value *Of) -> const Value * {
      auto *I = dyn_cast<llvm::BinaryOperator>(Of);
      auto *Step = I ? dyn_cast<llvm::Constant>(I->getOperand(1)) : nullptr;
      return I && (I->isShift() || I->getOpcode() == Instruction::Add || I->getOpcode() == Instruction::Sub) &&
                     isIn(*I, Loop) && isFixed(*I->getOperand(1), Loop) && !(Step && Step->isZeroValue())
                 ? I->getOperand(0)
                 : nullptr;
    };
    if (auto *I = dyn_cast<Instruction>(Counter))
      if (const Read *R = Reads.of(*I); R && R->Does == Effect::Adds && isIn(*I, Loop))
        return advances(*R, Loop);
    auto *Phi = dyn_cast<PHINode>(Counter);
    if (!Phi)
      Phi = dyn_cast_or_null<PHINode>(StepOf(Counter));
    return Phi && isEntryPhi(*Phi, Loop) && llvm::all_of(llvm::seq(Phi->getNumIncomingValues()), [&](unsigned I) {
             return !Loop.contains(Phi->getIncomingBlock(I)) || StepOf(Phi->getIncomingValue(I)) == Phi;
           });
  }

  /// Has the loop one more turn only where another thread came first, or where this one has counted on?
  bool isLockFree(const Read &R, const Cycle &Loop) {
    auto Counts = [&](const Instruction &I) {
      const Read *Other = Reads.of(I);
      if (auto *Swap = dyn_cast<AtomicCmpXchgInst>(&I)) // of a value of its own, once
        return Other->Does == Effect::Compares && isFixed(*Swap->getNewValOperand(), Loop) &&
               isLastRead(*Other->Operand, *Other->Address, Loop);
      return Other && &I != R.I && Other->Does == Effect::Adds && Other->Address && R.Address &&
             isSamePlace(*Other->Address, *R.Address) && advances(*Other, Loop);
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
                 return isFailure(*Fact.first, Fact.second, Loop, Left);
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

  /// Without what only changes the type.
  static const Value *withoutCasts(const Value *V) {
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

  /// Does the value say, where it is true or where it is not, that an atomic has found another value than the last one
  /// that was read there? So many values are Left to look at.
  bool isFailure(const Value &V, bool Is, const Cycle &Loop, unsigned &Left) {
    if (Left == 0)
      return false;
    --Left;
    auto IsWay = [&](const Value *Way) {
      if (auto *Constant = dyn_cast<llvm::ConstantInt>(Way))
        return Constant->isZero() == Is; // never
      return isFailure(*Way, Is, Loop, Left);
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
               isFailure(*Select->getCondition(), Side, Loop, Left);
      });
    auto Found = [&](const Value *By, const Value *Instead) {
      auto *I = dyn_cast<Instruction>(By);
      const Read *R = I ? Reads.of(*I) : nullptr;
      return R && R->Does != Effect::None && R->Address &&
             (R->Does != Effect::Compares || (R->Operand && withoutCasts(R->Operand) == withoutCasts(Instead))) &&
             isLastRead(*Instead, *R->Address, Loop);
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
  bool isLastRead(const Value &V, const Value &Address, const Cycle &Loop) {
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
        if (!R || !R->Address || !(isSamePlace(*R->Address, Address) || leadsTo(*R, Address, Loop)))
          return false;
        IsRead = true;
      }
    }
    return IsRead;
  }

  /// Is the address in the same table, at what was read?
  bool leadsTo(const Read &R, const Value &Address, const Cycle &Loop) {
    return Reads.isSameObject(*R.Address, Address) && parts(Address, Loop).contains(R.I);
  }

  /// Does it add in each turn, to what only grows, or only shrinks?
  bool advances(const Read &R, const Cycle &Loop) {
    auto *Of = dyn_cast_or_null<llvm::ConstantInt>(R.Operand);
    auto *Atomic = dyn_cast<AtomicRMWInst>(R.I);
    // A number that may be none is made of a comparison, or of what is not seen.
    const bool IsSome = Of || (Atomic && llvm::isKnownNonZero(R.Operand, R.I->getModule()->getDataLayout())) ||
                        !R.Operand || (isFixed(*R.Operand, Loop) && !isa<llvm::ZExtInst, llvm::SelectInst>(R.Operand));
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
    return R.Address && IsSome && !anyOf(Loop, [&](const Instruction &I) {
             const Value *Written = Reads.writtenBy(I);
             if (&I == R.I || !Written || !isSamePlace(*Written, *R.Address))
               return false;
             auto *Other = dyn_cast<AtomicRMWInst>(&I);
             if (Atomic && Other && Of && isa<llvm::ConstantInt>(Other->getValOperand()))
               return Reads.of(I)->Does != Effect::Adds || Shrinks(*Atomic) != Shrinks(*Other);
             return !isSamePlace(*R.I, I);
           });
  }

  /// Does an inner loop mark places that the next turn does not ask for again? It notes each of them, and the kernel
  /// takes no mark back.
  bool marksOthers(const Read &R, const Cycle &Loop) {
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

  /// Does the loop nothing but read, wait, and tell the block what was read? All that can change is what others write.
  bool onlyLooks(const Read &R, const Cycle &Loop) {
    const OfLoop &Of = know(Loop);
    return (Of.HasBarrier || R.IsCached) && Of.Tells && llvm::all_of(*Of.Tells, [&](const Value *Told) {
             return llvm::none_of(parts(*Told, Loop), [&](const Instruction *Part) {
               return Part != R.I && (isEntryPhi(*Part, Loop) || Part->mayReadOrWriteMemory());
             });
           });
  }

  FreshReads &Reads;
  const Writes &All;
  llvm::CycleInfo Cycles;
  llvm::DominatorTree Dominators;
  llvm::PostDominatorTree PostDominators;
  std::map<const Cycle *, OfLoop> Loops;
};

/// Leads branches directly to where they go: a copy is simplified, since the order in the text means nothing here.
void simplify(llvm::Function &F) {
  llvm::FunctionAnalysisManager Analyses;
  Analyses.registerPass([] { return llvm::PassInstrumentationAnalysis(); });
  Analyses.registerPass([] { return llvm::DominatorTreeAnalysis(); });
  Analyses.registerPass([] { return llvm::AssumptionAnalysis(); });
  Analyses.registerPass([] { return llvm::TargetIRAnalysis(); });
  llvm::SimplifyCFGPass(llvm::SimplifyCFGOptions().needCanonicalLoops(false)).run(F, Analyses);
}

using Functions = llvm::SmallSetVector<llvm::Function *, 8>;

/// What it calls and what that calls, itself if it is recursive. A pointer may lead to any function that is named other
/// than by a call.
Functions calledBy(const llvm::Function &Caller) {
  Functions Called;
  auto AddCalled = [&](const llvm::Function &By) {
    for (const Instruction &I : llvm::instructions(By)) {
      auto *Call = dyn_cast<llvm::CallBase>(&I);
      if (!Call || Call->isInlineAsm())
        continue;
      if (llvm::Function *Callee = Call->getCalledFunction())
        Called.insert(Callee);
      else
        for (llvm::Function &F : *const_cast<llvm::Module *>(Caller.getParent()))
          if (F.hasAddressTaken())
            Called.insert(&F);
    }
  };
  AddCalled(Caller);
  for (size_t At = 0; At < Called.size(); ++At)
    AddCalled(*Called[At]);
  return Called;
}

} // namespace

std::optional<Finding> findSpinLoop(const DeviceIr &Ir) {
  const std::unique_ptr<llvm::Module> Copy = llvm::CloneModule(*Ir.kernel().getParent());
  llvm::Function *Kernel = Copy->getFunction(Ir.kernel().getName());
  // What is not inlined there: functions that call themselves, those that pointers lead to, and where it would be too
  // much.
  Functions All = calledBy(*Kernel);
  All.insert(Kernel);
  All.remove_if([](const llvm::Function *F) { return F->isDeclaration(); });
  FreshReads Reads;
  Writes Written;
  for (llvm::Function *F : All) {
    simplify(*F);
    for (const Instruction &I : llvm::instructions(*F))
      if (Reads.writtenBy(I))
        Written.push_back(&I);
  }
  auto ReadOf = [&](const Instruction &I) -> const Read * {
    const Read *R = Reads.of(I);
    return !R || R->IsOfBlock || (R->Address && Reads.isOfBlock(*R->Address)) || Ir.isOfGroups(I) ? nullptr : R;
  };
  auto Asks = [&](const llvm::Function *F) {
    return llvm::any_of(llvm::instructions(*F), [&](const Instruction &I) {
      const Read *R = ReadOf(I);
      return R && !R->IsPlain &&
             (R->Does != Effect::Adds || !R->Address || llvm::any_of(Written, [&](const Instruction *Other) {
                return Other != &I && Reads.isSameObject(*Reads.writtenBy(*Other), *R->Address);
              }));
    });
  };
  auto CallAsks = [&](const Instruction &I) {
    const llvm::Function *Callee = llvm::cast<llvm::CallBase>(I).getCalledFunction();
    return Callee ? Asks(Callee) || llvm::any_of(calledBy(*Callee), Asks) : llvm::any_of(All, Asks);
  };
  for (llvm::Function *F : All) {
    SpinLoops Loops(*F, Reads, Written);
    const bool IsRecursive = calledBy(*F).contains(F),
               HasFence = llvm::any_of(llvm::instructions(*F), [](const Instruction &I) { return isFence(I); });
    for (const Instruction &I : llvm::instructions(*F)) {
      const Read *R = ReadOf(I);
      const Read Unknown{&I};
      if (isOfUnknownCode(I) && CallAsks(I))
        R = &Unknown;
      if (!R || !(R->IsLoop || (IsRecursive && (!R->IsPlain || HasFence)) || Loops.waits(*R)))
        continue;
      Finding Found;
      Found.What = "this may be read again and again, until another thread writes it";
      Found.Where = Ir.place(I, &Found.Function);
      return Found;
    }
  }
  return std::nullopt;
}

} // namespace cufuse
