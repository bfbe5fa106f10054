// What the values of a kernel's device IR are in polynomials.
#pragma once

#include "cufuse/Kernel/Accesses.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/InstrTypes.h>

namespace cufuse {

class IrValues {
public:
  IrValues(const llvm::Function &Kernel, std::vector<ParameterAccess> Parameters);

  /// Nothing if it is not known, as what is loaded.
  std::optional<Polynomial> of(const llvm::Value *V);
  /// What `Of` gives where values are atoms that every thread loads, wherever it goes, from an array of integers whose
  /// index is known. Nothing where such an atom is divided.
  std::optional<Polynomial> byData(llvm::function_ref<std::optional<Polynomial>()> Of);
  /// A value may be one of several, by `?:`, `max`, `min` and where ways meet, and a loop may begin at such a one.
  /// Calls `Each` for every choice among those that `V` is made of, and by which loops around the block end, with what
  /// is known then; `of` goes by that choice meanwhile. False if there is none, or if there are too many.
  bool byChoice(const llvm::Value *V, const llvm::BasicBlock &At, llvm::function_ref<void(std::vector<Less>)> Each);
  /// Parameters, loops and quotients, no sites.
  KernelAccesses &known() { return Known; }
  /// The loop in `known` whose variable a phi is.
  std::optional<unsigned> loop(const llvm::PHINode *Phi) const;
  /// Is a phi a polynomial of what its loop counts?
  bool counts(const llvm::PHINode &Phi) const { return Phis.contains(&Phi) || Following.contains(&Phi); }
  /// Counts it the elements of a grid for all threads, each of which adds its number? The loop in `known` counts those
  /// of the thread.
  bool countsForAll(const llvm::PHINode &Phi) const { return Phis.contains(&Phi) && Following.contains(&Phi); }
  /// Is it what such a loop asks whether it goes on?
  bool endsForAll(const llvm::Instruction &I) const;
  const llvm::DataLayout &layout() const { return Kernel.getDataLayout(); }
  /// Is it a quotient of what may have lost bits?
  bool mayDivideOther(const llvm::Instruction &I);
  const llvm::LoopInfo &loops() const { return Loops; }

  const llvm::DominatorTree &dominators() const { return Dominators; }
  /// The loops whose variables it has.
  llvm::SmallVector<const llvm::Loop *, 2> loopsIn(const Polynomial &P) const;
  /// Are those of them around the block?
  bool isKnownIn(const Polynomial &P, const llvm::BasicBlock &Block) const;

  /// What is known on one side of a condition; `Whole` becomes false where that is not all of it.
  void holds(const llvm::Value *Condition, bool Truth, std::vector<Less> &Holds, bool &Whole);
  /// Where a value is minus infinity by `?:`, or by the way on which it comes.
  std::vector<Mask> masks(const llvm::Value *V, const llvm::BasicBlock &At);

private:
  /// The first one that `V` is made of, and that nothing was chosen for yet.
  const llvm::Instruction *nextChoice(const llvm::Value *V, unsigned Depth = 64) const;
  bool choose(const llvm::Value *V, const llvm::BasicBlock &At, llvm::SmallVectorImpl<const llvm::Instruction *> &Made,
              unsigned &Left, llvm::function_ref<void(std::vector<Less>)> Each);
  std::vector<const llvm::ICmpInst *> endsAround(const llvm::BasicBlock &Block) const;
  /// Of `i > 0 ? i : 0`, where i is made of numbers of threads and blocks: i.
  std::optional<Polynomial> unlessBelowZero(const llvm::Instruction &I);
  void holdsWhereChosen(const llvm::Instruction &I, const llvm::Value *Among, std::vector<Less> &Holds);
  std::optional<Polynomial> compute(const llvm::Value *V);
  /// What comes from some of the blocks before, if it is the same from all of them.
  std::optional<Polynomial> incoming(const llvm::PHINode &Phi, llvm::function_ref<bool(const llvm::BasicBlock *)> From);
  std::optional<Polynomial> binary(const llvm::Instruction &I);
  std::optional<Polynomial> field(const llvm::Instruction &I);
  std::optional<Polynomial> loaded(const llvm::LoadInst &Load);
  std::optional<Polynomial> bits(const llvm::Value *V, unsigned From, unsigned Count, unsigned Depth);
  /// Made of what a launch knows: of parameters and the grid.
  bool isOfLaunch(const Polynomial &P) const;
  void findLoops(const llvm::Loop &L);
  void countByThread(const llvm::Loop &L, const llvm::PHINode &Phi, LoopAccess &Found);
  void holdsByWay(const llvm::PHINode &Phi, bool Truth, std::vector<Less> &Holds, bool &Whole);
  void holdsOnWay(const llvm::PHINode &Phi, unsigned Way, std::vector<Less> &Holds, bool &Whole);
  void holdsCompared(llvm::CmpInst::Predicate How, const llvm::Value *A, const llvm::Value *B,
                     const llvm::BasicBlock &At, std::vector<Less> &Holds, bool &Whole);
  bool isNotNegativeBehind(const Polynomial &P, const llvm::BasicBlock &At);
  /// The fewest bits in which a part of it was computed.
  bool mayHaveLost(const llvm::Value *V, bool Signed);
  unsigned fewestBits(const llvm::Value *V, unsigned Depth = 0) const;
  std::string nameOf(const llvm::PHINode &Phi) const;

  const llvm::Function &Kernel;
  KernelAccesses Known;
  llvm::DominatorTree Dominators;
  llvm::LoopInfo Loops;
  llvm::DenseMap<const llvm::PHINode *, unsigned> Phis;
  llvm::DenseMap<const llvm::Value *, std::optional<Polynomial>> Cache, DataCache;
  bool ByData = false;
  std::map<std::string, const llvm::Loop *, std::less<>> OfLoop; ///< By variable.
  llvm::DenseMap<const llvm::PHINode *, Polynomial> Following;   ///< Variables that count with another one's atom.
  /// What a loop's variable starts at that is no polynomial: the loop in `known` counts from there, from 0 on.
  llvm::DenseMap<const llvm::PHINode *, const llvm::Value *> From;
  llvm::DenseMap<const llvm::Value *, const llvm::Value *> Chosen;
  const llvm::PHINode *Tried = nullptr; ///< Counts, if what it is next shows it.
};

} // namespace cufuse
