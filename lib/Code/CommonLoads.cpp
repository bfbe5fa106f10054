#include "DeviceUniformity.h"

#include "cufuse/Reach/Assembly.h"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Support/NVPTXAddrSpace.h>

namespace cufuse {

using llvm::StringRef;

namespace {

bool ordersByMemory(const DeviceIr &Ir) {
  return llvm::any_of(llvm::instructions(Ir.kernel()), [&](const llvm::Instruction &I) {
    if (I.isAtomic() || I.isVolatile())
      return true;
    auto *Call = llvm::dyn_cast<llvm::CallBase>(&I);
    if (!Call)
      return false;
    if (Call->isInlineAsm())
      return llvm::any_of(assemblyIn(*Call), [](const PtxStatement &S) {
        return llvm::is_contained({"atom", "red", "multimem", "fence", "membar", "mbarrier", "nanosleep"}, S.name()) ||
               S.hasAny({"warp", "volatile", "relaxed", "acquire", "release", "acq_rel"});
      });
    StringRef Name = intrinsicName(Call);
    if (!Name.consume_front("llvm.nvvm."))
      return Name.empty() && Call->mayWriteToMemory() && !isArithmetic(*Call) && !readByHint(*Call);
    // Lanes that come to the same number of meetings at different times see what others stored between these.
    return Name == "bar.warp.sync" || Name.starts_with("atom") || Name.starts_with("fence") ||
           Name.starts_with("membar") || Name.starts_with("mbarrier");
  });
}

/// Dynamic shared memory, which begins at one place whatever its name is.
bool isDynamicShared(const llvm::Value *V) {
  auto *Variable = llvm::dyn_cast<llvm::GlobalVariable>(V);
  return Variable && Variable->isDeclaration() && Variable->getAddressSpace() == llvm::NVPTXAS::ADDRESS_SPACE_SHARED;
}

/// May both lead to the same memory?
bool mayMeet(const llvm::Value *A, const llvm::Value *B) {
  const llvm::Value *OfA = llvm::getUnderlyingObject(A), *OfB = llvm::getUnderlyingObject(B);
  if (OfA == OfB || (isDynamicShared(OfA) && isDynamicShared(OfB)))
    return true;
  const unsigned SpaceA = OfA->getType()->getPointerAddressSpace(), SpaceB = OfB->getType()->getPointerAddressSpace();
  if (SpaceA != SpaceB && SpaceA != 0 && SpaceB != 0)
    return false;
  // The host may give a __device__ variable's address as an argument.
  auto IsGiven = [](const llvm::Value *V) {
    auto *Argument = llvm::dyn_cast<llvm::Argument>(V);
    auto *Variable = llvm::dyn_cast<llvm::GlobalVariable>(V);
    return (Argument && !Argument->hasByValAttr() && !Argument->hasNoAliasAttr()) ||
           (Variable && !Variable->isConstant() && Variable->getAddressSpace() <= llvm::NVPTXAS::ADDRESS_SPACE_GLOBAL);
  };
  auto IsObject = [](const llvm::Value *V) {
    return llvm::isa<llvm::GlobalVariable, llvm::AllocaInst, llvm::Argument>(V);
  };
  const bool AreVariables = llvm::isa<llvm::GlobalVariable>(OfA) && llvm::isa<llvm::GlobalVariable>(OfB);
  return !IsObject(OfA) || !IsObject(OfB) || (!AreVariables && IsGiven(OfA) && IsGiven(OfB));
}

} // namespace

CommonLoads::CommonLoads(const DeviceIr &Ir, const llvm::Function &F) : Ir(Ir), OrdersByMemory(ordersByMemory(Ir)) {
  for (const llvm::Instruction &I : llvm::instructions(F))
    if (const llvm::Value *To = Reads.changedBy(I); To && !Reads.isOfBlock(*To))
      ForOthers.push_back(&I);
}

bool CommonLoads::mayChange(const llvm::Instruction &Load, const llvm::Value *Pointer) {
  auto *Global = llvm::dyn_cast<llvm::GlobalVariable>(llvm::getUnderlyingObject(Pointer));
  if (Global && Global->getAddressSpace() == llvm::NVPTXAS::ADDRESS_SPACE_CONST)
    return false;
  return maySomeBlockStore(Load, Pointer) || mayChangeBetweenBarriers(Load, Pointer);
}

bool CommonLoads::maySomeBlockStore(const llvm::Instruction &Load, const llvm::Value *Pointer) {
  const Read There{.I = &Load, .Address = Pointer};
  return !Reads.isOfBlock(*Pointer) &&
         llvm::any_of(ForOthers, [&](const llvm::Instruction *I) { return Reads.mayMeet(*I, There); });
}

/// May the instruction change what the pointer leads to?
bool CommonLoads::mayStore(const llvm::Instruction &I, const llvm::Value *Pointer) {
  auto *Call = llvm::dyn_cast<llvm::CallBase>(&I);
  if (!Call || llvm::isa<llvm::MemIntrinsic>(Call)) {
    const llvm::Value *To = Reads.changedBy(I);
    return To && mayMeet(To, Pointer);
  }
  if (!Call->mayWriteToMemory() || readByHint(*Call))
    return false;
  // Intrinsics write where they are told to, as atomics of the block's scope do.
  return (!isArithmetic(*Call) && intrinsicName(Call).empty()) ||
         llvm::any_of(Call->args(), [&](const llvm::Value *Argument) {
           return Argument->getType()->isPointerTy() && mayMeet(Argument, Pointer);
         });
}

bool CommonLoads::mayChangeBetweenBarriers(const llvm::Instruction &Load, const llvm::Value *Pointer) {
  auto Stores = [&](const llvm::Instruction &I) {
    auto *Store = llvm::dyn_cast<llvm::StoreInst>(&I);
    return OrdersByMemory ? mayStore(I, Pointer) : Store && isSamePlace(*Store->getPointerOperand(), *Pointer);
  };
  auto IsBarrier = [&](const llvm::Instruction &I) {
    auto *Call = llvm::dyn_cast<llvm::CallBase>(&I);
    return Call && meets(Ir, *Call) == Meets::Block;
  };
  for (const bool Forward : {true, false}) {
    llvm::DenseSet<const llvm::BasicBlock *> Seen;
    // From behind the load (before it) to the end (start) of its block, then through whole blocks.
    std::vector<std::pair<const llvm::BasicBlock *, const llvm::Instruction *>> Work = {{Load.getParent(), &Load}};
    while (!Work.empty()) {
      const auto [Block, From] = Work.back();
      Work.pop_back();
      bool Ends = false;
      auto Look = [&](const llvm::Instruction &I) {
        Ends = IsBarrier(I);
        return !Ends && Stores(I);
      };
      const llvm::Instruction *I =
          From ? (Forward ? From->getNextNode() : From->getPrevNode()) : (Forward ? &Block->front() : &Block->back());
      for (; I && !Ends; I = Forward ? I->getNextNode() : I->getPrevNode())
        if (Look(*I))
          return true;
      if (Ends)
        continue;
      auto Add = [&](const llvm::BasicBlock *Next) {
        if (Seen.insert(Next).second)
          Work.push_back({Next, nullptr});
      };
      if (Forward)
        llvm::for_each(llvm::successors(Block), Add);
      else
        llvm::for_each(llvm::predecessors(Block), Add);
    }
  }
  return false;
}

} // namespace cufuse
