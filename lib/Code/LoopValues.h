// What loops do from turn to turn: what values in them are made of, and whether they come on by themselves.
#pragma once

#include "FreshReads.h"

#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/Analysis/CycleAnalysis.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Instructions.h>

#include <vector>

namespace cufuse {

using llvm::AtomicCmpXchgInst;
using llvm::AtomicRMWInst;
using llvm::BasicBlock;
using llvm::Cycle;
using llvm::dyn_cast;
using llvm::Instruction;
using llvm::isa;
using llvm::PHINode;
using llvm::Value;

using Instructions = llvm::SmallSetVector<const llvm::Instruction *, 16>;

bool isIn(const llvm::Value &V, const llvm::Cycle &Loop);

/// Does it hold what the last turn has left?
bool isEntryPhi(const llvm::Instruction &I, const llvm::Cycle &Loop);

/// The instructions of the loop that a value is made of, those of earlier turns among them if wanted.
Instructions parts(const llvm::Value &V, const llvm::Cycle &Loop, bool OfEarlierTurns = true,
                   const llvm::Instruction *End = nullptr);

bool usesMemory(const llvm::Instruction &I);

/// Is it the same in each turn?
bool isFixed(const llvm::Value &V, const llvm::Cycle &Loop);

/// Is it known to be no zero there? An argument may be one. That products may wrap to zero does not count.
bool isSome(const llvm::Value &V, const llvm::Instruction &At, unsigned Depth = 6);

/// Is it one value for all threads of the launch: made of arguments and sizes?
bool isOfLaunch(const llvm::Value &V, unsigned Depth = 6);

/// The values of which it is one.
llvm::SmallVector<const llvm::Value *, 4> waysOf(const llvm::Instruction &I);

/// Without what only changes the type.
const llvm::Value *withoutCasts(const llvm::Value *V);

/// What a branch's condition says where it leads to that successor: each of these values is true, or false.
llvm::SmallVector<std::pair<const llvm::Value *, bool>, 4> factsOf(const llvm::BranchInst &Branch, unsigned To);

/// Is one of the comparisons on which the loop may end such a one?
bool endsByComparison(const llvm::Cycle &Loop, llvm::function_ref<bool(const llvm::CmpInst &)> Is);

template <typename Function> bool anyOf(const llvm::Cycle &Loop, Function Is) {
  return llvm::any_of(Loop.blocks(), [&](const llvm::BasicBlock *Block) {
    return llvm::any_of(*Block, [&](const llvm::Instruction &I) { return Is(I); });
  });
}

// Loops in which a turn that fails says that another thread has come on (LockFreeLoops.cpp).

/// Has the loop one more turn only where another thread came first, or where this one has counted on?
bool isLockFree(const Read &R, const llvm::Cycle &Loop, FreshReads &Reads);

/// Does it add in each turn, to what only grows, or only shrinks?
bool advances(const Read &R, const llvm::Cycle &Loop, FreshReads &Reads);

/// Loops that come on by themselves: they read another place in each turn, or count.
class LoopProgress {
public:
  /// \p Writes is what the whole kernel writes.
  LoopProgress(FreshReads &Reads, const std::vector<const llvm::Instruction *> &Writes,
               const llvm::DominatorTree &Dominators)
      : Reads(Reads), Writes(Writes), Dominators(Dominators) {}

  /// Is it another address in each turn, whatever has been read there? What depends on the read is Made.
  bool moves(const Read &R, const llvm::Cycle &Loop, const Instructions &Made);

  /// Does a counter end the loop, whatever is read? Not if the loop does nothing else: then it counts how long it
  /// waits.
  bool isBounded(const Read &R, const llvm::Cycle &Loop);

  /// Does an inner loop mark places that the next turn does not ask for again? It notes each of them, and the kernel
  /// takes no mark back.
  bool marksOthers(const Read &R, const llvm::Cycle &Loop);

  bool isWritten(const Read &R);

  /// Does the kernel take back what is added there, so that what was passed comes again?
  bool isUndone(const Read &R);

private:
  struct Steps;

  bool isOnlyMarked(const Read &R);
  bool isNext(const llvm::Value &V, const Steps &S, unsigned Depth = 8);
  static bool goesOn(const llvm::Instruction &Next, const Steps &S);
  static bool isTested(const llvm::Instruction &Next, const Steps &S);
  bool isCounter(const llvm::Value &V, const llvm::Cycle &Loop);

  FreshReads &Reads;
  const std::vector<const llvm::Instruction *> &Writes;
  const llvm::DominatorTree &Dominators;
};

} // namespace cufuse
