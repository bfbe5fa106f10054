#include "DeviceUniformity.h"

#include "cufuse/Analysis/Assembly.h"
#include "cufuse/Ptx/PtxTable.h"
#include "cufuse/Ptx/PtxWords.h"
#include "cufuse/Support/BlockShape.h"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/IntrinsicsNVPTX.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Support/NVPTXAddrSpace.h>
#include <llvm/Support/Regex.h>

namespace cufuse {

namespace {

using namespace llvm::PatternMatch;
using llvm::InstructionUniformity;
using llvm::StringRef;

StringRef intrinsicName(const llvm::Value *V) {
  auto *Call = llvm::dyn_cast<llvm::IntrinsicInst>(V);
  return Call ? Call->getCalledFunction()->getName() : StringRef();
}

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

/// The most that a number made of indices and sizes of the block can be, if that is not negative.
std::optional<uint64_t> mostInBlock(const llvm::Value *V, unsigned Depth = 0) {
  if (const StringRef Register = registerName(V); Register.starts_with("tid.") || Register.starts_with("ntid."))
    return Register.ends_with(".z") ? 64 : MaxBlockThreads;
  const llvm::APInt *Number;
  if (match(V, m_APInt(Number)))
    return Number->isNonNegative() && Number->getActiveBits() < 31 ? std::optional(Number->getZExtValue())
                                                                   : std::nullopt;
  const llvm::Value *A, *B;
  if (Depth > 12)
    return std::nullopt;
  if (match(V, m_ZExtOrSExt(m_Value(A))) || match(V, m_Trunc(m_Value(A))))
    return V->getType()->getScalarSizeInBits() >= 32 ? mostInBlock(A, Depth + 1) : std::nullopt;
  const bool Adds = match(V, m_Add(m_Value(A), m_Value(B)));
  if (!Adds && !match(V, m_Mul(m_Value(A), m_Value(B))))
    return std::nullopt;
  const auto Left = mostInBlock(A, Depth + 1), Right = mostInBlock(B, Depth + 1);
  const uint64_t Most = Left && Right ? (Adds ? *Left + *Right : *Left * *Right) : UINT64_MAX;
  return Most < (1u << 31) ? std::optional(Most) : std::nullopt;
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

/// A function of libdevice, which works on what it is given.
bool isArithmetic(const llvm::CallBase &Call) {
  const llvm::Function *Callee = Call.getCalledFunction();
  return Callee && Callee->getName().starts_with("__nv_") && !Callee->getName().contains("atomic") &&
         !Callee->getName().contains("malloc");
}

bool isFullMask(const llvm::Value *V) { return match(V, m_AllOnes()); }

/// Of constants and arguments alone.
bool isMadeOfConstants(const llvm::Value *V) {
  auto *Argument = llvm::dyn_cast<llvm::Argument>(V);
  return llvm::isa<llvm::Constant>(V) || (Argument && !Argument->hasByValAttr());
}

/// Does nothing write where the pointer leads, itself or by a pointer that is made of it?
bool isOnlyRead(const llvm::Value &Pointer) {
  return llvm::all_of(Pointer.users(), [&](const llvm::User *User) {
    if (auto *Copy = llvm::dyn_cast<llvm::MemTransferInst>(User))
      return Copy->getRawDest() != &Pointer && !Copy->isVolatile();
    return llvm::isa<llvm::LoadInst>(User) ||
           (llvm::isa<llvm::GetElementPtrInst, llvm::AddrSpaceCastInst>(User) && isOnlyRead(*User));
  });
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
      // All threads begin in the first block, and come to it once.
      auto *I = llvm::cast<llvm::Instruction>(User);
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

/// Does what is called, a function with a body or whatever a pointer leads to, synchronise in one of these ways, or in
/// one that is not known?
bool synchronises(const DeviceIr &Ir, const llvm::CallBase &Call, llvm::ArrayRef<Meets> Ways,
                  llvm::DenseSet<const llvm::Function *> &Seen) {
  auto InBody = [&](const llvm::Function &F) {
    return Seen.insert(&F).second && llvm::any_of(llvm::instructions(F), [&](const llvm::Instruction &I) {
             auto *Inner = llvm::dyn_cast<llvm::CallBase>(&I);
             if (!Inner)
               return false;
             const llvm::Function *Callee = Inner->getCalledFunction();
             if (!Inner->isInlineAsm() && (!Callee || !Callee->isDeclaration()))
               return synchronises(Ir, *Inner, Ways, Seen);
             const Meets What = meets(Ir, *Inner);
             return What == Meets::Unknown || llvm::is_contained(Ways, What);
           });
  };
  if (const llvm::Function *Callee = Call.getCalledFunction())
    return InBody(*Callee);
  return llvm::any_of(*Call.getModule(),
                      [&](const llvm::Function &F) { return F.hasAddressTaken() && (F.isDeclaration() || InBody(F)); });
}
bool synchronises(const DeviceIr &Ir, const llvm::CallBase &Call, llvm::ArrayRef<Meets> Ways) {
  llvm::DenseSet<const llvm::Function *> Seen;
  return synchronises(Ir, Call, Ways, Seen);
}

Meets ofAssembly(StringRef Text) {
  // Operands are `$0` here.
  std::string Plain = Text.str();
  std::replace(Plain.begin(), Plain.end(), '$', '%');
  static const llvm::Regex Warp("\\.(sync|warp)([^a-z]|$)|activemask|(^|[^a-z])(vote|shfl|match)\\.");
  const AssemblyScan Scan = scanAssembly(StringRef(Plain));
  // The most of all that it does.
  bool IsCounted = false;
  for (const AssemblyMention &M : Scan.Mentions)
    if (M.What == AssemblyMention::Kind::Barrier) {
      if (!M.HasCount)
        return Meets::Block;
      IsCounted = true;
    }
  static const llvm::Regex Block("(^|[^a-zA-Z_.])(bar|barrier)(\\.cta)?\\.(sync|red)");
  if (!IsCounted && Block.match(Plain))
    return Meets::Block;
  if (IsCounted)
    Plain = llvm::Regex("(bar|barrier)[a-z.]*\\.(sync|red|arrive)").sub("", Plain);
  return Warp.match(Plain) ? Meets::Warp : Meets::Nobody;
}

/// What all lanes of a warp do together, each with a part of a matrix. LLVM says of some that lanes may do it alone.
bool isMatrixOperation(const llvm::Value &Call) {
  static const llvm::Regex Names("^llvm\\.nvvm\\.(wmma|mma|ldmatrix|stmatrix|movmatrix|wgmma)\\.");
  return Names.match(intrinsicName(&Call));
}

Meets ofIntrinsic(const llvm::CallBase &Call) {
  StringRef Name = Call.getCalledFunction()->getName();
  if (!Name.consume_front("llvm.nvvm."))
    return Meets::Nobody;
  if (Name == "bar.warp.sync" || isMatrixOperation(Call))
    return Meets::Warp;
  if (Name.starts_with("bar")) // with a count, it is no matter who has left
    return Name.contains(".cluster") || Name.contains(".count") ? Meets::Nobody : Meets::Block;
  for (const char *Asynchronous : {"cp.async", "mbarrier", "tcgen05", "fence", "griddepcontrol", "tex", "sust", "suld",
                                   "nanosleep", "membar", "setmaxnreg"})
    if (Name.starts_with(Asynchronous))
      return Meets::Nobody;
  return Call.getCalledFunction()->isConvergent() ? Meets::Warp : Meets::Nobody;
}

} // namespace

const llvm::Value *lanesOf(const llvm::CallBase &Call) {
  StringRef Name = intrinsicName(&Call);
  if (!Name.consume_front("llvm.nvvm."))
    return nullptr;
  if (Name.starts_with("redux.sync."))
    return Call.getArgOperand(1);
  for (const char *First : {"shfl.sync.", "vote.", "match.", "bar.warp.sync"})
    if (Name.starts_with(First))
      return Call.getArgOperand(0);
  return nullptr;
}

bool namesAllLanes(const llvm::CallBase &Call) {
  const llvm::Value *Lanes = lanesOf(Call);
  return Lanes ? isFullMask(Lanes) : isMatrixOperation(Call);
}

Meets meets(const DeviceIr &Ir, const llvm::CallBase &Call) {
  if (auto *Assembly = llvm::dyn_cast<llvm::InlineAsm>(Call.getCalledOperand()))
    return ofAssembly(Assembly->getAsmString());
  const llvm::Function *Callee = Call.getCalledFunction();
  if (Callee && Callee->isIntrinsic())
    return ofIntrinsic(Call);
  if (!Callee || !Callee->isDeclaration())
    return synchronises(Ir, Call, {Meets::Block, Meets::Warp}) ? Meets::Unknown : Meets::Nobody;
  const clang::FunctionDecl *Declared = Ir.declaration(*Callee);
  if (!Declared)
    return Meets::Nobody; // what Clang itself calls, as printf's back end
  switch (classify(*Declared)) {
  case Intrinsic::Barrier:
    return Meets::Block;
  case Intrinsic::WarpPrimitive:
    return Meets::Warp;
  case Intrinsic::None:
    return inUsersFile(Declared, Declared->getASTContext().getSourceManager()) &&
                   !Ir.unit().inCompatHeader(Declared->getLocation())
               ? Meets::Unknown
               : Meets::Nobody;
  default:
    return Meets::Nobody;
  }
}

bool mayWaitForBlockInside(const DeviceIr &Ir, const llvm::CallBase &Call) {
  return synchronises(Ir, Call, Meets::Block);
}

bool partsInside(const llvm::InlineAsm &Assembly) {
  std::string Plain(Assembly.getAsmString());
  std::replace(Plain.begin(), Plain.end(), '$', '%');
  bool Parts = false;
  readPtxStatements(Plain, [&](const PtxStatement &S) {
    const PtxFamily *Family = S.IsLabel ? nullptr : findPtxFamily(S.Opcode);
    const StringRef Name = Family ? Family->Name : "";
    Parts |= Name == "bra" || Name == "brx" || (Family && S.IsPredicated && Family->What == PtxFamily::Kind::Warp);
  });
  return Parts;
}

bool ordersParts(const DeviceIr &Ir) {
  static const llvm::Regex Waits("(^|[^a-z0-9_.])(bar|barrier|mbarrier)\\.");
  return llvm::any_of(llvm::instructions(Ir.kernel()), [&](const llvm::Instruction &I) {
    auto *Call = llvm::dyn_cast<llvm::CallBase>(&I);
    if (!Call)
      return false;
    if (auto *Assembly = llvm::dyn_cast<llvm::InlineAsm>(Call->getCalledOperand()))
      return Waits.match(Assembly->getAsmString()) && ofAssembly(Assembly->getAsmString()) != Meets::Block;
    const llvm::Function *Callee = Call->getCalledFunction();
    if (Callee && Callee->isIntrinsic())
      return Callee->getName().starts_with("llvm.nvvm.mbarrier") ||
             (Callee->getName().starts_with("llvm.nvvm.barrier") && meets(Ir, *Call) != Meets::Block);
    const clang::FunctionDecl *Declared = Callee ? Ir.declaration(*Callee) : nullptr;
    return Declared && classify(*Declared) == Intrinsic::NamedBarrier;
  });
}

/// What a load with a cache hint reads, by a function that Clang does not have; null of other calls.
static const llvm::Value *readByHint(const DeviceIr &Ir, const llvm::CallBase &Call) {
  const llvm::Function *Callee = Call.getCalledFunction();
  const clang::FunctionDecl *Declared = Callee ? Ir.declaration(*Callee) : nullptr;
  // A class is returned by way of a pointer in front.
  const llvm::Value *Last = Declared && Call.arg_size() > 0 ? Call.getArgOperand(Call.arg_size() - 1) : nullptr;
  return Last && Declared->getIdentifier() && Declared->getName().starts_with("__ld") && Last->getType()->isPointerTy()
             ? Last
             : nullptr;
}

bool ordersByMemory(const DeviceIr &Ir) {
  static const llvm::Regex Orders(
      "(^|[^a-z0-9_.])(atom|red|fence|membar|mbarrier|nanosleep)|\\.(volatile|relaxed|acquire|"
      "release|acq_rel)");
  return llvm::any_of(llvm::instructions(Ir.kernel()), [&](const llvm::Instruction &I) {
    if (I.isAtomic() || I.isVolatile())
      return true;
    auto *Call = llvm::dyn_cast<llvm::CallBase>(&I);
    if (!Call)
      return false;
    if (auto *Assembly = llvm::dyn_cast<llvm::InlineAsm>(Call->getCalledOperand()))
      return Orders.match(Assembly->getAsmString());
    StringRef Name = intrinsicName(Call);
    if (!Name.consume_front("llvm.nvvm."))
      return Name.empty() && Call->mayWriteToMemory() && !isArithmetic(*Call) && !readByHint(Ir, *Call);
    // Lanes that come to the same number of meetings at different times see what others stored between these.
    return Name == "bar.warp.sync" || Name.starts_with("atom") || Name.starts_with("fence") ||
           Name.starts_with("membar") || Name.starts_with("mbarrier");
  });
}

namespace {

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

/// May the instruction change what the pointer leads to?
bool mayStore(const DeviceIr &Ir, const llvm::Instruction &I, const llvm::Value *Pointer) {
  if (auto *Store = llvm::dyn_cast<llvm::StoreInst>(&I))
    return mayMeet(Store->getPointerOperand(), Pointer);
  if (auto *Atomic = llvm::dyn_cast<llvm::AtomicRMWInst>(&I))
    return mayMeet(Atomic->getPointerOperand(), Pointer);
  if (auto *Exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&I))
    return mayMeet(Exchange->getPointerOperand(), Pointer);
  if (auto *Copy = llvm::dyn_cast<llvm::MemIntrinsic>(&I))
    return mayMeet(Copy->getRawDest(), Pointer);
  auto *Call = llvm::dyn_cast<llvm::CallBase>(&I);
  if (!Call || !Call->mayWriteToMemory() || readByHint(Ir, *Call))
    return false;
  if (!isArithmetic(*Call) && intrinsicName(Call).empty())
    return true;
  // These write where they are told to, as atomics of the block's scope do.
  return llvm::any_of(Call->args(), [&](const llvm::Value *Argument) {
    return Argument->getType()->isPointerTy() && mayMeet(Argument, Pointer);
  });
}

} // namespace

/// Is there a way between the load and something that may store there without a barrier of the block? Then threads that
/// an atomic or a fence keeps in order may find different values.
bool ThreadsOfBlock::mayChangeBetweenBarriers(const llvm::Instruction &Load, const llvm::Value *Pointer) const {
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
        return !Ends && mayStore(Ir, I, Pointer);
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

/// A multiple of 32 that is the same in all lanes, and the lane.
bool ThreadsOfBlock::isLaneNumber(const llvm::Value *V, unsigned Depth) const {
  if (registerName(V) == "tid.x")
    return Threads != Among::WarpOfPlane;
  if (Depth > 12)
    return false;
  const llvm::Value *A, *B;
  if (match(V, m_ZExtOrSExt(m_Value(A))) || match(V, m_Trunc(m_Value(A))))
    return V->getType()->getScalarSizeInBits() >= 32 && isLaneNumber(A, Depth + 1);
  if (match(V, m_Add(m_Value(A), m_Value(B))))
    return (isLaneNumber(A, Depth + 1) && isWholeWarps(B)) || (isWholeWarps(A) && isLaneNumber(B, Depth + 1)) ||
           (Threads == Among::WarpOfPlane && (isRowAndColumn(A, B) || isRowAndColumn(B, A)));
  if (match(V, m_Sub(m_Value(A), m_Value(B))))
    return isLaneNumber(A, Depth + 1) && isWholeWarps(B);
  return false;
}

/// threadIdx.y * blockDim.x, where there is one plane, and threadIdx.x.
bool ThreadsOfBlock::isRowAndColumn(const llvm::Value *Row, const llvm::Value *Column) const {
  const llvm::Value *A, *B;
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
    const bool MayChange =
        !Load->hasMetadata(llvm::LLVMContext::MD_invariant_load) && !Copy &&
        (OrdersParts || (OrdersByMemory && mayChangeBetweenBarriers(*Load, Load->getPointerOperand())));
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
    if (const llvm::Value *From = readByHint(Ir, Call);
        From && Declared->getName() != "__ldcg" && Declared->getName() != "__ldcv")
      return OrdersParts || (OrdersByMemory && mayChangeBetweenBarriers(Call, From)) ? Never : Default;
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
  const llvm::Value *A, *B;
  const llvm::APInt *Number;
  if (match(V, m_LShr(m_Value(A), m_APInt(Number))) || match(V, m_AShr(m_Value(A), m_APInt(Number))))
    return Number->uge(5) && isLaneNumber(A);
  if (match(V, m_UDiv(m_Value(A), m_APInt(Number))))
    return Number->urem(WarpSize) == 0 && isLaneNumber(A);
  if (match(V, m_SDiv(m_Value(A), m_APInt(Number)))) {
    // A negative number would be rounded up in all lanes but the first.
    if (!Number->isStrictlyPositive() || Number->urem(WarpSize) != 0 || !isLaneNumber(A))
      return false;
    if (mostInBlock(A))
      return true;
    return countsThreads(A) && (SignedThreadNumber = true);
  }
  if (match(V, m_And(m_Value(A), m_APInt(Number))))
    return Number->urem(WarpSize) == 0 && isLaneNumber(A);
  // A multiple of 32 does not lie between two lanes.
  if (auto *Compare = llvm::dyn_cast<llvm::ICmpInst>(V)) {
    const llvm::CmpInst::Predicate Kind = Compare->getPredicate();
    A = Compare->getOperand(0);
    B = Compare->getOperand(1);
    if (Kind == llvm::CmpInst::ICMP_ULT || Kind == llvm::CmpInst::ICMP_SLT || Kind == llvm::CmpInst::ICMP_UGE ||
        Kind == llvm::CmpInst::ICMP_SGE)
      return isLaneNumber(A) && isWholeWarps(B);
    if (Kind == llvm::CmpInst::ICMP_UGT || Kind == llvm::CmpInst::ICMP_SGT || Kind == llvm::CmpInst::ICMP_ULE ||
        Kind == llvm::CmpInst::ICMP_SLE)
      return (isWholeWarps(A) && isLaneNumber(B)) ||
             (isLaneNumber(A) && match(B, m_APInt(Number)) && (*Number + 1).urem(WarpSize) == 0);
  }
  return false;
}

} // namespace cufuse
