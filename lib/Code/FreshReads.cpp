#include "FreshReads.h"

#include "cufuse/Reach/Assembly.h"

#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Analysis/MemoryLocation.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>

#include <numeric>

namespace cufuse {

namespace {

using llvm::AtomicCmpXchgInst;
using llvm::AtomicRMWInst;
using llvm::dyn_cast;
using llvm::Instruction;
using llvm::isa;
using llvm::StringRef;
using llvm::Value;

bool isZero(const Value *V) {
  auto *C = dyn_cast_or_null<llvm::Constant>(V);
  return C && C->isZeroValue();
}

/// A number in assembly: `0f00000000`, too. What the text computes itself may be none.
bool isZero(StringRef Word) {
  if (Word.starts_with("$") || Word == "-")
    return false;
  (void)(Word.consume_front("0x") || Word.consume_front("0f") || Word.consume_front("0d"));
  return Word.empty() || !llvm::isHexDigit(Word[0]) || Word.find_first_not_of("0U") == StringRef::npos;
}

bool hasAny(StringRef Text, std::initializer_list<StringRef> Parts) {
  return llvm::any_of(Parts, [&](StringRef Part) { return Text.contains(Part); });
}

std::optional<Read> ofAssembly(const llvm::CallBase &Call) {
  const auto &Assembly = *llvm::cast<llvm::InlineAsm>(Call.getCalledOperand());
  const size_t Outputs = llvm::count_if(Assembly.ParseConstraints(), [](const llvm::InlineAsm::ConstraintInfo &C) {
    return C.Type == llvm::InlineAsm::isOutput;
  });
  auto Argument = [&](StringRef Word) -> const Value * {
    size_t N = 0;
    return Word.consume_front("$") && !Word.getAsInteger(10, N) && N >= Outputs && N - Outputs < Call.arg_size()
               ? Call.getArgOperand(unsigned(N - Outputs))
               : nullptr;
  };
  bool Branches = false;
  std::optional<Read> R;
  for (const PtxStatement &S : assemblyIn(Call)) {
    const StringRef How = S.Opcode;
    Branches |= S.name() == "bra";
    // What stands in brackets first, and behind the last of them.
    llvm::SmallVector<StringRef, 2> Places;
    StringRef Behind;
    for (size_t At = 0; At + 1 < S.Operands.size(); ++At)
      if (S.Operands[At] == "[")
        Places.push_back(S.Operands[At + 1]), Behind = "";
      else if (S.Operands[At] == "]")
        Behind = *std::find_if(S.Operands.begin() + At + 1, S.Operands.end() - 1,
                               [](StringRef Word) { return Word != "," && Word != "{"; });
    if (How.starts_with("cp.async.") && How.find(".shared") < How.find(".global") && Places.size() > 1) {
      R = {.I = &Call, .Address = R ? nullptr : Argument(Places[1]), .IsPlain = true, .To = Argument(Places[0])};
      continue;
    }
    // From shared memory to where the first place is.
    const bool IsCopyOut = S.name() == "cp" && How.contains(".shared") && How.find(".global") < How.find(".shared");
    if (Places.empty() || hasAny(How, {".param", ".local", ".const", ".nc"}) ||
        !(IsCopyOut || llvm::is_contained({"ld", "suld", "st", "atom", "red", "multimem", "mbarrier"}, S.name())))
      continue;
    const bool IsMbarrier = S.name() == "mbarrier",
               IsNow = S.hasAny({"volatile", "relaxed", "acquire", "mmio", "cv", "lu"});
    const bool Loads = S.name().ends_with("ld") || How.contains(".ld_reduce") || (IsMbarrier && How.contains("_wait"));
    const bool IsCached = Loads && !IsNow && How.contains(".cg");
    Read Found{.I = &Call,
               .Address = Argument(IsCopyOut ? Places.front() : Places.back()),
               .IsPlain = Loads && !Assembly.hasSideEffects() && !IsNow && !IsCached,
               .IsCached = IsCached,
               .IsOfBlock = IsMbarrier || (How.contains(".shared") && !IsCopyOut),
               .IsMbarrier = IsMbarrier};
    if (R && R->IsOfBlock != Found.IsOfBlock) {
      if (Found.IsOfBlock)
        continue;
    } else if (R)
      Found.Address = nullptr;
    if (!Loads) {
      Found.Operand = Argument(Behind);
      Found.Does = How.contains(".cas") ? Effect::Compares : Effect::Marks;
      if (How.contains(".add"))
        Found.Does = isZero(Found.Operand) || isZero(Behind) ? Effect::None : Effect::Adds;
    }
    R = Found;
  }
  if (R)
    R->IsLoop = !R->IsOfBlock && Branches;
  return R;
}

Read ofAtomic(const AtomicRMWInst &Atomic) {
  Read R{&Atomic, Atomic.getPointerOperand(), Effect::Marks, Atomic.getValOperand()};
  switch (Atomic.getOperation()) {
  case AtomicRMWInst::Add:
  case AtomicRMWInst::Sub:
  case AtomicRMWInst::FAdd:
  case AtomicRMWInst::FSub:
    R.Does = isZero(R.Operand) ? Effect::None : Effect::Adds;
    break;
  case AtomicRMWInst::UIncWrap:
  case AtomicRMWInst::UDecWrap: // else around and around
    if (auto *Limit = dyn_cast<llvm::ConstantInt>(R.Operand); Limit && Limit->isMinusOne())
      R.Does = Effect::Adds;
    break;
  case AtomicRMWInst::Or:
  case AtomicRMWInst::Xor:
    if (isZero(R.Operand))
      R.Does = Effect::None;
    break;
  case AtomicRMWInst::Xchg:
    break;
  default: // A bound that is a constant: reached once, it stays.
    R.IsBound = isa<llvm::Constant>(R.Operand);
    if (R.IsBound)
      R.Does = Effect::None;
  }
  return R;
}

std::optional<Read> readOf(const Instruction &I) {
  if (auto *Load = dyn_cast<llvm::LoadInst>(&I)) {
    const bool IsPlain = !Load->isVolatile() && !Load->isAtomic();
    if (IsPlain && (Load->hasMetadata(llvm::LLVMContext::MD_invariant_load) || Load->getPointerAddressSpace() == 4))
      return std::nullopt;
    return Read{.I = &I, .Address = Load->getPointerOperand(), .IsPlain = IsPlain};
  }
  if (auto *Copy = dyn_cast<llvm::MemTransferInst>(&I))
    return Read{.I = &I, .Address = Copy->getRawSource(), .IsPlain = !Copy->isVolatile()};
  if (auto *Atomic = dyn_cast<AtomicRMWInst>(&I))
    return ofAtomic(*Atomic);
  if (auto *Atomic = dyn_cast<AtomicCmpXchgInst>(&I)) {
    const bool Writes = Atomic->getCompareOperand() != Atomic->getNewValOperand();
    return Read{&I, Atomic->getPointerOperand(), Writes ? Effect::Compares : Effect::None, Atomic->getCompareOperand()};
  }
  auto *Call = dyn_cast<llvm::CallBase>(&I);
  if (!Call)
    return std::nullopt;
  if (Call->isInlineAsm())
    return ofAssembly(*Call);
  const llvm::Function *Callee = Call->getCalledFunction();
  if (!Callee || !Callee->isDeclaration())
    return std::nullopt;
  // atomicCAS_system and the like, and what LLVM has no instruction for.
  const StringRef Name = Callee->getName();
  if (const Value *Hinted = readByHint(*Call))
    return Read{.I = &I, .Address = Hinted, .IsCached = true};
  if (!Name.contains("atom") || Call->arg_empty())
    return std::nullopt;
  Read R{&I, Call->getArgOperand(0), Effect::Marks, Call->arg_size() > 1 ? Call->getArgOperand(1) : nullptr};
  if (hasAny(Name, {"cas", "compare"}))
    R.Does = Effect::Compares;
  else if (hasAny(Name, {"add", "sub"}))
    R.Does = isZero(R.Operand) ? Effect::None : Effect::Adds;
  else if (Name.contains("load"))
    R.Does = Effect::None;
  return R;
}

/// Bytes of an array's elements, which are alike for all threads.
struct Member {
  const Value *Array = nullptr; ///< Of the kernel's arguments, or a variable.
  uint64_t Element = 0;         ///< So many bytes lie between two; 0: no elements.
  int64_t Begin = 0, Bytes = 0;
};

uint64_t bytesOf(const Instruction &I) {
  auto *Copy = dyn_cast<llvm::MemIntrinsic>(&I);
  const auto Known = Copy ? llvm::MemoryLocation::getForDest(Copy) : llvm::MemoryLocation::getOrNone(&I);
  return Known && Known->Size.isPrecise() ? Known->Size.getValue().getFixedValue() : 0;
}

/// What an instruction reads or writes at the address, if that is known.
std::optional<Member> memberOf(const Instruction &I, const Value &Address) {
  const llvm::DataLayout &Layout = I.getDataLayout();
  Member M{.Bytes = int64_t(bytesOf(I))};
  llvm::APInt Offset(64, 0);
  const Value *Place = Address.stripPointerCasts();
  while (auto *Gep = dyn_cast<llvm::GEPOperator>(Place)) {
    llvm::SmallMapVector<Value *, llvm::APInt, 4> Indices;
    if (!Gep->isInBounds() || !Gep->collectOffset(Layout, 64, Indices, Offset))
      return std::nullopt;
    for (const auto &[Index, Bytes] : Indices)
      M.Element = std::gcd(M.Element, Bytes.getZExtValue());
    Place = Gep->getPointerOperand()->stripPointerCasts();
  }
  M.Array = Place;
  M.Begin = Offset.getSExtValue();
  auto *Argument = dyn_cast<llvm::Argument>(Place);
  const bool IsAlike = isa<llvm::GlobalValue>(Place) ||
                       (Argument && Argument->getParent()->getCallingConv() == llvm::CallingConv::PTX_Kernel);
  return IsAlike && M.Bytes > 0 ? std::optional(M) : std::nullopt;
}

bool isSame(const Value &A, const Value &B, unsigned Depth) {
  if (A.stripPointerCasts() == B.stripPointerCasts())
    return true;
  auto *X = dyn_cast<Instruction>(&A), *Y = dyn_cast<Instruction>(&B);
  return Depth > 0 && X && Y && !isa<llvm::PHINode>(X) && X->isSameOperationAs(Y) &&
         llvm::all_of(llvm::zip(X->operands(), Y->operands()),
                      [&](const auto &Pair) { return isSame(*std::get<0>(Pair), *std::get<1>(Pair), Depth - 1); });
}

} // namespace

bool isOfUnknownCode(const Instruction &I) {
  auto *Call = dyn_cast<llvm::CallBase>(&I);
  return Call && !Call->isInlineAsm() && (!Call->getCalledFunction() || !Call->getCalledFunction()->isDeclaration());
}

const Value *readByHint(const llvm::CallBase &Call) {
  const llvm::Function *Callee = Call.getCalledFunction();
  // A class is returned by way of a pointer in front.
  const Value *Last = Callee && !Call.arg_empty() ? Call.getArgOperand(Call.arg_size() - 1) : nullptr;
  return Last && Callee->isDeclaration() && !Callee->isIntrinsic() && Callee->getName().contains("__ld") &&
                 Last->getType()->isPointerTy()
             ? Last
             : nullptr;
}

bool isFence(const Instruction &I) {
  if (auto *Fence = dyn_cast<llvm::FenceInst>(&I))
    return Fence->getSyncScopeID() != llvm::SyncScope::SingleThread;
  auto *Call = dyn_cast<llvm::CallBase>(&I);
  if (Call && Call->isInlineAsm())
    return llvm::any_of(assemblyIn(*Call), [](const PtxStatement &S) {
      return S.name() == "nanosleep" ||
             ((S.name() == "membar" || S.name() == "fence") && S.hasAny({"gl", "gpu", "sys"}));
    });
  const llvm::Function *Callee = Call ? Call->getCalledFunction() : nullptr;
  return Callee &&
         llvm::is_contained({"llvm.nvvm.membar.gl", "llvm.nvvm.membar.sys", "llvm.nvvm.nanosleep"}, Callee->getName());
}

bool isSamePlace(const Value &A, const Value &B) { return isSame(A, B, /*Depth=*/8); }

const Read *FreshReads::of(const Instruction &I) {
  auto [At, IsNew] = Reads.try_emplace(&I);
  if (IsNew)
    At->second = readOf(I);
  return At->second ? &*At->second : nullptr;
}

/// Where a call of what Clang does not have may write.
static llvm::SmallVector<const Value *, 4> writtenByCall(const Instruction &I) {
  auto *Call = dyn_cast<llvm::CallBase>(&I);
  llvm::SmallVector<const Value *, 4> Places;
  if (!Call || !Call->mayWriteToMemory() || Call->isInlineAsm() || isOfUnknownCode(I) || I.isLifetimeStartOrEnd() ||
      isa<llvm::MemIntrinsic, llvm::AssumeInst>(I) || readByHint(*Call))
    return Places;
  for (const llvm::Use &Argument : Call->args())
    if (Argument->getType()->isPointerTy() && !Call->onlyReadsMemory(Call->getArgOperandNo(&Argument)))
      Places.push_back(Argument);
  return Places;
}

const Value *FreshReads::storedBy(const Instruction &I) {
  if (auto *Store = dyn_cast<llvm::StoreInst>(&I))
    return Store->getPointerOperand();
  if (auto *Copy = dyn_cast<llvm::MemIntrinsic>(&I))
    return Copy->getRawDest();
  const auto Places = writtenByCall(I);
  const auto *ForOthers = llvm::find_if(Places, [&](const Value *Place) { return !isOfBlock(*Place); });
  return Places.empty() ? nullptr : ForOthers == Places.end() ? Places.front() : *ForOthers;
}

const Value *FreshReads::writtenBy(const Instruction &I) {
  const Read *R = of(I);
  if (!R || isa<llvm::MemIntrinsic>(I))
    return storedBy(I);
  return R->Does == Effect::None ? nullptr : R->Address;
}

const Value *FreshReads::changedBy(const Instruction &I) {
  const Read *R = of(I);
  return R && R->IsBound ? R->Address : writtenBy(I);
}

Objects objectsOf(const Value &Address) {
  const Value *Pointer = &Address;
  while (isa<llvm::CastInst, llvm::PtrToIntOperator>(Pointer))
    Pointer = llvm::cast<llvm::User>(Pointer)->getOperand(0);
  Objects Found;
  if (Pointer->getType()->isPointerTy())
    llvm::getUnderlyingObjects(Pointer, Found, nullptr, /*MaxLookup=*/0);
  else
    Found.push_back(Pointer);
  return Found;
}

bool isOfBlock(const Value *Object) {
  const unsigned Space = Object->getType()->isPointerTy() ? Object->getType()->getPointerAddressSpace() : 0;
  return Space == 3 || Space == 5 || isa<llvm::AllocaInst>(Object);
}

const Objects &FreshReads::knownObjectsOf(const Value &Address) {
  auto [At, IsNew] = Known.try_emplace(&Address);
  if (IsNew)
    At->second = objectsOf(Address);
  return At->second;
}

const std::vector<Origin> &FreshReads::knownOriginsOf(const Value &Address) {
  auto [At, IsNew] = Origins.try_emplace(&Address);
  if (IsNew)
    At->second = originsOf(Address);
  return At->second;
}

bool FreshReads::isOfBlock(const Value &Address) { return llvm::all_of(knownObjectsOf(Address), cufuse::isOfBlock); }

bool FreshReads::isSameObject(const Value &A, const Value &B) {
  const std::vector<Origin> &OfA = knownOriginsOf(A), &OfB = knownOriginsOf(B);
  return llvm::any_of(
      OfA, [&](const Origin &X) { return llvm::any_of(OfB, [&](const Origin &Y) { return cufuse::mayMeet(X, Y); }); });
}

bool FreshReads::mayMeet(const Instruction &Write, const Read &Other) {
  const Value &Written = *changedBy(Write);
  llvm::SmallVector<const Value *, 4> Places;
  if (!of(Write))
    Places = writtenByCall(Write);
  Places.push_back(&Written);
  if (llvm::none_of(Places, [&](const Value *Place) { return isSameObject(*Place, *Other.Address); }))
    return false;
  auto A = memberOf(Write, Written), B = memberOf(*Other.I, *Other.Address);
  if (!A || !B || A->Array != B->Array)
    return true;
  if (const auto Element = int64_t(std::gcd(A->Element, B->Element)))
    for (Member *M : {&*A, &*B}) {
      M->Begin = (M->Begin % Element + Element) % Element;
      if (M->Begin + M->Bytes > Element)
        return true;
    }
  return A->Begin < B->Begin + B->Bytes && B->Begin < A->Begin + A->Bytes;
}

} // namespace cufuse
