#include "SoftmaxRun.h"

#include "IrMemory.h"

#include <fmt/core.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IntrinsicInst.h>

#include <cfloat>
#include <cmath>

namespace cufuse {

using Number = DividedNumber;
using Operation = Accumulation::Operation;

double inRangeOfFloat(double N) {
  return std::abs(N) > FLT_MAX ? std::copysign(INFINITY, N) : std::abs(N) < FLT_TRUE_MIN ? 0 : N;
}

namespace {

/// `Parts` of real numbers that are made of elements. `Drawn` is what is linear in the numbers of the block and of
/// all blocks; `MixedParts` all else.
enum Role : unsigned {
  Element = Drawn + 1, ///< Times a number that may be negative.
  NegatedElement,
  Largest, ///< Of elements, each times a number.
  NegatedLargest,
  Shifted, ///< An element, or the largest of some, less the largest of all these, and maybe more: times a number.
  Rounded, ///< To a shorter type.
};

/// Real numbers have those of float in 64 bits, `Object` not 0: behind the number of the row, if it is of one.
constexpr unsigned OfNoRow = ~0U;
bool isReal(const Number &N) { return N.isBits() && N.Object != 0; }
double valueOf(const Number &N) { return llvm::bit_cast<double>(N.Bits); }
Number realNumber(double Value, unsigned Parts = 0, unsigned Row = OfNoRow, unsigned Whose = 0) {
  return {Number::Kind::Bits, Parts, Row, llvm::bit_cast<std::uint64_t>(Value), Whose};
}

class RowsRunner : BlockRunner {
public:
  RowsRunner(const llvm::Function &Kernel, const KernelAccesses &Accesses, const SoftmaxLaunch &Launch,
             const SoftmaxDraw &Of)
      : BlockRunner(Kernel, Launch.Block, {}, {Of.Block, Of.Blocks, static_cast<unsigned>(Launch.Columns)},
                    /*MostSteps=*/60'000'000),
        Accesses(Accesses), Launch(Launch), Of(Of) {
    for (unsigned Column = 0; Column < Grid.Parts; ++Column)
      OfColumn.push_back(Sets.part(0, Column));
  }

  SoftmaxRun run() {
    runThreads();
    if (!Stopped)
      results();
    Result.Stopped = std::move(Stopped);
    return std::move(Result);
  }

private:
  const ParameterAccess *parameter(const Object &Each) const {
    return Each.IsOfLaunch && Each.Key < Accesses.Parameters.size() ? &Accesses.Parameters[Each.Key] : nullptr;
  }

  void results() {
    for (const Object &Each : objects()) {
      const ParameterAccess *const Own = parameter(Each);
      if (!Each.IsOfLaunch || Each.Stored.empty())
        continue;
      const llvm::Instruction *By = Each.Stored.begin()->second.By;
      if (!Own || Own->Name != Launch.Out)
        return stop(By, "it also stores to " + (Own ? Own->Name : "a variable"));
      const std::int64_t PerBlock = Launch.Rows * Launch.Columns;
      if (Each.Stored.size() != static_cast<size_t>(PerBlock))
        return stop(By,
                    fmt::format("a block stores {} elements of {}, not {}", Each.Stored.size(), Launch.Out, PerBlock));
      Result.At = By;
      std::int64_t Next = Of.Block * PerBlock;
      for (const auto &[Place, What] : Each.Stored) {
        if (Place != Next++ * Own->Bytes || What.Bytes != Own->Bytes)
          return stop(What.By, "where it stores is not the row that it loads");
        if (!isReal(What.Value))
          return stop(What.By, "what it stores is not known");
        Result.Stored.push_back(valueOf(What.Value));
      }
    }
    if (Result.Stored.empty())
      stop(nullptr, fmt::format("a block stores no elements of {}", Launch.Out));
  }

  // -- Numbers

  Number argument(const llvm::Argument &A) override {
    const ParameterAccess &P = Accesses.Parameters[A.getArgNo()];
    if (A.getType()->isFloatTy())
      return realNumber(Of.Argument(A.getArgNo()), MixedParts);
    const auto Given = Launch.Numbers.find(P.Name);
    if (Given == Launch.Numbers.end() || !A.getType()->isIntegerTy() || A.getType()->getIntegerBitWidth() > 64)
      return {};
    const std::int64_t Value = Given->second.value_or(Launch.Rows * Of.Blocks);
    const llvm::APInt Bits(A.getType()->getIntegerBitWidth(), static_cast<std::uint64_t>(Value), true, true);
    return Number::bits(Bits.getZExtValue(), Given->second ? 0 : Drawn);
  }
  Number of(Thread &T, const llvm::Value *V) override {
    auto *C = llvm::dyn_cast<llvm::ConstantFP>(V);
    if (!C || !isNumber(C->getType()))
      return BlockRunner::of(T, V);
    return realNumber(*real(C->getType(), C->getValueAPF().bitcastToAPInt().getZExtValue()));
  }
  std::optional<std::int64_t> known(const Number &N) const override {
    return N.Parts == 0 && !isReal(N) ? BlockRunner::known(N) : std::nullopt;
  }

  /// Of what both are of; not known if they are of two rows.
  Number made(Operation By, const Number &A, const Number &B, double Value) {
    if (!isReal(A) || !isReal(B) || A.Parts == Rounded || B.Parts == Rounded ||
        (A.Object != OfNoRow && B.Object != OfNoRow && A.Object != B.Object))
      return {};
    const unsigned Parts = A.Whose == 0 && B.Whose == 0 ? together(A.Parts, B.Parts)
                           : A.Whose == 0               ? role(By, B, A)
                                                        : role(By, A, B);
    // Of two others, it may be another one for numbers that were not drawn.
    if (By == Operation::Most && Parts != 0 && Parts != Largest)
      return {};
    if (Parts == 0) // a way may go by it
      return realNumber(static_cast<float>(inRangeOfFloat(Value)));
    return realNumber(inRangeOfFloat(Value), Parts, std::min(A.Object, B.Object), Sets.together(A.Whose, B.Whose));
  }
  Number joinedOf(const llvm::Type *T, Operation By, const Number &A, const Number &B) override {
    if (!T->isFloatTy())
      return {}; // of halves, each step would be rounded
    const double X = valueOf(A), Y = valueOf(B);
    return By == Operation::Sum       ? made(By, A, B, X + Y)
           : By == Operation::Product ? made(By, A, B, X * Y)
           : By == Operation::Most    ? made(By, A, B, std::fmax(X, Y))
                                      : Number();
  }

  /// Of elements: A. B may be.
  unsigned role(Operation By, const Number &A, const Number &B) {
    const auto IsLargest = [](const Number &N) {
      return N.Whose != 0 ? N.Parts == Element || N.Parts == NegatedElement || N.Parts == Largest
                          : N.Parts == 0 && valueOf(N) <= -FLT_MAX;
    };
    if (By == Operation::Most)
      return IsLargest(A) && IsLargest(B) ? Largest : MixedParts;
    if (By == Operation::Product)
      return B.Whose != 0 || B.Parts == Drawn ? MixedParts : scaled(A.Parts, valueOf(B));
    if (B.Whose == 0 && valueOf(B) == 0)
      return A.Parts;
    const auto IsLess = [&](const Number &From, const Number &By) {
      return (By.Parts == NegatedElement || By.Parts == NegatedLargest) &&
             (From.Whose == 0 || (From.Parts >= Element && From.Parts <= NegatedLargest)) &&
             Sets.together(From.Whose, By.Whose) == By.Whose;
    };
    return IsLess(A, B) || IsLess(B, A) || (A.Parts == Shifted && B.Parts == Shifted) ? Shifted : MixedParts;
  }
  static unsigned scaled(unsigned Of, double By) {
    if (By > 0)
      return Of;
    constexpr std::pair<unsigned, unsigned> Opposites[] = {
        {Element, NegatedElement}, {NegatedElement, Element}, {Largest, NegatedLargest}, {NegatedLargest, Largest}};
    for (const auto &[From, To] : Opposites)
      if (By < 0 && From == Of)
        return To;
    return MixedParts;
  }

  Number quotient(const llvm::Type *T, const Number &A, Number B) {
    const double Value = valueOf(A) / valueOf(B);
    if (B.Whose != 0 && B.Parts != Rounded)
      B.Parts = MixedParts;
    return T->isFloatTy() ? made(Operation::Product, A, B, Value) : Number();
  }
  Number difference(const llvm::Type *T, const Number &A, const Number &B) {
    return joinedOf(T, Operation::Sum, A, joinedOf(T, Operation::Product, B, realNumber(-1)));
  }
  Number exponential(const llvm::CallBase &Call, const Number &Of) {
    if (isReal(Of) && Of.Parts == Rounded)
      return {};
    if (!isReal(Of) || (Of.Whose != 0 && Of.Parts != Shifted)) {
      stop(&Call, "it takes exp of what is not x - m, with m the largest of what x may be");
      return {};
    }
    return realNumber(inRangeOfFloat(std::exp(valueOf(Of))), Of.Whose != 0 ? MixedParts : Of.Parts, Of.Object,
                      Of.Whose);
  }

  /// The larger of two that were compared.
  Number larger(Thread &T, const llvm::Value *If, const Number &IfTrue, const Number &IfFalse) {
    auto *Compare = llvm::dyn_cast<llvm::FCmpInst>(If);
    if (!Compare)
      return {};
    using P = llvm::CmpInst;
    const P::Predicate Asked = P::getNonStrictPredicate(llvm::FCmpInst::getOrderedPredicate(Compare->getPredicate()));
    const auto IsSame = [](const Number &A, const Number &B) {
      return isReal(A) && isReal(B) && A.Bits == B.Bits && A.Whose == B.Whose && A.Parts == B.Parts;
    };
    const unsigned More = Asked == P::FCMP_OLE ? 1 : 0;
    return (Asked == P::FCMP_OGE || Asked == P::FCMP_OLE) && IsSame(of(T, Compare->getOperand(More)), IfTrue) &&
                   IsSame(of(T, Compare->getOperand(1 - More)), IfFalse)
               ? joinedOf(Compare->getOperand(0)->getType(), Operation::Most, IfTrue, IfFalse)
               : Number();
  }

  /// Where two ways meet at once, and compute only: as `?:` of what they make.
  bool chooses(Thread &T, const llvm::BranchInst &Branch) override {
    if (!llvm::isa<llvm::FCmpInst>(Branch.getCondition()))
      return false;
    const llvm::BasicBlock *const From = Branch.getParent(), *const Ways[] = {Branch.getSuccessor(0),
                                                                              Branch.getSuccessor(1)};
    const auto Behind = [](const llvm::BasicBlock *Way) { return Way->getSingleSuccessor(); };
    const llvm::BasicBlock *const Join = Behind(Ways[0]) == Ways[1]           ? Ways[1]
                                         : Behind(Ways[1]) == Ways[0]         ? Ways[0]
                                         : Behind(Ways[0]) == Behind(Ways[1]) ? Behind(Ways[0])
                                                                              : nullptr;
    std::vector<Thread> Both(2, T);
    for (unsigned I = 0; I < 2; ++I) {
      if (!Join || (Ways[I] != Join && llvm::any_of(*Ways[I], [](const llvm::Instruction &Each) {
                      return llvm::isa<llvm::CallBase>(Each) || Each.mayHaveSideEffects();
                    })))
        return false;
      enter(Both[I], From, Ways[I]);
      while (Both[I].Next->getParent() != Join && !Stopped)
        step(Both[I]);
    }
    for (const llvm::PHINode &Phi : Join->phis()) {
      const unsigned Slot = Slots.lookup(&Phi);
      T.Values[Slot] = larger(T, Branch.getCondition(), Both[0].Values[Slot], Both[1].Values[Slot]);
    }
    T.Next = Both[0].Next;
    return true;
  }

  // -- Memory

  Number first(const Object &From, const llvm::Type *Type, std::int64_t Place) override {
    const ParameterAccess *const Own = parameter(From);
    const auto Bytes = static_cast<std::int64_t>(Own ? Own->Bytes : 1);
    const std::int64_t PerBlock = Launch.Rows * Launch.Columns, At = Place / Bytes - Of.Block * PerBlock;
    if (!Own || Own->Name != Launch.In || Type->getPrimitiveSizeInBits() != static_cast<unsigned>(Bytes) * 8 ||
        Place % Bytes != 0 || At < 0 || At >= PerBlock)
      return {};
    const auto Row = static_cast<unsigned>(At / Launch.Columns);
    const auto Column = static_cast<size_t>(At % Launch.Columns);
    return realNumber(Of.Element(At), Element, Row + 1, OfColumn[Column]);
  }

  /// Two of 16 bits each may be loaded and stored at once.
  static bool isPair(const llvm::Type *T) { return T->isIntegerTy(32); }
  static Number behind(Number At) {
    At.Bits += 2;
    return At;
  }
  Number loaded(llvm::Type *Type, const Number &At) {
    if (At.Parts > Drawn)
      return {};
    const Number Whole = load(Type, At);
    if (!isPair(Type) || Whole.What != Number::Kind::Unknown)
      return Whole;
    llvm::Type *const Half = llvm::Type::getInt16Ty(Type->getContext());
    const Number Low = load(Half, At), High = load(Half, behind(At));
    return isReal(Low) && isReal(High) ? members({Low, High}) : Number();
  }
  std::optional<Number> stored(const llvm::StoreInst &I, const Number &At, const Number &What) {
    llvm::Type *const Type = I.getValueOperand()->getType(), *const Half = llvm::Type::getInt16Ty(I.getContext());
    const bool IsDone =
        At.Parts <= Drawn && (isPair(Type) && What.What == Number::Kind::Members
                                  ? store(I, Half, At, member(What, 0)) && store(I, Half, behind(At), member(What, 1))
                                  : store(I, Type, At, What));
    return IsDone ? std::optional(Number()) : std::nullopt;
  }

  // -- Steps

  std::optional<Number> assembly(Thread &T, const llvm::CallBase &Call, llvm::StringRef Text) override {
    const auto Given = [&](unsigned I) { return of(T, Call.getArgOperand(I)); };
    if (Text == "cvt.f32.f16$0,$1;" || Text == "cvt.f32.bf16$0,$1;" || Text == "mov.b16$0,$1;" ||
        Text == "mov.b32$0,0,$1;")
      return widened(Given(0));
    if (Text == "cvt.rn.f16.f32$0,$1;" || Text == "cvt.rn.bf16.f32$0,$1;")
      return rounded(Given(0));
    if (Text == "cvt.rn.f16x2.f32$0,$2,$1;" || Text == "cvt.rn.bf16x2.f32$0,$2,$1;")
      return members({rounded(Given(0)), rounded(Given(1))});
    if (Text.consume_front(".reg.f16low,high;mov.b32low,high,$1;cvt.f32.f16$0,") && (Text == "low;" || Text == "high;"))
      return widened(member(Given(0), Text == "low;" ? 0 : 1));
    return std::nullopt;
  }
  static Number widened(const Number &A) { return isReal(A) && A.Parts != Rounded ? A : Number(); }
  static Number rounded(Number A) {
    if (!isReal(A))
      return {};
    A.Parts = Rounded;
    return A;
  }

  std::optional<Number> function(Thread &T, const llvm::CallBase &Call, llvm::StringRef Name) override {
    const llvm::Type *const Type = Call.getType();
    const auto Of = [&](unsigned I) { return of(T, Call.getArgOperand(I)); };
    const auto Is = [&](std::initializer_list<llvm::StringRef> Names) { return llvm::is_contained(Names, Name); };
    if (Is({"__nv_expf", "__nv_fast_expf", "llvm.exp.f32"}))
      return exponential(Call, Of(0));
    if (Is({"__nv_exp2f", "llvm.nvvm.ex2.approx.f", "llvm.exp2.f32"}))
      return exponential(Call, joinedOf(Type, Operation::Product, Of(0), realNumber(std::log(2))));
    if (const Operation By = Accumulation::operation(Call, 0); By != Operation::Unknown && Type->isFloatTy())
      return joinedOf(Type, By, Of(0), Of(1));
    if (Name == "llvm.nvvm.fmax.f")
      return joinedOf(Type, Operation::Most, Of(0), Of(1));
    if (Is({"__nv_fdividef", "__nv_fast_fdividef", "__nv_fdiv_rn", "llvm.nvvm.div.approx.f", "llvm.nvvm.div.rn.f"}))
      return quotient(Type, Of(0), Of(1));
    if (Is({"__nv_frcp_rn", "llvm.nvvm.rcp.rn.f"}))
      return quotient(Type, realNumber(1), Of(0));
    if (Name == "llvm.nvvm.add.rn.f")
      return joinedOf(Type, Operation::Sum, Of(0), Of(1));
    if (Name == "__nv_fsub_rn")
      return difference(Type, Of(0), Of(1));
    if (Is({"__nv_fmul_rn", "llvm.nvvm.mul.rn.f"}))
      return joinedOf(Type, Operation::Product, Of(0), Of(1));
    if (Is({"__nv_fmaf", "llvm.fma.f32", "llvm.fmuladd.f32"}))
      return joinedOf(Type, Operation::Sum, joinedOf(Type, Operation::Product, Of(0), Of(1)), Of(2));
    const auto IsKnown = [&](const llvm::Use &Each) { return known(of(T, Each)).has_value(); };
    return llvm::isa<llvm::IntrinsicInst>(Call) && Call.doesNotAccessMemory() && llvm::all_of(Call.args(), IsKnown)
               ? std::optional(folded(T, Call, Call.arg_size()))
               : std::nullopt;
  }

  std::optional<Number> compute(Thread &T, const llvm::Instruction &I) override {
    const auto Operand = [&](unsigned At) { return of(T, I.getOperand(At)); };
    const llvm::Type *const Type = I.getType();
    if (auto *Binary = llvm::dyn_cast<llvm::BinaryOperator>(&I))
      return Type->isIntegerTy() ? integer(T, *Binary) : arithmetic(*Binary, Operand(0), Operand(1));
    if (I.getOpcode() == llvm::Instruction::FNeg)
      return joinedOf(Type, Operation::Product, Operand(0), realNumber(-1));
    if (auto *Compare = llvm::dyn_cast<llvm::FCmpInst>(&I)) {
      const Number A = Operand(0), B = Operand(1);
      return !isReal(A) || !isReal(B) || A.Parts != 0 || B.Parts != 0
                 ? Number()
                 : Number::bits(llvm::FCmpInst::compare(llvm::APFloat(valueOf(A)), llvm::APFloat(valueOf(B)),
                                                        Compare->getPredicate()));
    }
    if (auto *Compare = llvm::dyn_cast<llvm::ICmpInst>(&I))
      return comparison(T, *Compare);
    if (llvm::isa<llvm::SelectInst>(I))
      if (const auto If = known(Operand(0)); !If)
        return larger(T, I.getOperand(0), Operand(1), Operand(2));
    if (auto *Cast = llvm::dyn_cast<llvm::CastInst>(&I))
      return cast(T, *Cast, Operand(0));
    if (auto *Load = llvm::dyn_cast<llvm::LoadInst>(&I))
      return loaded(Load->getType(), Operand(0));
    if (auto *Store = llvm::dyn_cast<llvm::StoreInst>(&I))
      return stored(*Store, Operand(1), Operand(0));
    return BlockRunner::compute(T, I);
  }

  Number arithmetic(const llvm::BinaryOperator &I, const Number &A, const Number &B) {
    return I.getOpcode() == llvm::Instruction::FSub   ? difference(I.getType(), A, B)
           : I.getOpcode() == llvm::Instruction::FDiv ? quotient(I.getType(), A, B)
                                                      : joinedOf(I.getType(), Accumulation::operation(I, 0), A, B);
  }

  std::optional<Number> integer(Thread &T, const llvm::BinaryOperator &I) {
    const Number A = of(T, I.getOperand(0)), B = of(T, I.getOperand(1));
    if (A.What == Number::Kind::Members && I.getOpcode() == llvm::Instruction::LShr && known(B) == 16)
      return members({member(A, 1), member(A, 1)}); // of which the lower half is asked for
    if (isReal(A) || isReal(B))
      return Number();
    auto Known = BlockRunner::compute(T, I);
    if (Known && Known->Parts != 0 && !isLinear(I, A, B))
      Known->Parts = MixedParts;
    return Known;
  }
  /// It does not wrap, either.
  static bool isLinear(const llvm::BinaryOperator &I, const Number &A, const Number &B) {
    const unsigned Bits = I.getType()->getIntegerBitWidth();
    const llvm::APInt X = llvm::APInt(Bits, A.Bits, false, true).sext(128),
                      Y = llvm::APInt(Bits, B.Bits, false, true).sext(128);
    switch (I.getOpcode()) {
    case llvm::Instruction::Add:
      return (X + Y).isSignedIntN(Bits);
    case llvm::Instruction::Sub:
      return (X - Y).isSignedIntN(Bits);
    case llvm::Instruction::Mul:
      return (A.Parts == 0 || B.Parts == 0) && (X * Y).isSignedIntN(Bits);
    case llvm::Instruction::Shl:
      return B.Parts == 0 && Y.ult(Bits) && X.shl(Y).isSignedIntN(Bits);
    default:
      return false;
    }
  }

  Number comparison(Thread &T, const llvm::ICmpInst &I) {
    const Number A = of(T, I.getOperand(0)), B = of(T, I.getOperand(1));
    if (isReal(A) || isReal(B))
      return {};
    Number Holds = folded(T, I, 2);
    if (!Holds.isBits() || Holds.Parts == 0)
      return Holds;
    const unsigned Bits = I.getOperand(0)->getType()->getIntegerBitWidth();
    const llvm::APInt X(Bits, A.Bits, false, true), Y(Bits, B.Bits, false, true);
    if (Holds.Parts != Drawn || (I.isEquality() && X == Y) || (I.isUnsigned() && (X.isNegative() || Y.isNegative())))
      return {};
    Result.Ways.push_back({&I, Holds.Bits != 0, Y.getSExtValue() - X.getSExtValue()});
    Holds.Parts = 0;
    return Holds;
  }

  Number cast(Thread &T, const llvm::CastInst &I, const Number &A) {
    switch (I.getOpcode()) {
    case llvm::Instruction::AddrSpaceCast:
      return A;
    case llvm::Instruction::BitCast:
      return A.What == Number::Kind::Members || isReal(A) ? A : Number();
    case llvm::Instruction::FPExt:
      return widened(A);
    case llvm::Instruction::FPTrunc:
      return rounded(A);
    case llvm::Instruction::SIToFP:
    case llvm::Instruction::UIToFP:
      if (const auto Known = known(A); Known && I.getType()->isFloatTy()) {
        const llvm::APInt Bits(I.getOperand(0)->getType()->getIntegerBitWidth(), A.Bits, false, true);
        return realNumber(static_cast<float>(I.getOpcode() == llvm::Instruction::SIToFP
                                                 ? static_cast<double>(Bits.getSExtValue())
                                                 : static_cast<double>(Bits.getZExtValue())));
      }
      return {};
    case llvm::Instruction::Trunc:
      if (A.What == Number::Kind::Members && I.getType()->isIntegerTy(16))
        return member(A, 0);
      [[fallthrough]];
    case llvm::Instruction::SExt:
    case llvm::Instruction::ZExt: {
      Number Known = isReal(A) ? Number() : folded(T, I, 1);
      if (Known.Parts != 0 && I.getType()->getIntegerBitWidth() < 32)
        Known.Parts = MixedParts;
      return Known;
    }
    default:
      return {};
    }
  }

  const KernelAccesses &Accesses;
  const SoftmaxLaunch &Launch;
  const SoftmaxDraw &Of;
  std::vector<unsigned> OfColumn; ///< The set of that element alone.
  SoftmaxRun Result;
};

} // namespace

SoftmaxRun runRows(const llvm::Function &Kernel, const KernelAccesses &Accesses, const SoftmaxLaunch &Launch,
                   const SoftmaxDraw &Of) {
  return RowsRunner(Kernel, Accesses, Launch, Of).run();
}

} // namespace cufuse
