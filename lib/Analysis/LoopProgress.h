// Loops that come on by themselves: they read another place in each turn, or count.
#pragma once

#include "FreshReads.h"
#include "LoopValues.h"

#include <llvm/IR/Dominators.h>

#include <vector>

namespace cufuse {

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
