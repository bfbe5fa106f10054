#include "IrTurns.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringSwitch.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

namespace cufuse {

namespace {

using Instruction = llvm::Instruction;
using ValueSet = llvm::SmallPtrSet<const llvm::Value *, 32>;

llvm::StringRef calleeOf(const llvm::Value &V) {
  auto *Call = llvm::dyn_cast<llvm::CallBase>(&V);
  const llvm::Function *Callee = Call ? Call->getCalledFunction() : nullptr;
  return Callee ? Callee->getName() : llvm::StringRef();
}

/// Does a loop's variable begin at the thread's number?
bool isOfThread(const llvm::PHINode &Phi, IrValues &Values) {
  const auto Id = Values.loop(&Phi);
  return Id && Values.known().Loops[*Id].Start.contains(builtinAtom(Builtin::ThreadIdx, 0));
}
bool isOfThread(const llvm::Loop &L, IrValues &Values) {
  return llvm::any_of(L.getHeader()->phis(), [&](const llvm::PHINode &Phi) { return isOfThread(Phi, Values); });
}

/// Is what a variable of the loop becomes a sum, or the like, of what it was and of something else? Then the order of
/// the turns counts for no more than that of a sum.
class Accumulation {
public:
  Accumulation(const llvm::PHINode &Phi, const llvm::Loop &L) : Phi(Phi), L(L) {}

  bool run() {
    Values.insert(&Phi);
    Open.push_back(&Phi);
    while (!Open.empty()) {
      const llvm::Value *V = Open.pop_back_val();
      for (const llvm::User *User : V->users())
        if (auto *I = llvm::cast<Instruction>(User); L.contains(I) && !isStep(*I, *V))
          return false;
    }
    return Values.contains(Phi.getIncomingValueForBlock(L.getLoopLatch())) && llvm::all_of(Merges, [&](const auto *I) {
             return llvm::all_of(I->operands(), [&](const llvm::Use &Each) {
               return (llvm::isa<llvm::SelectInst>(I) && Each.getOperandNo() == 0) || Values.contains(Each);
             });
           });
  }

private:
  enum class Operation { Unknown, Sum, Product, Most, Least, And, Or, Xor };

  void add(const Instruction &I) {
    if (Values.insert(&I).second)
      Open.push_back(&I);
  }

  bool isStep(const Instruction &I, const llvm::Value &V) {
    if (&I == &Phi)
      return true;
    if (llvm::isa<llvm::PHINode, llvm::SelectInst>(I)) {
      if (auto *Select = llvm::dyn_cast<llvm::SelectInst>(&I); Select && Select->getCondition() == &V)
        return false;
      const Operation Of = extreme(I);
      if (Of == Operation::Unknown)
        Merges.push_back(&I);
      add(I);
      return Of == Operation::Unknown || isOf(Of);
    }
    if (llvm::isa<llvm::CmpInst>(I)) // for a choice of its larger or smaller operand
      return llvm::all_of(I.users(), [&](const llvm::User *User) {
        auto *Branch = llvm::dyn_cast<llvm::BranchInst>(User);
        return Branch ? onlyChooses(*Branch) : extreme(*llvm::cast<Instruction>(User)) != Operation::Unknown;
      });
    unsigned Operand = 0, Times = 0;
    for (const llvm::Use &Each : I.operands())
      if (Each == &V)
        Operand = Each.getOperandNo(), ++Times;
    add(I);
    return Times == 1 && isOf(operation(I, Operand));
  }

  /// All of them are one.
  bool isOf(Operation Of) {
    if (Known == Operation::Unknown)
      Known = Of;
    return Of != Operation::Unknown && Of == Known;
  }

  /// The block behind both sides of a condition of which nothing but values depends; null if there is none.
  static const llvm::BasicBlock *behind(const llvm::BranchInst &Branch) {
    if (!Branch.isConditional())
      return nullptr;
    const llvm::BasicBlock *Ends[2];
    for (unsigned I : {0, 1}) {
      const llvm::BasicBlock *Side = Branch.getSuccessor(I);
      const bool Empty = Side->getSinglePredecessor() == Branch.getParent() && Side->getSingleSuccessor() &&
                         &*Side->instructionsWithoutDebug().begin() == Side->getTerminator();
      Ends[I] = Empty ? Side->getSingleSuccessor() : Side;
    }
    return Ends[0] == Ends[1] ? Ends[0] : nullptr;
  }
  static bool onlyChooses(const llvm::BranchInst &Branch) {
    const llvm::BasicBlock *Behind = behind(Branch);
    return Behind &&
           llvm::all_of(Behind->phis(), [](const llvm::PHINode &Phi) { return extreme(Phi) != Operation::Unknown; });
  }

  /// Of the two values that are compared, the larger or the smaller one.
  static Operation extreme(const Instruction &I) {
    const llvm::CmpInst *Compare = nullptr;
    const llvm::Value *IfTrue = nullptr, *IfFalse = nullptr;
    if (auto *Select = llvm::dyn_cast<llvm::SelectInst>(&I)) {
      Compare = llvm::dyn_cast<llvm::CmpInst>(Select->getCondition());
      IfTrue = Select->getTrueValue();
      IfFalse = Select->getFalseValue();
    } else if (auto *Phi = llvm::dyn_cast<llvm::PHINode>(&I); Phi && Phi->getNumIncomingValues() == 2) {
      for (const llvm::BasicBlock *From : Phi->blocks())
        for (const llvm::BasicBlock *Front : {From, From->getSinglePredecessor()})
          if (auto *Branch = Front ? llvm::dyn_cast<llvm::BranchInst>(Front->getTerminator()) : nullptr;
              Branch && behind(*Branch) == Phi->getParent()) {
            auto Given = [&](unsigned Side) {
              const llvm::BasicBlock *To = Branch->getSuccessor(Side);
              return Phi->getIncomingValueForBlock(To == Phi->getParent() ? Front : To);
            };
            Compare = llvm::dyn_cast<llvm::CmpInst>(Branch->getCondition());
            IfTrue = Given(0);
            IfFalse = Given(1);
          }
    }
    if (!Compare)
      return Operation::Unknown;
    const llvm::Value *Left = Compare->getOperand(0), *Right = Compare->getOperand(1);
    const bool Same = IfTrue == Left && IfFalse == Right;
    if (!Same && !(IfTrue == Right && IfFalse == Left))
      return Operation::Unknown;
    using P = llvm::CmpInst;
    switch (Compare->getPredicate()) {
    case P::FCMP_OGT:
    case P::FCMP_OGE:
    case P::FCMP_UGT:
    case P::FCMP_UGE:
    case P::ICMP_SGT:
    case P::ICMP_SGE:
    case P::ICMP_UGT:
    case P::ICMP_UGE:
      return Same ? Operation::Most : Operation::Least;
    case P::FCMP_OLT:
    case P::FCMP_OLE:
    case P::FCMP_ULT:
    case P::FCMP_ULE:
    case P::ICMP_SLT:
    case P::ICMP_SLE:
    case P::ICMP_ULT:
    case P::ICMP_ULE:
      return Same ? Operation::Least : Operation::Most;
    default:
      return Operation::Unknown;
    }
  }

  static Operation operation(const Instruction &I, unsigned Operand) {
    switch (I.getOpcode()) {
    case Instruction::FAdd:
    case Instruction::Add:
      return Operation::Sum;
    case Instruction::FSub:
    case Instruction::Sub:
      return Operand == 0 ? Operation::Sum : Operation::Unknown;
    case Instruction::FMul:
    case Instruction::Mul:
      return Operation::Product;
    case Instruction::And:
      return Operation::And;
    case Instruction::Or:
      return Operation::Or;
    case Instruction::Xor:
      return Operation::Xor;
    default:
      break;
    }
    llvm::StringRef Name = calleeOf(I);
    if (!Name.consume_front("llvm.") && !Name.consume_front("__nv_"))
      return Operation::Unknown;
    const llvm::StringRef Word = Name.split('.').first;
    if (Word == "fma" || Word == "fmaf" || Word == "fmuladd")
      return Operand == 2 ? Operation::Sum : Operation::Unknown;
    return llvm::StringSwitch<Operation>(Word)
        .Cases({"maxnum", "maximum", "smax", "umax", "fmaxf", "fmax", "max", "umax", "llmax", "ullmax"},
               Operation::Most)
        .Cases({"minnum", "minimum", "smin", "umin", "fminf", "fmin", "min", "umin", "llmin", "ullmin"},
               Operation::Least)
        .Cases({"fadd_rn", "dadd_rn"}, Operation::Sum)
        .Default(Operation::Unknown);
  }

  const llvm::PHINode &Phi;
  const llvm::Loop &L;
  ValueSet Values;
  llvm::SmallVector<const llvm::Value *, 16> Open;
  std::vector<const Instruction *> Merges; ///< Each of them is of such values alone.
  Operation Known = Operation::Unknown;
};

class Turns {
public:
  Turns(const llvm::Loop &L, IrValues &Values, const IrMemory &Memory) : L(L), Values(Values), Memory(Memory) {
    for (const auto &[By, What] : Memory.Together)
      Together.insert(By);
    for (const IrAccess &Access : Memory.Accesses)
      Accesses[Access.By].push_back(&Access);
  }

  std::vector<std::pair<const Instruction *, std::string>> run() {
    findThreads();
    if (!L.getLoopLatch())
      Found.push_back({L.getHeader()->getTerminator(), "it goes on at several places"});
    else
      for (const llvm::PHINode &Phi : L.getHeader()->phis())
        if (Values.counts(Phi) ? !isOfThread(Phi, Values) || std::exchange(Counted, true) : !Accumulation(Phi, L).run())
          Found.push_back({&Phi, "it leaves " + nameOf(Phi) + " to the next turn, which is no sum"});
    for (const llvm::BasicBlock *Block : L.blocks())
      for (const Instruction &I : *Block)
        if (!I.isDebugOrPseudoInst() && !I.isLifetimeStartOrEnd() && !isOfHeader(I))
          see(I);
    for (const auto *All : {&Memory.Together, &Memory.Reports})
      for (const auto &[By, What] : *All)
        if (L.contains(By))
          Found.push_back({By, "it calls " + What});
    return std::move(Found);
  }

private:
  static std::string nameOf(const llvm::Value &V) {
    const llvm::StringRef Name = V.getName().split('.').first;
    return Name.empty() ? "a value" : Name.str();
  }
  bool isOfHeader(const Instruction &I) const { return llvm::isa<llvm::PHINode>(I) && I.getParent() == L.getHeader(); }

  // What depends on the thread.

  /// What a warp makes known to all of its threads.
  static bool isForAll(const Instruction &I) {
    const llvm::StringRef Name = calleeOf(I);
    return llvm::any_of(
        std::array{"llvm.nvvm.shfl.sync.bfly", "llvm.nvvm.shfl.sync.idx", "llvm.nvvm.redux", "llvm.nvvm.barrier"},
        [&](const char *Each) { return Name.starts_with(Each); });
  }
  /// `part + __shfl_xor_sync(…, part, …)`, and what a loop of these makes of it: so a warp sums, or the like, what its
  /// threads have.
  static const llvm::Value *summedByWarp(const llvm::Value &V) {
    auto *I = llvm::dyn_cast<Instruction>(&V);
    if (!I || (!llvm::isa<llvm::BinaryOperator>(I) && !llvm::isa<llvm::CallBase>(I)))
      return nullptr;
    for (const llvm::Use &Each : I->operands())
      if (auto *Call = llvm::dyn_cast<llvm::CallBase>(Each); Call && calleeOf(*Call).starts_with("llvm.nvvm.shfl."))
        for (const llvm::Use &Own : I->operands())
          if (isForAll(*Call) && Own != Each && llvm::is_contained(Call->args(), Own.get()))
            return Own;
    return nullptr;
  }
  bool isSummedByWarp(const Instruction &I) const {
    auto *Phi = llvm::dyn_cast<llvm::PHINode>(&I);
    const llvm::Loop *Of = Phi ? Values.loops().getLoopFor(Phi->getParent()) : nullptr;
    if (!Of || Of->getHeader() != Phi->getParent() || !Of->getLoopLatch())
      return summedByWarp(I) != nullptr;
    return summedByWarp(*Phi->getIncomingValueForBlock(Of->getLoopLatch())) == Phi;
  }
  static bool isOfBlock(llvm::StringRef Register) {
    return llvm::any_of(std::array{"ntid", "ctaid", "nctaid", "warpsize", "gridid"},
                        [&](const char *Each) { return Register.starts_with(Each); });
  }

  void depends(const llvm::Value &V) {
    if (Thread.insert(&V).second)
      Open.push_back(&V);
  }

  void findThreads() {
    for (const Instruction &I : llvm::instructions(*L.getHeader()->getParent())) {
      llvm::StringRef Name = calleeOf(I);
      if (Name.consume_front("llvm.nvvm.read.ptx.sreg.") ? !isOfBlock(Name) : Together.contains(&I) && !isForAll(I))
        depends(I);
    }
    for (const llvm::Loop *Other : Values.loops().getLoopsInPreorder())
      if (Other != &L && isOfThread(*Other, Values))
        for (const llvm::PHINode &Phi : Other->getHeader()->phis())
          depends(Phi);
    do
      follow();
    while (chosen());
  }

  void follow() {
    while (!Open.empty()) {
      const llvm::Value *V = Open.pop_back_val();
      for (const llvm::User *User : V->users()) {
        auto *I = llvm::dyn_cast<Instruction>(User);
        if (!I || isOfHeader(*I) || isForAll(*I) || isSummedByWarp(*I))
          continue;
        // A variable of the thread has what is stored there, or what is called with it leaves there.
        if (I->mayWriteToMemory())
          for (const llvm::Use &Each : I->operands())
            if (Each->getType()->isPointerTy())
              if (const llvm::Value *Of = llvm::getUnderlyingObject(Each); llvm::isa<llvm::AllocaInst>(Of))
                depends(*Of);
        if (!I->getType()->isVoidTy())
          depends(*I);
      }
    }
  }

  /// What a condition of the thread chooses.
  bool chosen() {
    for (const Instruction &I : llvm::instructions(*L.getHeader()->getParent()))
      if (auto *Phi = llvm::dyn_cast<llvm::PHINode>(&I);
          Phi && !isOfHeader(I) && !isSummedByWarp(I) && !Thread.contains(Phi) && isChosenByThread(*Phi))
        depends(*Phi);
    return !Open.empty();
  }
  bool isChosenByThread(const llvm::PHINode &Phi) const {
    const auto *Node = Values.dominators().getNode(Phi.getParent());
    if (!Node || !Node->getIDom())
      return false;
    const llvm::BasicBlock *First = Node->getIDom()->getBlock();
    llvm::SmallPtrSet<const llvm::BasicBlock *, 16> Met;
    llvm::SmallVector<const llvm::BasicBlock *, 16> Left(Phi.blocks());
    while (!Left.empty()) {
      const llvm::BasicBlock *Block = Left.pop_back_val();
      if (!Met.insert(Block).second)
        continue;
      if (llvm::any_of(Block->getTerminator()->operands(),
                       [&](const llvm::Use &Each) { return Thread.contains(Each); }))
        return true;
      if (Block != First)
        Left.append(llvm::pred_begin(Block), llvm::pred_end(Block));
    }
    return false;
  }

  // What stands in the loop.

  void see(const Instruction &I) {
    for (const llvm::Use &Each : I.operands())
      if (Thread.contains(Each)) {
        Found.push_back({&I, nameOf(*Each) + " depends on the thread"});
        return;
      }
    const auto Own = Accesses.find(&I);
    if (Own != Accesses.end()) {
      if (llvm::any_of(Own->second, [](const IrAccess *Each) {
            return Each->What == IrAccess::Kind::Atomic || Each->What == IrAccess::Kind::Any;
          }))
        Found.push_back({&I, "what it does with an array is not known"});
      return;
    }
    if (llvm::any_of(Memory.Elsewhere, [&](const auto &Each) { return Each.first == &I; }))
      Found.push_back({&I, "it uses memory that no parameter leads to"});
    else if (auto *Load = llvm::dyn_cast<llvm::LoadInst>(&I))
      loads(I, *Load->getPointerOperand());
    else if (I.mayWriteToMemory())
      for (const llvm::Use &Each : I.operands())
        if (Each->getType()->isPointerTy() && !llvm::isa<llvm::Function>(Each) && !isOfTurn(*Each))
          Found.push_back({&I, "it stores to " + nameOf(*llvm::getUnderlyingObject(Each))});
  }

  void loads(const Instruction &I, const llvm::Value &From) {
    const llvm::Value *Of = llvm::getUnderlyingObject(&From);
    auto *Variable = llvm::dyn_cast<llvm::GlobalVariable>(Of);
    constexpr unsigned Constant = 4;
    if (!L.isLoopInvariant(&From) && !isOfTurn(From) &&
        !(Variable && (Variable->isConstant() || Variable->getAddressSpace() == Constant)))
      Found.push_back({&I, "another element of " + nameOf(*Of) + " in every turn"});
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
  ValueSet Together;
  llvm::DenseMap<const Instruction *, std::vector<const IrAccess *>> Accesses;
  ValueSet Thread; ///< What depends on the thread.
  bool Counted = false;
  llvm::SmallVector<const llvm::Value *, 16> Open;
  std::vector<std::pair<const Instruction *, std::string>> Found;
};

} // namespace

std::vector<std::pair<const Instruction *, std::string>> boundTurns(const llvm::Loop &L, IrValues &Values,
                                                                    const IrMemory &Memory) {
  return isOfThread(L, Values) ? Turns(L, Values, Memory).run()
                               : std::vector<std::pair<const Instruction *, std::string>>();
}

} // namespace cufuse
