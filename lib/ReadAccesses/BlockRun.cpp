#include "BlockRun.h"

#include "IrMemory.h"

#include <fmt/core.h>
#include <llvm/ADT/StringSwitch.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/GetElementPtrTypeIterator.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>

#include <cmath>

namespace cufuse {

using Value = SymbolicValue;
using Kind = SymbolicValue::Kind;

namespace {

using Memory = BlockRun::Memory;

class Runner {
  enum class Wait : std::uint8_t { None, Block, Warp, Ended };
  struct Thread {
    std::vector<Value> Values;
    const llvm::Instruction *Next = nullptr;
    Wait For = Wait::None;
    unsigned X = 0, Y = 0, Z = 0;
  };

public:
  Runner(const llvm::Function &Kernel, BlockShape Block, std::vector<Value> Arguments, unsigned In, unsigned Bytes,
         std::int64_t PerBlock)
      : Kernel(Kernel), Layout(Kernel.getDataLayout()), Block(Block), Arguments(std::move(Arguments)), In(In),
        Bytes(Bytes), PerBlock(PerBlock) {
    All.constant(0); // number 0, where there is no second operand
    for (const llvm::Argument &A : Kernel.args())
      if (A.getType()->isFloatTy())
        this->Arguments[A.getArgNo()] = Value::real(All.given(A.getArgNo()));
    Objects.resize(this->Arguments.size());
    for (const llvm::Instruction &I : llvm::instructions(Kernel))
      Slots.try_emplace(&I, Slots.size());
  }

  BlockRun run() {
    runThreads();
    return {std::move(Stopped), std::move(All), std::move(Objects)};
  }

private:
  void runThreads() {
    constexpr unsigned Most = 1024, Warp = 32;
    const unsigned Count = Block.X * Block.Y * Block.Z;
    if (Count > Most)
      return stop(nullptr, fmt::format("a block has {} threads", Count));
    for (unsigned I = 0; I < Count; ++I) {
      Thread &T = Threads.emplace_back();
      T.Values.resize(Slots.size());
      T.Next = &Kernel.getEntryBlock().front();
      T.X = I % Block.X, T.Y = I / Block.X % Block.Y, T.Z = I / Block.X / Block.Y;
    }
    for (;;) {
      bool Ran = false;
      for (Thread &T : Threads)
        for (; T.For == Wait::None && !Stopped; Ran = true)
          step(T);
      for (unsigned First = 0; First < Count && !Stopped; First += Warp)
        Ran |= meet(llvm::MutableArrayRef(Threads).slice(First, std::min(Warp, Count - First)));
      if (Stopped)
        return;
      if (Ran)
        continue;
      auto Waiting = llvm::find_if(Threads, [](const Thread &T) { return T.For != Wait::Ended; });
      if (Waiting == Threads.end())
        return;
      for (Thread &T : Threads) {
        if (T.For == Wait::Warp)
          return stop(T.Next, "not all lanes of a warp come here");
        if (T.For == Wait::Block)
          go(T);
      }
    }
  }

  void stop(const llvm::Instruction *At, std::string Why) {
    if (!Stopped)
      Stopped = {At, std::move(Why)};
  }
  static void go(Thread &T) {
    T.For = Wait::None;
    T.Next = T.Next->getNextNode();
  }

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
      return moved(T, *llvm::cast<llvm::GEPOperator>(Expression));
    return Expression && Expression->isCast() ? of(T, Expression->getOperand(0)) : Value();
  }

  Value moved(Thread &T, const llvm::GEPOperator &Gep) {
    Value Result = of(T, Gep.getPointerOperand());
    if (Result.What != Kind::Pointer)
      return {};
    for (auto Step = llvm::gep_type_begin(Gep); Step != llvm::gep_type_end(Gep); ++Step) {
      const Value Index = of(T, Step.getOperand());
      if (Index.What != Kind::Number)
        return {};
      if (llvm::StructType *Struct = Step.getStructTypeOrNull())
        Result.Number.Constant += static_cast<std::int64_t>(
            Layout.getStructLayout(Struct)->getElementOffset(static_cast<unsigned>(Index.Number.Constant)));
      else
        Result.Number = sum(Result.Number, Index.Number,
                            static_cast<std::int64_t>(Step.getSequentialElementStride(Layout).getFixedValue()));
    }
    return Result;
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
      return Value::number(((T.Z * Block.Y + T.Y) * Block.X + T.X) % 32);
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

  void call(Thread &T, const llvm::CallBase &Call) {
    const auto Done = [&](Value Result) {
      T.Values[Slots.lookup(&Call)] = Result;
      T.Next = T.Next->getNextNode();
    };
    if (Call.isInlineAsm()) {
      auto Result = assembly(T, Call);
      if (!Result && !llvm::cast<llvm::InlineAsm>(Call.getCalledOperand())->hasSideEffects() &&
          Call.doesNotAccessMemory())
        Result = Value(); // it computes something
      return Result ? Done(*Result)
                    : stop(&Call, fmt::format("what the assembly `{}` does is not known", assemblyOf(Call)));
    }
    const llvm::Function *Callee = Call.getCalledFunction();
    llvm::StringRef Name = Callee ? Callee->getName() : "";
    if (llvm::isa<llvm::DbgInfoIntrinsic, llvm::LifetimeIntrinsic, llvm::AssumeInst, llvm::NoAliasScopeDeclInst>(Call))
      return Done({});
    if (Name.consume_front("llvm.nvvm.read.ptx.sreg."))
      return Done(special(T, Name));
    if (Name == "llvm.nvvm.barrier0" || Name.starts_with("llvm.nvvm.barrier.cta.sync.aligned.all") ||
        Name.starts_with("llvm.nvvm.barrier.sync")) {
      if (Call.arg_size() > 0 &&
          !(of(T, Call.getArgOperand(0)).isConstant() && of(T, Call.getArgOperand(0)).Number.Constant == 0))
        return stop(&Call, "some threads of the block wait for others here");
      T.For = Wait::Block;
      return;
    }
    if (Name.starts_with("llvm.nvvm.shfl.sync.") || Name == "llvm.nvvm.bar.warp.sync") {
      T.For = Wait::Warp;
      return;
    }
    if (const auto Result = function(T, Call, Name))
      return Done(*Result);
    if (Callee && (Call.doesNotAccessMemory() || Name.starts_with("__nv_")) && !Call.isConvergent())
      return Done({});
    stop(&Call, fmt::format("what {} does is not known", Name.empty() ? "this call" : Name.str()));
  }

  /// Lanes that wait for each other, if all have come that are named.
  bool meet(llvm::MutableArrayRef<Thread> Warp) {
    bool Any = false;
    for (unsigned Lane = 0; Lane < Warp.size(); ++Lane) {
      if (Warp[Lane].For != Wait::Warp)
        continue;
      const auto &Call = llvm::cast<llvm::CallBase>(*Warp[Lane].Next);
      const Value Mask = of(Warp[Lane], Call.getArgOperand(0));
      if (!Mask.isConstant())
        return stop(&Call, "its mask is not known"), false;
      std::vector<unsigned> Lanes;
      bool All = true;
      for (unsigned Other = 0; Other < Warp.size(); ++Other)
        if ((Mask.Number.Constant >> Other & 1) != 0 && Warp[Other].For != Wait::Ended) {
          All &= Warp[Other].For == Wait::Warp && Warp[Other].Next == &Call;
          Lanes.push_back(Other);
        }
      if (!All || !llvm::is_contained(Lanes, Lane))
        continue;
      if (Call.arg_size() > 1)
        shuffle(Warp, Lanes, Call);
      for (unsigned Each : Lanes)
        go(Warp[Each]);
      Any = true;
    }
    return Any;
  }

  /// PTX ISA, shfl.sync.
  void shuffle(llvm::MutableArrayRef<Thread> Warp, llvm::ArrayRef<unsigned> Lanes, const llvm::CallBase &Call) {
    const llvm::StringRef Name = Call.getCalledFunction()->getName();
    std::vector<Value> Given(Warp.size());
    for (unsigned Lane : Lanes)
      Given[Lane] = of(Warp[Lane], Call.getArgOperand(1));
    for (unsigned Lane : Lanes) {
      const Value By = of(Warp[Lane], Call.getArgOperand(2)), How = of(Warp[Lane], Call.getArgOperand(3));
      if (!By.isConstant() || !How.isConstant())
        return stop(&Call, "which lane is asked is not known");
      const std::int64_t B = By.Number.Constant & 31, Clamp = How.Number.Constant & 31,
                         Segment = How.Number.Constant >> 8 & 31, L = Lane,
                         Last = (L & Segment) | (Clamp & ~Segment & 31);
      const bool Up = Name.contains(".up.");
      std::int64_t From = Up                        ? L - B
                          : Name.contains(".down.") ? L + B
                          : Name.contains(".bfly.") ? L ^ B
                                                    : (L & Segment) | (B & ~Segment & 31);
      if (Up ? From < Last : From > Last)
        From = L;
      Warp[Lane].Values[Slots.lookup(&Call)] =
          llvm::is_contained(Lanes, static_cast<unsigned>(From)) ? Given[From] : Value();
    }
  }

  // -- Steps

  void enter(Thread &T, const llvm::BasicBlock *From, const llvm::BasicBlock *To) {
    std::vector<std::pair<unsigned, Value>> Phis;
    for (const llvm::PHINode &Phi : To->phis())
      Phis.emplace_back(Slots.lookup(&Phi), of(T, Phi.getIncomingValueForBlock(From)));
    for (const auto &[Slot, Now] : Phis)
      T.Values[Slot] = Now;
    T.Next = &*To->getFirstNonPHIIt();
  }

  /// Where two ways meet at once, and compute only: as `?:` of what they make.
  bool joins(Thread &T, const llvm::BranchInst &Branch, Value If) {
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

  void step(Thread &T) {
    constexpr unsigned MostSteps = 60'000'000;
    const llvm::Instruction &I = *T.Next;
    if (++Steps > MostSteps)
      return stop(&I, fmt::format("it takes more than {} steps", MostSteps));
    const auto Operand = [&](unsigned Number) { return of(T, I.getOperand(Number)); };
    if (I.isTerminator()) {
      if (llvm::isa<llvm::ReturnInst>(I)) {
        T.For = Wait::Ended;
        return;
      }
      if (auto *Branch = llvm::dyn_cast<llvm::BranchInst>(&I)) {
        if (Branch->isUnconditional())
          return enter(T, I.getParent(), Branch->getSuccessor(0));
        const Value If = of(T, Branch->getCondition());
        if (If.What == Kind::Comparison && joins(T, *Branch, If))
          return;
        if (!If.isConstant())
          return stop(&I, "its way depends on values, or on blocks");
        return enter(T, I.getParent(), Branch->getSuccessor(If.Number.Constant != 0 ? 0 : 1));
      }
      return stop(&I, "its way is not known");
    }
    if (auto *Call = llvm::dyn_cast<llvm::CallBase>(&I))
      return call(T, *Call);
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
      Result = moved(T, *Gep);
    else if (llvm::isa<llvm::AllocaInst>(I))
      Result = Value::pointer(object(&T.Values[Slots.lookup(&I)]));
    else if (auto *Load = llvm::dyn_cast<llvm::LoadInst>(&I))
      Result = load(*Load, Operand(0));
    else if (auto *Store = llvm::dyn_cast<llvm::StoreInst>(&I))
      store(&I, Layout.getTypeStoreSize(Store->getValueOperand()->getType()).getFixedValue(), Operand(1), Operand(0));
    else if (I.mayHaveSideEffects())
      return stop(&I, "what it does to memory is not known");
    T.Values[Slots.lookup(&I)] = Result;
    if (!Stopped)
      T.Next = I.getNextNode();
  }

  const llvm::Function &Kernel;
  const llvm::DataLayout &Layout;
  const BlockShape Block;
  std::vector<Value> Arguments;
  const unsigned In, Bytes;
  const std::int64_t PerBlock;
  Terms All;
  llvm::DenseMap<const llvm::Instruction *, unsigned> Slots;
  std::vector<Thread> Threads;
  std::vector<Memory> Objects;
  std::map<const void *, unsigned> ObjectOf;
  std::optional<BlockRun::Stop> Stopped;
  unsigned Steps = 0;
};

} // namespace

BlockRun runBlock(const llvm::Function &Kernel, BlockShape Block, std::vector<Value> Arguments, unsigned In,
                  unsigned Bytes, std::int64_t PerBlock) {
  return Runner(Kernel, Block, std::move(Arguments), In, Bytes, PerBlock).run();
}

} // namespace cufuse
