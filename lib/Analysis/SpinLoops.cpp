#include "cufuse/Analysis/SpinLoops.h"

#include <llvm/ADT/GenericCycleImpl.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/Analysis/AssumptionCache.h>
#include <llvm/Analysis/CycleAnalysis.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PassInstrumentation.h>
#include <llvm/IR/PassManager.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Support/Regex.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>
#include <llvm/Transforms/Utils/Cloning.h>

namespace cufuse {

namespace {

using llvm::AtomicCmpXchgInst;
using llvm::AtomicRMWInst;
using llvm::BasicBlock;
using llvm::Cycle;
using llvm::dyn_cast;
using llvm::Instruction;
using llvm::isa;
using llvm::PHINode;
using llvm::Value;
using Instructions = llvm::SmallSetVector<const Instruction *, 16>;

// Memory.

using Objects = llvm::SmallVector<const Value *, 4>;

/// What an address, a pointer or an integer, leads into.
Objects objectsOf(const Value &Address) {
  const Value *Pointer = &Address;
  while (auto *Cast = dyn_cast<llvm::CastInst>(Pointer))
    Pointer = Cast->getOperand(0);
  Objects Found;
  if (Pointer->getType()->isPointerTy())
    llvm::getUnderlyingObjects(Pointer, Found, nullptr, /*MaxLookup=*/0);
  else
    Found.push_back(Pointer);
  return Found;
}

/// Shared memory, or the thread's own.
bool isOfBlock(const Value &Address) {
  return llvm::all_of(objectsOf(Address), [](const Value *Object) {
    const unsigned Space = Object->getType()->isPointerTy() ? Object->getType()->getPointerAddressSpace() : 0;
    return Space == 3 || Space == 5 || isa<llvm::AllocaInst>(Object);
  });
}

/// Are they computed alike?
bool isSamePlace(const Value &A, const Value &B, unsigned Depth = 8) {
  if (A.stripPointerCasts() == B.stripPointerCasts())
    return true;
  auto *X = dyn_cast<Instruction>(&A), *Y = dyn_cast<Instruction>(&B);
  return Depth > 0 && X && Y && !isa<PHINode>(X) && X->isSameOperationAs(Y) &&
         llvm::all_of(llvm::zip(X->operands(), Y->operands()),
                      [&](const auto &Pair) { return isSamePlace(*std::get<0>(Pair), *std::get<1>(Pair), Depth - 1); });
}

bool isSameObject(const Value &A, const Value &B) {
  const Objects OfA = objectsOf(A), OfB = objectsOf(B);
  return llvm::any_of(
      OfA, [&](const Value *X) { return llvm::any_of(OfB, [&](const Value *Y) { return isSamePlace(*X, *Y); }); });
}

// What reads memory as it is now.

enum class Effect {
  None,
  Adds,  ///< What is read next is another value. By how much is in Operand.
  Marks, ///< Writes once; to do so again may change nothing.
  Compares,
};

struct Read {
  const Instruction *I = nullptr;
  const Value *Address = nullptr; ///< Null: anything.
  Effect Does = Effect::None;
  const Value *Operand = nullptr; ///< Of Compares, what it compares with. Null where the text has it.
  bool IsPlain = false;           ///< Read again only behind a fence.
  bool IsLoop = false;            ///< A loop by itself.
};

bool isZero(const Value *V) {
  auto *C = dyn_cast_or_null<llvm::Constant>(V);
  return C && C->isZeroValue();
}

std::optional<Read> ofAssembly(const llvm::CallBase &Call) {
  static const llvm::Regex Now("\\.(volatile|relaxed|acquire|mmio|cv|cg)([^a-z]|$)"),
      Access("(^|[^a-z0-9_.])(ld|st|atom|red)(\\.[a-z0-9_.:]*).*\\[ *\\$?\\{?([0-9]*)[^]]*\\](.*)"),
      Operand("^[ ,{]*(\\$?)\\{?([0-9]+)");
  const auto &Assembly = *llvm::cast<llvm::InlineAsm>(Call.getCalledOperand());
  const size_t Outputs = llvm::count_if(Assembly.ParseConstraints(), [](const llvm::InlineAsm::ConstraintInfo &C) {
    return C.Type == llvm::InlineAsm::isOutput;
  });
  auto Argument = [&](llvm::StringRef Number) -> const Value * {
    size_t N = 0;
    return !Number.getAsInteger(10, N) && N >= Outputs && N - Outputs < Call.arg_size()
               ? Call.getArgOperand(unsigned(N - Outputs))
               : nullptr;
  };
  llvm::SmallVector<llvm::StringRef, 8> Statements;
  Assembly.getAsmString().split(Statements, ';');
  std::optional<Read> R;
  for (llvm::StringRef Statement : Statements) {
    llvm::SmallVector<llvm::StringRef, 6> Parts, Of;
    if (!Access.match(Statement, &Parts))
      continue;
    const llvm::StringRef How = Parts[3];
    if (llvm::any_of(std::array{".shared", ".param", ".local", ".const", ".nc"},
                     [&](llvm::StringRef Other) { return How.contains(Other); }) ||
        (!Assembly.hasSideEffects() && Parts[2] == "ld" && !Now.match(How)))
      continue;
    const Value *Address = Argument(Parts[4]);
    R = Read{&Call, R ? nullptr : Address};
    if (Parts[2] == "ld")
      continue;
    const bool HasOperand = Operand.match(Parts[5], &Of);
    if (HasOperand && !Of[1].empty())
      R->Operand = Argument(Of[2]);
    R->Does = Effect::Marks;
    if (How.contains(".cas"))
      R->Does = Effect::Compares;
    else if (How.contains(".add") || How.contains(".inc") || How.contains(".dec"))
      R->Does = isZero(R->Operand) || (HasOperand && Of[1].empty() && Of[2] == "0") ? Effect::None : Effect::Adds;
  }
  if (R)
    R->IsLoop = llvm::Regex("(^|[^a-z0-9_.])bra[ .]").match(Assembly.getAsmString());
  return R;
}

Read ofAtomic(const AtomicRMWInst &Atomic) {
  Read R{&Atomic, Atomic.getPointerOperand(), Effect::Marks, Atomic.getValOperand()};
  switch (Atomic.getOperation()) {
  case AtomicRMWInst::Add:
  case AtomicRMWInst::Sub:
  case AtomicRMWInst::FAdd:
  case AtomicRMWInst::FSub:
  case AtomicRMWInst::UIncWrap:
  case AtomicRMWInst::UDecWrap:
    R.Does = isZero(R.Operand) ? Effect::None : Effect::Adds;
    break;
  case AtomicRMWInst::Or:
  case AtomicRMWInst::Xor:
    if (isZero(R.Operand))
      R.Does = Effect::None;
    break;
  case AtomicRMWInst::Xchg:
    break;
  default: // A bound that is a constant: reached once, it stays.
    if (isa<llvm::Constant>(R.Operand))
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
  const llvm::StringRef Name = Callee->getName();
  if (!Name.contains("atom") || Call->arg_empty())
    return std::nullopt;
  Read R{&I, Call->getArgOperand(0), Effect::Marks, Call->arg_size() > 1 ? Call->getArgOperand(1) : nullptr};
  if (Name.contains("cas") || Name.contains("compare"))
    R.Does = Effect::Compares;
  else if (Name.contains("add") || Name.contains("sub") || Name.contains(".inc") || Name.contains(".dec"))
    R.Does = isZero(R.Operand) ? Effect::None : Effect::Adds;
  else if (Name.contains("load"))
    R.Does = Effect::None;
  return R;
}

/// The place that an instruction writes, null if none.
const Value *writtenBy(const Instruction &I) {
  if (auto *Store = dyn_cast<llvm::StoreInst>(&I))
    return Store->getPointerOperand();
  if (auto *Copy = dyn_cast<llvm::MemIntrinsic>(&I))
    return Copy->getRawDest();
  const std::optional<Read> R = readOf(I);
  return R && R->Does != Effect::None ? R->Address : nullptr;
}

bool isOfUnknownCode(const Instruction &I) {
  auto *Call = dyn_cast<llvm::CallBase>(&I);
  return Call && !Call->isInlineAsm() && (!Call->getCalledFunction() || !Call->getCalledFunction()->isDeclaration());
}

// The loops of a function.

class SpinLoops {
public:
  explicit SpinLoops(llvm::Function &F) : Dominators(F), PostDominators(F) { Cycles.compute(F); }

  bool waits(const Read &R) const {
    const Cycle *Innermost = Cycles.getCycle(R.I->getParent());
    for (const Cycle *Loop = Innermost; Loop; Loop = Loop->getParentCycle())
      if (mayWait(R, *Loop, Loop == Innermost))
        return true;
    return false;
  }

private:
  bool mayWait(const Read &R, const Cycle &Loop, bool IsInnermost) const {
    if (R.IsPlain && !onlyLooks(R, Loop))
      return false;
    if (!decides(R, Loop) || (R.Address && moves(*R.Address, R, Loop)) || isBounded(R, Loop) || isLockFree(R, Loop))
      return false;
    switch (R.Does) {
    case Effect::Adds:
      return isUndone(R, Loop);
    case Effect::Marks:
    case Effect::Compares:
      return !(R.Does == Effect::Marks && marksMore(R, Loop)) && (IsInnermost || !marksOthers(R, Loop));
    case Effect::None:
      return true;
    }
    llvm_unreachable("every effect is above");
  }

  static bool isIn(const Value &V, const Cycle &Loop) {
    auto *I = dyn_cast<Instruction>(&V);
    return I && Loop.contains(I->getParent());
  }

  static bool isEntryPhi(const Instruction &I, const Cycle &Loop) {
    return isa<PHINode>(I) && llvm::is_contained(Loop.getEntries(), I.getParent());
  }

  /// The instructions of the loop that a value is made of, those of earlier turns among them if wanted.
  static Instructions parts(const Value &V, const Cycle &Loop, bool OfEarlierTurns = true,
                            const Instruction *End = nullptr) {
    Instructions Parts;
    auto Add = [&](const Value *Of) {
      if (isIn(*Of, Loop))
        Parts.insert(llvm::cast<Instruction>(Of));
    };
    Add(&V);
    for (size_t At = 0; At < Parts.size(); ++At)
      if (Parts[At] != End && (OfEarlierTurns || !isEntryPhi(*Parts[At], Loop)))
        for (const Value *Operand : Parts[At]->operands())
          Add(Operand);
    return Parts;
  }

  static bool isFixed(const Value &V, const Cycle &Loop) {
    return llvm::none_of(parts(V, Loop),
                         [](const Instruction *Part) { return isa<PHINode>(Part) || Part->mayReadOrWriteMemory(); });
  }

  template <typename Function> static bool anyOf(const Cycle &Loop, Function Is) {
    return llvm::any_of(Loop.blocks(), [&](const BasicBlock *Block) {
      return llvm::any_of(*Block, [&](const Instruction &I) { return Is(I); });
    });
  }

  /// Does what is read say whether the loop has one more turn? It may say so by branches and by memory.
  bool decides(const Read &R, const Cycle &Loop) const {
    Instructions Made;
    auto AddMemory = [&](const Value &Address) {
      anyOf(Loop, [&](const Instruction &I) {
        const std::optional<Read> Other = readOf(I);
        if (Other && (!Other->Address || isSameObject(*Other->Address, Address)))
          Made.insert(&I);
        return false;
      });
    };
    Made.insert(R.I);
    if (auto *Call = dyn_cast<llvm::CallBase>(R.I)) // it may write what it has read there
      for (const Value *Argument : Call->args())
        if (Argument->getType()->isPointerTy() && Argument != R.Address)
          AddMemory(*Argument);
    for (size_t At = 0; At < Made.size(); ++At) {
      if (Made[At]->isTerminator()) {
        if (turns(*Made[At]->getParent(), Loop, Made, AddMemory))
          return true;
        continue;
      }
      for (const llvm::User *User : Made[At]->users()) {
        auto *I = llvm::cast<Instruction>(User);
        if (!isIn(*I, Loop))
          continue;
        if (isOfUnknownCode(*I))
          return true;
        Made.insert(I);
        if (const Value *Written = writtenBy(*I))
          AddMemory(*Written);
      }
    }
    return false;
  }

  /// Does the branch at the end of the block lead out of the loop, or to one more turn? If not, where its ways meet
  /// again, values and memory may differ.
  template <typename Function>
  bool turns(const BasicBlock &Block, const Cycle &Loop, Instructions &Made, Function AddMemory) const {
    const auto *Node = PostDominators.getNode(&Block);
    const BasicBlock *Meet = Node && Node->getIDom() ? Node->getIDom()->getBlock() : nullptr;
    if (!Meet || !Loop.contains(Meet))
      return true;
    llvm::SmallSetVector<const BasicBlock *, 16> Ways(llvm::succ_begin(&Block), llvm::succ_end(&Block));
    for (size_t At = 0; At < Ways.size(); ++At) {
      const BasicBlock &Way = *Ways[At];
      if (!Loop.contains(&Way) || (&Way != Meet && llvm::is_contained(Loop.getEntries(), &Way)))
        return true;
      for (const PHINode &Phi : Way.phis())
        Made.insert(&Phi);
      if (&Way == Meet)
        continue;
      for (const Instruction &I : Way) {
        if (isOfUnknownCode(I))
          return true;
        if (const Value *Written = writtenBy(I))
          AddMemory(*Written);
      }
      Ways.insert(llvm::succ_begin(&Way), llvm::succ_end(&Way));
    }
    return false;
  }

  /// Is it another address in each turn, whatever has been read there?
  bool moves(const Value &Address, const Read &R, const Cycle &Loop) const {
    const Instructions Parts = parts(Address, Loop);
    // Around and around: who marks places finds a free one, but who looks may wait for one.
    if (!marks(R) && llvm::any_of(Parts, [](const Instruction *Part) {
          return llvm::is_contained({Instruction::URem, Instruction::SRem, Instruction::And, Instruction::Xor},
                                    Part->getOpcode());
        }))
      return false;
    return llvm::any_of(Parts, [&](const Instruction *Part) {
      if (const std::optional<Read> Counter = readOf(*Part); Counter && Counter->Does == Effect::Adds)
        return Part != R.I && Dominators.dominates(Part, R.I) && !isUndone(*Counter, Loop);
      if (!isEntryPhi(*Part, Loop))
        return false;
      auto &Phi = *llvm::cast<PHINode>(Part);
      return llvm::all_of(llvm::seq(Phi.getNumIncomingValues()), [&](unsigned I) {
        return !Loop.contains(Phi.getIncomingBlock(I)) || isNext(*Phi.getIncomingValue(I), Phi, R, Loop);
      });
    });
  }

  static bool marks(const Read &R) { return R.Does == Effect::Marks || R.Does == Effect::Compares; }

  /// The values of which it is one.
  static llvm::SmallVector<const Value *, 4> waysOf(const Instruction &I) {
    if (!isa<PHINode, llvm::SelectInst>(I))
      return {};
    return {I.op_begin() + (isa<llvm::SelectInst>(I) ? 1 : 0), I.op_end()};
  }

  /// Is it made of the value of the last turn by arithmetic, or where that leads to? Steps are not looked at, but that
  /// they do not come of what has been read.
  static bool isNext(const Value &V, const PHINode &Phi, const Read &R, const Cycle &Loop, unsigned Depth = 8) {
    if (!isIn(V, Loop) || &V == &Phi || Depth == 0)
      return false;
    auto &I = llvm::cast<Instruction>(V);
    auto IsNext = [&](const Value *Way) { return isNext(*Way, Phi, R, Loop, Depth - 1); };
    if (isEntryPhi(I, Loop))
      return false;
    if (isa<PHINode, llvm::SelectInst>(I)) {
      // From the last place on to the first one.
      auto *Select = dyn_cast<llvm::SelectInst>(&I);
      const bool Wraps = Select && marks(R) && !parts(*Select->getCondition(), Loop).contains(R.I);
      return llvm::all_of(waysOf(I),
                          [&](const Value *Way) { return (Wraps && isa<llvm::Constant>(Way)) || IsNext(Way); });
    }
    const Instructions Now = parts(I, Loop, /*OfEarlierTurns=*/false, R.I);
    if (Now.contains(R.I)) // from place to place by what is read there
      return (R.Does == Effect::Marks || !parts(I, Loop, /*OfEarlierTurns=*/true, R.I).contains(&Phi)) && R.Address &&
             parts(*R.Address, Loop).contains(&Phi);
    if (!Now.contains(&Phi) || parts(I, Loop, /*OfEarlierTurns=*/true, &Phi).contains(R.I))
      return false;
    // A step back, or to the start, may come before the step.
    return llvm::all_of(Now, [&](const Instruction *Part) {
      const auto Ways = isEntryPhi(*Part, Loop) ? llvm::SmallVector<const Value *, 4>() : waysOf(*Part);
      return llvm::none_of(
                 Ways, [&](const Value *Way) { return parts(*Way, Loop, /*OfEarlierTurns=*/false).contains(&Phi); }) ||
             llvm::all_of(Ways, IsNext);
    });
  }

  /// What a branch's condition says where it leads to that successor: each of these values is true, or false.
  static llvm::SmallVector<std::pair<const Value *, bool>, 4> factsOf(const llvm::BranchInst &Branch, unsigned To) {
    using namespace llvm::PatternMatch;
    llvm::SmallVector<std::pair<const Value *, bool>, 4> Facts = {{Branch.getCondition(), To == 0}};
    for (size_t At = 0; At < Facts.size(); ++At) {
      const auto [V, Is] = Facts[At];
      const Value *A = nullptr, *B = nullptr;
      if (match(V, m_Not(m_Value(A))))
        Facts.push_back({A, !Is});
      else if (Is ? match(V, m_LogicalAnd(m_Value(A), m_Value(B))) : match(V, m_LogicalOr(m_Value(A), m_Value(B))))
        Facts.append({{A, Is}, {B, Is}});
    }
    return Facts;
  }

  /// Does a counter end the loop, whatever is read? Not if the loop does nothing else: then it counts how long it
  /// waits.
  bool isBounded(const Read &R, const Cycle &Loop) const {
    auto IsLatch = [&](const BasicBlock *Block) {
      return Loop.contains(Block) && llvm::any_of(llvm::successors(Block), [&](const BasicBlock *Next) {
               return llvm::is_contained(Loop.getEntries(), Next);
             });
    };
    auto Bounds = [&](const std::pair<const Value *, bool> &Fact) {
      auto *Compare = dyn_cast<llvm::ICmpInst>(Fact.first);
      return Compare && llvm::any_of(std::array{0u, 1u}, [&](unsigned Side) {
               const Value &Limit = *Compare->getOperand(1 - Side);
               return isCounter(*Compare->getOperand(Side), Loop) && (isFixed(Limit, Loop) || &Limit == R.I);
             });
    };
    return llvm::any_of(Loop.blocks(),
                        [&](const BasicBlock *Block) {
                          auto *Branch = dyn_cast<llvm::BranchInst>(Block->getTerminator());
                          if (!Branch || !Branch->isConditional())
                            return false;
                          const bool Stays[] = {Loop.contains(Branch->getSuccessor(0)),
                                                Loop.contains(Branch->getSuccessor(1))};
                          return Stays[0] != Stays[1] && llvm::any_of(factsOf(*Branch, Stays[0] ? 0 : 1), Bounds) &&
                                 llvm::all_of(Loop.blocks(), [&](const BasicBlock *Latch) {
                                   return !IsLatch(Latch) || Dominators.dominates(Block, Latch);
                                 });
                        }) &&
           anyOf(Loop, [&](const Instruction &I) {
             return &I != R.I && !isa<llvm::FenceInst>(I) && (isa<llvm::LoadInst>(I) || writtenBy(I));
           });
  }

  /// Does it grow or shrink by as much in each turn?
  static bool isCounter(const Value &V, const Cycle &Loop) {
    const Value *Counter = &V;
    while (isa<llvm::CastInst>(Counter))
      Counter = llvm::cast<Instruction>(Counter)->getOperand(0);
    auto StepOf = [&](const Value *Of) -> const Value * {
      auto *I = dyn_cast<llvm::BinaryOperator>(Of);
      return I && (I->isShift() || I->getOpcode() == Instruction::Add || I->getOpcode() == Instruction::Sub) &&
                     isIn(*I, Loop) && isFixed(*I->getOperand(1), Loop) && !isZero(I->getOperand(1))
                 ? I->getOperand(0)
                 : nullptr;
    };
    auto *Phi = dyn_cast<PHINode>(Counter);
    if (!Phi)
      Phi = dyn_cast_or_null<PHINode>(StepOf(Counter));
    return Phi && isEntryPhi(*Phi, Loop) && llvm::all_of(llvm::seq(Phi->getNumIncomingValues()), [&](unsigned I) {
             return !Loop.contains(Phi->getIncomingBlock(I)) || StepOf(Phi->getIncomingValue(I)) == Phi;
           });
  }

  /// Has the loop one more turn only where another thread came first, or where this one has counted on?
  static bool isLockFree(const Read &R, const Cycle &Loop) {
    auto Counts = [&](const Instruction &I) {
      const std::optional<Read> Other = readOf(I);
      return Other && &I != R.I && Other->Does == Effect::Adds && Other->Address && R.Address &&
             isSamePlace(*Other->Address, *R.Address) && !isUndone(*Other, Loop);
    };
    for (const BasicBlock *Entry : Loop.getEntries()) {
      llvm::SmallSetVector<const BasicBlock *, 16> Seen;
      Seen.insert(Entry);
      for (size_t At = 0; At < Seen.size(); ++At) {
        if (llvm::any_of(*Seen[At], Counts))
          continue;
        auto *Branch = dyn_cast<llvm::BranchInst>(Seen[At]->getTerminator());
        for (unsigned To = 0; To < Seen[At]->getTerminator()->getNumSuccessors(); ++To) {
          const BasicBlock *Next = Seen[At]->getTerminator()->getSuccessor(To);
          if (!Loop.contains(Next) ||
              (Branch && Branch->isConditional() && llvm::any_of(factsOf(*Branch, To), [&](const auto &Fact) {
                 return isFailure(*Fact.first, Fact.second, Loop);
               })))
            continue;
          if (Next == Entry)
            return false;
          Seen.insert(Next);
        }
      }
    }
    return true;
  }

  static const Value *withoutCasts(const Value *V) {
    while (isa<llvm::CastInst, llvm::FreezeInst>(V))
      V = llvm::cast<Instruction>(V)->getOperand(0);
    return V;
  }

  /// Does the value say, where it is true or where it is not, that an atomic has found another value than the last one
  /// that was read there?
  static bool isFailure(const Value &V, bool Is, const Cycle &Loop, unsigned Depth = 8) {
    auto Never = [&](const Value *Way) {
      auto *Constant = dyn_cast<llvm::ConstantInt>(Way);
      return Constant && Constant->isZero() == Is;
    };
    auto IsWay = [&](const Value *Way) { return Never(Way) || (Depth > 0 && isFailure(*Way, Is, Loop, Depth - 1)); };
    if (auto *Cast = dyn_cast<llvm::CastInst>(&V)) // bool in memory
      return IsWay(Cast->getOperand(0));
    if (auto *Phi = dyn_cast<PHINode>(&V))
      return llvm::all_of(Phi->incoming_values(), IsWay);
    if (auto *Select = dyn_cast<llvm::SelectInst>(&V))
      return llvm::all_of(std::array{true, false}, [&](bool Side) {
        return IsWay(Side ? Select->getTrueValue() : Select->getFalseValue()) ||
               (Depth > 0 && isFailure(*Select->getCondition(), Side, Loop, Depth - 1));
      });
    auto Found = [&](const Value *By, const Value *Instead) {
      auto *I = dyn_cast<Instruction>(By);
      const std::optional<Read> R = I ? readOf(*I) : std::nullopt;
      return R && R->Does != Effect::None && R->Address &&
             (R->Does != Effect::Compares || (R->Operand && withoutCasts(R->Operand) == withoutCasts(Instead))) &&
             isLastRead(*Instead, *R->Address, Loop);
    };
    if (auto *Success = dyn_cast<llvm::ExtractValueInst>(&V)) {
      auto *Swap = dyn_cast<AtomicCmpXchgInst>(Success->getAggregateOperand());
      return !Is && Swap && Success->getIndices() == llvm::ArrayRef(1u) && Found(Swap, Swap->getCompareOperand());
    }
    auto *Compare = dyn_cast<llvm::CmpInst>(&V);
    if (!Compare || !Compare->isEquality() ||
        (Compare->getPredicate() == llvm::CmpInst::ICMP_EQ || Compare->getPredicate() == llvm::CmpInst::FCMP_OEQ) == Is)
      return false;
    auto Differ = [&](const Value *Old, const Value *Instead) {
      if (auto *Member = dyn_cast<llvm::ExtractValueInst>(Old))
        Old = Member->getAggregateOperand();
      return Found(Old, Instead);
    };
    const Value *A = withoutCasts(Compare->getOperand(0)), *B = withoutCasts(Compare->getOperand(1));
    auto *OfA = dyn_cast<PHINode>(A), *OfB = dyn_cast<PHINode>(B);
    if (OfA && OfB && OfA->getParent() == OfB->getParent() && isIn(*A, Loop)) // asked in the next turn
      return llvm::all_of(llvm::seq(OfA->getNumIncomingValues()), [&](unsigned I) {
        const Value *From = OfB->getIncomingValueForBlock(OfA->getIncomingBlock(I));
        return !Loop.contains(OfA->getIncomingBlock(I)) || Differ(withoutCasts(OfA->getIncomingValue(I)), From) ||
               Differ(withoutCasts(From), OfA->getIncomingValue(I));
      });
    return Differ(A, B) || Differ(B, A);
  }

  /// Is it the very value that the loop has read there?
  static bool isLastRead(const Value &V, const Value &Address, const Cycle &Loop) {
    llvm::SmallSetVector<const Value *, 8> From;
    From.insert(&V);
    bool IsRead = false;
    for (size_t At = 0; At < From.size(); ++At) {
      auto *I = dyn_cast<Instruction>(From[At]);
      if (!I || !Loop.contains(I->getParent()))
        return false;
      if (auto *Phi = dyn_cast<PHINode>(I)) {
        for (unsigned In = 0; In < Phi->getNumIncomingValues(); ++In)
          if (Loop.contains(Phi->getIncomingBlock(In)))
            From.insert(Phi->getIncomingValue(In));
      } else if (isa<llvm::SelectInst>(I))
        From.insert(I->op_begin() + 1, I->op_end());
      else if (isa<llvm::CastInst, llvm::FreezeInst, llvm::ExtractValueInst>(I))
        From.insert(I->getOperand(0));
      else {
        const std::optional<Read> R = readOf(*I);
        if (!R || !R->Address || !(isSamePlace(*R->Address, Address) || leadsTo(*R, Address, Loop)))
          return false;
        IsRead = true;
      }
    }
    return IsRead;
  }

  /// Is the address in the same table, at what was read?
  static bool leadsTo(const Read &R, const Value &Address, const Cycle &Loop) {
    return isSameObject(*R.Address, Address) && parts(Address, Loop).contains(R.I);
  }

  /// Does the loop take back what it adds?
  static bool isUndone(const Read &R, const Cycle &Loop) {
    auto Shrinks = [](const AtomicRMWInst &Atomic) {
      auto *Operand = dyn_cast<llvm::ConstantInt>(Atomic.getValOperand());
      switch (Atomic.getOperation()) {
      case AtomicRMWInst::UIncWrap:
        return false;
      case AtomicRMWInst::UDecWrap:
        return true;
      default:
        return (Atomic.getOperation() == AtomicRMWInst::Sub || Atomic.getOperation() == AtomicRMWInst::FSub) !=
               (Operand && Operand->isNegative());
      }
    };
    return !R.Address || anyOf(Loop, [&](const Instruction &I) {
      const Value *Written = writtenBy(I);
      if (&I == R.I || !Written || !isSamePlace(*Written, *R.Address))
        return false;
      auto *One = dyn_cast<AtomicRMWInst>(R.I), *Other = dyn_cast<AtomicRMWInst>(&I);
      if (One && Other)
        return ofAtomic(*Other).Does != Effect::Adds || Shrinks(*One) != Shrinks(*Other);
      return !isSamePlace(*R.I, I); // a call, or assembly
    });
  }

  /// Does it mark, of one place, what was not marked when it was read before? Or is it the least or the most of values
  /// that are others in each turn?
  static bool marksMore(const Read &R, const Cycle &Loop) {
    auto *Atomic = dyn_cast<AtomicRMWInst>(R.I);
    if (!Atomic)
      return false;
    switch (Atomic->getOperation()) {
    case AtomicRMWInst::Or:
    case AtomicRMWInst::And:
    case AtomicRMWInst::Xor:
      return parts(*R.Operand, Loop).contains(R.I);
    case AtomicRMWInst::Xchg:
      return false;
    default:
      return !isFixed(*R.Operand, Loop);
    }
  }

  /// Does an inner loop mark places that the next turn does not ask for again? It notes each of them, and takes no mark
  /// back.
  static bool marksOthers(const Read &R, const Cycle &Loop) {
    if (!R.Address)
      return false;
    const Instructions Parts = parts(*R.Address, Loop);
    auto TakesBack = [&](const Instruction &I) {
      const Value *Written = writtenBy(I);
      if (&I == R.I || !Written || !isSameObject(*Written, *R.Address))
        return false;
      if (auto *Store = dyn_cast<llvm::StoreInst>(&I))
        return isa<llvm::Constant>(Store->getValueOperand()) ||
               (R.Does == Effect::Compares && Store->getValueOperand() == R.Operand);
      const std::optional<Read> Other = readOf(I);
      return !Other || Other->Does != R.Does || Other->Operand != R.Operand;
    };
    return anyOf(Loop,
                 [&](const Instruction &I) {
                   auto *Store = dyn_cast<llvm::StoreInst>(&I);
                   auto *Place = Store ? dyn_cast<Instruction>(Store->getValueOperand()) : nullptr;
                   return Place && isa<llvm::LoadInst>(Place) &&
                          llvm::any_of(Parts, [&](const Instruction *Part) { return isSamePlace(*Part, *Place); });
                 }) &&
           !anyOf(Loop, TakesBack);
  }

  /// Does the loop nothing but read, wait, and tell the block what was read? All that can change is what others write.
  bool onlyLooks(const Read &R, const Cycle &Loop) const {
    auto [At, IsNew] = Tells.try_emplace(&Loop);
    if (IsNew)
      At->second = onlyTells(Loop);
    return At->second && llvm::all_of(*At->second, [&](const Value *Told) {
             return llvm::none_of(parts(*Told, Loop), [&](const Instruction *Part) {
               return Part != R.I && (isEntryPhi(*Part, Loop) || Part->mayReadOrWriteMemory());
             });
           });
  }

  /// What a loop with a fence stores for the block, where no turn leaves anything else to the next one.
  static std::optional<std::vector<const Value *>> onlyTells(const Cycle &Loop) {
    std::vector<const Value *> Told;
    bool HasFence = false;
    const bool HasState = anyOf(Loop, [&](const Instruction &I) {
      if (auto *Branch = dyn_cast<llvm::BranchInst>(&I))
        return Branch->isConditional() &&
               llvm::any_of(parts(*Branch->getCondition(), Loop),
                            [&](const Instruction *Part) { return isEntryPhi(*Part, Loop); });
      if (auto *Store = dyn_cast<llvm::StoreInst>(&I)) {
        Told.push_back(Store->getValueOperand());
        return !isOfBlock(*Store->getPointerOperand());
      }
      HasFence |= isa<llvm::FenceInst>(I) || (isa<llvm::CallBase>(I) && I.mayWriteToMemory());
      return isOfUnknownCode(I) || writtenBy(I);
    });
    return HasFence && !HasState ? std::optional(std::move(Told)) : std::nullopt;
  }

  llvm::CycleInfo Cycles;
  llvm::DominatorTree Dominators;
  llvm::PostDominatorTree PostDominators;
  mutable llvm::DenseMap<const Cycle *, std::optional<std::vector<const Value *>>> Tells; ///< onlyTells(), once made.
};

/// Leads branches directly to where they go: a copy is simplified, since the order in the text means nothing here.
void simplify(llvm::Function &F) {
  llvm::FunctionAnalysisManager Analyses;
  Analyses.registerPass([] { return llvm::PassInstrumentationAnalysis(); });
  Analyses.registerPass([] { return llvm::DominatorTreeAnalysis(); });
  Analyses.registerPass([] { return llvm::AssumptionAnalysis(); });
  Analyses.registerPass([] { return llvm::TargetIRAnalysis(); });
  llvm::SimplifyCFGPass(llvm::SimplifyCFGOptions().needCanonicalLoops(false)).run(F, Analyses);
}

using Functions = llvm::SmallSetVector<llvm::Function *, 8>;

/// What it calls and what that calls, itself if it is recursive. A pointer may lead to any function that is named other
/// than by a call.
Functions calledBy(const llvm::Function &Caller) {
  Functions Called;
  auto AddCalled = [&](const llvm::Function &By) {
    for (const Instruction &I : llvm::instructions(By)) {
      auto *Call = dyn_cast<llvm::CallBase>(&I);
      if (!Call || Call->isInlineAsm())
        continue;
      if (llvm::Function *Callee = Call->getCalledFunction())
        Called.insert(Callee);
      else
        for (llvm::Function &F : *const_cast<llvm::Module *>(Caller.getParent()))
          if (F.hasAddressTaken())
            Called.insert(&F);
    }
  };
  AddCalled(Caller);
  for (size_t At = 0; At < Called.size(); ++At)
    AddCalled(*Called[At]);
  return Called;
}

} // namespace

std::optional<Finding> findSpinLoop(const DeviceIr &Ir) {
  const std::unique_ptr<llvm::Module> Copy = llvm::CloneModule(*Ir.kernel().getParent());
  llvm::Function *Kernel = Copy->getFunction(Ir.kernel().getName());
  // What is not inlined there: functions that call themselves, those that pointers lead to, and where it would be too
  // much.
  Functions All = calledBy(*Kernel);
  All.insert(Kernel);
  auto ReadOf = [&](const Instruction &I) -> std::optional<Read> {
    std::optional<Read> R = readOf(I);
    if (R && ((R->Address && isOfBlock(*R->Address)) || Ir.isOfGroups(I)))
      return std::nullopt;
    return R;
  };
  auto Asks = [&](const llvm::Function *F) {
    return llvm::any_of(llvm::instructions(*F), [&](const Instruction &I) {
      const std::optional<Read> R = ReadOf(I);
      return R && !R->IsPlain && R->Does != Effect::Adds;
    });
  };
  auto CallAsks = [&](const Instruction &I) {
    const llvm::Function *Callee = llvm::cast<llvm::CallBase>(I).getCalledFunction();
    return Callee ? Asks(Callee) || llvm::any_of(calledBy(*Callee), Asks) : llvm::any_of(All, Asks);
  };
  for (llvm::Function *F : All) {
    if (F->isDeclaration())
      continue;
    simplify(*F);
    const SpinLoops Loops(*F);
    const bool IsRecursive = calledBy(*F).contains(F);
    for (const Instruction &I : llvm::instructions(*F)) {
      std::optional<Read> R = ReadOf(I);
      if (isOfUnknownCode(I) && CallAsks(I))
        R = Read{&I};
      if (!R || !(R->IsLoop || (IsRecursive && !R->IsPlain && R->Does != Effect::Adds) || Loops.waits(*R)))
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
