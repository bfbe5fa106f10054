#include "DeviceUniformity.h"

#include "cufuse/Support/BlockShape.h"

#include <llvm/ADT/DepthFirstIterator.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/PatternMatch.h>

namespace cufuse {

namespace {

using namespace llvm::PatternMatch;
using llvm::InstructionUniformity;
using llvm::StringRef;

/// `tid.x` of `llvm.nvvm.read.ptx.sreg.tid.x`.
StringRef registerName(const llvm::Value *V) {
  StringRef Name = intrinsicName(V);
  return Name.consume_front("llvm.nvvm.read.ptx.sreg.") ? Name : StringRef();
}

bool isOfBlock(StringRef Register) {
  for (const char *Same : {"ctaid", "nctaid", "ntid", "clusterid", "nclusterid", "cluster.", "is_explicit", "warpsize",
                           "gridid", "nwarpid", "nsmid"})
    if (Register.starts_with(Same))
      return true;
  return false;
}

/// blockIdx.x * blockDim.x + threadIdx.x: not negative unless it has become too large.
bool countsThreads(const llvm::Value *V) {
  const llvm::Value *A, *B;
  if (match(V, m_ZExtOrSExt(m_Value(A))) || match(V, m_Trunc(m_Value(A))))
    return countsThreads(A);
  if (!match(V, m_Add(m_Value(A), m_Value(B))))
    return false;
  if (registerName(A) == "tid.x")
    std::swap(A, B);
  const llvm::Value *One, *Other;
  if (registerName(B) != "tid.x" || !match(A, m_Mul(m_Value(One), m_Value(Other))))
    return false;
  if (registerName(One) == "ntid.x")
    std::swap(One, Other);
  return registerName(One) == "ctaid.x" && registerName(Other) == "ntid.x";
}

/// Of constants and arguments alone.
bool isMadeOfConstants(const llvm::Value *V) {
  auto *Argument = llvm::dyn_cast<llvm::Argument>(V);
  return llvm::isa<llvm::Constant>(V) || (Argument && !Argument->hasByValAttr());
}

/// An argument that every thread has for itself, because it writes there, or may.
bool isOwnCopy(const llvm::Argument &Argument) {
  return Argument.hasByValAttr() && !Argument.onlyReadsMemory() && !isOnlyRead(Argument);
}

/// Memory of a thread in which all threads have the same: a table of constants.
bool isTable(const llvm::AllocaInst &Memory) {
  // Pointers into it, and whether they lead all threads to the same place.
  std::vector<std::pair<const llvm::Value *, bool>> Work = {{&Memory, true}};
  while (!Work.empty()) {
    const auto [V, SamePlace] = Work.back();
    Work.pop_back();
    for (const llvm::User *User : V->users()) {
      if (auto *Part = llvm::dyn_cast<llvm::GetElementPtrInst>(User)) {
        Work.emplace_back(User, SamePlace && llvm::all_of(Part->indices(), [](const llvm::Use &Index) {
                                  return isMadeOfConstants(Index);
                                }));
        continue;
      }
      if (llvm::isa<llvm::AddrSpaceCastInst>(User)) {
        Work.emplace_back(User, SamePlace);
        continue;
      }
      if (auto *Load = llvm::dyn_cast<llvm::LoadInst>(User); Load && !Load->isVolatile())
        continue;
      auto *I = llvm::cast<llvm::Instruction>(User);
      if (I->isLifetimeStartOrEnd())
        continue;
      // All threads begin in the first block, and come to it once.
      auto *Store = llvm::dyn_cast<llvm::StoreInst>(I);
      auto *Copy = llvm::dyn_cast<llvm::MemTransferInst>(I);
      auto *Set = llvm::dyn_cast<llvm::MemSetInst>(I);
      const llvm::Value *From = Store  ? Store->getValueOperand()
                                : Copy ? llvm::getUnderlyingObject(Copy->getRawSource())
                                : Set  ? Set->getValue()
                                       : nullptr;
      const llvm::Value *Length = Copy ? Copy->getLength() : Set ? Set->getLength() : From;
      if (!From || From == V || !SamePlace || !I->getParent()->isEntryBlock() || !isMadeOfConstants(From) ||
          !isMadeOfConstants(Length) ||
          (Copy && !(llvm::isa<llvm::GlobalVariable>(Copy->getRawSource()) &&
                     llvm::cast<llvm::GlobalVariable>(Copy->getRawSource())->isConstant())))
        return false;
    }
  }
  return true;
}

} // namespace

bool isOnlyRead(const llvm::Value &Pointer) {
  return llvm::all_of(Pointer.users(), [&](const llvm::User *User) {
    if (auto *Copy = llvm::dyn_cast<llvm::MemTransferInst>(User))
      return Copy->getRawDest() != &Pointer && !Copy->isVolatile();
    return llvm::isa<llvm::LoadInst>(User) ||
           (llvm::isa<llvm::GetElementPtrInst, llvm::AddrSpaceCastInst>(User) && isOnlyRead(*User));
  });
}

/// Does a register hold the same in all lanes?
bool ThreadsOfBlock::isSame(StringRef Register) const {
  if (isOfBlock(Register))
    return true;
  if (Threads == Among::Block)
    return false;
  return Register == "warpid" || Register == "tid.z" || (Register == "tid.y" && Threads != Among::WarpOfPlane);
}

/// Made of what all lanes are given alike, however it is computed.
bool ThreadsOfBlock::isPlainlyUniform(const llvm::Value *V, unsigned Depth) const {
  if (isMadeOfConstants(V))
    return true;
  if (const StringRef Register = registerName(V); !Register.empty())
    return isSame(Register);
  auto *I = llvm::dyn_cast<llvm::Instruction>(V);
  return I && Depth < 12 && llvm::isa<llvm::BinaryOperator, llvm::CastInst, llvm::CmpInst, llvm::SelectInst>(I) &&
         llvm::all_of(I->operands(), [&](const llvm::Use &Part) { return isPlainlyUniform(Part, Depth + 1); });
}

/// A multiple of 32 that is the same in all lanes.
bool ThreadsOfBlock::isWholeWarps(const llvm::Value *V, unsigned Depth) const {
  const llvm::APInt *Number;
  if (match(V, m_APInt(Number)))
    return Number->urem(WarpSize) == 0;
  const StringRef Register = registerName(V);
  if (Register == "ntid.x")
    return Threads == Among::WarpOfRows;
  // Zero, where there is no second row, or plane.
  if (Register == "tid.y")
    return Threads == Among::WarpOfRow;
  if (Register == "tid.z")
    return Threads == Among::WarpOfRow || Threads == Among::WarpOfPlane;
  if (Depth > 12 || !isPlainlyUniform(V))
    return false;
  const llvm::Value *A, *B;
  if (match(V, m_ZExtOrSExt(m_Value(A))) || match(V, m_Trunc(m_Value(A))))
    return V->getType()->getScalarSizeInBits() >= 32 && isWholeWarps(A, Depth + 1);
  if (match(V, m_Mul(m_Value(A), m_Value(B))))
    return isWholeWarps(A, Depth + 1) || isWholeWarps(B, Depth + 1);
  if (match(V, m_Shl(m_Value(A), m_APInt(Number))))
    return Number->uge(5) || isWholeWarps(A, Depth + 1);
  if (match(V, m_Add(m_Value(A), m_Value(B))) || match(V, m_Sub(m_Value(A), m_Value(B))))
    return isWholeWarps(A, Depth + 1) && isWholeWarps(B, Depth + 1);
  return false;
}

/// Is the block in the loop to whose head this one leads back?
static bool isInLoop(const llvm::BasicBlock &Block, const llvm::BasicBlock &Head, const llvm::BasicBlock &Back) {
  llvm::df_iterator_default_set<const llvm::BasicBlock *> Loop;
  Loop.insert(&Head);
  for (const llvm::BasicBlock *Each : llvm::inverse_depth_first_ext(&Back, Loop))
    if (Each->isEntryBlock()) // a way into it that is not by its head
      return false;
  return Loop.contains(&Block);
}

/// What goes up by whole warps in each turn of a loop that the lanes begin alike: in the loop, where those that are
/// there are in one turn. Behind it, each may come out of another one.
bool ThreadsOfBlock::isLaneCounter(const llvm::PHINode &Phi, const llvm::BasicBlock &Asked, unsigned Depth) const {
  if (Phi.getNumIncomingValues() != 2)
    return false;
  auto IsNext = [&](const llvm::Value *V) {
    const llvm::Value *A, *B;
    for (bool Added = false;; Added = true) {
      if (V == &Phi)
        return Added;
      if (!match(V, m_Add(m_Value(A), m_Value(B))) || (!isWholeWarps(A) && !isWholeWarps(B)))
        return false;
      V = isWholeWarps(B) ? A : B;
    }
  };
  const unsigned Next = IsNext(Phi.getIncomingValue(0)) ? 0 : 1, First = 1 - Next;
  return IsNext(Phi.getIncomingValue(Next)) && isInLoop(Asked, *Phi.getParent(), *Phi.getIncomingBlock(Next)) &&
         !isInLoop(*Phi.getIncomingBlock(First), *Phi.getParent(), *Phi.getIncomingBlock(Next)) &&
         isLaneNumber(Phi.getIncomingValue(First), *Phi.getIncomingBlock(First), Depth);
}

/// A multiple of 32 that is the same in all lanes, and the lane. `Asked`: where.
bool ThreadsOfBlock::isLaneNumber(const llvm::Value *V, const llvm::BasicBlock &Asked, unsigned Depth) const {
  if (registerName(V) == "tid.x")
    return Threads != Among::WarpOfPlane;
  if (Depth > 12)
    return false;
  if (auto *Phi = llvm::dyn_cast<llvm::PHINode>(V))
    return isLaneCounter(*Phi, Asked, Depth + 1);
  const llvm::Value *A, *B;
  if (match(V, m_ZExtOrSExt(m_Value(A))) || match(V, m_Trunc(m_Value(A))))
    return V->getType()->getScalarSizeInBits() >= 32 && isLaneNumber(A, Asked, Depth + 1);
  if (match(V, m_Add(m_Value(A), m_Value(B))))
    return (isLaneNumber(A, Asked, Depth + 1) && isWholeWarps(B)) ||
           (isWholeWarps(A) && isLaneNumber(B, Asked, Depth + 1)) ||
           (Threads == Among::WarpOfPlane && isThreadOfPlane(V));
  if (match(V, m_Sub(m_Value(A), m_Value(B))))
    return isLaneNumber(A, Asked, Depth + 1) && isWholeWarps(B);
  return false;
}

/// The sum of threadIdx.y * blockDim.x, threadIdx.x, and whole warps.
bool ThreadsOfBlock::isThreadOfPlane(const llvm::Value *Sum) const {
  constexpr size_t Most = 6;
  std::vector<const llvm::Value *> Parts = {Sum};
  const llvm::Value *A, *B;
  for (size_t I = 0; I < Parts.size();)
    if (Parts.size() < Most && match(Parts[I], m_Add(m_Value(A), m_Value(B)))) {
      Parts[I] = A;
      Parts.push_back(B);
    } else {
      ++I;
    }
  llvm::erase_if(Parts, [&](const llvm::Value *Part) { return isWholeWarps(Part); });
  return Parts.size() == 2 && (isRowAndColumn(Parts[0], Parts[1]) || isRowAndColumn(Parts[1], Parts[0]));
}

/// threadIdx.y * blockDim.x, where there is one plane, and threadIdx.x.
bool ThreadsOfBlock::isRowAndColumn(const llvm::Value *Row, const llvm::Value *Column) const {
  const llvm::Value *A, *B;
  while (match(Row, m_ZExtOrSExt(m_Value(A))))
    Row = A;
  while (match(Column, m_ZExtOrSExt(m_Value(B))))
    Column = B;
  if (registerName(Column) != "tid.x" || !match(Row, m_Mul(m_Value(A), m_Value(B))))
    return false;
  if (registerName(A) == "ntid.x")
    std::swap(A, B);
  if (registerName(B) != "ntid.x")
    return false;
  // (threadIdx.z * blockDim.y + threadIdx.y), with no second plane; what else is a multiple of 32 is not zero.
  const llvm::Value *One, *Other, *Factor;
  if (match(A, m_Add(m_Value(One), m_Value(Other)))) {
    if (registerName(One) == "tid.y")
      std::swap(One, Other);
    if (match(One, m_Mul(m_Value(A), m_Value(Factor))) &&
        (registerName(A) == "tid.z" || registerName(Factor) == "tid.z"))
      A = Other;
  }
  return registerName(A) == "tid.y";
}

InstructionUniformity ThreadsOfBlock::getInstructionUniformity(const llvm::Value *V) const {
  if (Threads != Among::Block && isWarpUniform(V))
    return InstructionUniformity::AlwaysUniform;
  if (auto *Call = llvm::dyn_cast<llvm::CallBase>(V))
    return call(*Call);
  if (auto *Argument = llvm::dyn_cast<llvm::Argument>(V))
    return isOwnCopy(*Argument) ? InstructionUniformity::NeverUniform : InstructionUniformity::Default;
  if (auto *Memory = llvm::dyn_cast<llvm::AllocaInst>(V))
    return isTable(*Memory) ? InstructionUniformity::Default : InstructionUniformity::NeverUniform;
  if (auto *Load = llvm::dyn_cast<llvm::LoadInst>(V)) {
    // A copy of an argument that the thread has for itself, where it writes there.
    llvm::SmallVector<const llvm::Value *, 4> Objects;
    llvm::getUnderlyingObjects(Load->getPointerOperand(), Objects, /*LI=*/nullptr, /*MaxLookup=*/0);
    auto IsCopy = [](const llvm::Value *Of) {
      auto *Argument = llvm::dyn_cast<llvm::Argument>(Of);
      return Argument && Argument->hasByValAttr();
    };
    const bool Copy = llvm::all_of(Objects, IsCopy);
    const bool Own = llvm::any_of(
        Objects, [&](const llvm::Value *Of) { return IsCopy(Of) && isOwnCopy(*llvm::cast<llvm::Argument>(Of)); });
    // Threads that other barriers than the block's keep in order may read the same place at different times.
    const bool MayChange = !Load->hasMetadata(llvm::LLVMContext::MD_invariant_load) && !Copy &&
                           (OrdersParts || Loads.mayChange(*Load, Load->getPointerOperand()));
    return Load->isVolatile() || Load->isAtomic() || Own || MayChange || Load->getPointerAddressSpace() == 5
               ? InstructionUniformity::NeverUniform
               : InstructionUniformity::Default;
  }
  return llvm::isa<llvm::AtomicRMWInst, llvm::AtomicCmpXchgInst>(V) ? InstructionUniformity::NeverUniform
                                                                    : InstructionUniformity::Default;
}

InstructionUniformity ThreadsOfBlock::call(const llvm::CallBase &Call) const {
  constexpr auto Default = InstructionUniformity::Default, Never = InstructionUniformity::NeverUniform;
  if (Call.getType()->isVoidTy())
    return Default;
  if (Call.isInlineAsm())
    return Never;
  const llvm::Function *Callee = Call.getCalledFunction();
  if (!Callee)
    return Never;
  if (const StringRef Register = registerName(&Call); !Register.empty())
    return isSame(Register) ? Default : Never;
  if (Callee->isIntrinsic()) {
    if (meets(Ir, Call) == Meets::Block)
      return InstructionUniformity::AlwaysUniform;
    return Call.isConvergent() || Call.mayWriteToMemory() || isMatrixOperation(Call) ? Never : Default;
  }
  if (isArithmetic(Call))
    return Default;
  if (const clang::FunctionDecl *Declared = Ir.declaration(*Callee)) {
    if (classify(*Declared) == Intrinsic::Barrier)
      return InstructionUniformity::AlwaysUniform;
    // By way of the second level's cache, and of no cache, they are for what others write meanwhile.
    if (const llvm::Value *From = readByHint(Call);
        From && Declared->getName() != "__ldcg" && Declared->getName() != "__ldcv")
      return OrdersParts || Loads.mayChange(Call, From) ? Never : Default;
  }
  return Never;
}

/// By a rule of its own, whatever its parts are.
bool ThreadsOfBlock::isWarpUniform(const llvm::Value *V) const {
  // All lanes take part, so all are given the same.
  if (auto *Call = llvm::dyn_cast<llvm::IntrinsicInst>(V)) {
    StringRef Name = intrinsicName(V);
    return namesAllLanes(*Call) && Name.consume_front("llvm.nvvm.") &&
           (Name.starts_with("vote.") || Name.starts_with("redux.") ||
            (Name.starts_with("shfl.sync.idx.") && match(Call->getArgOperand(3), m_SpecificInt(31)) &&
             isPlainlyUniform(Call->getArgOperand(2))));
  }
  auto IsLane = [&](const llvm::Value *Number) {
    return isLaneNumber(Number, *llvm::cast<llvm::Instruction>(V)->getParent());
  };
  const llvm::Value *A, *B;
  const llvm::APInt *Number;
  if (match(V, m_LShr(m_Value(A), m_APInt(Number))) || match(V, m_AShr(m_Value(A), m_APInt(Number))))
    return Number->uge(5) && IsLane(A);
  if (match(V, m_UDiv(m_Value(A), m_APInt(Number))))
    return Number->urem(WarpSize) == 0 && IsLane(A);
  if (match(V, m_SDiv(m_Value(A), m_APInt(Number)))) {
    // A negative number would be rounded up in all lanes but the first.
    if (!Number->isStrictlyPositive() || Number->urem(WarpSize) != 0 || !IsLane(A))
      return false;
    if (llvm::isKnownNonNegative(A, llvm::SimplifyQuery(llvm::cast<llvm::Instruction>(V)->getDataLayout())))
      return true;
    return countsThreads(A) && (SignedThreadNumber = true);
  }
  if (match(V, m_And(m_Value(A), m_APInt(Number))))
    return Number->urem(WarpSize) == 0 && IsLane(A);
  if (match(V, m_Sub(m_Value(A), m_And(m_Value(B), m_SpecificInt(WarpSize - 1)))) ||
      match(V, m_Sub(m_Value(A), m_URem(m_Value(B), m_SpecificInt(WarpSize)))))
    return IsLane(A) && IsLane(B);
  // A multiple of 32 does not lie between two lanes.
  if (auto *Compare = llvm::dyn_cast<llvm::ICmpInst>(V)) {
    const llvm::CmpInst::Predicate Kind = Compare->getPredicate();
    A = Compare->getOperand(0);
    B = Compare->getOperand(1);
    if (Kind == llvm::CmpInst::ICMP_ULT || Kind == llvm::CmpInst::ICMP_SLT || Kind == llvm::CmpInst::ICMP_UGE ||
        Kind == llvm::CmpInst::ICMP_SGE)
      return IsLane(A) && isWholeWarps(B);
    if (Kind == llvm::CmpInst::ICMP_UGT || Kind == llvm::CmpInst::ICMP_SGT || Kind == llvm::CmpInst::ICMP_ULE ||
        Kind == llvm::CmpInst::ICMP_SLE)
      return (isWholeWarps(A) && IsLane(B)) ||
             (IsLane(A) && match(B, m_APInt(Number)) && (*Number + 1).urem(WarpSize) == 0);
  }
  return false;
}

} // namespace cufuse
