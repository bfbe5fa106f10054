// What the values of a kernel's device IR are in polynomials, the same in which the evaluator of its text gives them.
#pragma once

#include "cufuse/Kernel/Accesses.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/Analysis/AssumptionCache.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Module.h>

namespace cufuse {

/// The name of a loop's variable by what it counts: texts and IR name variables differently.
std::string loopAtom(const Polynomial &Start, const Polynomial &Step);

/// A polynomial of a text, with loop variables by what they count.
Polynomial canonical(const Polynomial &P, const KernelAccesses &Text);

class IrValues {
public:
  /// Arguments get the names of the text's parameters.
  IrValues(const llvm::Function &Kernel, const KernelAccesses &Text);

  /// Nothing if it is not known, as what is loaded.
  std::optional<Polynomial> of(const llvm::Value *V);
  /// What the IR counts: parameters, loops and quotients, no sites.
  const KernelAccesses &known() const { return Known; }
  /// The loop in `known` whose variable a phi is.
  std::optional<unsigned> loop(const llvm::PHINode *Phi) const;
  const llvm::DataLayout &layout() const { return Kernel.getDataLayout(); }
  /// The largest value of a loop's variable that counts up from 0 or more, where it is known.
  std::optional<std::int64_t> most(const std::string &Atom) const;
  /// Is it a quotient of what may have lost bits?
  bool mayDivideOther(const llvm::Instruction &I);
  const llvm::LoopInfo &loops() const { return Loops; }

  /// `Distance > 0` for each, known where the block runs.
  std::vector<Polynomial> conditions(const llvm::BasicBlock &Block);
  /// The same, of one side of a condition; `Whole` becomes false where that is not all of it.
  void holds(const llvm::Value *Condition, bool Truth, std::vector<Polynomial> &Distances, bool &Whole);

private:
  std::optional<Polynomial> compute(const llvm::Value *V);
  /// What comes from some of the blocks before, if it is the same from all of them.
  std::optional<Polynomial> incoming(const llvm::PHINode &Phi, llvm::function_ref<bool(const llvm::BasicBlock *)> From);
  std::optional<Polynomial> binary(const llvm::Instruction &I);
  void findLoops(const llvm::Loop &L);
  std::optional<std::int64_t> findMost(const std::string &Atom) const;

  const llvm::Function &Kernel;
  KernelAccesses Known;
  llvm::DominatorTree Dominators;
  llvm::LoopInfo Loops;
  llvm::TargetLibraryInfoImpl LibraryImpl{Kernel.getParent()->getTargetTriple()};
  llvm::TargetLibraryInfo Library;
  llvm::AssumptionCache Assumptions;
  mutable llvm::ScalarEvolution Evolution;
  llvm::DenseMap<const llvm::PHINode *, unsigned> Phis;
  llvm::DenseMap<const llvm::Value *, std::optional<Polynomial>> Cache;
  mutable std::map<std::string, std::optional<std::int64_t>> Largest; ///< As `most` has it.
  /// What is known where a block runs beside what is known in the block before it that all ways lead through.
  struct Entry {
    std::vector<Polynomial> Distances;
    const llvm::BasicBlock *Outer = nullptr; ///< The next one before it where more is known.
  };
  llvm::DenseMap<const llvm::BasicBlock *, Entry> Entered;
  const llvm::PHINode *Tried = nullptr; ///< Counts, if what it is next shows it.
};

} // namespace cufuse
