#include "DividedRun.h"

#include "IrMemory.h"

#include "cufuse/Kernel/Accesses.h"
#include "cufuse/Reach/DeviceIr.h"

#include <fmt/format.h>
#include <llvm/ADT/Hashing.h>
#include <llvm/ADT/SmallSet.h>
#include <llvm/ADT/StringSwitch.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/IntrinsicInst.h>

#include <cmath>

namespace cufuse {

using Number = DividedNumber;
using Operation = Accumulation::Operation;
using llvm::APInt;

namespace {

class DivisionRunner : BlockRunner {
public:
  /// `Division`: which of all ways to divide turns among threads.
  DivisionRunner(const llvm::Function &Kernel, BlockShape Block, llvm::ArrayRef<const RowLoop *> Loops, DividedDraw Of,
                 unsigned Division)
      : BlockRunner(Kernel, Block, Of, {Of.Blocks / 2, Of.Blocks, Block.X * Block.Y * Block.Z},
                    /*MostSteps=*/4'000'000),
        Of(Of), Division(Division) {
    for (const RowLoop *Loop : Loops) {
      Headers[Loop->Header] = Loop;
      if (Loop->Step)
        Sizes.insert(*Loop->Step);
    }
  }

  DividedRun run() {
    runThreads();
    Result.IsNoLaunch = IsNoLaunch;
    Result.Stopped = std::move(Stopped);
    for (const Object &Each : objects())
      if (Each.IsOfLaunch)
        for (const auto &[At, What] : Each.Stored) {
          Result.Stored[{Each.Key, At}] = {What.By, What.Type, seen(What.Type, What.Value).second};
          counts(What.Value, *What.By, *What.By->getOperand(llvm::isa<llvm::StoreInst>(What.By) ? 0 : 1));
        }
    for (const auto &[Own, What] : Counted)
      if (const auto &[Set, At] = Own; !Result.Stopped && !Sets.isWhole(Set))
        Result.Stopped = {At, nameOf(*What) + GoesByDivision};
    return std::move(Result);
  }

private:
  Number argument(const llvm::Argument &A) override {
    return Sizes.contains(A.getArgNo()) ? Number::bits(Block.X) : draw(A.getType(), drawn(Of.Number, A.getArgNo(), 1));
  }

  // -- Arithmetic

  /// Another one for other operands, and nothing more is known of it.
  Number any(const llvm::Type *T, std::uint64_t Key, llvm::ArrayRef<std::pair<const llvm::Type *, Number>> Of) {
    unsigned Parts = 0;
    for (const auto &[Type, N] : Of) {
      if (!N.isBits())
        return {};
      Parts = together(Parts, N.Parts <= Drawn ? N.Parts : MixedParts);
      const auto Real = real(Type, N.Bits);
      // Rounding does not count.
      const unsigned Kept = Type->getPrimitiveSizeInBits() < 32 ? 6 : 13;
      int Exponent = 0;
      Key = drawn(Key,
                  Real && std::isfinite(*Real)
                      ? std::llround(std::ldexp(std::frexp(*Real, &Exponent), static_cast<int>(Kept))) * 4096 + Exponent
                      : static_cast<std::int64_t>(N.Bits));
    }
    Number Result = isNumber(T) ? T->isIntegerTy()
                                      ? Number::bits(APInt(T->getIntegerBitWidth(), Key, false, true).getZExtValue())
                                      : Number::bits(bitsOf(T, static_cast<double>(1 + Key % 1021) / 64))
                                : Number();
    Result.Parts = Parts;
    return Result;
  }

  /// What is made of parts goes to where it must be the same however they are divided: so it is made of all of them.
  /// Numbers do not show of an extreme that a thread is left out, unless that thread has it.
  void counts(const Number &N, const llvm::Instruction &At, const llvm::Value &What) {
    if (N.Whose != 0)
      Counted.try_emplace({N.Whose, &At}, &What);
  }

  void compares(Thread &T, const llvm::Instruction &I, Operation By) {
    const Number A = of(T, I.getOperand(0)), B = of(T, I.getOperand(1));
    const unsigned Parts = together(A.Parts, B.Parts);
    if (Parts <= Drawn || (By != Operation::Unknown && Parts == partsBy(By)))
      return;
    auto &Log = Result.Compared[{&I, T.Number}];
    for (unsigned At : {0, 1}) {
      Log.push_back(seen(I.getOperand(At)->getType(), of(T, I.getOperand(At))));
      counts(of(T, I.getOperand(At)), I, *I.getOperand(At));
    }
  }

  Operation chosenBy(const llvm::CmpInst &Compare) {
    const auto [At, IsNew] = Chosen.try_emplace(&Compare);
    if (IsNew)
      At->second = Accumulation::chosenBy(Compare);
    return At->second;
  }

  Number compare(Thread &T, const llvm::CmpInst &I) {
    compares(T, I, chosenBy(I));
    const Number A = of(T, I.getOperand(0)), B = of(T, I.getOperand(1));
    if (A.What == Number::Kind::Pointer && B.What == Number::Kind::Pointer && I.isEquality() &&
        (A.Object == 0 || B.Object == 0)) {
      const unsigned Other = A.Object + B.Object;
      const bool IsNull =
          Other == 0 || (objects()[Other].IsOfLaunch && drawn(Of.Number, objects()[Other].Key, 2) % 2 == 0);
      return Number::bits(IsNull == (I.getPredicate() == llvm::CmpInst::ICMP_EQ), Drawn);
    }
    return folded(T, I, 2);
  }

  // -- Calls

  std::optional<Number> assembly(Thread &T, const llvm::CallBase &Call, llvm::StringRef Text) override {
    return made(T, Call, assembled(T, Call, Text));
  }
  std::optional<Number> function(Thread &T, const llvm::CallBase &Call, llvm::StringRef Name) override {
    return made(T, Call, called(T, Call, Name));
  }

  std::optional<Number> assembled(Thread &T, const llvm::CallBase &Call, llvm::StringRef Text) {
    if (Call.arg_size() == 1) {
      const Number A = of(T, Call.getArgOperand(0));
      llvm::LLVMContext &Context = Call.getContext();
      llvm::Type *const Half = llvm::Type::getHalfTy(Context), *const BFloat = llvm::Type::getBFloatTy(Context),
                        *const Float = llvm::Type::getFloatTy(Context);
      const auto From = llvm::StringSwitch<std::pair<llvm::Type *, llvm::Type *>>(Text)
                            .Case("cvt.f32.f16$0,$1;", {Half, Float})
                            .Cases({"cvt.f32.bf16$0,$1;", "mov.b32$0,0,$1;"}, {BFloat, Float})
                            .Case("cvt.rn.f16.f32$0,$1;", {Float, Half})
                            .Case("cvt.rn.bf16.f32$0,$1;", {Float, BFloat})
                            .Default({nullptr, nullptr});
      if (From.first && A.isBits())
        return Number::bits(bitsOf(From.second, *real(From.first, A.Bits)), A.Parts);
    }
    if (llvm::cast<llvm::InlineAsm>(Call.getCalledOperand())->hasSideEffects() || !Call.doesNotAccessMemory())
      return std::nullopt;
    return any(Call, T, Text);
  }

  Number any(const llvm::CallBase &Call, Thread &T, llvm::StringRef Name) {
    std::vector<std::pair<const llvm::Type *, Number>> Given;
    for (const llvm::Use &Each : Call.args())
      Given.emplace_back(Each->getType(), of(T, Each));
    return any(Call.getType(), llvm::hash_value(Name), Given);
  }

  /// CUDA's loads and stores with hints, by mangled name.
  static bool isOneOf(llvm::StringRef Name, llvm::ArrayRef<const char *> Names) {
    return Name.consume_front("_Z") && llvm::any_of(Names, [&](llvm::StringRef Each) {
             return Name.starts_with(fmt::format("{}{}P", Each.size(), Each.str()));
           });
  }

  std::optional<Number> called(Thread &T, const llvm::CallBase &Call, llvm::StringRef Name) {
    if (isOneOf(Name, CachedLoads) && Call.arg_size() == 1)
      return load(Call.getType(), of(T, Call.getArgOperand(0)));
    if (isOneOf(Name, CachedStores) && Call.arg_size() == 2)
      return store(Call, Call.getArgOperand(1)->getType(), of(T, Call.getArgOperand(0)), of(T, Call.getArgOperand(1)))
                 ? std::optional(Number())
                 : std::nullopt;
    const bool IsOfLibrary = isArithmetic(Call);
    if (!IsOfLibrary && (Call.isConvergent() || !llvm::isa<llvm::IntrinsicInst>(Call)))
      return std::nullopt;
    auto Given = [&](unsigned At) { return of(T, Call.getArgOperand(At)); };
    llvm::Type *Type = Call.getType();
    if (Call.arg_size() == 3 && Accumulation::operation(Call, 2) == Operation::Sum)
      return joined(Type, Operation::Sum, joined(Type, Operation::Product, Given(0), Given(1)), Given(2));
    if (const Operation By = Call.arg_size() == 2 ? Accumulation::operation(Call, 0) : Operation::Unknown;
        By != Operation::Unknown) {
      compares(T, Call, By);
      return joined(Type, By, Given(0), Given(1));
    }
    if (!IsOfLibrary)
      if (const Number Known = folded(T, Call, Call.arg_size()); Known.isBits())
        return Known;
    return Call.doesNotAccessMemory() || IsOfLibrary ? std::optional(any(Call, T, Name)) : std::nullopt;
  }

  // -- Loops over the row

  /// What each thread has of the elements of a row: in every second draw, one that is the same for all, but for two
  /// threads that divide three others, which nothing hides that other operations make of the rest; else, elements are
  /// any thread's.
  const std::vector<Number> &partsOf(const RowLoop &Loop, unsigned Which, unsigned Time) {
    auto [At, IsNew] = Divided.try_emplace({&Loop, Which, Time});
    std::vector<Number> &Parts = At->second;
    if (!IsNew)
      return Parts;
    const RowLoop::Left &Left = Loop.Leaves[Which];
    llvm::Type *Type = Left.First->getType();
    const auto Threads = static_cast<unsigned>(this->Threads.size());
    auto Add = [&](std::uint64_t To, const Number &Each) {
      Number &Own = Parts[To % Threads];
      Own = Own.isBits() ? joined(Type, Left.By, Own, Each) : Each;
    };
    Parts.resize(Threads);
    const unsigned Pair = Of.Number / 2;
    if (Of.Number % 2 == 0) {
      for (unsigned Turn = 0; Turn < (Pair % 2 == 0 ? 2 * Threads : 5); ++Turn)
        Add(drawn(Of.Number, Turn, Time, Division, 1),
            element(Type, Left.By, drawn(Of.Number, Which, Time, Turn, 2), Of.Scale));
      return Parts;
    }
    const std::uint64_t One = drawn(Of.Number, Time, 3),
                        Other = One + 1 + drawn(Of.Number, Time, 4) % std::max(1U, Threads - 1);
    const bool AreTwo = (One - Other) % Threads != 0;
    if (const Number Level = levelElement(Type, Pair); Level.isBits())
      for (unsigned Each = 0; Each < Threads; ++Each)
        if (!AreTwo || (Each != One % Threads && Each != Other % Threads))
          Add(Each, Level);
    for (unsigned Turn = 0; Turn < 3; ++Turn)
      Add(Turn + Division < 2 ? One : Other, singleElement(Type, Pair, drawn(Of.Number, Which, Time, Turn, 5)));
    return Parts;
  }
  Number chosen(const Thread &T, Number N) override {
    N.Parts = std::max(N.Parts, T.Way);
    N.Whose = Sets.together(N.Whose, T.Whose);
    return N;
  }

  bool enters(Thread &T, const llvm::BasicBlock *From, const llvm::BasicBlock *To) override {
    const llvm::Instruction &Way = *From->getTerminator();
    if (From->getUniqueSuccessor() == nullptr) {
      const Number By = of(T, Way.getOperand(0));
      if (By.Parts != 0)
        Result.Open.insert(&Way);
      T.Way = std::max(T.Way, std::min(Drawn, By.Parts)); // what is behind inner branches may be by outer ones
      T.Whose = By.Whose;
    } else if (From->getUniquePredecessor() == nullptr) {
      T.Whose = 0; // ways meet there
    }
    const auto At = Headers.find(To);
    if (At == Headers.end()) {
      Result.Ran.insert(To);
      return false;
    }
    const RowLoop &Loop = *At->second;
    const unsigned Time = Times[{&Loop, T.Number}]++;
    takes(T, Loop, Time);
    for (const llvm::BasicBlock *Block : Loop.Blocks) // whose values have another turn's
      for (const llvm::Instruction &I : *Block)
        if (const auto Slot = Slots.find(&I); Slot != Slots.end() && !llvm::isa<llvm::AllocaInst>(I))
          Left.emplace_back(Slot->second, Number());
    for (unsigned Which = 0; Which < Loop.Leaves.size(); ++Which) {
      const RowLoop::Left &Each = Loop.Leaves[Which];
      Number Now = of(T, Each.First->getIncomingValueForBlock(From));
      if (Each.By != Operation::Unknown) {
        const Number Own = partsOf(Loop, Which, Time)[T.Number];
        if (Own.isBits())
          Now = joinedOf(Each.First->getType(), Each.By, Now, Own);
        if (Now.isBits())
          Now.Parts = together(Now.Parts, partsBy(Each.By));
        const unsigned Variable = Variables.try_emplace({&Loop, Which, Time}, Variables.size()).first->second;
        Now.Whose = Sets.together(Now.Whose, Sets.part(Variable, T.Number));
      }
      for (const llvm::Value *V : Each.Values)
        Left.emplace_back(Slots.lookup(llvm::cast<llvm::Instruction>(V)), Now);
    }
    for (const auto &[Slot, Now] : Left)
      T.Values[Slot] = Now;
    Left.clear();
    Result.Ran.insert(Loop.Exit);
    if (const auto Next = Headers.find(Loop.Exit); Next != Headers.end())
      return enters(T, Loop.Exiting, Loop.Exit);
    enter(T, Loop.Exiting, Loop.Exit);
    return true;
  }

  /// What a loop takes is the same for all threads.
  void takes(Thread &T, const RowLoop &Loop, unsigned Time) {
    DividedRun::Log Own;
    for (const llvm::Value *V : Loop.Takes)
      Own.push_back(seen(V->getType(), of(T, V)));
    for (const llvm::LoadInst *Load : Loop.Loads)
      Own.push_back(seen(Load->getType(), load(Load->getType(), of(T, Load->getPointerOperand()))));
    for (size_t I = 0; I < Own.size(); ++I)
      counts(Own[I].second, *Loop.Header->getTerminator(),
             I < Loop.Takes.size() ? *Loop.Takes[I] : *Loop.Loads[I - Loop.Takes.size()]);
    auto [At, IsNew] = Result.Taken.insert({{Loop.Header, Time}, Own});
    for (size_t I = 0; I < Own.size(); ++I) {
      const llvm::Value *V = I < Loop.Takes.size() ? Loop.Takes[I] : Loop.Loads[I - Loop.Takes.size()];
      if (Own[I].second.What == Number::Kind::Unknown)
        return stop(llvm::dyn_cast<llvm::Instruction>(V), nameOf(*V) + " is not known when the loop begins");
      if (!isSame(Own[I].first, Own[I].second, At->second[I].second))
        return stop(llvm::dyn_cast<llvm::Instruction>(V), nameOf(*V) + " depends on the thread");
    }
  }

  // -- Steps

  std::optional<Number> compute(Thread &T, const llvm::Instruction &I) override { return made(T, I, computed(T, I)); }

  /// Of whatever parts its operands are; what is chosen of two is of those by which, and its own.
  std::optional<Number> made(const Thread &T, const llvm::Instruction &I, std::optional<Number> Result) {
    if (llvm::isa<llvm::InsertValueInst, llvm::InsertElementInst, llvm::ExtractValueInst, llvm::ExtractElementInst>(I))
      return Result; // each member has its own
    for (unsigned At = 0; Result && At < (llvm::isa<llvm::SelectInst>(I) ? 1 : I.getNumOperands()); ++At)
      if (auto *Operand = llvm::dyn_cast<llvm::Instruction>(I.getOperand(At)))
        Result->Whose = Sets.together(Result->Whose, T.Values[Slots.lookup(Operand)].Whose);
    return Result;
  }
  Number joinedOf(const llvm::Type *T, Operation By, const Number &A, const Number &B) override {
    Number Both = joined(T, By, A, B);
    Both.Whose = Sets.together(A.Whose, B.Whose);
    return Both;
  }

  std::optional<Number> computed(Thread &T, const llvm::Instruction &I) {
    const auto Operand = [&](unsigned At) { return of(T, I.getOperand(At)); };
    if (auto *Compare = llvm::dyn_cast<llvm::CmpInst>(&I))
      return compare(T, *Compare);
    if (auto *Change = llvm::dyn_cast<llvm::AtomicRMWInst>(&I)) {
      const Operation By = named(llvm::AtomicRMWInst::getOperationName(Change->getOperation()));
      llvm::Type *Type = Change->getValOperand()->getType();
      const bool IsDone = By != Operation::Unknown &&
                          store(I, Type, Operand(0), joinedOf(Type, By, load(Type, Operand(0)), Operand(1)));
      return IsDone ? std::optional(Number()) : std::nullopt; // what was there goes by the order of threads
    }
    return BlockRunner::compute(T, I);
  }

  const DividedDraw Of;
  const unsigned Division;
  llvm::DenseMap<const llvm::BasicBlock *, const RowLoop *> Headers;
  llvm::SmallSet<unsigned, 4> Sizes; ///< Arguments that are the block's size.
  llvm::DenseMap<const llvm::CmpInst *, Operation> Chosen;
  std::map<std::tuple<const RowLoop *, unsigned, unsigned>, std::vector<Number>> Divided;
  std::map<std::pair<const RowLoop *, unsigned>, unsigned> Times;
  std::vector<std::pair<unsigned, Number>> Left;
  std::map<std::tuple<const RowLoop *, unsigned, unsigned>, unsigned> Variables; ///< As `Divided`.
  llvm::MapVector<std::pair<unsigned, const llvm::Instruction *>, const llvm::Value *> Counted;
  DividedRun Result;
};

} // namespace

DividedRun runDivided(const llvm::Function &Kernel, BlockShape Block, llvm::ArrayRef<const RowLoop *> Loops,
                      const DividedDraw &Of, unsigned Division) {
  return DivisionRunner(Kernel, Block, Loops, Of, Division).run();
}

} // namespace cufuse
