#include "FreshReads.h"

#include "cufuse/Reach/DeviceIr.h"

#include <llvm/ADT/SetVector.h>
#include <llvm/ADT/SmallSet.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Operator.h>

namespace cufuse {

namespace {

/// What of a value an address is made of: itself, what is kept where it leads, what is kept there in turn, or pointers
/// that a number is computed of.
enum class Of { Itself, Kept, Deep, Number };

class OriginsOf {
public:
  std::vector<Origin> run(const llvm::Value &Address) {
    add(Address, Of::Itself);
    while (!Work.empty()) {
      const auto [V, How] = Work.pop_back_val();
      look(*V, How);
    }
    if (Found.empty())
      anywhere();
    return std::move(Found);
  }

private:
  void add(const llvm::Value &V, Of How) {
    if (Seen.insert({&V, How}).second)
      Work.push_back({&V, How});
  }

  void anywhere() { Found.push_back({}); }

  void addOperands(const llvm::Value &V, Of How) {
    for (const llvm::Value *Operand : llvm::cast<llvm::User>(V).operands())
      add(*Operand, How);
  }

  /// What is kept at the place.
  void load(const llvm::Value &Place, Of How, const llvm::DataLayout &Layout) {
    if (How == Of::Number) // that a table has distances between objects is not looked at
      return;
    if (!Place.getType()->isPointerTy())
      return add(Place, How == Of::Itself ? Of::Kept : Of::Deep);
    llvm::APInt Member(64, 0);
    const llvm::Value *Base = Place.stripAndAccumulateConstantOffsets(Layout, Member, /*AllowNonInbounds=*/true);
    if (auto *Argument = llvm::dyn_cast<llvm::Argument>(Base); Argument && Argument->hasByValAttr())
      return Found.push_back({Argument, true, Member.getSExtValue()});
    add(Place, How == Of::Itself ? Of::Kept : Of::Deep);
  }

  void object(const llvm::Value &V, Of How) {
    if (How == Of::Number)
      return;
    if (How != Of::Itself && isOfBlock(&V))
      return contents(V, How);
    Found.push_back({&V, How != Of::Itself, std::nullopt});
  }

  /// What is stored in memory of the block or of the thread.
  void contents(const llvm::Value &Memory, Of How) {
    auto Holds = [&](const llvm::Value &V) {
      add(V, Of::Itself);
      if (How == Of::Deep)
        add(V, Of::Kept);
    };
    llvm::SmallSetVector<const llvm::Value *, 8> Places;
    Places.insert(&Memory);
    for (size_t At = 0; At < Places.size(); ++At)
      for (const llvm::Use &U : Places[At]->uses()) {
        const llvm::User *User = U.getUser();
        auto *Call = llvm::dyn_cast<llvm::CallBase>(User);
        if (llvm::isa<llvm::GEPOperator, llvm::AddrSpaceCastOperator, llvm::BitCastOperator, llvm::PHINode,
                      llvm::SelectInst>(User))
          Places.insert(User);
        else if (auto *Store = llvm::dyn_cast<llvm::StoreInst>(User); Store && U.getOperandNo() == 1)
          Holds(*Store->getValueOperand());
        else if (auto *Atomic = llvm::dyn_cast<llvm::AtomicRMWInst>(User); Atomic && U.getOperandNo() == 0)
          Holds(*Atomic->getValOperand());
        else if (auto *Swap = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(User); Swap && U.getOperandNo() == 0)
          Holds(*Swap->getNewValOperand());
        else if (auto *Copy = llvm::dyn_cast<llvm::MemTransferInst>(User)) {
          if (&U == &Copy->getRawDestUse())
            load(*Copy->getRawSource(), How == Of::Deep ? Of::Kept : Of::Itself, Copy->getDataLayout());
        } else if (!llvm::isa<llvm::LoadInst, llvm::CmpInst, llvm::MemSetInst>(User) &&
                   !(Call && (Call->isLifetimeStartOrEnd() || llvm::isa<llvm::AssumeInst>(Call) ||
                              (Call->isArgOperand(&U) && Call->onlyReadsMemory(Call->getArgOperandNo(&U)) &&
                               Call->doesNotCapture(Call->getArgOperandNo(&U))))))
          anywhere();
      }
  }

  void call(const llvm::CallBase &Call, Of How) {
    if (How == Of::Number)
      return;
    if (Call.returnDoesNotAlias())
      return object(Call, How);
    if (const llvm::Value *Place = readByHint(Call))
      return load(*Place, How, Call.getDataLayout());
    for (const llvm::Value *Argument : Call.args()) {
      add(*Argument, How);
      if (Argument->getType()->isPointerTy() && Call.mayReadFromMemory())
        load(*Argument, How, Call.getDataLayout());
    }
  }

  void look(const llvm::Value &V, Of How) {
    if (llvm::isa<llvm::Argument, llvm::GlobalVariable, llvm::AllocaInst>(V))
      return object(V, How);
    if (auto *Select = llvm::dyn_cast<llvm::SelectInst>(&V))
      return add(*Select->getTrueValue(), How), add(*Select->getFalseValue(), How);
    if (auto *Call = llvm::dyn_cast<llvm::CallBase>(&V))
      return call(*Call, How);
    if (auto *Gep = llvm::dyn_cast<llvm::GEPOperator>(&V)) {
      add(*Gep->getPointerOperand(), How);
      if (How == Of::Itself)
        for (const llvm::Use &Index : Gep->indices())
          add(*Index, Of::Number);
      return;
    }
    auto *I = llvm::dyn_cast<llvm::Instruction>(&V);
    switch (llvm::Operator::getOpcode(&V)) {
    case llvm::Instruction::Load:
    case llvm::Instruction::AtomicRMW:
    case llvm::Instruction::AtomicCmpXchg:
      return load(*I->getOperand(0), How, I->getDataLayout());
    case llvm::Instruction::PtrToInt:
      return addOperands(V, How == Of::Number ? Of::Itself : How);
    case llvm::Instruction::SExt:
    case llvm::Instruction::ZExt:
    case llvm::Instruction::Mul:
      return How == Of::Number ? addOperands(V, How) : void();
    case llvm::Instruction::ICmp:
    case llvm::Instruction::FCmp:
      return;
    default:
      if (llvm::isa<llvm::User>(V))
        addOperands(V, How);
    }
  }

  std::vector<Origin> Found;
  llvm::SmallSet<std::pair<const llvm::Value *, Of>, 16> Seen;
  llvm::SmallVector<std::pair<const llvm::Value *, Of>, 8> Work;
};

/// A list may lead to where it was kept.
bool mayKeepItself(const llvm::Value &Object) {
  auto *Argument = llvm::dyn_cast<llvm::Argument>(&Object);
  return Argument && !Argument->hasByValAttr() && !Argument->hasNoAliasAttr();
}

} // namespace

std::vector<Origin> originsOf(const llvm::Value &Address) { return OriginsOf().run(Address); }

bool mayMeet(const Origin &A, const Origin &B) {
  if (!A.Object || !B.Object)
    return true;
  if (!isSamePlace(*A.Object, *B.Object))
    return false;
  return A.IsKept == B.IsKept ? !A.Member || !B.Member || *A.Member == *B.Member : mayKeepItself(*A.Object);
}

} // namespace cufuse
