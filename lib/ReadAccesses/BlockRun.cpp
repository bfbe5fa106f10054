#include "BlockRun.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/Module.h>

#include <cmath>

namespace cufuse {

using Value = SymbolicValue;

namespace {

using Memory = BlockRun::Memory;

class SymbolRunner : public BlockRunner<SymbolRunner, Value> {
  using Kind = SymbolicValue::Kind;

public:
  SymbolRunner(const llvm::Function &Kernel, BlockShape Block, std::vector<Value> Arguments, unsigned In,
               unsigned Bytes, std::int64_t PerBlock)
      : BlockRunner(Kernel, Block, /*MostSteps=*/60'000'000), Arguments(std::move(Arguments)), In(In), Bytes(Bytes),
        PerBlock(PerBlock) {
    All.constant(0); // number 0, where there is no second operand
    for (const llvm::Argument &A : Kernel.args())
      if (A.getType()->isFloatTy())
        this->Arguments[A.getArgNo()] = Value::real(All.given(A.getArgNo()));
    Objects.resize(this->Arguments.size());
  }

  BlockRun run() {
    runThreads();
    return {std::move(Stopped), std::move(All), std::move(Objects)};
  }

private:
  friend BlockRunner;

  // -- Values

  unsigned object(const void *Key) {
    const auto [Entry, IsNew] = ObjectOf.try_emplace(Key, Objects.size());
    if (IsNew)
      Objects.emplace_back();
    return Entry->second;
  }

  Value of(Thread &T, const llvm::Value *V) {
    if (auto *I = llvm::dyn_cast<llvm::Instruction>(V))
      return T.Values[Slots.lookup(I)];
    if (auto *A = llvm::dyn_cast<llvm::Argument>(V))
      return Arguments[A->getArgNo()];
    if (auto *C = llvm::dyn_cast<llvm::ConstantInt>(V))
      return C->getBitWidth() <= 64 ? Value::number(C->getSExtValue()) : Value();
    if (auto *C = llvm::dyn_cast<llvm::ConstantFP>(V)) {
      llvm::APFloat Double = C->getValueAPF();
      bool Lost = false;
      Double.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &Lost);
      return Value::real(All.constant(Double.convertToDouble()));
    }
    constexpr unsigned Shared = 3; // address space; what is in others outlives the block
    if (auto *Global = llvm::dyn_cast<llvm::GlobalVariable>(V)) {
      const void *const DynamicShared = &Objects; // arrays of the launch's size all begin in one place
      return Global->getAddressSpace() == Shared
                 ? Value::pointer(object(Global->isDeclaration() ? DynamicShared : Global))
                 : Value();
    }
    auto *Expression = llvm::dyn_cast<llvm::ConstantExpr>(V);
    if (Expression && Expression->getOpcode() == llvm::Instruction::GetElementPtr)
      return movedFrom(T, *llvm::cast<llvm::GEPOperator>(Expression));
    return Expression && Expression->isCast() ? of(T, Expression->getOperand(0)) : Value();
  }

  static Value number(std::int64_t N) { return Value::number(N); }
  static std::optional<std::int64_t> known(const Value &V) {
    return V.isConstant() ? std::optional(V.Number.Constant) : std::nullopt;
  }

  Value movedFrom(Thread &T, const llvm::GEPOperator &Gep) {
    Value Result = of(T, Gep.getPointerOperand());
    const auto Add = [&](const Value &Index, const llvm::Type &, std::int64_t Stride) {
      Result.Number = sum(Result.Number, Index.Number, Stride);
      return Index.What == Kind::Number;
    };
    return Result.What == Kind::Pointer && moved(T, Gep, Add) ? Result : Value();
  }

  Value reals(Term::Kind What, Value A, Value B) {
    return A.What == Kind::Real && B.What == Kind::Real ? Value::real(All.make(What, A.Of, B.Of)) : Value();
  }

  Value binary(const llvm::BinaryOperator &I, Value A, Value B) {
    if (A.What == Kind::Pair && I.getOpcode() == llvm::Instruction::LShr && B.isConstant() && B.Number.Constant == 16)
      return {Kind::Pair, A.Other, A.Other}; // of which the lower half is asked for
    if (I.getType()->isIntegerTy())
      return integers(I, A, B);
    if (!I.getType()->isFloatTy())
      return {}; // of halves, each step would be rounded
    switch (I.getOpcode()) {
    case llvm::Instruction::FAdd:
      return reals(Term::Kind::Sum, A, B);
    case llvm::Instruction::FSub:
      return reals(Term::Kind::Difference, A, B);
    case llvm::Instruction::FMul:
      return reals(Term::Kind::Product, A, B);
    case llvm::Instruction::FDiv:
      return reals(Term::Kind::Quotient, A, B);
    default:
      return {};
    }
  }

  Value cast(const llvm::CastInst &I, Value A) {
    const auto Bits = [](const llvm::Type *T) { return T->isIntegerTy() ? T->getIntegerBitWidth() : 0; };
    switch (I.getOpcode()) {
    case llvm::Instruction::AddrSpaceCast:
    case llvm::Instruction::BitCast:
    case llvm::Instruction::FPExt:
      return I.getType()->isVectorTy() || I.getOperand(0)->getType()->isVectorTy() ||
                     (A.What != Kind::Real && A.What != Kind::Pointer)
                 ? Value()
                 : A;
    case llvm::Instruction::FPTrunc:
      return A.What == Kind::Real ? Value::real(All.make(Term::Kind::Rounded, A.Of)) : Value();
    case llvm::Instruction::SExt:
      return A.What == Kind::Number ? A : Value();
    case llvm::Instruction::ZExt:
      if (A.isConstant())
        return Value::number(static_cast<std::int64_t>(positive(A.Number.Constant, Bits(I.getOperand(0)->getType()))));
      return A.What == Kind::Number ? A : Value();
    case llvm::Instruction::Trunc:
      if (A.What == Kind::Pair && Bits(I.getType()) == 16)
        return Value::real(A.Of);
      if (A.isConstant())
        return Value::number(wrapped(A.Number.Constant, Bits(I.getType())));
      return A.What == Kind::Number && Bits(I.getType()) >= 32 ? A : Value();
    case llvm::Instruction::SIToFP:
    case llvm::Instruction::UIToFP:
      if (A.isConstant() && I.getType()->isFloatTy()) {
        const unsigned Of = Bits(I.getOperand(0)->getType());
        return Value::real(All.constant(I.getOpcode() == llvm::Instruction::SIToFP
                                            ? static_cast<float>(A.Number.Constant)
                                            : static_cast<float>(positive(A.Number.Constant, Of))));
      }
      return {};
    default:
      return {};
    }
  }

  Value select(Value If, Value A, Value B) {
    if (If.isConstant())
      return If.Number.Constant != 0 ? A : B;
    if (If.What == Kind::Comparison && A.What == Kind::Real && B.What == Kind::Real && A.Of == If.Of &&
        B.Of == If.Other)
      return Value::real(All.make(Term::Kind::Largest, A.Of, B.Of));
    return {};
  }

  Value compareReals(const llvm::FCmpInst &I, Value A, Value B) {
    using llvm::CmpInst;
    if (A.What != Kind::Real || B.What != Kind::Real)
      return {};
    if (const Term &X = All[A.Of], &Y = All[B.Of]; X.What == Term::Kind::Constant && Y.What == Term::Kind::Constant)
      return Value::number(
          llvm::FCmpInst::compare(llvm::APFloat(X.Value), llvm::APFloat(Y.Value), I.getPredicate()) ? -1 : 0);
    switch (I.getPredicate()) {
    case CmpInst::FCMP_OGT:
    case CmpInst::FCMP_OGE:
    case CmpInst::FCMP_UGT:
    case CmpInst::FCMP_UGE:
      return {Kind::Comparison, A.Of, B.Of};
    case CmpInst::FCMP_OLT:
    case CmpInst::FCMP_OLE:
    case CmpInst::FCMP_ULT:
    case CmpInst::FCMP_ULE:
      return {Kind::Comparison, B.Of, A.Of};
    default:
      return {};
    }
  }

  // -- Memory

  /// One of which it is known whether it is another one: what depends on the block is the kernel's array only.
  bool isPlace(Value At) const { return At.Number.isConstant() || At.Of < Arguments.size(); }

  Value load(const llvm::LoadInst &I, Value At) {
    if (At.What != Kind::Pointer || I.getType()->isVectorTy() || !isPlace(At))
      return {};
    return load(Layout.getTypeStoreSize(I.getType()).getFixedValue(), At);
  }
  Value load(std::uint64_t Size, Value At) {
    const Memory &Known = Objects[At.Of];
    const auto Found = Known.find(At.Number);
    if (Found != Known.end() && Found->second.first == Size)
      return Found->second.second;
    if (Size == 4 && (Found != Known.end() ? Found->second.first : At.Of == In ? Bytes : 0) == 2) {
      const Value Low = load(2, At), High = load(2, behind(At));
      return Low.What == Kind::Real && High.What == Kind::Real ? Value{Kind::Pair, Low.Of, High.Of} : Value();
    }
    if (Found != Known.end())
      return {};
    if (At.Of != In || Size != Bytes || At.Number.PerGrid != 0 || At.Number.PerBlock != PerBlock * Bytes ||
        At.Number.Constant < 0 || At.Number.Constant % Bytes != 0 || At.Number.Constant >= PerBlock * Bytes)
      return {};
    return Value::real(All.element(At.Number.Constant / Bytes));
  }

  /// The second half of a pair.
  static Value behind(Value At) {
    At.Number.Constant += 2;
    return At;
  }

  void store(const llvm::Instruction *I, std::uint64_t Size, Value At, Value Stored) {
    if (Stored.What == Kind::Pair && Size == 4 && At.What == Kind::Pointer) {
      store(I, 2, At, Value::real(Stored.Of));
      return store(I, 2, behind(At), Value::real(Stored.Other));
    }
    if (At.What != Kind::Pointer || !isPlace(At))
      return stop(I, "it is not known where that is stored");
    Memory &To = Objects[At.Of];
    // What it lies over in part is not known any more.
    for (auto Each = To.lower_bound(sum(At.Number, {8}, -1)); Each != To.end() && Each->first < sum(At.Number, {16});) {
      const SymbolicNumber Apart = sum(Each->first, At.Number, -1);
      const bool Meets = Apart.isConstant() && Apart.Constant != 0 &&
                         Apart.Constant < static_cast<std::int64_t>(Size) && Apart.Constant + Each->second.first > 0;
      if (Meets)
        return stop(I, "it stores to parts of what it stored before");
      ++Each;
    }
    To[At.Number] = {static_cast<unsigned>(Size), Stored};
  }

  // -- Calls

  Value special(Thread &T, llvm::StringRef Register) {
    return llvm::StringSwitch<Value>(Register)
        .Case("tid.x", Value::number(T.X))
        .Case("tid.y", Value::number(T.Y))
        .Case("tid.z", Value::number(T.Z))
        .Case("ntid.x", Value::number(Block.X))
        .Case("ntid.y", Value::number(Block.Y))
        .Case("ntid.z", Value::number(Block.Z))
        .Case("ctaid.x", Value::number(SymbolicNumber{0, 1, 0}))
        .Case("nctaid.x", Value::number(SymbolicNumber{0, 0, 1}))
        .Cases({"ctaid.y", "ctaid.z"}, Value::number(0))
        .Cases({"nctaid.y", "nctaid.z"}, Value::number(1))
        .Case("warpsize", Value::number(32))
        .Default({});
  }

  /// A conversion of the headers for half types, which is assembly there.
  std::optional<Value> assembly(Thread &T, const llvm::CallBase &Call) {
    const std::string Text = assemblyOf(Call);
    const bool Widens = Text == "cvt.f32.f16$0,$1;" || Text == "cvt.f32.bf16$0,$1;" || Text == "mov.b16$0,$1;" ||
                        Text == "mov.b32$0,0,$1;";
    const bool Rounds = Text == "cvt.rn.f16.f32$0,$1;" || Text == "cvt.rn.bf16.f32$0,$1;";
    if (Text == "mov.u32$0,%laneid;")
      return Value::number(lane(T));
    const auto Rounded = [&](unsigned I) {
      const Value Of = of(T, Call.getArgOperand(I));
      return Of.What == Kind::Real ? Value::real(All.make(Term::Kind::Rounded, Of.Of)) : Value();
    };
    if (Text == "cvt.rn.f16x2.f32$0,$2,$1;" || Text == "cvt.rn.bf16x2.f32$0,$2,$1;") {
      const Value Low = Rounded(0), High = Rounded(1);
      return Low.What == Kind::Real && High.What == Kind::Real ? Value{Kind::Pair, Low.Of, High.Of} : Value();
    }
    constexpr llvm::StringLiteral Apart = ".reg.f16low,high;mov.b32low,high,$1;cvt.f32.f16$0,";
    if (llvm::StringRef Which = Text; Which.consume_front(Apart) && (Which == "low;" || Which == "high;")) {
      const Value Both = of(T, Call.getArgOperand(0));
      return Both.What == Kind::Pair ? Value::real(Which == "low;" ? Both.Of : Both.Other) : Value();
    }
    if (!(Widens || Rounds) || Call.arg_size() != 1)
      return std::nullopt;
    const Value A = of(T, Call.getArgOperand(0));
    if (A.What != Kind::Real)
      return Value();
    return Rounds ? Rounded(0) : A;
  }

  std::optional<Value> function(Thread &T, const llvm::CallBase &Call, llvm::StringRef Name) {
    const auto Of = [&](unsigned I) { return of(T, Call.getArgOperand(I)); };
    const auto Made = [&](Term::Kind What) { return reals(What, Of(0), Of(1)); };
    if (Name == "__nv_expf" || Name == "__nv_fast_expf" || Name == "llvm.exp.f32")
      return reals(Term::Kind::Exponential, Of(0), Value::real(0));
    if (Name == "__nv_exp2f" || Name == "llvm.nvvm.ex2.approx.f" || Name == "llvm.exp2.f32")
      return reals(Term::Kind::Exponential, reals(Term::Kind::Product, Of(0), Value::real(All.constant(std::log(2)))),
                   Value::real(0));
    if (Name == "__nv_fmaxf" || Name == "llvm.maxnum.f32" || Name == "llvm.nvvm.fmax.f")
      return Made(Term::Kind::Largest);
    if (Name == "__nv_fdividef" || Name == "__nv_fast_fdividef" || Name == "__nv_fdiv_rn" ||
        Name == "llvm.nvvm.div.approx.f" || Name == "llvm.nvvm.div.rn.f")
      return Made(Term::Kind::Quotient);
    if (Name == "__nv_frcp_rn" || Name == "llvm.nvvm.rcp.rn.f")
      return reals(Term::Kind::Quotient, Value::real(All.constant(1)), Of(0));
    if (Name == "__nv_fadd_rn" || Name == "llvm.nvvm.add.rn.f")
      return Made(Term::Kind::Sum);
    if (Name == "__nv_fsub_rn")
      return Made(Term::Kind::Difference);
    if (Name == "__nv_fmul_rn" || Name == "llvm.nvvm.mul.rn.f")
      return Made(Term::Kind::Product);
    if (Name == "__nv_fmaf" || Name == "llvm.fma.f32" || Name == "llvm.fmuladd.f32")
      return reals(Term::Kind::Sum, Made(Term::Kind::Product), Of(2));
    if (Name == "__nv_min" || Name == "__nv_max" || Name.starts_with("llvm.smin.") || Name.starts_with("llvm.smax.")) {
      const Value A = Of(0), B = Of(1);
      if (!A.isConstant() || !B.isConstant())
        return Value();
      return (A.Number.Constant < B.Number.Constant) == Name.contains("min") ? A : B;
    }
    return std::nullopt;
  }

  // -- Steps

  static Value voted(Value V, llvm::ArrayRef<Value>) { return V; }
  static Value chosen(const Thread &, Value V) { return V; }
  static bool enters(Thread &, const llvm::BasicBlock *, const llvm::BasicBlock *) { return false; }

  Value received(const llvm::CallBase &Call, const LaneExchange &How, Value Given, Value Own, bool Whether) {
    if (How.TellsWhether || (How.Adds && !Call.getType()->isFloatTy()))
      return {};
    return How.Adds && Whether ? reals(Term::Kind::Sum, Given, Own) : Given;
  }
  static Value reduced(const llvm::CallBase &, llvm::ArrayRef<Value>) { return {}; }

  /// Where two ways meet at once, and compute only: as `?:` of what they make.
  bool chooses(Thread &T, const llvm::BranchInst &Branch, Value If) {
    if (If.What != Kind::Comparison)
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
      T.Values[Slot] = select(If, Both[0].Values[Slot], Both[1].Values[Slot]);
    }
    T.Next = Both[0].Next;
    return true;
  }

  std::optional<Value> compute(Thread &T, const llvm::Instruction &I) {
    const auto Operand = [&](unsigned Number) { return of(T, I.getOperand(Number)); };
    Value Result;
    if (auto *Binary = llvm::dyn_cast<llvm::BinaryOperator>(&I))
      Result = binary(*Binary, Operand(0), Operand(1));
    else if (I.getOpcode() == llvm::Instruction::FNeg && I.getType()->isFloatTy())
      Result = reals(Term::Kind::Product, Operand(0), Value::real(All.constant(-1)));
    else if (auto *Cast = llvm::dyn_cast<llvm::CastInst>(&I))
      Result = cast(*Cast, Operand(0));
    else if (auto *Compare = llvm::dyn_cast<llvm::ICmpInst>(&I))
      Result = comparison(*Compare, Operand(0), Operand(1));
    else if (auto *Compare = llvm::dyn_cast<llvm::FCmpInst>(&I))
      Result = compareReals(*Compare, Operand(0), Operand(1));
    else if (llvm::isa<llvm::SelectInst>(I))
      Result = select(Operand(0), Operand(1), Operand(2));
    else if (auto *Gep = llvm::dyn_cast<llvm::GEPOperator>(&I))
      Result = movedFrom(T, *Gep);
    else if (llvm::isa<llvm::AllocaInst>(I))
      Result = Value::pointer(object(&T.Values[Slots.lookup(&I)]));
    else if (auto *Load = llvm::dyn_cast<llvm::LoadInst>(&I))
      Result = load(*Load, Operand(0));
    else if (auto *Store = llvm::dyn_cast<llvm::StoreInst>(&I))
      store(&I, Layout.getTypeStoreSize(Store->getValueOperand()->getType()).getFixedValue(), Operand(1), Operand(0));
    else if (I.mayHaveSideEffects())
      return std::nullopt;
    return Result;
  }

  std::vector<Value> Arguments;
  const unsigned In, Bytes;
  const std::int64_t PerBlock;
  Terms All;
  std::vector<Memory> Objects;
  std::map<const void *, unsigned> ObjectOf;
};

} // namespace

BlockRun runBlock(const llvm::Function &Kernel, BlockShape Block, std::vector<Value> Arguments, unsigned In,
                  unsigned Bytes, std::int64_t PerBlock) {
  return SymbolRunner(Kernel, Block, std::move(Arguments), In, Bytes, PerBlock).run();
}

} // namespace cufuse
