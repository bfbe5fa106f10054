// What a loop carries from turn to turn as a sum, or the like.
#pragma once

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/StringSwitch.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Instructions.h>

#include <vector>

namespace cufuse {

using Instruction = llvm::Instruction;
using ValueSet = llvm::SmallPtrSet<const llvm::Value *, 32>;

inline llvm::StringRef calleeOf(const llvm::Value &V) {
  auto *Call = llvm::dyn_cast<llvm::CallBase>(&V);
  const llvm::Function *Callee = Call ? Call->getCalledFunction() : nullptr;
  return Callee ? Callee->getName() : llvm::StringRef();
}

/// Is what a variable of the loop becomes a sum, or the like, of what it was and of something else? Then the order of
/// the turns counts for no more than that of a sum.
class Accumulation {
public:
  enum class Operation { Unknown, Sum, Product, Most, Least, UnsignedMost, UnsignedLeast, And, Or, Xor };

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

  const ValueSet &values() const { return Values; }
  Operation known() const { return Known; }

private:
  /// Where a comparison chooses its left operand, `IfTrue`, else its right one.
  static Operation chosen(const llvm::CmpInst &Compare, bool IfTrue) {
    using P = llvm::CmpInst;
    const P::Predicate Asked = Compare.getPredicate();
    const bool Unsigned = P::isUnsigned(Asked);
    const Operation Most = Unsigned ? Operation::UnsignedMost : Operation::Most,
                    Least = Unsigned ? Operation::UnsignedLeast : Operation::Least;
    switch (P::getNonStrictPredicate(Compare.isFPPredicate() ? llvm::FCmpInst::getOrderedPredicate(Asked)
                                                             : llvm::ICmpInst::getSignedPredicate(Asked))) {
    case P::FCMP_OGE:
    case P::ICMP_SGE:
      return IfTrue ? Most : Least;
    case P::FCMP_OLE:
    case P::ICMP_SLE:
      return IfTrue ? Least : Most;
    default:
      return Operation::Unknown;
    }
  }
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
      return choosesExtreme(I);
    // Of two such values, one would count twice.
    unsigned Operand = 0, Times = 0;
    for (const llvm::Use &Each : I.operands())
      if (Values.contains(Each))
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

  /// Are they the same value? What is loaded for a condition may be loaded again behind it.
  static bool isSame(const llvm::Value *Before, const llvm::Value *Behind, unsigned Depth = 0) {
    if (Before == Behind)
      return true;
    auto *A = llvm::dyn_cast<Instruction>(Before), *B = llvm::dyn_cast<Instruction>(Behind);
    if (!A || !B || Depth > 4 || !llvm::isa<llvm::LoadInst, llvm::GetElementPtrInst, llvm::CastInst>(A) ||
        !A->isSameOperationAs(B) || A->mayHaveSideEffects() || B->mayHaveSideEffects())
      return false;
    if (llvm::isa<llvm::LoadInst>(A)) {
      auto Writes = [](const Instruction &I) { return I.mayWriteToMemory(); };
      if (B->getParent()->getSinglePredecessor() != A->getParent() ||
          std::any_of(A->getIterator(), A->getParent()->end(), Writes) ||
          std::any_of(B->getParent()->begin(), B->getIterator(), Writes))
        return false;
    }
    return llvm::equal(A->operands(), B->operands(),
                       [&](const llvm::Use &Of, const llvm::Use &To) { return isSame(Of, To, Depth + 1); });
  }
  /// The block behind both sides of a condition of which nothing but values depends; null if there is none.
  static const llvm::BasicBlock *behind(const llvm::BranchInst &Branch) {
    if (!Branch.isConditional())
      return nullptr;
    const llvm::BasicBlock *Ends[2];
    for (unsigned I : {0, 1}) {
      const llvm::BasicBlock *Side = Branch.getSuccessor(I);
      const bool Empty = Side->getSinglePredecessor() == Branch.getParent() && Side->getSingleSuccessor() &&
                         llvm::none_of(*Side, [](const Instruction &I) { return I.mayHaveSideEffects(); });
      Ends[I] = Empty ? Side->getSingleSuccessor() : Side;
    }
    return Ends[0] == Ends[1] ? Ends[0] : nullptr;
  }
  static bool onlyChooses(const llvm::BranchInst &Branch) {
    const llvm::BasicBlock *Behind = behind(Branch);
    return Behind &&
           llvm::all_of(Behind->phis(), [](const llvm::PHINode &Phi) { return extreme(Phi) != Operation::Unknown; });
  }

public:
  static bool choosesExtreme(const Instruction &Compare) {
    return llvm::all_of(Compare.users(), [](const llvm::User *User) {
      auto *Branch = llvm::dyn_cast<llvm::BranchInst>(User);
      return Branch ? onlyChooses(*Branch) : extreme(*llvm::cast<Instruction>(User)) != Operation::Unknown;
    });
  }
  /// What a comparison is for, if it chooses the larger or the smaller one of two values, and nothing else.
  static Operation chosenBy(const llvm::CmpInst &Compare) {
    if (!Compare.hasOneUse() || !choosesExtreme(Compare))
      return storedExtreme(Compare);
    const auto *Branch = llvm::dyn_cast<llvm::BranchInst>(*Compare.user_begin());
    return extreme(Branch ? *behind(*Branch)->begin() : *llvm::cast<Instruction>(*Compare.user_begin()));
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
    const bool Same = isSame(Left, IfTrue) && isSame(Right, IfFalse);
    if (!Same && !(isSame(Right, IfTrue) && isSame(Left, IfFalse)))
      return Operation::Unknown;
    return chosen(*Compare, Same);
  }
  /// The same in memory: `if (*a < *b) *a = *b`.
  static Operation storedExtreme(const llvm::CmpInst &Compare) {
    auto *Branch = Compare.hasOneUse() ? llvm::dyn_cast<llvm::BranchInst>(*Compare.user_begin()) : nullptr;
    for (unsigned Side = 0; Branch && Branch->isConditional() && Side < 2; ++Side)
      for (const Instruction &I : *Branch->getSuccessor(Side))
        if (auto *Store = llvm::dyn_cast<llvm::StoreInst>(&I);
            Store && I.getParent()->getSinglePredecessor() == Compare.getParent())
          for (unsigned To : {0, 1})
            if (auto *Load = llvm::dyn_cast<llvm::LoadInst>(Compare.getOperand(To));
                Load && isSame(Load->getPointerOperand(), Store->getPointerOperand()) &&
                isSame(Compare.getOperand(1 - To), Store->getValueOperand()))
              return chosen(Compare, Side != To);
    return Operation::Unknown;
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
        .Cases({"maxnum", "maximum", "smax", "fmaxf", "fmax", "max", "llmax"}, Operation::Most)
        .Cases({"minnum", "minimum", "smin", "fminf", "fmin", "min", "llmin"}, Operation::Least)
        .Cases({"umax", "ullmax"}, Operation::UnsignedMost)
        .Cases({"umin", "ullmin"}, Operation::UnsignedLeast)
        .Cases({"fadd_rn", "dadd_rn"}, Operation::Sum)
        .Default(Operation::Unknown);
  }

private:
  const llvm::PHINode &Phi;
  const llvm::Loop &L;
  ValueSet Values;
  llvm::SmallVector<const llvm::Value *, 16> Open;
  std::vector<const Instruction *> Merges; ///< Each of them is of such values alone.
  Operation Known = Operation::Unknown;
};

} // namespace cufuse
