#include "IrValues.h"

#include "cufuse/Kernel/Wrapping.h"

#include <fmt/core.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

namespace cufuse {

namespace {

constexpr const char *TriedAtom = "phi#";

/// `threadIdx.x` for %tid.x.
std::optional<std::string> specialRegister(llvm::StringRef Name) {
  if (!Name.consume_front("llvm.nvvm.read.ptx.sreg."))
    return std::nullopt;
  const auto [Register, Dimension] = Name.split('.');
  for (unsigned B = 0; B < BuiltinRegisters.size(); ++B)
    if (Register == BuiltinRegisters[B] && Dimension.size() == 1 && Dimension[0] >= 'x' && Dimension[0] <= 'z')
      return builtinAtom(static_cast<Builtin>(B), Dimension[0] - 'x');
  return std::nullopt;
}

} // namespace

std::string loopAtom(const Polynomial &Start, const Polynomial &Step) {
  return "{" + Start.str() + ", +, " + Step.str() + "}";
}

Polynomial canonical(const Polynomial &P, const KernelAccesses &Text) {
  Polynomial Result = P;
  for (const std::string &Atom : P.atoms()) {
    for (const LoopAccess &Loop : Text.Loops)
      if (Loop.Atom == Atom)
        Result = Result.substitute(Atom,
                                   Polynomial::atom(loopAtom(canonical(Loop.Start, Text), canonical(Loop.Step, Text))));
    if (auto Found = Text.Quotients.find(Atom); Found != Text.Quotients.end())
      Result = Result.substitute(
          Atom, Polynomial::atom(quotientAtom(canonical(Found->second.Dividend, Text),
                                              canonical(Found->second.Divisor, Text), Found->second.Wrap)));
  }
  return Result;
}

IrValues::IrValues(const llvm::Function &Kernel, const KernelAccesses &Text)
    : Kernel(Kernel), Dominators(const_cast<llvm::Function &>(Kernel)), Loops(Dominators), Library(LibraryImpl),
      Assumptions(const_cast<llvm::Function &>(Kernel)),
      Evolution(const_cast<llvm::Function &>(Kernel), Library, Assumptions, Dominators, Loops) {
  Known.Parameters = Text.Parameters;
  for (const llvm::Loop *L : Loops.getLoopsInPreorder())
    findLoops(*L);
}

void IrValues::findLoops(const llvm::Loop &L) {
  auto Common = [&](const llvm::PHINode &Phi, bool Inside) {
    return incoming(Phi, [&](const llvm::BasicBlock *From) { return L.contains(From) == Inside; });
  };
  for (const llvm::PHINode &Phi : L.getHeader()->phis()) {
    if (!Phi.getType()->isIntegerTy(32) && !Phi.getType()->isIntegerTy(64))
      continue;
    const std::optional<Polynomial> Start = Common(Phi, false);
    Tried = &Phi;
    Cache.clear();
    const std::optional<Polynomial> Next = Common(Phi, true);
    Tried = nullptr;
    Cache.clear();
    if (!Start || !Next)
      continue;
    const Polynomial Step = *Next - Polynomial::atom(TriedAtom);
    const std::set<std::string> Atoms = Step.atoms();
    if (std::any_of(Atoms.begin(), Atoms.end(), [](const auto &A) { return A.find(TriedAtom) != std::string::npos; }))
      continue;
    LoopAccess Found;
    Found.Atom = loopAtom(*Start, Step);
    Found.Start = *Start;
    Found.Step = Step;
    Found.Bits = Phi.getType()->getIntegerBitWidth();
    Phis[&Phi] = Known.Loops.size();
    Known.Loops.push_back(std::move(Found));
  }
  // What takes each value of another one's.
  for (const llvm::PHINode &Phi : L.getHeader()->phis()) {
    if (Phis.count(&Phi) || !Phi.getType()->isIntegerTy(32) && !Phi.getType()->isIntegerTy(64))
      continue;
    const std::optional<Polynomial> Start = Common(Phi, false), Next = Common(Phi, true);
    for (const llvm::PHINode &Other : L.getHeader()->phis())
      if (auto Found = Phis.find(&Other); Found != Phis.end() && Start && Next) {
        const LoopAccess &Count = Known.Loops[Found->second];
        if (*Start == Count.Start && *Next == Polynomial::atom(Count.Atom) + Count.Step) {
          Phis[&Phi] = unsigned(Found->second);
          Cache.clear();
          break;
        }
      }
  }
}

std::optional<std::int64_t> IrValues::most(const std::string &Atom) const {
  if (!llvm::StringRef(Atom).starts_with("{"))
    return std::nullopt;
  auto [Known, New] = Largest.try_emplace(Atom);
  if (New)
    Known->second = findMost(Atom);
  return Known->second;
}

std::optional<std::int64_t> IrValues::findMost(const std::string &Atom) const {
  std::optional<std::int64_t> Most;
  for (const auto &[Phi, Id] : Phis) {
    const LoopAccess &Loop = Known.Loops[Id];
    if (Loop.Atom != Atom)
      continue;
    const auto Start = Loop.Start.asConstant(), Step = Loop.Step.asConstant();
    const unsigned Turns = Evolution.getSmallConstantMaxTripCount(Loops.getLoopFor(Phi->getParent()));
    if (!Start || !Step || *Start < 0 || *Step < 0 || Turns == 0)
      return std::nullopt;
    Most = std::max(Most.value_or(0), *Start + *Step * (Turns - 1));
  }
  return Most;
}

std::optional<unsigned> IrValues::loop(const llvm::PHINode *Phi) const {
  auto Found = Phis.find(Phi);
  return Found == Phis.end() ? std::nullopt : std::optional(Found->second);
}

std::optional<Polynomial> IrValues::of(const llvm::Value *V) {
  if (auto Found = Cache.find(V); Found != Cache.end())
    return Found->second;
  Cache[V] = std::nullopt; // in a circle, it is not known
  std::optional<Polynomial> P = compute(V);
  if (P)
    P = reduced(*P, V->getType()->getIntegerBitWidth());
  Cache[V] = P;
  return P;
}

std::optional<Polynomial> IrValues::incoming(const llvm::PHINode &Phi,
                                             llvm::function_ref<bool(const llvm::BasicBlock *)> From) {
  std::optional<Polynomial> All;
  for (unsigned I = 0; I < Phi.getNumIncomingValues(); ++I) {
    if (!From(Phi.getIncomingBlock(I)))
      continue;
    const std::optional<Polynomial> Each = of(Phi.getIncomingValue(I));
    if (!Each || (All && !(*All == *Each)))
      return std::nullopt;
    All = Each;
  }
  return All;
}

std::optional<Polynomial> IrValues::compute(const llvm::Value *V) {
  if (!V->getType()->isIntegerTy() || V->getType()->getIntegerBitWidth() > 64)
    return std::nullopt;
  if (auto *Number = llvm::dyn_cast<llvm::ConstantInt>(V))
    return Polynomial::constant(Number->getSExtValue());
  if (!V->getType()->isIntegerTy(32) && !V->getType()->isIntegerTy(64))
    return std::nullopt;
  if (auto *Argument = llvm::dyn_cast<llvm::Argument>(V))
    return Argument->getArgNo() < Known.Parameters.size()
               ? std::optional(Polynomial::atom(Known.Parameters[Argument->getArgNo()].Name))
               : std::nullopt;
  if (auto *Phi = llvm::dyn_cast<llvm::PHINode>(V)) {
    if (Phi == Tried)
      return Polynomial::atom(TriedAtom);
    if (const auto Loop = loop(Phi))
      return Polynomial::atom(Known.Loops[*Loop].Atom);
    if (Loops.isLoopHeader(Phi->getParent()))
      return std::nullopt;
    return incoming(*Phi, [](const llvm::BasicBlock *) { return true; });
  }
  auto *I = llvm::dyn_cast<llvm::Instruction>(V);
  if (!I)
    return std::nullopt;
  if (auto *Call = llvm::dyn_cast<llvm::CallInst>(I)) {
    const llvm::Function *Callee = Call->getCalledFunction();
    if (!Callee || !Callee->isIntrinsic())
      return std::nullopt;
    if (const auto Atom = specialRegister(Callee->getName()))
      return Polynomial::atom(*Atom);
    if (Callee->getName() == "llvm.nvvm.read.ptx.sreg.warpsize")
      return Polynomial::constant(32);
    return Callee->getIntrinsicID() == llvm::Intrinsic::expect ? of(Call->getArgOperand(0)) : std::nullopt;
  }
  if (auto *Select = llvm::dyn_cast<llvm::SelectInst>(I)) {
    const std::optional<Polynomial> L = of(Select->getTrueValue()), R = of(Select->getFalseValue());
    return L && R && *L == *R ? L : std::nullopt;
  }
  if (llvm::isa<llvm::FreezeInst, llvm::TruncInst>(I))
    return of(I->getOperand(0));
  if (llvm::isa<llvm::ZExtInst, llvm::SExtInst>(I)) {
    const std::optional<Polynomial> From = of(I->getOperand(0));
    return From ? std::optional(widened(*From, llvm::isa<llvm::SExtInst>(I), Known)) : std::nullopt;
  }
  return llvm::isa<llvm::BinaryOperator>(I) ? binary(*I) : std::nullopt;
}

bool IrValues::mayDivideOther(const llvm::Instruction &I) {
  using llvm::Instruction;
  const bool Signed = llvm::is_contained({Instruction::SDiv, Instruction::SRem, Instruction::AShr}, I.getOpcode());
  if (!Signed && !llvm::is_contained({Instruction::UDiv, Instruction::URem, Instruction::LShr}, I.getOpcode()))
    return false;
  const std::optional<Polynomial> L = of(I.getOperand(0));
  return L && !fits(*L, I.getType()->getIntegerBitWidth(), Signed, Known);
}

std::optional<Polynomial> IrValues::binary(const llvm::Instruction &I) {
  const std::optional<Polynomial> L = of(I.getOperand(0)), R = of(I.getOperand(1));
  if (!L || !R)
    return std::nullopt;
  const auto Number = R->asConstant();
  const bool IsShift = Number && *Number >= 0 && *Number < 63;
  const bool Negative = mayBeNegative(*L, Known.Quotients);
  auto Quotient = [&](const Polynomial &Divisor) { return quotient(*L, Divisor, Known.Quotients); };
  switch (I.getOpcode()) {
  case llvm::Instruction::Add:
    return *L + *R;
  case llvm::Instruction::Sub:
    return *L - *R;
  case llvm::Instruction::Mul:
    return L->times(*R);
  case llvm::Instruction::Or:
    return llvm::cast<llvm::PossiblyDisjointInst>(I).isDisjoint() ? std::optional(*L + *R) : std::nullopt;
  case llvm::Instruction::Shl:
    return IsShift ? std::optional(*L * Polynomial::constant(std::int64_t(1) << *Number)) : std::nullopt;
  case llvm::Instruction::LShr:
  case llvm::Instruction::AShr:
    return IsShift && !Negative ? Quotient(Polynomial::constant(std::int64_t(1) << *Number)) : std::nullopt;
  case llvm::Instruction::UDiv:
  case llvm::Instruction::SDiv:
    return Negative || R->isZero() ? std::nullopt : Quotient(*R);
  case llvm::Instruction::URem:
  case llvm::Instruction::SRem:
    if (const auto Whole = Negative || R->isZero() ? std::nullopt : Quotient(*R))
      if (const auto Product = R->times(*Whole))
        return *L - *Product;
    return std::nullopt;
  default:
    return std::nullopt;
  }
}

std::vector<Polynomial> IrValues::conditions(const llvm::BasicBlock &Block) {
  // A way that leads to every block behind it begins at the block right before the first of these.
  std::vector<const llvm::DomTreeNode *> Around;
  for (const auto *Node = Dominators.getNode(&Block); Node && !Entered.contains(Node->getBlock());
       Node = Node->getIDom())
    Around.push_back(Node);
  for (const llvm::DomTreeNode *Node : llvm::reverse(Around)) {
    Entry Own;
    if (const llvm::DomTreeNode *Before = Node->getIDom()) {
      const Entry &OfBefore = Entered[Before->getBlock()];
      Own.Outer = OfBefore.Distances.empty() ? OfBefore.Outer : Before->getBlock();
      auto *Branch = llvm::dyn_cast<llvm::BranchInst>(Before->getBlock()->getTerminator());
      bool Whole = true;
      for (unsigned Side = 0; Branch && Branch->isConditional() && Side < 2; ++Side)
        if (Dominators.dominates(llvm::BasicBlockEdge(Before->getBlock(), Branch->getSuccessor(Side)),
                                 Node->getBlock()))
          holds(Branch->getCondition(), Side == 0, Own.Distances, Whole);
    }
    Entered[Node->getBlock()] = std::move(Own);
  }
  std::vector<Polynomial> Distances;
  for (const llvm::BasicBlock *Each = &Block; Each; Each = Entered[Each].Outer)
    llvm::append_range(Distances, Entered[Each].Distances);
  return Distances;
}

void IrValues::holds(const llvm::Value *Condition, bool Truth, std::vector<Polynomial> &Distances, bool &Whole) {
  if (auto *Call = llvm::dyn_cast<llvm::IntrinsicInst>(Condition);
      Call && Call->getIntrinsicID() == llvm::Intrinsic::expect)
    return holds(Call->getArgOperand(0), Truth, Distances, Whole);
  auto *Compare = llvm::dyn_cast<llvm::ICmpInst>(Condition);
  if (!Compare) {
    auto *Not = llvm::dyn_cast<llvm::BinaryOperator>(Condition);
    if (Not && Not->getOpcode() == llvm::Instruction::Xor && llvm::isa<llvm::ConstantInt>(Not->getOperand(1)))
      return holds(Not->getOperand(0), llvm::cast<llvm::ConstantInt>(Not->getOperand(1))->isZero() == Truth, Distances,
                   Whole);
    // `a && b` as a value: true only by the way on which both are.
    auto *Phi = llvm::dyn_cast<llvm::PHINode>(Condition);
    std::optional<unsigned> Way;
    for (unsigned I = 0; Phi && I < Phi->getNumIncomingValues(); ++I) {
      auto *Known = llvm::dyn_cast<llvm::ConstantInt>(Phi->getIncomingValue(I));
      if (Known && Known->isOne() != Truth)
        continue;
      if (Way || Known || Loops.isLoopHeader(Phi->getParent())) {
        Whole = false;
        return;
      }
      Way = I;
    }
    if (!Way) {
      Whole = false;
      return;
    }
    const std::vector<Polynomial> Around = conditions(*Phi->getIncomingBlock(*Way));
    Distances.insert(Distances.end(), Around.begin(), Around.end());
    return holds(Phi->getIncomingValue(*Way), Truth, Distances, Whole);
  }
  const std::optional<Polynomial> L = of(Compare->getOperand(0)), R = of(Compare->getOperand(1));
  // Without a sign, what is below 0 is large.
  const bool Wraps =
      Compare->isUnsigned() && L && R && (mayBeNegative(*L, Known.Quotients) || mayBeNegative(*R, Known.Quotients));
  if (!L || !R || Wraps) {
    Whole = false;
    return;
  }
  const Polynomial One = Polynomial::constant(1);
  switch (llvm::ICmpInst::getSignedPredicate(Truth ? Compare->getPredicate() : Compare->getInversePredicate())) {
  case llvm::CmpInst::ICMP_SLT:
    Distances.push_back(*R - *L);
    break;
  case llvm::CmpInst::ICMP_SLE:
    Distances.push_back(*R - *L + One);
    break;
  case llvm::CmpInst::ICMP_SGT:
    Distances.push_back(*L - *R);
    break;
  case llvm::CmpInst::ICMP_SGE:
    Distances.push_back(*L - *R + One);
    break;
  case llvm::CmpInst::ICMP_EQ:
    Distances.push_back(*R - *L + One);
    if (!R->isZero() || mayBeNegative(*L, Known.Quotients)) // else that says nothing
      Distances.push_back(*L - *R + One);
    break;
  default: // not 0: above it, of what is not negative
    if (!R->isZero() || mayBeNegative(*L, Known.Quotients))
      Whole = false;
    else
      Distances.push_back(*L);
  }
}

} // namespace cufuse
