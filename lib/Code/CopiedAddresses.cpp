#include "cufuse/Code/CopiedAddresses.h"

#include "FreshReads.h"

#include "cufuse/Code/Meetings.h"
#include "cufuse/Reach/AllIn.h"

#include <llvm/ADT/MapVector.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>

namespace cufuse {

namespace {

using llvm::CallBase;
using llvm::Constant;
using llvm::dyn_cast;
using llvm::Function;
using llvm::GlobalValue;
using llvm::GlobalVariable;
using llvm::Instruction;
using llvm::isa;
using llvm::Value;

/// What is known of a value: it is an address that is looked for, it points to memory that may hold one, and what that
/// holds may point to such memory in turn.
enum Kind : unsigned { Address = 1, Holder = 2, Deep = 4 };

/// Of memory in which a value of these kinds is stored, and of what is loaded from such memory.
unsigned holds(unsigned Kinds) { return Holder | (Kinds & Holder ? Deep : 0u); }
unsigned loaded(unsigned Kinds) { return Address | (Kinds & Deep ? Holder | Deep : 0u); }

/// May what is loaded be an address, or a part of one? Other members of an object lie at known places.
bool mayBeAddress(const Instruction &Load, const Value &From) {
  llvm::Type *T = Load.getType();
  if (T->isFPOrFPVectorTy())
    return false;
  const llvm::DataLayout &Layout = Load.getDataLayout();
  return Layout.getTypeStoreSize(T).getFixedValue() >= Layout.getPointerSize() ||
         isa<llvm::GEPOperator>(From.stripInBoundsConstantOffsets());
}

bool isHarmless(const CallBase &Call) {
  if (isArithmetic(Call))
    return true;
  const llvm::StringRef Name = intrinsicName(&Call);
  return llvm::any_of(llvm::ArrayRef<llvm::StringRef>{"llvm.lifetime.", "llvm.assume", "llvm.invariant.", "llvm.dbg.",
                                                      "llvm.memset.", "llvm.prefetch", "llvm.nvvm.prefetch",
                                                      "llvm.nvvm.isspacep.", "llvm.objectsize."},
                      [&](llvm::StringRef Known) { return Name.starts_with(Known); });
}

class Walk {
public:
  Walk(const DeviceIr &Ir, llvm::function_ref<bool(const clang::VarDecl &)> IsOfProgram)
      : Ir(Ir), IsOfProgram(IsOfProgram) {
    for (const Function *F : calledBy(Ir.kernel()))
      Reached.insert(F);
    Reached.insert(&Ir.kernel());
  }

  std::vector<CopiedAddress> run() {
    for (const Function &F : *Ir.kernel().getParent()) {
      const clang::ValueDecl *Declared = Ir.declared(F); // a kernel that is launched is the program's
      if (!F.isIntrinsic() && !(Declared && Declared->hasAttr<clang::CUDAGlobalAttr>()))
        add(F, Address, &F);
    }
    for (const GlobalVariable &Variable : Ir.kernel().getParent()->globals())
      if (const unsigned Kinds = kindsOf(Variable))
        add(Variable, Kinds, &Variable);
    while (!Work.empty()) {
      const Value *V = Work.pop_back_val();
      const Known Of = Values.lookup(V);
      for (const llvm::Use &U : V->uses())
        use(U, Of);
    }
    for (const auto &[Compare, Of] : Compares)
      if (!comparesOwn(*Compare))
        found(Of, *Compare, "is compared");
    return std::move(Found);
  }

private:
  struct Known {
    unsigned Kinds = 0;
    const GlobalValue *From = nullptr;
  };

  /// The module has the values of nothing but what the compiler made. Of the rest, types say what it may hold.
  unsigned kindsOf(const GlobalVariable &Variable) const {
    auto *Declared = llvm::dyn_cast_or_null<clang::VarDecl>(Ir.declared(Variable));
    if (isOfBlock(&Variable) || Variable.getName().starts_with("llvm.") || (Declared && IsOfProgram(*Declared)))
      return 0;
    if (!Declared) // a string has nothing but its text
      return Variable.isDeclaration() ? Address | Holder | Deep : 0;
    const bool Holds = anyPart(Declared->getType(), [](clang::QualType Part) -> std::optional<bool> {
      return Part->isAnyPointerType() || Part->isMemberPointerType() || Part->isReferenceType();
    });
    return Holds || leadsToCode(Declared->getType()) ? Address | Holder | Deep : Address;
  }

  void add(const Value &V, unsigned Kinds, const GlobalValue *From) {
    Known &Of = Values[&V];
    if ((Of.Kinds | Kinds) == Of.Kinds)
      return;
    Of = {Of.Kinds | Kinds, Of.From ? Of.From : From};
    Work.push_back(&V);
  }

  void found(const GlobalValue *Of, const Instruction &By, const char *What) {
    if (Said.insert(Of).second)
      Found.push_back({Of, &By, What});
  }

  void use(const llvm::Use &U, Known Of) {
    if (auto *Variable = dyn_cast<GlobalVariable>(U.getUser()))
      return Variable->getName().starts_with("llvm.") ? void() : add(*Variable, Address | holds(Of.Kinds), Of.From);
    if (isa<Constant>(U.getUser()))
      return add(*U.getUser(), Of.Kinds, Of.From);
    const auto &I = *llvm::cast<Instruction>(U.getUser());
    if (!Reached.contains(I.getFunction()))
      return;
    auto Loaded = [&](const Value &From) {
      if ((Of.Kinds & Holder) && mayBeAddress(I, From))
        add(I, loaded(Of.Kinds), Of.From);
    };
    if (isa<llvm::LoadInst>(I))
      return Loaded(*U);
    if (isa<llvm::StoreInst, llvm::AtomicRMWInst, llvm::AtomicCmpXchgInst>(I)) {
      if (const Value *To = llvm::getPointerOperand(&I) ? llvm::getPointerOperand(&I) : I.getOperand(0); To != U.get())
        return stored(*To, I, {holds(Of.Kinds), Of.From});
      return isa<llvm::StoreInst>(I) ? void() : Loaded(*U);
    }
    if (isa<llvm::GetElementPtrInst, llvm::PHINode, llvm::SelectInst, llvm::FreezeInst, llvm::BitCastInst,
            llvm::AddrSpaceCastInst, llvm::PtrToIntInst, llvm::IntToPtrInst, llvm::ZExtInst, llvm::InsertValueInst,
            llvm::ExtractValueInst, llvm::InsertElementInst, llvm::ExtractElementInst, llvm::ShuffleVectorInst>(I))
      return add(I, Of.Kinds, Of.From);
    if (auto *Call = dyn_cast<CallBase>(&I))
      return call(*Call, U, Of);
    if (isa<llvm::ReturnInst>(I))
      return returned(*I.getFunction(), Of);
    if (!(Of.Kinds & Address)) // where memory of the block lies means nothing to others
      return;
    if (isa<llvm::CmpInst>(I) || I.getOpcode() == Instruction::Sub)
      Compares.try_emplace(&I, Of.From);
    else
      found(Of.From, I, "is computed with");
  }

  void stored(const Value &To, const Instruction &I, Known Of) {
    for (const Value *Object : objectsOf(To))
      if (isOfBlock(Object))
        add(*Object, Of.Kinds, Of.From);
      else
        found(Of.From, I, "is stored");
  }

  void call(const CallBase &Call, const llvm::Use &U, Known Of) {
    if (Call.isCallee(&U) || isHarmless(Call))
      return;
    if (auto *Copy = dyn_cast<llvm::MemTransferInst>(&Call)) {
      if (&U == &Copy->getRawSourceUse() && (Of.Kinds & Holder))
        stored(*Copy->getRawDest(), Call, {Of.Kinds & (Holder | Deep), Of.From});
      return;
    }
    const Function *Callee = Call.getCalledFunction();
    const bool IsSeen = !Callee || !Callee->isDeclaration();
    if (readByHint(Call) == U.get() || intrinsicName(&Call).starts_with("llvm.nvvm.ld") ||
        (!IsSeen && Call.isArgOperand(&U) && Call.onlyReadsMemory(Call.getArgOperandNo(&U)) &&
         Call.doesNotCapture(Call.getArgOperandNo(&U)))) {
      if (!(Of.Kinds & Holder))
        return;
      if (!Call.getType()->isVoidTy())
        return mayBeAddress(Call, *U) ? add(Call, loaded(Of.Kinds), Of.From) : void();
    }
    if (Call.isInlineAsm() || !Call.isArgOperand(&U) || !IsSeen)
      return found(Of.From, Call, "is handed on");
    for (const Function *F : Reached)
      if (mayCall(Call, *F) && Call.getArgOperandNo(&U) < F->arg_size())
        add(*F->getArg(Call.getArgOperandNo(&U)), Of.Kinds, Of.From);
  }

  static bool mayCall(const CallBase &Call, const Function &F) {
    const Function *Callee = Call.getCalledFunction();
    return Callee ? Callee == &F
                  : !Call.isInlineAsm() && F.hasAddressTaken() && F.getFunctionType() == Call.getFunctionType();
  }

  void returned(const Function &By, Known Of) {
    for (const Function *F : Reached)
      for (const Instruction &I : llvm::instructions(F))
        if (auto *Call = dyn_cast<CallBase>(&I); Call && mayCall(*Call, By))
          add(*Call, Of.Kinds, Of.From);
  }

  /// Of addresses that are all the kernel's own, the output says the same: whether they are one, and how far two of one
  /// object lie apart.
  bool comparesOwn(const Instruction &I) const {
    auto *Compare = dyn_cast<llvm::ICmpInst>(&I);
    const bool IsEquality = Compare && Compare->isEquality();
    auto *Null = dyn_cast<Constant>(I.getOperand(1));
    if (IsEquality && Null && Null->isNullValue())
      return true;
    llvm::SmallPtrSet<const Value *, 4> Objects;
    for (const Value *Operand : I.operands())
      for (const Value *Object : objectsOf(*Operand))
        Objects.insert(Object);
    return llvm::all_of(Objects,
                        [](const Value *Object) { return isa<GlobalValue, llvm::ConstantPointerNull>(Object); }) &&
           (IsEquality || Objects.size() == 1);
  }

  const DeviceIr &Ir;
  const llvm::function_ref<bool(const clang::VarDecl &)> IsOfProgram;
  llvm::SmallSetVector<const Function *, 8> Reached;
  llvm::DenseMap<const Value *, Known> Values;
  llvm::SmallVector<const Value *, 32> Work;
  llvm::MapVector<const Instruction *, const GlobalValue *> Compares;
  llvm::SmallPtrSet<const GlobalValue *, 8> Said;
  std::vector<CopiedAddress> Found;
};

} // namespace

std::vector<CopiedAddress> findCopiedAddresses(const DeviceIr &Ir,
                                               llvm::function_ref<bool(const clang::VarDecl &)> IsOfProgram) {
  return Walk(Ir, IsOfProgram).run();
}

} // namespace cufuse
