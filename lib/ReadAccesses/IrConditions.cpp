// What conditions of the code say of its values: `Left < Right`.
#include "IrMemory.h"

#include "cufuse/Kernel/Wrapping.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

namespace cufuse {

/// `Left < Right`, without a constant on the left.
static Less less(Polynomial Left, Polynomial Right) {
  if (auto Constant = Left.terms().find({}); Constant != Left.terms().end()) {
    const Polynomial Moved = Constant->second;
    Left = Left - Moved;
    Right = Right - Moved;
  }
  return {std::move(Left), std::move(Right)};
}

/// `a && b` as a value is true by the way alone on which both are: it begins at the block that the others come from.
void IrValues::holdsByWay(const llvm::PHINode &Phi, bool Truth, std::vector<Less> &Holds, bool &Whole) {
  std::optional<unsigned> Way;
  for (unsigned I = 0; I < Phi.getNumIncomingValues(); ++I) {
    auto *Constant = llvm::dyn_cast<llvm::ConstantInt>(Phi.getIncomingValue(I));
    if (Constant && Constant->isOne() != Truth)
      continue;
    if (Way || Constant || Loops.isLoopHeader(Phi.getParent())) {
      Whole = false;
      return;
    }
    Way = I;
  }
  if (!Way) {
    Whole = false;
    return;
  }
  holdsOnWay(Phi, *Way, Holds, Whole);
  holds(Phi.getIncomingValue(*Way), Truth, Holds, Whole);
}

/// What is known by the conditions on the way from where it begins to the place where the ways meet.
void IrValues::holdsOnWay(const llvm::PHINode &Phi, unsigned Way, std::vector<Less> &Holds, bool &Whole) {
  const llvm::BasicBlock *Begin = Dominators.getNode(Phi.getParent())->getIDom()->getBlock(), *To = Phi.getParent();
  for (const llvm::BasicBlock *From = Phi.getIncomingBlock(Way);; From = From->getSinglePredecessor()) {
    auto *Branch = From ? llvm::dyn_cast<llvm::BranchInst>(From->getTerminator()) : nullptr;
    if (!Branch || (Branch->isConditional() && Branch->getSuccessor(0) == Branch->getSuccessor(1))) {
      Whole = false;
      return;
    }
    if (Branch->isConditional())
      holds(Branch->getCondition(), Branch->getSuccessor(0) == To, Holds, Whole);
    if (From == Begin)
      return;
    To = From;
  }
}

void IrValues::holds(const llvm::Value *Condition, bool Truth, std::vector<Less> &Holds, bool &Whole) {
  if (auto *Call = llvm::dyn_cast<llvm::IntrinsicInst>(Condition);
      Call && Call->getIntrinsicID() == llvm::Intrinsic::expect)
    return holds(Call->getArgOperand(0), Truth, Holds, Whole);
  if (auto *Phi = llvm::dyn_cast<llvm::PHINode>(Condition))
    return holdsByWay(*Phi, Truth, Holds, Whole);
  auto *Compare = llvm::dyn_cast<llvm::ICmpInst>(Condition);
  if (!Compare) {
    auto *Not = llvm::dyn_cast<llvm::BinaryOperator>(Condition);
    if (Not && Not->getOpcode() == llvm::Instruction::Xor && llvm::isa<llvm::ConstantInt>(Not->getOperand(1)))
      return holds(Not->getOperand(0), llvm::cast<llvm::ConstantInt>(Not->getOperand(1))->isZero() == Truth, Holds,
                   Whole);
    Whole = false;
    return;
  }
  // `(condition ? 1 : 0) != 0`, as `__builtin_expect` makes it.
  auto *Zero = llvm::dyn_cast<llvm::ConstantInt>(Compare->getOperand(1));
  if (Compare->isEquality() && Zero && Zero->isZero()) {
    const llvm::Value *From = Compare->getOperand(0);
    if (auto *Call = llvm::dyn_cast<llvm::IntrinsicInst>(From);
        Call && Call->getIntrinsicID() == llvm::Intrinsic::expect)
      From = Call->getArgOperand(0);
    if (auto *Wider = llvm::dyn_cast<llvm::CastInst>(From); Wider && Wider->getSrcTy()->isIntegerTy(1))
      return holds(Wider->getOperand(0), (Compare->getPredicate() == llvm::CmpInst::ICMP_NE) == Truth, Holds, Whole);
  }
  holdsCompared(Truth ? Compare->getPredicate() : Compare->getInversePredicate(), Compare->getOperand(0),
                Compare->getOperand(1), *Compare->getParent(), Holds, Whole);
}

/// `n - 1` behind `if (i < n)`, where i counts threads, or from there up.
bool IrValues::isNotNegativeBehind(const Polynomial &P, const llvm::BasicBlock &At) {
  auto Counts = [&](const std::string &Atom) {
    return isBuiltin(Atom) || llvm::any_of(Known.Loops, [&](const LoopAccess &Loop) {
             auto IsBuiltin = [](const Polynomial &Of) {
               return !Of.hasNegative() && llvm::all_of(Of.atoms(), isBuiltin);
             };
             return Loop.Atom == Atom && IsBuiltin(Loop.Start) && IsBuiltin(Loop.Step);
           });
  };
  for (const auto *Node = Dominators.getNode(&At); Node && Node->getIDom(); Node = Node->getIDom()) {
    auto *Branch = llvm::dyn_cast<llvm::BranchInst>(Node->getIDom()->getBlock()->getTerminator());
    auto *Compare =
        Branch && Branch->isConditional() ? llvm::dyn_cast<llvm::ICmpInst>(Branch->getCondition()) : nullptr;
    if (!Compare || Compare->isUnsigned())
      continue;
    for (const unsigned Side : {0, 1}) {
      std::vector<Less> Holds;
      bool Whole = true;
      if (Dominators.dominates(llvm::BasicBlockEdge(Branch->getParent(), Branch->getSuccessor(Side)), &At))
        holds(Compare, Side == 0, Holds, Whole);
      for (const Less &L : Holds) {
        const Polynomial Rest = P - (L.Right - L.Left - 1);
        const std::set<std::string> Atoms = Rest.atoms();
        if (!Rest.hasNegative() && llvm::all_of(Atoms, Counts))
          return true;
      }
    }
  }
  return false;
}

void IrValues::holdsCompared(llvm::CmpInst::Predicate How, const llvm::Value *A, const llvm::Value *B,
                             const llvm::BasicBlock &At, std::vector<Less> &Holds, bool &Whole) {
  const std::optional<Polynomial> L = of(A), R = of(B);
  // Without a sign, what is below 0 is large. What counts by threads is not, and launches are asked for parameters.
  std::vector<Polynomial> Asked;
  auto IsNegative = [&](const llvm::Value *V, const Polynomial &P) {
    auto *Phi = llvm::dyn_cast<llvm::PHINode>(V);
    if ((Phi && countsForAll(*Phi)) || !mayBeNegative(P, Known.Quotients) || isNotNegativeBehind(P, At))
      return false;
    Polynomial &Exact = Asked.emplace_back(P);
    for (const std::string &Atom : P.atoms()) // which fits, as parameters are in the range of `int`
      if (const auto Q = Known.Quotients.find(Atom); isWrap(Atom) && Q->second.Wrap == Quotient::Wraps::Signed)
        Exact = Exact.substitute(Atom, {});
    return Exact.asConstant() ||
           !isMadeOf(Exact, Known.Quotients, [&](const std::string &Atom) { return Known.parameter(Atom); });
  };
  const bool IsUnsigned = llvm::ICmpInst::isUnsigned(How);
  const bool Wraps = IsUnsigned && L && R && (IsNegative(A, *L) || IsNegative(B, *R));
  if (!L || !R || Wraps) {
    Whole = false;
    return;
  }
  if (IsUnsigned)
    for (const ParameterAccess &P : Known.Parameters)
      if (P.Integer && !P.Unsigned && (L->contains(P.Name) || R->contains(P.Name)))
        Asked.push_back(Polynomial::atom(P.Name));
  for (const Polynomial &Each : Asked)
    if (!llvm::is_contained(Known.NotNegative, Each))
      Known.NotNegative.push_back(Each);
  const Polynomial One = 1;
  // Numbers of threads and blocks are not below it.
  const bool FromZero = R->isZero() && !L->hasNegative() && llvm::all_of(L->atoms(), isBuiltin);
  switch (llvm::ICmpInst::getSignedPredicate(How)) {
  case llvm::CmpInst::ICMP_SLT:
    Holds.push_back(less(*L, *R));
    break;
  case llvm::CmpInst::ICMP_SLE:
    Holds.push_back(less(*L, *R + One));
    break;
  case llvm::CmpInst::ICMP_SGT:
    Holds.push_back(less(*R, *L));
    break;
  case llvm::CmpInst::ICMP_SGE:
    Holds.push_back(less(*R, *L + One));
    break;
  case llvm::CmpInst::ICMP_EQ:
    Holds.push_back(less(*L, *R + One));
    if (!FromZero)
      Holds.push_back(less(*R, *L + One));
    break;
  default:
    if (FromZero)
      Holds.push_back(less(One, *L + One));
    else
      Whole = false;
  }
}

/// What a number is a conversion of.
static const llvm::Value *unconverted(const llvm::Value *V) {
  while (auto *I = llvm::dyn_cast<llvm::Instruction>(V)) {
    auto *Call = llvm::dyn_cast<llvm::CallInst>(I);
    const std::string Assembly = Call && Call->arg_size() == 1 ? assemblyOf(*Call) : "";
    const bool Rounds = Assembly == "cvt.rn.f16.f32$0,$1;" || Assembly == "cvt.rn.bf16.f32$0,$1;";
    if (!Rounds && !llvm::isa<llvm::FPExtInst, llvm::FPTruncInst, llvm::BitCastInst>(I))
      break;
    V = I->getOperand(0);
  }
  return V;
}

std::vector<Mask> IrValues::masks(const llvm::Value *V, const llvm::BasicBlock &At) {
  auto IsMinusInfinity = [](const llvm::Value *Of) {
    auto *Number = llvm::dyn_cast<llvm::ConstantFP>(unconverted(Of));
    return Number && Number->isInfinity() && Number->isNegative();
  };
  std::vector<Mask> All;
  auto Add = [&](bool Where, llvm::function_ref<void(std::vector<Less> &, bool &)> Holds) {
    Mask Own{{}, Where};
    bool Whole = true;
    Holds(Own.Holds, Whole);
    Whole = Whole &&
            llvm::all_of(Own.Holds, [&](const Less &L) { return isKnownIn(L.Left, At) && isKnownIn(L.Right, At); });
    if (Whole)
      All.push_back(std::move(Own));
    return Whole;
  };
  for (unsigned Depth = 0; Depth < 8; ++Depth) {
    V = unconverted(V);
    if (auto *Select = llvm::dyn_cast<llvm::SelectInst>(V)) {
      const bool Side = IsMinusInfinity(Select->getTrueValue());
      if (!Side && !IsMinusInfinity(Select->getFalseValue()))
        break;
      for (const bool Where : {true, false})
        if (Add(Where, [&](std::vector<Less> &Holds, bool &Whole) {
              holds(Select->getCondition(), Side == Where, Holds, Whole);
            }))
          break;
      V = Side ? Select->getFalseValue() : Select->getTrueValue();
    } else if (auto *Phi = llvm::dyn_cast<llvm::PHINode>(V); Phi && !Loops.isLoopHeader(Phi->getParent())) {
      std::array<std::vector<unsigned>, 2> Ways; // by whether it is that
      for (unsigned I = 0; I < Phi->getNumIncomingValues(); ++I)
        Ways[IsMinusInfinity(Phi->getIncomingValue(I))].push_back(I);
      for (const bool Where : {true, false})
        if (Ways[Where].size() == 1 && !Ways[!Where].empty() && Add(Where, [&](std::vector<Less> &Holds, bool &Whole) {
              holdsOnWay(*Phi, Ways[Where].front(), Holds, Whole);
            }))
          break;
      if (Ways[0].size() != 1 || Ways[1].empty())
        break;
      V = Phi->getIncomingValue(Ways[0].front());
    } else {
      break;
    }
  }
  return All;
}

} // namespace cufuse
