// What values in a loop are made of.
#pragma once

#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/Analysis/CycleAnalysis.h>
#include <llvm/IR/Instructions.h>

namespace cufuse {

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

} // namespace cufuse
