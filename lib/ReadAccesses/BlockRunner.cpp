#include "BlockRunner.h"

#include "IrMemory.h"

#include <fmt/core.h>
#include <llvm/ADT/StringSwitch.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

namespace cufuse {

using Number = DividedNumber;

BlockRunner::BlockRunner(const llvm::Function &Kernel, BlockShape Block, DividedDraw Of, InGrid Grid,
                         unsigned MostSteps)
    : DividedMemory(Kernel.getDataLayout(), Of), Kernel(Kernel), Block(Block), Grid(Grid), Sets(Grid.Parts),
      MostSteps(MostSteps) {
  for (const llvm::Instruction &I : llvm::instructions(Kernel))
    Slots.try_emplace(&I, Slots.size());
}

void BlockRunner::runThreads() {
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
      if (T.For == Wait::Block) {
        T.For = Wait::None;
        T.Next = T.Next->getNextNode();
      }
  }
}

void BlockRunner::stop(const llvm::Instruction *At, std::string Why) {
  if (!Stopped)
    Stopped = {At, std::move(Why)};
}

void BlockRunner::enter(Thread &T, const llvm::BasicBlock *From, const llvm::BasicBlock *To) {
  std::vector<std::pair<unsigned, Number>> Phis;
  for (const llvm::PHINode &Phi : To->phis())
    Phis.emplace_back(Slots.lookup(&Phi), chosen(T, of(T, Phi.getIncomingValueForBlock(From))));
  for (const auto &[Slot, Now] : Phis)
    T.Values[Slot] = Now;
  T.Next = &*To->getFirstNonPHIIt();
}

void BlockRunner::step(Thread &T) {
  const llvm::Instruction &I = *T.Next;
  if (++Steps > MostSteps) {
    IsNoLaunch = true;
    return stop(&I, fmt::format("it takes more than {} steps", MostSteps));
  }
  if (I.isTerminator())
    return leave(T, I);
  if (auto *Call = llvm::dyn_cast<llvm::CallBase>(&I))
    return call(T, *Call);
  std::optional<Number> Result = compute(T, I);
  if (!Result)
    return stop(&I, "what it does to memory is not known");
  T.Values[Slots.lookup(&I)] = *Result;
  if (!Stopped)
    T.Next = I.getNextNode();
}

/// __syncthreads_count and the like.
void BlockRunner::reduce() {
  llvm::DenseMap<const llvm::Instruction *, std::vector<Number>> At;
  for (Thread &T : Threads)
    if (auto *Call = llvm::dyn_cast<llvm::CallBase>(T.Next);
        Call && T.For == Wait::Block && !Call->getType()->isVoidTy()) {
      At[Call].push_back(of(T, Call->getArgOperand(Call->arg_size() - 1)));
      if (!known(At[Call].back()))
        return stop(Call, "what its threads vote is not known");
    }
  for (Thread &T : Threads)
    if (const auto Own = At.find(T.Next); T.For == Wait::Block && Own != At.end()) {
      const llvm::StringRef Name = llvm::cast<llvm::CallBase>(T.Next)->getCalledFunction()->getName();
      const auto Yes = llvm::count_if(Own->second, [&](const Number &Vote) { return *known(Vote) != 0; });
      const bool IsAll = static_cast<size_t>(Yes) == Own->second.size();
      Number Result = Number::bits(Name.contains(".popc")  ? static_cast<std::uint64_t>(Yes)
                                   : Name.contains(".and") ? IsAll
                                                           : Yes != 0);
      for (const Number &Each : Own->second) {
        Result.Parts = together(Result.Parts, Each.Parts);
        Result.Whose = Sets.together(Result.Whose, Each.Whose);
      }
      T.Values[Slots.lookup(T.Next)] = Result;
    }
}

void BlockRunner::leave(Thread &T, const llvm::Instruction &I) {
  if (llvm::isa<llvm::ReturnInst>(I)) {
    T.For = Wait::Ended;
    return;
  }
  auto Enter = [&](const llvm::BasicBlock *To) {
    if (!enters(T, I.getParent(), To))
      enter(T, I.getParent(), To);
  };
  if (auto *Switch = llvm::dyn_cast<llvm::SwitchInst>(&I)) {
    const auto Known = known(of(T, Switch->getCondition()));
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
  if (const auto Known = known(of(T, Branch->getCondition())))
    return Enter(Branch->getSuccessor(*Known != 0 ? 0 : 1));
  if (!chooses(T, *Branch))
    stop(&I, "its way depends on values, or on blocks");
}

void BlockRunner::call(Thread &T, const llvm::CallBase &Call) {
  const auto Done = [&](Number Result) {
    T.Values[Slots.lookup(&Call)] = Result;
    T.Next = T.Next->getNextNode();
  };
  if (exchangeOf(Call)) {
    T.For = Wait::Warp;
    return;
  }
  if (Call.isInlineAsm()) {
    const std::string Text = assemblyOf(Call);
    llvm::StringRef Register = Text;
    if (Register.consume_front("mov.u32$0,%") && Register.consume_back(";"))
      return Done(special(T, Register));
    auto Result = assembly(T, Call, Text);
    if (!Result && !llvm::cast<llvm::InlineAsm>(Call.getCalledOperand())->hasSideEffects() &&
        Call.doesNotAccessMemory())
      Result = Number(); // it computes something
    return Result ? Done(*Result) : stop(&Call, fmt::format("what the assembly `{}` does is not known", Text));
  }
  const llvm::Function *Callee = Call.getCalledFunction();
  llvm::StringRef Name = Callee ? Callee->getName() : "";
  if (llvm::isa<llvm::DbgInfoIntrinsic, llvm::LifetimeIntrinsic, llvm::AssumeInst, llvm::NoAliasScopeDeclInst>(Call))
    return Done({});
  if (Name.consume_front("llvm.nvvm.read.ptx.sreg."))
    return Done(special(T, Name));
  if (Name == "llvm.nvvm.barrier0" || Name.starts_with("llvm.nvvm.barrier.cta.sync.aligned.all") ||
      Name.starts_with("llvm.nvvm.barrier.cta.red.") || Name.starts_with("llvm.nvvm.barrier.sync")) {
    if (Call.arg_size() > 0 && known(of(T, Call.getArgOperand(0))) != 0)
      return stop(&Call, "some threads of the block wait for others here");
    T.For = Wait::Block;
    return;
  }
  if (auto Result = function(T, Call, Name))
    return Done(*Result);
  if (Callee && (Call.doesNotAccessMemory() || Name.starts_with("__nv_")) && !Call.isConvergent())
    return Done({});
  stop(&Call, fmt::format("what {} does is not known", Name.empty() ? "this call" : Name.str()));
}

std::optional<LaneExchange> BlockRunner::exchangeOf(const llvm::CallBase &Call) {
  const auto [At, IsNew] = Exchanges.try_emplace(&Call);
  if (IsNew)
    At->second = laneExchange(Call);
  return At->second;
}

/// Lanes that wait for each other, if all have come that are named.
bool BlockRunner::meet(llvm::MutableArrayRef<Thread> Warp) {
  bool Any = false;
  for (unsigned Lane = 0; Lane < Warp.size(); ++Lane) {
    if (Warp[Lane].For != Wait::Warp)
      continue;
    const auto &Call = llvm::cast<llvm::CallBase>(*Warp[Lane].Next);
    const LaneExchange Exchange = *exchangeOf(Call);
    const auto Mask = known(of(Warp[Lane], Call.getArgOperand(Exchange.Mask)));
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
    for (unsigned Each : Lanes) {
      Warp[Each].For = Wait::None;
      Warp[Each].Next = Call.getNextNode();
    }
    Any = true;
  }
  return Any;
}

/// PTX ISA, shfl.sync.
void BlockRunner::exchange(llvm::MutableArrayRef<Thread> Warp, llvm::ArrayRef<unsigned> Lanes,
                           const llvm::CallBase &Call, const LaneExchange &How) {
  using Kind = LaneExchange::Kind;
  std::vector<Number> Given(Warp.size()), OfAll;
  for (unsigned Lane : Lanes)
    OfAll.push_back(Given[Lane] = of(Warp[Lane], Call.getArgOperand(How.Value)));
  for (unsigned Lane : Lanes) {
    Number &To = Warp[Lane].Values[Slots.lookup(&Call)];
    if (How.What == Kind::Reduce) {
      To = reduced(Call, OfAll);
      continue;
    }
    const auto By = known(of(Warp[Lane], Call.getArgOperand(How.By))),
               Bounds = known(of(Warp[Lane], Call.getArgOperand(How.How)));
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
    To = received(Call, How, llvm::is_contained(Lanes, Of) ? Given[Of] : Number(), Given[Lane], Whether);
  }
}

/// What a lane has of another's, if there is `Whether` another one.
Number BlockRunner::received(const llvm::CallBase &Call, const LaneExchange &How, Number Given, Number Own,
                             bool Whether) {
  if (How.TellsWhether)
    return members({Given, Number::bits(Whether)});
  return How.Adds && Whether ? joinedOf(Call.getType(), Operation::Sum, Given, Own) : Given;
}

/// What all have of all.
Number BlockRunner::reduced(const llvm::CallBase &Call, llvm::ArrayRef<Number> All) {
  llvm::StringRef Name = calleeOf(Call);
  const Operation By = named(Name.substr(Name.rfind("sync.") + 5).split('.').first);
  Number Result = All.front();
  for (const Number &Each : All.drop_front())
    Result = joinedOf(Call.getType(), By, Result, Each);
  return By == Operation::Unknown ? Number() : Result;
}

} // namespace cufuse
