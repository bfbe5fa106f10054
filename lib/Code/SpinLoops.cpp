#include "cufuse/Code/SpinLoops.h"

#include "LoopValues.h"
#include "cufuse/Code/Meetings.h"

#include <llvm/ADT/GenericCycleImpl.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/Analysis/AssumptionCache.h>
#include <llvm/Analysis/CycleAnalysis.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PassInstrumentation.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>
#include <llvm/Transforms/Utils/Cloning.h>

namespace cufuse {

namespace {

using Writes = std::vector<const Instruction *>;

// The loops of a function.

class SpinLoops {
public:
  /// \p All is what the whole kernel writes.
  SpinLoops(llvm::Function &F, FreshReads &Reads, const Writes &All)
      : Reads(Reads), Dominators(F), PostDominators(F), Progress(Reads, All, Dominators) {
    Cycles.compute(F);
  }

  bool waits(const Read &R) {
    const Cycle *Innermost = Cycles.getCycle(R.I->getParent());
    for (const Cycle *Loop = Innermost; Loop; Loop = Loop->getParentCycle()) {
      Instructions Made;
      // What ends by itself tells its block in the end.
      if (mayWait(R, *Loop, Loop == Innermost, Made) || (!Progress.isBounded(R, *Loop) && isWaitedFor(Made)))
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
    const bool IsPlain = R.IsPlain || (R.IsCached && !Progress.isWritten(R));
    if (IsPlain && !know(Loop).HasFence && !onlyLooks(R, Loop))
      return false;
    if (!decides(R, Loop, Made) || (R.Address && Progress.moves(R, Loop, Made)) || Progress.isBounded(R, Loop) ||
        isLockFree(R, Loop, Reads))
      return false;
    switch (R.Does) {
    case Effect::Adds:
      return !(advances(R, Loop, Reads) || isAddedByAll(R)) ||
             ((Progress.isUndone(R) || mayAddNothing(R)) && asksForOneValue(R, Loop, Made));
    case Effect::Marks:
    case Effect::Compares:
      return IsInnermost || !Progress.marksOthers(R, Loop);
    case Effect::None:
      return true;
    }
    llvm_unreachable("every effect is above");
  }

  /// Where the launch adds nothing, nothing changes that could be waited for.
  bool isAddedByAll(const Read &R) { return R.Address && R.Operand && isOfLaunch(*R.Operand) && !Progress.isUndone(R); }

  static bool mayAddNothing(const Read &R) {
    return R.Operand && !isa<llvm::Constant>(R.Operand) && R.Operand->getType()->isIntegerTy() &&
           !isSome(*R.Operand, *R.I);
  }

  /// Does the loop end, or go on, where what was read, maybe by another thread of the block, is equal to something?
  bool asksForOneValue(const Read &R, const Cycle &Loop, const Instructions &Made) {
    auto IsRead = [&](const Instruction *Part) {
      const Read *Told = Reads.of(*Part);
      return Part == R.I || (Told && Told->Address && Reads.isOfBlock(*Told->Address) && Made.contains(Part));
    };
    return endsByComparison(Loop, [&](const llvm::CmpInst &Compare) {
      return Compare.isEquality() && llvm::any_of(parts(Compare, Loop, /*OfEarlierTurns=*/false), IsRead);
    });
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
        Of.HasBarrier |=
            isa<llvm::FenceInst>(I) || (isa<llvm::CallBase>(I) && I.mayWriteToMemory() && !I.isLifetimeStartOrEnd());
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

  /// Does what is read say whether the loop has one more turn? It may say so by branches and by memory. All that
  /// depends on it in the loop is Made.
  bool decides(const Read &R, const Cycle &Loop, Instructions &Made) {
    llvm::SmallPtrSet<const Value *, 16> Known;
    // By a write whose size is not known, or by one that is.
    auto AddMemory = [&](const Value &Address, bool IsOfBlock, const Instruction *Write = nullptr) {
      if (!Known.insert(Write ? Write : &Address).second)
        return;
      const Read *By = Write ? Reads.of(*Write) : nullptr;
      const bool IsMbarrier = By && By->IsMbarrier;
      // Assembly may name shared memory by numbers.
      auto MayBeOfBlock = [&](const Read &Other) {
        return (IsOfBlock || Other.IsOfBlock) &&
               (Other.IsOfBlock ? IsOfBlock || Reads.isOfBlock(Address) : Reads.isOfBlock(*Other.Address));
      };
      for (const Read *Other : know(Loop).Reads)
        if (Other->IsMbarrier == IsMbarrier &&
            (!Other->Address || MayBeOfBlock(*Other) ||
             (Write ? Reads.mayMeet(*Write, *Other) : Reads.isSameObject(*Other->Address, Address))))
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
    if (R.To)
      AddMemory(*R.To, /*IsOfBlock=*/!Reads.isOfBlock(*R.To));
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
  llvm::CycleInfo Cycles;
  llvm::DominatorTree Dominators;
  llvm::PostDominatorTree PostDominators;
  LoopProgress Progress;
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

} // namespace

std::optional<Finding> findSpinLoop(const DeviceIr &Ir) {
  const std::unique_ptr<llvm::Module> Copy = llvm::CloneModule(*Ir.kernel().getParent());
  llvm::Function *Kernel = Copy->getFunction(Ir.kernel().getName());
  // What is not inlined there: functions that call themselves, those that pointers lead to, and where it would be too
  // much.
  auto All = calledBy(*Kernel);
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
  std::map<const llvm::Function *, bool> Known;
  auto Asks = [&](const llvm::Function *F) {
    auto [At, IsNew] = Known.try_emplace(F);
    if (IsNew)
      At->second = llvm::any_of(llvm::instructions(*F), [&](const Instruction &I) {
        const Read *R = ReadOf(I);
        return R && !R->IsPlain &&
               (R->Does != Effect::Adds || !R->Address || llvm::any_of(Written, [&](const Instruction *Other) {
                  return Other != &I && Reads.isSameObject(*Reads.writtenBy(*Other), *R->Address);
                }));
      });
    return At->second;
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
