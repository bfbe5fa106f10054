// The threads of a block, run on values of any kind: which way each goes, where they wait, what lanes hand each other.
#pragma once

#include "IrMemory.h"
#include "LaneExchange.h"

#include "cufuse/Support/BlockShape.h"

#include <fmt/core.h>
#include <llvm/ADT/StringSwitch.h>
#include <llvm/IR/GetElementPtrTypeIterator.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Operator.h>

#include <optional>
#include <string>
#include <vector>

namespace cufuse {

/// Why a run ended before its threads did.
struct RunStop {
  const llvm::Instruction *At; ///< Null: no place.
  std::string Why;
};

/// Runs all threads of a block. Threads change only where they wait for each other: any order is right for a kernel
/// without races.
///
/// `Self`, which derives from this, says what values are:
/// - `Value of(Thread &, const llvm::Value *)`, the value of an operand, and `Value number(std::int64_t)`;
/// - `std::optional<std::int64_t> known(const Value &)`, the number that a value is, of which all that chooses a way, a
///   lane or a place is made;
/// - `Value special(Thread &, llvm::StringRef)`, a special register;
/// - `std::optional<Value> compute(Thread &, const llvm::Instruction &)`, of what does not choose a way; nothing if it
///   is not known what that does;
/// - `std::optional<Value> function(Thread &, const llvm::CallBase &, llvm::StringRef)` and `assembly(…)`, the same of
///   calls;
/// - `Value received(const llvm::CallBase &, const LaneExchange &, Value Given, Value Own, bool Whether)`, what a lane
///   has of another's, if there is `Whether` another one, and `Value reduced(const llvm::CallBase &,
///   llvm::ArrayRef<Value>)`, what all have of all;
/// - `Value voted(Value Number, llvm::ArrayRef<Value>)`, what comes of these votes, which is the number;
/// - `bool chooses(Thread &, const llvm::BranchInst &, Value)`, a way that is not known: has it been gone nevertheless?
/// - `Value chosen(const Thread &, Value)`, one that goes by the way;
/// - `bool enters(Thread &, const llvm::BasicBlock *From, const llvm::BasicBlock *To)`, a way that is: has it been gone
///   otherwise?
template <class Self, class Value> class BlockRunner {
protected:
  enum class Wait : std::uint8_t { None, Block, Warp, Ended };
  struct Thread {
    std::vector<Value> Values;
    const llvm::Instruction *Next = nullptr;
    Wait For = Wait::None;
    unsigned X = 0, Y = 0, Z = 0, Number = 0;
    unsigned Way = 0, Whose = 0; ///< What `Self` knows of how it came here.
  };

  BlockRunner(const llvm::Function &Kernel, BlockShape Block, unsigned MostSteps)
      : Kernel(Kernel), Layout(Kernel.getDataLayout()), Block(Block), MostSteps(MostSteps) {
    for (const llvm::Instruction &I : llvm::instructions(Kernel))
      Slots.try_emplace(&I, Slots.size());
  }

  void runThreads() {
    constexpr unsigned Most = 1024, Warp = 32;
    const unsigned Count = Block.X * Block.Y * Block.Z;
    if (Count > Most)
      return stop(nullptr, fmt::format("a block has {} threads", Count));
    for (unsigned I = 0; I < Count; ++I) {
      Thread &T = Threads.emplace_back();
      T.Values.resize(Slots.size());
      T.Next = &Kernel.getEntryBlock().front();
      T.X = I % Block.X, T.Y = I / Block.X % Block.Y, T.Z = I / Block.X / Block.Y, T.Number = I;
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
      for (Thread &T : Threads)
        if (T.For == Wait::Warp)
          return stop(T.Next, "not all lanes of a warp come here");
      reduce();
      for (Thread &T : Threads)
        if (T.For == Wait::Block)
          go(T);
    }
  }

  void stop(const llvm::Instruction *At, std::string Why) {
    if (!Stopped)
      Stopped = {At, std::move(Why)};
  }

  void enter(Thread &T, const llvm::BasicBlock *From, const llvm::BasicBlock *To) {
    std::vector<std::pair<unsigned, Value>> Phis;
    for (const llvm::PHINode &Phi : To->phis())
      Phis.emplace_back(Slots.lookup(&Phi), self().chosen(T, self().of(T, Phi.getIncomingValueForBlock(From))));
    for (const auto &[Slot, Now] : Phis)
      T.Values[Slot] = Now;
    T.Next = &*To->getFirstNonPHIIt();
  }

  void step(Thread &T) {
    const llvm::Instruction &I = *T.Next;
    if (++Steps > MostSteps) {
      TakesLong = true;
      return stop(&I, fmt::format("it takes more than {} steps", MostSteps));
    }
    if (I.isTerminator())
      return leave(T, I);
    if (auto *Call = llvm::dyn_cast<llvm::CallBase>(&I))
      return call(T, *Call);
    std::optional<Value> Result = self().compute(T, I);
    if (!Result)
      return stop(&I, "what it does to memory is not known");
    T.Values[Slots.lookup(&I)] = *Result;
    if (!Stopped)
      T.Next = I.getNextNode();
  }

  /// By what a pointer is moved, as the instruction says: `Add` is given each index, its type, and the bytes of one.
  /// False if it is not known how far.
  template <class Move> bool moved(Thread &T, const llvm::GEPOperator &Gep, Move &&Add) {
    for (auto Step = llvm::gep_type_begin(Gep); Step != llvm::gep_type_end(Gep); ++Step) {
      const Value Index = self().of(T, Step.getOperand());
      if (llvm::StructType *Struct = Step.getStructTypeOrNull()) {
        const auto Member = self().known(Index);
        if (!Member)
          return false;
        Add(self().number(static_cast<std::int64_t>(
                Layout.getStructLayout(Struct)->getElementOffset(static_cast<unsigned>(*Member)))),
            *llvm::Type::getInt64Ty(Gep.getContext()), 1);
      } else if (!Add(Index, *Step.getOperand()->getType(),
                      static_cast<std::int64_t>(Step.getSequentialElementStride(Layout).getFixedValue()))) {
        return false;
      }
    }
    return true;
  }

  unsigned lane(const Thread &T) const { return T.Number % 32; }

  const llvm::Function &Kernel;
  const llvm::DataLayout &Layout;
  const BlockShape Block;
  llvm::DenseMap<const llvm::Instruction *, unsigned> Slots;
  std::vector<Thread> Threads;
  std::optional<RunStop> Stopped; ///< Nothing if all threads ended.
  bool TakesLong = false;

private:
  Self &self() { return static_cast<Self &>(*this); }

  /// __syncthreads_count and the like.
  void reduce() {
    llvm::DenseMap<const llvm::Instruction *, std::vector<Value>> At;
    for (Thread &T : Threads)
      if (auto *Call = llvm::dyn_cast<llvm::CallBase>(T.Next);
          Call && T.For == Wait::Block && !Call->getType()->isVoidTy()) {
        At[Call].push_back(self().of(T, Call->getArgOperand(Call->arg_size() - 1)));
        if (!self().known(At[Call].back()))
          return stop(Call, "what its threads vote is not known");
      }
    for (Thread &T : Threads)
      if (const auto Own = At.find(T.Next); T.For == Wait::Block && Own != At.end()) {
        const llvm::StringRef Name = llvm::cast<llvm::CallBase>(T.Next)->getCalledFunction()->getName();
        const auto Yes = llvm::count_if(Own->second, [&](const Value &Vote) { return *self().known(Vote) != 0; });
        const bool IsAll = static_cast<size_t>(Yes) == Own->second.size();
        T.Values[Slots.lookup(T.Next)] = self().voted(self().number(Name.contains(".popc")  ? Yes
                                                                    : Name.contains(".and") ? IsAll
                                                                                            : Yes != 0),
                                                      Own->second);
      }
  }

  static void go(Thread &T) {
    T.For = Wait::None;
    T.Next = T.Next->getNextNode();
  }

  void leave(Thread &T, const llvm::Instruction &I) {
    if (llvm::isa<llvm::ReturnInst>(I)) {
      T.For = Wait::Ended;
      return;
    }
    auto Enter = [&](const llvm::BasicBlock *To) {
      if (!self().enters(T, I.getParent(), To))
        enter(T, I.getParent(), To);
    };
    if (auto *Switch = llvm::dyn_cast<llvm::SwitchInst>(&I)) {
      const auto Known = self().known(self().of(T, Switch->getCondition()));
      if (!Known)
        return stop(&I, "its way is not known");
      for (const auto &Case : Switch->cases())
        if (const llvm::APInt &Of = Case.getCaseValue()->getValue(); // whose sign numbers may have lost
            Of == llvm::APInt(Of.getBitWidth(), static_cast<std::uint64_t>(*Known), false, true))
          return Enter(Case.getCaseSuccessor());
      return Enter(Switch->getDefaultDest());
    }
    auto *Branch = llvm::dyn_cast<llvm::BranchInst>(&I);
    if (!Branch)
      return stop(&I, "its way is not known");
    if (Branch->isUnconditional())
      return Enter(Branch->getSuccessor(0));
    const Value If = self().of(T, Branch->getCondition());
    if (const auto Known = self().known(If))
      return Enter(Branch->getSuccessor(*Known != 0 ? 0 : 1));
    if (!self().chooses(T, *Branch, If))
      stop(&I, "its way depends on values, or on blocks");
  }

  void call(Thread &T, const llvm::CallBase &Call) {
    const auto Done = [&](Value Result) {
      T.Values[Slots.lookup(&Call)] = std::move(Result);
      T.Next = T.Next->getNextNode();
    };
    if (exchangeOf(Call)) {
      T.For = Wait::Warp;
      return;
    }
    if (Call.isInlineAsm()) {
      auto Result = self().assembly(T, Call);
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
      return Done(self().special(T, Name));
    if (Name == "llvm.nvvm.barrier0" || Name.starts_with("llvm.nvvm.barrier.cta.sync.aligned.all") ||
        Name.starts_with("llvm.nvvm.barrier.cta.red.") || Name.starts_with("llvm.nvvm.barrier.sync")) {
      if (Call.arg_size() > 0 && self().known(self().of(T, Call.getArgOperand(0))) != 0)
        return stop(&Call, "some threads of the block wait for others here");
      T.For = Wait::Block;
      return;
    }
    if (auto Result = self().function(T, Call, Name))
      return Done(std::move(*Result));
    if (Callee && (Call.doesNotAccessMemory() || Name.starts_with("__nv_")) && !Call.isConvergent())
      return Done({});
    stop(&Call, fmt::format("what {} does is not known", Name.empty() ? "this call" : Name.str()));
  }

  std::optional<LaneExchange> exchangeOf(const llvm::CallBase &Call) {
    const auto [At, IsNew] = Exchanges.try_emplace(&Call);
    if (IsNew)
      At->second = laneExchange(Call);
    return At->second;
  }

  /// Lanes that wait for each other, if all have come that are named.
  bool meet(llvm::MutableArrayRef<Thread> Warp) {
    bool Any = false;
    for (unsigned Lane = 0; Lane < Warp.size(); ++Lane) {
      if (Warp[Lane].For != Wait::Warp)
        continue;
      const auto &Call = llvm::cast<llvm::CallBase>(*Warp[Lane].Next);
      const LaneExchange Exchange = *exchangeOf(Call);
      const auto Mask = self().known(self().of(Warp[Lane], Call.getArgOperand(Exchange.Mask)));
      if (!Mask)
        return stop(&Call, "its mask is not known"), false;
      std::vector<unsigned> Lanes;
      bool All = true;
      for (unsigned Other = 0; Other < Warp.size(); ++Other)
        if ((*Mask >> Other & 1) != 0 && Warp[Other].For != Wait::Ended) {
          All &= Warp[Other].For == Wait::Warp && Warp[Other].Next == &Call;
          Lanes.push_back(Other);
        }
      if (!All || !llvm::is_contained(Lanes, Lane))
        continue;
      if (Exchange.What != LaneExchange::Kind::Wait)
        exchange(Warp, Lanes, Call, Exchange);
      for (unsigned Each : Lanes)
        go(Warp[Each]);
      Any = true;
    }
    return Any;
  }

  /// PTX ISA, shfl.sync.
  void exchange(llvm::MutableArrayRef<Thread> Warp, llvm::ArrayRef<unsigned> Lanes, const llvm::CallBase &Call,
                const LaneExchange &How) {
    using Kind = LaneExchange::Kind;
    std::vector<Value> Given(Warp.size()), OfAll;
    for (unsigned Lane : Lanes)
      OfAll.push_back(Given[Lane] = self().of(Warp[Lane], Call.getArgOperand(How.Value)));
    for (unsigned Lane : Lanes) {
      Value &To = Warp[Lane].Values[Slots.lookup(&Call)];
      if (How.What == Kind::Reduce) {
        To = self().reduced(Call, OfAll);
        continue;
      }
      const auto By = self().known(self().of(Warp[Lane], Call.getArgOperand(How.By))),
                 Bounds = self().known(self().of(Warp[Lane], Call.getArgOperand(How.How)));
      if (!By || !Bounds)
        return stop(&Call, "which lane is asked is not known");
      const std::int64_t B = *By & 31, Clamp = *Bounds & 31, Segment = *Bounds >> 8 & 31, L = Lane,
                         Last = (L & Segment) | (Clamp & ~Segment & 31);
      const std::int64_t From = How.What == Kind::Up          ? L - B
                                : How.What == Kind::Down      ? L + B
                                : How.What == Kind::Butterfly ? L ^ B
                                                              : (L & Segment) | (B & ~Segment & 31);
      const bool Whether = How.What == Kind::Up ? From >= Last : From <= Last;
      const auto Of = static_cast<unsigned>(Whether ? From : L);
      To = self().received(Call, How, llvm::is_contained(Lanes, Of) ? Given[Of] : Value(), Given[Lane], Whether);
    }
  }

  llvm::DenseMap<const llvm::CallBase *, std::optional<LaneExchange>> Exchanges;
  const unsigned MostSteps;
  unsigned Steps = 0;
};

} // namespace cufuse
