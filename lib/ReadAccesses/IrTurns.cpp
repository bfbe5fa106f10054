#include "IrTurns.h"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/GlobalVariable.h>

#include <array>

namespace cufuse {

namespace {

/// Does a loop's variable begin at the thread's number?
bool isOfThread(const llvm::PHINode &Phi, IrValues &Values) {
  const auto Id = Values.loop(&Phi);
  return Id && Values.known().Loops[*Id].Start.contains(builtinAtom(Builtin::ThreadIdx, 0));
}
bool isOfThread(const llvm::Loop &L, IrValues &Values) {
  return llvm::any_of(L.getHeader()->phis(), [&](const llvm::PHINode &Phi) { return isOfThread(Phi, Values); });
}

/// A special register that is not the same for all threads of a block.
bool isOfThread(llvm::StringRef Callee) {
  return Callee.consume_front("llvm.nvvm.read.ptx.sreg.") &&
         llvm::none_of(std::array{"ntid", "ctaid", "nctaid", "warpsize", "gridid"},
                       [&](const char *Each) { return Callee.starts_with(Each); });
}

class Turns {
public:
  Turns(const llvm::Loop &L, IrValues &Values, const IrMemory &Memory) : L(L), Values(Values), Memory(Memory) {
    for (const IrAccess &Access : Memory.Accesses)
      Accesses[Access.By].push_back(&Access);
  }

  RowTurns run() {
    RowLoop &Loop = Result.Loop;
    Loop.Header = L.getHeader();
    Loop.Exiting = L.getExitingBlock();
    Loop.Exit = L.getExitBlock();
    Loop.Blocks.assign(L.block_begin(), L.block_end());
    if (!L.getLoopLatch())
      found(*L.getHeader()->getTerminator(), "it goes on at several places");
    else if (!Loop.Exiting || !Loop.Exit)
      found(*L.getHeader()->getTerminator(), "it ends at several places");
    else
      for (const llvm::PHINode &Phi : L.getHeader()->phis())
        leaves(Phi);
    for (const llvm::BasicBlock *Block : L.blocks())
      for (const Instruction &I : *Block)
        if (!I.isDebugOrPseudoInst() && !I.isLifetimeStartOrEnd() && !isOfHeader(I))
          see(I);
    for (const auto *All : {&Memory.Together, &Memory.Reports})
      for (const auto &[By, What] : *All)
        if (L.contains(By))
          found(*By, "it calls " + What);
    return std::move(Result);
  }

private:
  void found(const Instruction &I, std::string What) { Result.Bound.emplace_back(&I, std::move(What)); }

  void leaves(const llvm::PHINode &Phi) {
    Accumulation Of(Phi, L);
    if (Values.counts(Phi) ? isOfThread(Phi, Values) && !std::exchange(Counted, true) : Of.run()) {
      if (!Values.counts(Phi))
        Result.Loop.Leaves.push_back({&Phi, {Of.values().begin(), Of.values().end()}, Of.known()});
      return;
    }
    found(Phi, "it leaves " + nameOf(Phi) + " to the next turn, which is no sum");
  }

  bool isOfHeader(const Instruction &I) const { return llvm::isa<llvm::PHINode>(I) && I.getParent() == L.getHeader(); }

  // What stands in the loop.

  void see(const Instruction &I) {
    if (isOfThread(calleeOf(I)))
      return found(I, nameOf(I) + " depends on the thread");
    for (const llvm::Use &Each : I.operands())
      if (auto *From = llvm::dyn_cast<Instruction>(Each);
          From && !L.contains(From) && !llvm::isa<llvm::AllocaInst>(From) && Known.insert(From).second)
        Result.Loop.Takes.push_back(From);
    auto *Load = llvm::dyn_cast<llvm::LoadInst>(&I);
    if (Load && L.isLoopInvariant(Load->getPointerOperand()) && !isOfTurn(*Load->getPointerOperand()))
      Result.Loop.Loads.push_back(Load);
    const auto Own = Accesses.find(&I);
    if (Own != Accesses.end()) {
      if (llvm::any_of(Own->second, [](const IrAccess *Each) {
            return Each->What == IrAccess::Kind::Atomic || Each->What == IrAccess::Kind::Any;
          }))
        found(I, "what it does with an array is not known");
      return;
    }
    if (llvm::any_of(Memory.Elsewhere, [&](const auto &Each) { return Each.first == &I; }))
      found(I, "it uses memory that no parameter leads to");
    else if (Load)
      loads(I, *Load->getPointerOperand());
    else if (I.mayWriteToMemory())
      for (const llvm::Use &Each : I.operands())
        if (Each->getType()->isPointerTy() && !llvm::isa<llvm::Function>(Each) && !isOfTurn(*Each))
          found(I, "it stores to " + nameOf(*llvm::getUnderlyingObject(Each)));
  }

  void loads(const Instruction &I, const llvm::Value &From) {
    const llvm::Value *Of = llvm::getUnderlyingObject(&From);
    auto *Variable = llvm::dyn_cast<llvm::GlobalVariable>(Of);
    constexpr unsigned Constant = 4;
    if (!L.isLoopInvariant(&From) && !isOfTurn(From) &&
        !(Variable && (Variable->isConstant() || Variable->getAddressSpace() == Constant)))
      found(I, "another element of " + nameOf(*Of) + " in every turn");
  }

  /// Of a variable that begins anew in each turn.
  bool isOfTurn(const llvm::Value &Pointer) const {
    const llvm::Value *Of = llvm::getUnderlyingObject(&Pointer);
    return llvm::isa<llvm::AllocaInst>(Of) && llvm::any_of(Of->users(), [&](const llvm::User *User) {
             auto *I = llvm::dyn_cast<Instruction>(User);
             return I && I->isLifetimeStartOrEnd() && L.contains(I);
           });
  }

  const llvm::Loop &L;
  IrValues &Values;
  const IrMemory &Memory;
  llvm::DenseMap<const Instruction *, std::vector<const IrAccess *>> Accesses;
  ValueSet Known;
  bool Counted = false;
  RowTurns Result;
};

} // namespace

std::optional<RowTurns> turnsOf(const llvm::Loop &L, IrValues &Values, const IrMemory &Memory) {
  return isOfThread(L, Values) ? std::optional(Turns(L, Values, Memory).run()) : std::nullopt;
}

} // namespace cufuse
