#include "cufuse/Analysis/SpinLoops.h"

#include <llvm/ADT/GenericCycleImpl.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/Analysis/CycleAnalysis.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/Regex.h>

namespace cufuse {

namespace {

using llvm::AtomicRMWInst;
using llvm::Instruction;
using llvm::Value;

/// Shared memory, or the thread's own.
bool isOfBlock(const Value &Pointer) {
  const Value *Object = llvm::getUnderlyingObject(&Pointer, /*MaxLookup=*/0);
  const unsigned Space = Object->getType()->isPointerTy() ? Object->getType()->getPointerAddressSpace() : 0;
  return Space == 3 || Space == 5 || llvm::isa<llvm::AllocaInst>(Object);
}

/// A read of memory as it is now.
struct Read {
  const Instruction *I = nullptr;
  const Value *Address = nullptr;           ///< Null: anything.
  std::vector<const Value *> Operands = {}; ///< Where they stay the same, it changes nothing more.
};

class SpinLoops {
public:
  explicit SpinLoops(const llvm::Function &F) { Cycles.compute(const_cast<llvm::Function &>(F)); }

  bool waits(const Read &R) const {
    const llvm::Cycle *Innermost = Cycles.getCycle(R.I->getParent());
    for (const llvm::Cycle *Loop = Innermost; Loop; Loop = Loop->getParentCycle())
      if (decides(R, *Loop) && !(R.Address && moves(*R.Address, R, *Loop)) &&
          !(Loop != Innermost && marksOthers(R, *Loop)) &&
          llvm::all_of(R.Operands, [&](const Value *Operand) { return parts(*Operand, *Loop).empty(); }))
        return true;
    return false;
  }

private:
  /// The instructions of the loop that a value is made of.
  static llvm::SmallSetVector<const Instruction *, 16> parts(const Value &V, const llvm::Cycle &Loop) {
    llvm::SmallSetVector<const Instruction *, 16> Parts;
    auto Add = [&](const Value *Of) {
      if (auto *I = llvm::dyn_cast<Instruction>(Of); I && Loop.contains(I->getParent()))
        Parts.insert(I);
    };
    Add(&V);
    for (size_t At = 0; At < Parts.size(); ++At)
      for (const Value *Operand : Parts[At]->operands())
        Add(Operand);
    return Parts;
  }

  /// Does what it has read say where the loop goes on, or what is written to memory of the block?
  static bool decides(const Read &R, const llvm::Cycle &Loop) {
    llvm::SmallSetVector<const Instruction *, 16> Made;
    Made.insert(R.I);
    for (size_t At = 0; At < Made.size(); ++At)
      for (const llvm::User *User : Made[At]->users()) {
        auto *I = llvm::cast<Instruction>(User);
        if (!Loop.contains(I->getParent()))
          continue;
        auto *Store = llvm::dyn_cast<llvm::StoreInst>(I);
        auto *Call = llvm::dyn_cast<llvm::CallBase>(I);
        if (I->isTerminator() ||
            (Store && Store->getValueOperand() == Made[At] && isOfBlock(*Store->getPointerOperand())) ||
            (Call && !Call->isInlineAsm() && !llvm::isa<llvm::IntrinsicInst>(Call)))
          return true;
        Made.insert(I);
      }
    return false;
  }

  /// Is it another address in each turn, whatever has been read there?
  static bool moves(const Value &Address, const Read &R, const llvm::Cycle &Loop) {
    return llvm::any_of(parts(Address, Loop), [&](const Instruction *Part) {
      auto *Counter = llvm::dyn_cast<AtomicRMWInst>(Part);
      if (Counter && Counter->getOperation() == AtomicRMWInst::Add)
        return true;
      auto *Phi = llvm::dyn_cast<llvm::PHINode>(Part);
      return Phi && llvm::is_contained(Loop.getEntries(), Phi->getParent()) && changes(*Phi, R, Loop);
    });
  }

  /// Does it mark a place that the loop has looked up, in an inner loop? The next turn of the outer one marks others.
  static bool marksOthers(const Read &R, const llvm::Cycle &Loop) {
    auto IsLoad = [](const Instruction *Part) { return llvm::isa<llvm::LoadInst>(Part); };
    return !IsLoad(R.I) && R.Address && llvm::any_of(parts(*R.Address, Loop), IsLoad);
  }

  static bool changes(const llvm::PHINode &Phi, const Read &R, const llvm::Cycle &Loop) {
    // What it may become without any arithmetic.
    llvm::SmallSetVector<const Value *, 8> Next;
    for (unsigned I = 0; I < Phi.getNumIncomingValues(); ++I)
      if (Loop.contains(Phi.getIncomingBlock(I)))
        Next.insert(Phi.getIncomingValue(I));
    for (size_t At = 0; At < Next.size(); ++At) {
      auto *I = llvm::dyn_cast<Instruction>(Next[At]);
      if (!I || !Loop.contains(I->getParent()) || I == &Phi || parts(*I, Loop).contains(R.I))
        return false;
      if (llvm::isa<llvm::PHINode, llvm::SelectInst>(I))
        Next.insert(I->op_begin() + (llvm::isa<llvm::SelectInst>(I) ? 1 : 0), I->op_end());
    }
    return true;
  }

  llvm::CycleInfo Cycles;
};

std::optional<Read> ofAssembly(const llvm::CallBase &Call) {
  static const llvm::Regex Load("(^|[^a-z0-9_.])ld\\.[a-z0-9_.:]*"),
      Now("\\.(volatile|relaxed|acquire|mmio|cv|cg)([^a-z]|$)"), Atomic("(^|[^a-z0-9_.])atom\\.[a-z0-9_.:]*");
  llvm::StringRef Text = llvm::cast<llvm::InlineAsm>(Call.getCalledOperand())->getAsmString();
  llvm::SmallVector<llvm::StringRef, 2> Parts;
  const bool Reads = (Load.match(Text, &Parts) && Now.match(Parts[0])) || Atomic.match(Text, &Parts);
  if (!Reads || Parts[0].contains(".shared"))
    return std::nullopt;
  Read R{&Call};
  for (const llvm::Use &Operand : Call.args())
    if (Operand->getType()->isPointerTy())
      R.Address = Operand;
    else
      R.Operands.push_back(Operand);
  return R;
}

/// Writing once more what was written changes nothing.
std::optional<Read> ofAtomic(const AtomicRMWInst &Atomic) {
  switch (Atomic.getOperation()) {
  case AtomicRMWInst::Add:
  case AtomicRMWInst::Sub:
  case AtomicRMWInst::Xor:
  case AtomicRMWInst::FAdd:
  case AtomicRMWInst::FSub:
    if (auto *Operand = llvm::dyn_cast<llvm::Constant>(Atomic.getValOperand()); !Operand || !Operand->isZeroValue())
      return std::nullopt;
    break;
  default:
    break;
  }
  return Read{&Atomic, Atomic.getPointerOperand(), {Atomic.getValOperand()}};
}

std::optional<Read> readOf(const Instruction &I, bool CalleesRead) {
  auto *Load = llvm::dyn_cast<llvm::LoadInst>(&I);
  if (Load && (Load->isVolatile() || Load->isAtomic()))
    return Read{&I, Load->getPointerOperand()};
  if (auto *Atomic = llvm::dyn_cast<AtomicRMWInst>(&I))
    return ofAtomic(*Atomic);
  if (auto *Atomic = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&I))
    return Read{&I, Atomic->getPointerOperand(), {Atomic->getCompareOperand(), Atomic->getNewValOperand()}};
  auto *Call = llvm::dyn_cast<llvm::CallBase>(&I);
  if (!Call)
    return std::nullopt;
  if (Call->isInlineAsm())
    return ofAssembly(*Call);
  const llvm::Function *Callee = Call->getCalledFunction();
  if (!Callee || !Callee->isDeclaration())
    return CalleesRead ? std::optional(Read{&I}) : std::nullopt;
  // atomicCAS_system and the like, and what LLVM has no instruction for.
  if (!Callee->getName().contains("atom") || Callee->getName().contains("add") || Call->arg_empty())
    return std::nullopt;
  return Read{&I, Call->getArgOperand(0), {Call->arg_begin() + 1, Call->arg_end()}};
}

/// The kernel, and what is not inlined there: functions that call themselves, and those that pointers may lead to.
llvm::SmallVector<const llvm::Function *, 8> functionsOf(const DeviceIr &Ir) {
  llvm::SmallSetVector<const llvm::Function *, 8> Functions;
  Functions.insert(&Ir.kernel());
  for (const llvm::Function &F : *Ir.kernel().getParent())
    if (F.hasAddressTaken())
      Functions.insert(&F);
  for (size_t At = 0; At < Functions.size(); ++At)
    for (const Instruction &I : llvm::instructions(*Functions[At]))
      if (auto *Call = llvm::dyn_cast<llvm::CallBase>(&I); Call && Call->getCalledFunction())
        Functions.insert(Call->getCalledFunction());
  return Functions.takeVector();
}

} // namespace

std::optional<Finding> findSpinLoop(const DeviceIr &Ir) {
  const auto Functions = functionsOf(Ir);
  const bool CalleesRead = llvm::any_of(llvm::drop_begin(Functions), [](const llvm::Function *F) {
    return llvm::any_of(llvm::instructions(*F),
                        [](const Instruction &I) { return readOf(I, /*CalleesRead=*/false).has_value(); });
  });
  for (const llvm::Function *F : Functions) {
    std::optional<SpinLoops> Loops;
    for (const Instruction &I : llvm::instructions(*F)) {
      const std::optional<Read> R = readOf(I, CalleesRead);
      if (!R || (R->Address && isOfBlock(*R->Address)) || Ir.isOfGroups(I))
        continue;
      if (!Loops)
        Loops.emplace(*F);
      if (!Loops->waits(*R))
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
