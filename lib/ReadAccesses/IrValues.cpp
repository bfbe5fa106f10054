#include "IrMemory.h"

#include "cufuse/Kernel/Wrapping.h"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/PatternMatch.h>

namespace cufuse {

namespace {

constexpr const char *TriedAtom = "phi#";

/// How many times the other one it is.
std::optional<std::int64_t> multiple(const Polynomial &P, const Polynomial &Of) {
  if (P.isZero())
    return 0;
  if (Of.isZero() || P.terms().size() != Of.terms().size())
    return std::nullopt;
  const std::int64_t One = Of.terms().begin()->second, Times = P.terms().begin()->second / One;
  return Of * Times == P ? std::optional(Times) : std::nullopt;
}

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

Polynomial atomOf(Builtin B) { return Polynomial::atom(builtinAtom(B, 0)); }

} // namespace

IrValues::IrValues(const llvm::Function &Kernel, std::vector<ParameterAccess> Parameters)
    : Kernel(Kernel), Dominators(const_cast<llvm::Function &>(Kernel)), Loops(Dominators) {
  Known.Parameters = std::move(Parameters);
  for (const llvm::Loop *L : Loops.getLoopsInPreorder())
    findLoops(*L);
  std::erase_if(Known.Quotients, [](const auto &Q) { return Q.first.find(TriedAtom) != std::string::npos; });
}

/// Is it computed from the value by a few instructions?
static bool isMadeOf(const llvm::Value *V, const llvm::Value *Of, unsigned Depth = 4) {
  auto *I = llvm::dyn_cast<llvm::Instruction>(V);
  return V == Of || (I && Depth > 0 && llvm::any_of(I->operands(), [&](const llvm::Use &Operand) {
                       return isMadeOf(Operand, Of, Depth - 1);
                     }));
}

void IrValues::findLoops(const llvm::Loop &L) {
  auto Common = [&](const llvm::PHINode &Phi, bool Inside) {
    return incoming(Phi, [&](const llvm::BasicBlock *From) { return L.contains(From) == Inside; });
  };
  auto IsFromOutside = [&](const Polynomial &P) {
    return llvm::all_of(loopsIn(P), [&](const llvm::Loop *Of) { return Of != &L && Of->contains(&L); });
  };
  // The one that the loop's end depends on comes first.
  std::vector<const llvm::PHINode *> All;
  llvm::SmallPtrSet<const llvm::PHINode *, 4> Ending;
  llvm::SmallVector<llvm::BasicBlock *> Exiting;
  L.getExitingBlocks(Exiting);
  for (const llvm::PHINode &Phi : L.getHeader()->phis())
    if (Phi.getType()->isIntegerTy(32) || Phi.getType()->isIntegerTy(64)) {
      const bool Ends = llvm::any_of(Exiting, [&](const llvm::BasicBlock *Block) {
        auto *Branch = llvm::dyn_cast<llvm::BranchInst>(Block->getTerminator());
        return Branch && isMadeOf(Branch->getCondition(), &Phi);
      });
      All.insert(Ends ? All.begin() : All.end(), &Phi);
      if (Ends)
        Ending.insert(&Phi);
    }
  std::optional<unsigned> Of; // the one that the others are followed by
  for (const llvm::PHINode *Phi : All) {
    const std::optional<Polynomial> Start = Common(*Phi, false);
    Tried = Phi;
    Cache.clear();
    const std::optional<Polynomial> Next = Common(*Phi, true);
    Tried = nullptr;
    Cache.clear();
    if (!Next || (!Start && (Of || !Ending.contains(Phi))))
      continue;
    const Polynomial Step = *Next - Polynomial::atom(TriedAtom);
    const std::set<std::string> Atoms = Step.atoms();
    if ((Start && !IsFromOutside(*Start)) || !IsFromOutside(Step) ||
        llvm::any_of(Atoms, [](const std::string &A) { return A.find(TriedAtom) != std::string::npos; }))
      continue;
    const unsigned Bits = Phi->getType()->getIntegerBitWidth();
    if (Start && Of && Known.Loops[*Of].Bits == Bits)
      if (const auto Times = multiple(Step, Known.Loops[*Of].Step)) {
        Following[Phi] = *Start + *Times * (Polynomial::atom(Known.Loops[*Of].Atom) - Known.Loops[*Of].Start);
        Cache.clear();
        continue;
      }
    LoopAccess Found;
    Found.Atom = nameOf(*Phi);
    if (Start)
      Found.Start = *Start;
    else if (const llvm::BasicBlock *Before = L.getLoopPredecessor())
      From[Phi] = Phi->getIncomingValueForBlock(Before);
    else
      continue;
    Found.Step = Step;
    Found.Bits = Bits;
    OfLoop[Found.Atom] = &L;
    Phis[Phi] = Known.Loops.size();
    if (!Of)
      Of = Known.Loops.size();
    Known.Loops.push_back(std::move(Found));
    if (Start)
      countByThread(L, *Phi, Known.Loops.back());
  }
  // What takes each value of another one's.
  for (const llvm::PHINode *Phi : All) {
    if (Phis.count(Phi) || Following.count(Phi) || !Of)
      continue;
    const LoopAccess &First = Known.Loops[*Of];
    const std::optional<Polynomial> Start = Common(*Phi, false), Next = Common(*Phi, true);
    if (Start && Next && *Start == First.Start && *Next == Polynomial::atom(First.Atom) + First.Step) {
      Following[Phi] = Polynomial::atom(First.Atom);
      Cache.clear();
    }
  }
}

/// `for (base = 0; base < n; base += blockDim.x * gridDim.x)`, where a thread's element is `base` and its own number.
void IrValues::countByThread(const llvm::Loop &L, const llvm::PHINode &Phi, LoopAccess &Found) {
  const Polynomial Blocks = atomOf(Builtin::BlockIdx) * atomOf(Builtin::BlockDim), Thread = atomOf(Builtin::ThreadIdx),
                   Own = Blocks + Thread - Found.Start, Element = Polynomial::atom(Found.Atom) + Own;
  if (!(Found.Step == atomOf(Builtin::BlockDim) * atomOf(Builtin::GridDim)) ||
      !(Found.Start.isZero() || Found.Start == Blocks) || llvm::none_of(L.blocks(), [&](const llvm::BasicBlock *Block) {
        return llvm::any_of(*Block, [&](const llvm::Instruction &I) {
          return I.getOpcode() == llvm::Instruction::Add && of(&I) == Element;
        });
      }))
    return;
  Found.Start = Blocks + Thread;
  Following[&Phi] = Polynomial::atom(Found.Atom) - Own;
  Cache.clear();
}

bool IrValues::endsForAll(const llvm::Instruction &I) const {
  auto *Branch =
      llvm::isa<llvm::ICmpInst>(I) && I.hasOneUse() ? llvm::dyn_cast<llvm::BranchInst>(*I.user_begin()) : nullptr;
  return Branch && llvm::any_of(I.operands(), [&](const llvm::Use &Operand) {
           auto *Phi = llvm::dyn_cast<llvm::PHINode>(Operand);
           const llvm::Loop *L = Phi && countsForAll(*Phi) ? Loops.getLoopFor(Phi->getParent()) : nullptr;
           return L && L->isLoopExiting(Branch->getParent());
         });
}

std::string IrValues::nameOf(const llvm::PHINode &Phi) const {
  // A second variable of the name has a number behind it.
  std::string Base = Phi.getName().split('.').first.rtrim("0123456789").str();
  if (Base.empty())
    Base = "i";
  std::string Name = Base;
  for (unsigned N = 2; OfLoop.count(Name) || Known.parameter(Name); ++N)
    Name = Base + "'" + (N > 2 ? std::to_string(N) : "");
  return Name;
}

llvm::SmallVector<const llvm::Loop *, 2> IrValues::loopsIn(const Polynomial &P) const {
  llvm::SmallVector<const llvm::Loop *, 2> Found;
  for (const std::string &Atom : P.atoms())
    if (auto Loop = OfLoop.find(Atom); Loop != OfLoop.end()) {
      Found.push_back(Loop->second);
    } else if (auto Q = Known.Quotients.find(Atom); Q != Known.Quotients.end()) {
      llvm::append_range(Found, loopsIn(Q->second.Dividend));
      llvm::append_range(Found, loopsIn(Q->second.Divisor));
    }
  return Found;
}

bool IrValues::isKnownIn(const Polynomial &P, const llvm::BasicBlock &Block) const {
  return llvm::all_of(loopsIn(P), [&](const llvm::Loop *L) { return L->contains(&Block); });
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
    return Polynomial(Number->getSExtValue());
  if (!V->getType()->isIntegerTy(32) && !V->getType()->isIntegerTy(64))
    return std::nullopt;
  if (const llvm::Value *Own = Chosen.lookup(V))
    return of(Own);
  if (auto *Argument = llvm::dyn_cast<llvm::Argument>(V))
    return Argument->getArgNo() < Known.Parameters.size() && Known.Parameters[Argument->getArgNo()].Integer
               ? std::optional(Polynomial::atom(Known.Parameters[Argument->getArgNo()].Name))
               : std::nullopt;
  if (auto *Phi = llvm::dyn_cast<llvm::PHINode>(V)) {
    if (Phi == Tried)
      return Polynomial::atom(TriedAtom);
    if (auto Found = Following.find(Phi); Found != Following.end())
      return Found->second;
    if (const auto Loop = loop(Phi)) {
      const auto Start = From.count(Phi) ? of(From.lookup(Phi)) : Polynomial();
      return Start ? std::optional(*Start + Polynomial::atom(Known.Loops[*Loop].Atom)) : std::nullopt;
    }
    if (Loops.isLoopHeader(Phi->getParent()))
      return std::nullopt;
    if (auto Own = unlessBelowZero(*Phi))
      return Own;
    return incoming(*Phi, [](const llvm::BasicBlock *) { return true; });
  }
  auto *I = llvm::dyn_cast<llvm::Instruction>(V);
  if (!I)
    return std::nullopt;
  if (auto *Load = llvm::dyn_cast<llvm::LoadInst>(I); Load && ByData)
    return loaded(*Load);
  if (auto Own = unlessBelowZero(*I))
    return Own;
  if (auto *Call = llvm::dyn_cast<llvm::CallInst>(I)) {
    const llvm::Function *Callee = Call->getCalledFunction();
    if (!Callee || !Callee->isIntrinsic())
      return std::nullopt;
    if (const auto Atom = specialRegister(Callee->getName()))
      return Polynomial::atom(*Atom);
    if (Callee->getName() == "llvm.nvvm.read.ptx.sreg.warpsize")
      return Polynomial(32);
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

std::optional<Polynomial> IrValues::byData(llvm::function_ref<std::optional<Polynomial>()> Of) {
  const std::map<std::string, Quotient> Quotients = Known.Quotients;
  std::swap(Cache, DataCache);
  ByData = true;
  const std::optional<Polynomial> Found = Of();
  ByData = false;
  std::swap(Cache, DataCache);
  auto IsDivided = [&](const std::string &Atom) { return !Known.Loaded.count(Atom) && Atom.find('[') != Atom.npos; };
  if (Found && llvm::none_of(Found->atoms(), IsDivided))
    return Found;
  Known.Quotients = Quotients;
  return std::nullopt;
}

std::optional<Polynomial> IrValues::loaded(const llvm::LoadInst &Load) {
  const IrPlace Place = placeOf(Load.getPointerOperand(), *this);
  if (Place.Arguments.size() != 1 || !Place.Offset || !Place.Locals.empty() || !Place.Unknown.empty())
    return std::nullopt;
  const ParameterAccess &From = Known.Parameters[Place.Arguments[0]];
  const auto Index = From.Bytes > 0 ? Place.Offset->dividedBy(From.Bytes) : std::nullopt;
  const bool Always = llvm::all_of(Kernel, [&](const llvm::BasicBlock &Block) {
    return !llvm::isa<llvm::ReturnInst>(Block.getTerminator()) || Dominators.dominates(Load.getParent(), &Block);
  });
  if (!Index || !Always || Loops.getLoopFor(Load.getParent()) || Load.isVolatile() ||
      Load.getType()->getIntegerBitWidth() != From.Bytes * 8 ||
      llvm::any_of(Index->atoms(), [](const std::string &Atom) { return Atom.find('[') != Atom.npos; }))
    return std::nullopt;
  const std::string Atom = From.Name + "[" + Index->str() + "]";
  Known.Loaded[Atom] = {From.Name, *Index};
  return Polynomial::atom(Atom);
}

/// Where a value is one of several; it is that in no other way.
static std::vector<const llvm::Value *> among(const llvm::Instruction &I, const llvm::LoopInfo &Loops) {
  if (!I.getType()->isIntegerTy())
    return {};
  if (auto *Select = llvm::dyn_cast<llvm::SelectInst>(&I))
    return {Select->getTrueValue(), Select->getFalseValue()};
  if (llvm::isa<llvm::MinMaxIntrinsic>(I))
    return {I.getOperand(0), I.getOperand(1)};
  auto *Phi = llvm::dyn_cast<llvm::PHINode>(&I);
  if (!Phi || Loops.isLoopHeader(Phi->getParent()))
    return {};
  return std::vector<const llvm::Value *>(Phi->value_op_begin(), Phi->value_op_end());
}

std::optional<Polynomial> IrValues::unlessBelowZero(const llvm::Instruction &I) {
  const std::vector<const llvm::Value *> Either = among(I, Loops);
  for (const llvm::Value *Zero : Either) {
    auto *Constant = llvm::dyn_cast<llvm::ConstantInt>(Zero);
    const auto Own =
        Constant && Constant->isZero() && Either.size() == 2 ? of(Either[Zero == Either[0]]) : std::nullopt;
    std::vector<Less> Holds;
    if (Own && !Own->hasNegative() && llvm::all_of(Own->atoms(), isBuiltin))
      holdsWhereChosen(I, Zero, Holds);
    if (Own && llvm::is_contained(Holds, Less{*Own, 1}))
      return Own;
  }
  return std::nullopt;
}

const llvm::Instruction *IrValues::nextChoice(const llvm::Value *V, unsigned Depth) const {
  if (Depth == 0) // a circle that is no loop
    return nullptr;
  if (const llvm::Value *Own = Chosen.lookup(V))
    return nextChoice(Own, Depth - 1);
  auto *I = llvm::dyn_cast<llvm::Instruction>(V);
  if (auto *Phi = llvm::dyn_cast_or_null<llvm::PHINode>(I); Phi && From.count(Phi))
    return nextChoice(From.lookup(Phi), Depth - 1);
  if (!I || !among(*I, Loops).empty())
    return I;
  if (llvm::isa<llvm::BinaryOperator, llvm::CastInst, llvm::FreezeInst, llvm::GetElementPtrInst>(I))
    for (const llvm::Value *Operand : I->operand_values())
      if (const llvm::Instruction *Next = nextChoice(Operand, Depth - 1))
        return Next;
  return nullptr;
}

void IrValues::holdsWhereChosen(const llvm::Instruction &I, const llvm::Value *Among, std::vector<Less> &Holds) {
  bool Whole = true;
  if (auto *Select = llvm::dyn_cast<llvm::SelectInst>(&I))
    holds(Select->getCondition(), Among == Select->getTrueValue(), Holds, Whole);
  else if (auto *Extreme = llvm::dyn_cast<llvm::MinMaxIntrinsic>(&I)) // the one that compares so with the other one
    holdsCompared(llvm::CmpInst::getNonStrictPredicate(Extreme->getPredicate()), Among,
                  I.getOperand(Among == I.getOperand(0)), *I.getParent(), Holds, Whole);
  else if (auto *Phi = llvm::cast<llvm::PHINode>(&I); llvm::count(Phi->incoming_values(), Among) == 1)
    holdsOnWay(*Phi, llvm::find(Phi->incoming_values(), Among) - Phi->incoming_values().begin(), Holds, Whole);
}

/// What such a loop asks in each turn before it comes to the block: only where `V` is chosen, its variable is known.
std::vector<const llvm::ICmpInst *> IrValues::endsAround(const llvm::BasicBlock &Block) const {
  std::vector<const llvm::ICmpInst *> Found;
  for (const llvm::Loop *L = Loops.getLoopFor(&Block); L; L = L->getParentLoop()) {
    auto *Branch = llvm::dyn_cast<llvm::BranchInst>(L->getHeader()->getTerminator());
    auto IsFrom = [&](const llvm::PHINode &Phi) { return From.count(&Phi) > 0 && !nextChoice(&Phi); };
    if (L->getHeader() == &Block || !Branch || !Branch->isConditional() || !L->contains(Branch->getSuccessor(0)) ||
        L->contains(Branch->getSuccessor(1)) || llvm::none_of(L->getHeader()->phis(), IsFrom))
      continue;
    if (auto *Compare = llvm::dyn_cast<llvm::ICmpInst>(Branch->getCondition()))
      Found.push_back(Compare);
  }
  return Found;
}

bool IrValues::choose(const llvm::Value *V, const llvm::BasicBlock &At,
                      llvm::SmallVectorImpl<const llvm::Instruction *> &Made, unsigned &Left,
                      llvm::function_ref<void(std::vector<Less>)> Each) {
  const llvm::Instruction *Next = nextChoice(V);
  for (const llvm::Instruction *I : Made) // what the one that is chosen is compared with
    if (auto *Extreme = llvm::dyn_cast<llvm::MinMaxIntrinsic>(I))
      for (const llvm::Value *Operand : {Extreme->getLHS(), Extreme->getRHS()})
        Next = Next ? Next : nextChoice(Operand);
  for (const llvm::ICmpInst *End : Made.empty() ? std::vector<const llvm::ICmpInst *>() : endsAround(At))
    for (const llvm::Value *Operand : End->operand_values())
      Next = Next ? Next : nextChoice(Operand);
  if (Next) {
    Made.push_back(Next);
    const bool All = llvm::all_of(among(*Next, Loops), [&](const llvm::Value *Own) {
      Chosen[Next] = Own;
      return choose(V, At, Made, Left, Each);
    });
    Chosen.erase(Next);
    Made.pop_back();
    return All;
  }
  if (Made.empty() || Left-- == 0)
    return false;
  Cache.clear();
  std::vector<Less> Holds;
  for (const llvm::Instruction *I : Made)
    holdsWhereChosen(*I, Chosen[I], Holds);
  bool Whole = true;
  for (const llvm::ICmpInst *End : endsAround(At))
    holds(End, true, Holds, Whole);
  Each(std::move(Holds));
  return true;
}

bool IrValues::byChoice(const llvm::Value *V, const llvm::BasicBlock &At,
                        llvm::function_ref<void(std::vector<Less>)> Each) {
  unsigned Left = 16;
  llvm::SmallVector<const llvm::Instruction *, 4> Made;
  auto Before = std::move(Cache);
  const bool All = choose(V, At, Made, Left, Each);
  Cache = std::move(Before);
  return All;
}

/// Does it take what it divides as signed?
static bool dividesSigned(const llvm::Instruction &I) {
  using llvm::Instruction;
  return llvm::is_contained({Instruction::SDiv, Instruction::SRem, Instruction::AShr}, I.getOpcode());
}

bool IrValues::mayDivideOther(const llvm::Instruction &I) {
  using llvm::Instruction;
  const bool Signed = dividesSigned(I);
  if (!Signed && !llvm::is_contained({Instruction::UDiv, Instruction::URem, Instruction::LShr}, I.getOpcode()))
    return false;
  const std::optional<Polynomial> L = of(I.getOperand(0));
  return L && !fits(*L, I.getType()->getIntegerBitWidth(), Signed, Known);
}

/// May a number of 32 bits have lost others? Signed arithmetic means what it says. The linear index times a number is
/// taken to fit, which is kept for the launch to ask: divided by 1.
bool IrValues::mayHaveLost(const llvm::Value *V, bool Signed) {
  auto *I = llvm::dyn_cast<llvm::Instruction>(V);
  const std::optional<Polynomial> P = of(V);
  if (!I || !P || isSingle(*P) || fits(*P, 32, Signed, Known))
    return I && !P;
  const auto Times = P->split(builtinAtom(Builtin::ThreadIdx, 0)).first.asConstant();
  const Polynomial Linear = atomOf(Builtin::BlockIdx) * atomOf(Builtin::BlockDim) + atomOf(Builtin::ThreadIdx);
  if (Times && *Times > 0 && *Times <= MostFactor && (*P - Linear * *Times).asConstant()) {
    const Quotient Asked{*P, 1, Quotient::Wraps::Never,
                         /*Narrow=*/Quotient::Wraps::Signed};
    Known.Quotients[Asked.atom()] = Asked;
    return false;
  }
  using llvm::Instruction;
  auto *Overflowing = llvm::dyn_cast<llvm::OverflowingBinaryOperator>(I);
  const bool Fits =
      Overflowing
          ? Overflowing->hasNoSignedWrap() || (!Signed && Overflowing->hasNoUnsignedWrap())
          : llvm::is_contained(std::initializer_list<unsigned>{Instruction::Freeze, Instruction::Or, Instruction::URem,
                                                               Instruction::SRem, Instruction::And},
                               I->getOpcode());
  return !Fits || llvm::any_of(I->operands(), [&](const llvm::Use &Operand) { return mayHaveLost(Operand, Signed); });
}

unsigned IrValues::fewestBits(const llvm::Value *V, unsigned Depth) const {
  auto *I = llvm::dyn_cast<llvm::Instruction>(V);
  if (!I || !llvm::isa<llvm::BinaryOperator, llvm::CastInst>(I))
    return 64;
  unsigned Fewest = I->getType()->getIntegerBitWidth();
  for (const llvm::Use &Operand : I->operands())
    Fewest = std::min(Fewest, Depth < 16 ? fewestBits(Operand, Depth + 1) : 32);
  return Fewest;
}

bool IrValues::isOfLaunch(const Polynomial &P) const {
  return isMadeOf(P, Known.Quotients,
                  [&](llvm::StringRef Atom) { return Atom.starts_with("gridDim.") || Known.parameter(Atom); });
}

/// What a bit-field holds: the value of which it has the bits alone, where others are put beside them.
std::optional<Polynomial> IrValues::bits(const llvm::Value *V, unsigned From, unsigned Count, unsigned Depth) {
  using namespace llvm::PatternMatch;
  const llvm::Value *A = nullptr, *B = nullptr;
  const llvm::APInt *Number = nullptr;
  const unsigned Width = V->getType()->getIntegerBitWidth();
  auto Within = [&](const llvm::APInt &Set) { return Set.extractBits(Count, From).isAllOnes(); };
  auto AreZero = [&](const llvm::Value *Of) { return Within(llvm::computeKnownBits(Of, layout()).Zero); };
  if (Depth == 0 || From + Count > Width)
    return std::nullopt;
  if (match(V, m_Or(m_Value(A), m_Value(B))) && (AreZero(A) || AreZero(B)))
    return bits(AreZero(A) ? B : A, From, Count, Depth - 1);
  if (match(V, m_And(m_Value(A), m_APInt(Number))) && Within(*Number))
    return bits(A, From, Count, Depth - 1);
  if (match(V, m_Shl(m_Value(A), m_APInt(Number))) && Number->ule(From))
    return bits(A, From - Number->getZExtValue(), Count, Depth - 1);
  if (match(V, m_LShr(m_Value(A), m_APInt(Number))) && Number->ult(Width))
    return bits(A, From + Number->getZExtValue(), Count, Depth - 1);
  if (match(V, m_Trunc(m_Value(A))) ||
      (match(V, m_ZExt(m_Value(A))) && From + Count <= A->getType()->getIntegerBitWidth()))
    return bits(A, From, Count, Depth - 1);
  const std::optional<Polynomial> Whole = From == 0 ? of(V) : std::nullopt;
  if (!Whole || Count == Width)
    return Whole;
  constexpr unsigned Most = 62; // so that it is a number
  if (Count > Most)
    return std::nullopt;
  if (isBelow(*Whole, std::int64_t(1) << Count, Known))
    return Whole;
  const Polynomial Range = Polynomial(std::int64_t(1) << Count);
  const auto Lost = mayBeNegative(*Whole, Known.Quotients) ? std::nullopt : quotient(*Whole, Range, Known.Quotients);
  return Lost ? std::optional(*Whole - Range * *Lost) : std::nullopt;
}

/// The bits that an instruction takes of a value.
std::optional<Polynomial> IrValues::field(const llvm::Instruction &I) {
  using namespace llvm::PatternMatch;
  const llvm::Value *Of = nullptr;
  const llvm::APInt *Number = nullptr;
  const unsigned Width = I.getType()->getIntegerBitWidth();
  constexpr unsigned Depth = 32;
  if (match(&I, m_LShr(m_Value(Of), m_APInt(Number))) && Number->ult(Width))
    return bits(Of, Number->getZExtValue(), Width - Number->getZExtValue(), Depth);
  if (match(&I, m_And(m_Value(Of), m_APInt(Number))) && Number->isMask() && !Number->isAllOnes())
    return bits(Of, 0, Number->countr_one(), Depth);
  return std::nullopt;
}

std::optional<Polynomial> IrValues::binary(const llvm::Instruction &I) {
  const std::optional<Polynomial> L = of(I.getOperand(0)), R = of(I.getOperand(1));
  if (!L && R)
    return field(I);
  if (!L || !R)
    return std::nullopt;
  const auto Number = R->asConstant();
  const bool IsShift = Number && *Number >= 0 && *Number < 63;
  const bool Negative = mayBeNegative(*L, Known.Quotients);
  // What was shifted to the left before may have been meant to lose bits.
  auto Divided = [&](const Polynomial &Divisor, std::int64_t Most, bool LowBits = false) {
    // It must be positive: the launcher asks for that, where it is not the size of a block.
    const bool IsOfBlock = !Divisor.hasNegative() && llvm::all_of(Divisor.atoms(), [](const std::string &Atom) {
      return llvm::StringRef(Atom).starts_with("blockDim.");
    });
    if (!IsOfBlock && !isOfLaunch(Divisor))
      return std::optional<Polynomial>();
    const unsigned Bits = std::min(fewestBits(&I), I.getType()->getIntegerBitWidth());
    using Wraps = Quotient::Wraps;
    const bool MayHaveLost =
        !LowBits && I.getType()->isIntegerTy(32) &&
        llvm::any_of(I.operands(), [&](const auto &Operand) { return mayHaveLost(Operand, dividesSigned(I)); });
    const Wraps Narrow = !MayHaveLost ? Wraps::Never : dividesSigned(I) ? Wraps::Signed : Wraps::Unsigned;
    return Negative || Divisor.asConstant().value_or(1) <= 0 || mayLoseBits(*L, Most, Bits)
               ? std::nullopt
               : quotient(*L, Divisor, Known.Quotients, Narrow);
  };
  auto Remainder = [&](const Polynomial &Divisor, bool LowBits = false) -> std::optional<Polynomial> {
    const auto Whole = Divided(Divisor, MostFactor, LowBits);
    const auto Product = Whole ? Divisor.times(*Whole) : std::nullopt;
    return Product ? std::optional(*L - *Product) : std::nullopt;
  };
  const bool IsMask = Number && *Number > 0 && *Number < INT32_MAX && llvm::isPowerOf2_64(*Number + 1);
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
    return IsShift ? std::optional(*L * (std::int64_t(1) << *Number)) : std::nullopt;
  case llvm::Instruction::LShr:
  case llvm::Instruction::AShr:
    return IsShift ? Divided(Polynomial(std::int64_t(1) << *Number), 1) : std::nullopt;
  case llvm::Instruction::UDiv:
  case llvm::Instruction::SDiv:
    return Divided(*R, MostFactor);
  case llvm::Instruction::And: // `i & 31` is i % 32
    return IsMask ? Remainder(Polynomial(*Number + 1), /*LowBits=*/true) : std::nullopt;
  case llvm::Instruction::URem:
  case llvm::Instruction::SRem:
    return Remainder(*R);
  default:
    return std::nullopt;
  }
}

} // namespace cufuse
