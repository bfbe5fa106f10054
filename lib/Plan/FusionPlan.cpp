#include "cufuse/Plan/FusionPlan.h"

#include <fmt/core.h>
#include <llvm/ADT/SmallVectorExtras.h>
#include <llvm/Support/MathExtras.h>

#include <cmath>
#include <map>
#include <set>
#include <tuple>

namespace cufuse {

namespace {
constexpr unsigned MaxStaticShared = 48 * 1024; // ptxas refuses more.
constexpr unsigned BlockRegisters = 64 * 1024;  // per block, every architecture from sm_53 on
constexpr unsigned MinRegisterLimit = 16, MaxRegisterLimit = 255;
constexpr unsigned WarpgroupSize = 128, MinBudget = 24, MaxBudget = 256, BudgetStep = 8; // PTX ISA, setmaxnreg
constexpr unsigned long long MaxParameterBytes = 32764; // CUDA 12.1 and later, sm_70 and later
// What partitions hold themselves: see `Indices` and `Meeting` in the emitted text.
constexpr unsigned IndicesBytes = 32, MeetingBytes = 16, PoolBytes = 16;

/// Synchronises with the virtual blocks before and after when it loops over them and they share memory; takes them from
/// a pool together.
bool synchronises(const KernelFacts &Kernel, GridPolicy Grid, unsigned Turns) {
  return Grid == GridPolicy::Pool || Kernel.needsBarrier() ||
         ((Grid != GridPolicy::Match || Turns > 1) && Kernel.usesShared());
}

/// Nothing of a block is at a place that all its threads know: the threads of several may be in the same text.
bool isOfThreads(const KernelFacts &Kernel, BlockShape Block) {
  return Block.threads() % WarpSize == 0 && !Kernel.usesShared() && !Kernel.needsBarrier() && !Kernel.MultiWarpTiles &&
         Kernel.WarpgroupBudgets.empty() && !Kernel.KeptMbarrier;
}

/// Its threads do no more together than to meet, all of them, at plain barriers.
bool meetsPlainly(const KernelFacts &Kernel) {
  return llvm::all_of(Kernel.Barriers, [](const BarrierFacts &B) { return B.Call == "__syncthreads"; }) &&
         llvm::all_of(Kernel.LibraryBarriers, [](const std::string &B) { return B == "__syncthreads"; }) &&
         Kernel.NamedBarriers.empty() && !Kernel.MultiWarpTiles && !Kernel.UsesAnyGroup && !Kernel.KeptMbarrier &&
         Kernel.ExitsBeforeBarrier.empty() && Kernel.ExitsBeforeWarpPrimitive.empty() &&
         Kernel.WarpgroupBudgets.empty();
}

/// May it be a part of a warp whose other lanes wait in another kernel?
bool isOfPart(const KernelFacts &Kernel, const ConstituentConfig &Chosen) {
  return Chosen.Block.threads() < WarpSize && Kernel.WarpPrimitives.empty() && Kernel.LibraryBarriers.empty() &&
         meetsPlainly(Kernel);
}

/// May lanes of a warp play a block each? They meet by themselves, and all of them come to where they do. What is of a
/// whole warp is none of theirs, but for reductions of the block.
bool isOfLanes(const KernelFacts &Kernel, const ConstituentConfig &Chosen) {
  const unsigned Threads = Chosen.Block.threads();
  return Kernel.PlaysLanes && llvm::isPowerOf2_32(Threads) && Threads <= WarpSize &&
         Threads * Chosen.Copies % WarpSize == 0 && Chosen.Block.X == Threads &&
         (Threads == WarpSize ||
          (!Kernel.AsksLane &&
           llvm::all_of(Kernel.WarpPrimitives, [](const Finding &Each) { return Each.OfBlockReduce; }))) &&
         Kernel.DynamicShared.empty() && !Kernel.sharesIndices() && meetsPlainly(Kernel);
}

/// Partitions of one constituent, one behind the other.
void layOut(FusionPlan &Plan, unsigned Constituent, const KernelFacts &Kernel, const ConstituentConfig &Chosen,
            unsigned First, unsigned &Barriers, unsigned Beside, bool OfLanes, bool OfPart) {
  const bool Split = Plan.Registers.Policy == RegisterPolicy::Split;
  RolePlan Role{
      Chosen.Copies, Chosen.Turns,      0, Chosen.ResidentBlocks, Split ? Chosen.RegisterBudget : 0, Chosen.Unroll,
      Chosen.Bound,  Chosen.GuessedFrom};
  const unsigned Texts = Beside > 1 ? 1 : Chosen.Copies;
  for (unsigned Copy = 0; Copy < Texts; ++Copy) {
    PartitionPlan Partition{Constituent, Copy, First + Role.Threads, Chosen.Block};
    Partition.Beside = Beside;
    Partition.OfLanes = OfLanes;
    Partition.OfPart = OfPart;
    Partition.PaddedThreads = llvm::alignTo(Chosen.Block.threads(), OfLanes ? Chosen.Block.threads() : WarpSize);
    Partition.Reserved = OfLanes ? Chosen.Block.threads() * Beside
                                 : llvm::alignTo(Chosen.Block.threads(), Split ? WarpgroupSize : WarpSize) * Beside;
    Partition.Synchronises = synchronises(Kernel, Plan.Grid, Chosen.Turns);
    // Whoever names all others has barrier 0, too.
    if (Partition.Synchronises && !Kernel.namesAnyBarrier() && !OfLanes && !OfPart)
      Partition.Barrier = ++Barriers;
    Partition.NamedBarriers = Kernel.NamedBarriers.size();
    Barriers += Partition.NamedBarriers;
    Partition.DropsOut = !Kernel.ExitsBeforeBarrier.empty();
    Role.Threads += Partition.Reserved;
    Plan.Partitions.push_back(Partition);
  }
  Plan.Roles.push_back(Role);
}

/// A partition that is the whole block needs no barrier with a count, so that exited threads do not count either.
void giveWholeBlocks(FusionPlan &Plan) {
  for (PartitionPlan &P : Plan.Partitions) {
    P.WholeBlock = Plan.Shape == Geometry::Blocks && P.Block.threads() == Plan.BlockThreads;
    if (P.WholeBlock)
      P.Barrier = 0;
    if (Plan.keepsGrid() || (P.WholeBlock && Plan.playsOnce()))
      P.DropsOut = false;
  }
}

/// Libraries find their partition by the thread. Is that not enough, since a thread is in several, or in none at the
/// grid's barrier?
bool notesKernel(const FusionPlan &Plan, llvm::ArrayRef<const KernelFacts *> Facts) {
  using Type = std::tuple<unsigned, unsigned, unsigned, unsigned, unsigned, bool, bool>;
  std::map<unsigned, std::vector<Type>> Users;
  for (const PartitionPlan &P : Plan.Partitions)
    if (Facts[P.Constituent]->libraryUsesBlock())
      Users[P.Constituent].emplace_back(P.First, P.Barrier, P.Block.X, P.Block.Y, P.Block.Z, P.DropsOut, P.ExitsLast);
  return Plan.Shape != Geometry::Warps && !Users.empty() &&
         (Plan.Cooperative ||
          llvm::any_of(Users, [&](const auto &User) { return User.second != Users.begin()->second; }));
}

/// The indices of a partition are a variable of its type, which partitions without a number of their own share.
bool hasOnePlace(const FusionPlan &Plan, llvm::ArrayRef<const KernelFacts *> Facts) {
  std::set<std::tuple<unsigned, unsigned, unsigned, unsigned, unsigned>> Types;
  return Plan.Shape == Geometry::Threads && llvm::any_of(Plan.Partitions, [&](const PartitionPlan &P) {
           return Plan.sharesIndices(*Facts[P.Constituent]) &&
                  !Types.insert({P.First, P.Barrier, P.Block.X, P.Block.Y, P.Block.Z}).second;
         });
}

/// A literal of C++, maybe with a sign and a suffix, of at most 64 bits: what stands where a parameter did.
bool isLiteral(llvm::StringRef Value) {
  if (Value == "true" || Value == "false")
    return true;
  Value.consume_front("-");
  if (Value.empty() || !isdigit(static_cast<unsigned char>(Value[0])))
    return false;
  const llvm::StringRef Digits = Value.rtrim("uUlL"), Suffix = Value.substr(Digits.size());
  unsigned long long Whole = 0;
  if (!Digits.contains('o') && !Digits.getAsInteger(0, Whole))
    return llvm::is_contained({"", "u", "l", "ul", "lu", "ll", "ull", "llu"}, Suffix.lower()) &&
           !Suffix.contains("lL") && !Suffix.contains("Ll");
  const bool Single = Value.consume_back_insensitive("f");
  if (!Single)
    Value.consume_back_insensitive("l");
  double Number = 0;
  return Value.find_first_of(".eEpP") != llvm::StringRef::npos && !Value.getAsDouble(Number) &&
         std::isfinite(Single ? static_cast<float>(Number) : Number);
}

/// Is the literal one of the integers that the type has?
bool fits(llvm::StringRef Value, const FieldFacts &Type) {
  const bool IsNegative = Value.consume_front("-");
  unsigned long long Whole = 0;
  if ((Type.Kind != ScalarKind::Signed && Type.Kind != ScalarKind::Unsigned) || Type.Bytes == 0 || Type.Bytes > 8 ||
      Value.rtrim("uUlL").getAsInteger(0, Whole))
    return true;
  const unsigned Bits = 8 * Type.Bytes - (Type.Kind == ScalarKind::Signed);
  return IsNegative ? Type.Kind == ScalarKind::Signed && Whole <= 1ull << Bits : Bits == 64 || Whole >> Bits == 0;
}

bool isNumber(const ParameterFacts &P) {
  return P.Fields.size() == 1 && P.Fields[0].Path.empty() && P.Fields[0].Kind != ScalarKind::Pointer &&
         P.Fields[0].Kind != ScalarKind::Opaque;
}

/// Why the arguments cannot be fixed, empty if they can.
std::string wrongBinding(const KernelFacts &Kernel, const ConstituentConfig &Chosen) {
  for (const auto &[Name, Value] : Chosen.Bound) {
    auto Known =
        llvm::find_if(Kernel.Parameters, [&, &Name = Name](const ParameterFacts &P) { return P.Name == Name; });
    if (Known == Kernel.Parameters.end())
      return fmt::format(
          "{} has no parameter {}: it has {}", Kernel.Name, Name,
          listed(llvm::map_to_vector(Kernel.Parameters, [](const ParameterFacts &P) { return P.Name; })));
    if (!isNumber(*Known))
      return fmt::format("{} of {} is of type {}", Name, Kernel.Name, Known->Type);
    if (!isLiteral(Value))
      return fmt::format("{} for {} of {}", Value, Name, Kernel.Name);
    if (!fits(Value, Known->Fields[0]))
      return fmt::format("{} for {} of {}, which is {} and cannot be that", Value, Name, Kernel.Name, Known->Type);
    if (llvm::count_if(Chosen.Bound, [&, &Name = Name](const auto &Other) { return Other.first == Name; }) > 1)
      return fmt::format("{} of {} is bound twice", Name, Kernel.Name);
  }
  return "";
}

/// Sets the registers that every thread is launched with: with fewer than the budgets need together, the block would
/// wait for registers that nobody gives back. Why the budgets are impossible, empty if they are not.
std::string divideRegisters(FusionPlan &Plan, llvm::ArrayRef<const KernelFacts *> Facts, llvm::StringRef Arch) {
  if (!hasRegisterBudgets(Arch))
    return fmt::format("{} has none", Arch.str());
  if (Plan.Shape != Geometry::Warps || Plan.keepsBlock())
    return "only kernels side by side have some each";
  unsigned long long Sum = 0;
  for (size_t I = 0; I < Plan.Roles.size(); ++I) {
    const unsigned Budget = Plan.Roles[I].Registers;
    if (Budget < MinBudget || Budget > MaxBudget || Budget % BudgetStep != 0)
      return fmt::format("{} registers for {}", Budget, Facts[I]->Name);
    Sum += 1ull * Plan.Roles[I].Threads * Budget;
  }
  const unsigned AtLaunch = llvm::alignTo((Sum + Plan.BlockThreads - 1) / Plan.BlockThreads, BudgetStep);
  Plan.Registers.Count = AtLaunch;
  if (AtLaunch > MaxRegisterLimit || AtLaunch * Plan.BlockThreads > BlockRegisters)
    return fmt::format("{} registers for each of {} threads when they start", AtLaunch, Plan.BlockThreads);
  return "";
}
} // namespace

bool hasRegisterBudgets(llvm::StringRef Arch) {
  unsigned Number = 0;
  return Arch.consume_front("sm_") && Arch.consume_back("a") && !Arch.getAsInteger(10, Number) && Number >= 90;
}

llvm::Expected<FusionPlan> planFusion(llvm::ArrayRef<const KernelFacts *> Facts, const FusionConfig &Config,
                                      llvm::StringRef Arch) {
  FusionPlan Plan;
  const bool Single = Facts.size() == 1 && Config.Constituents[0].Copies == 1;
  Plan.Shape = Single ? Geometry::Warps : Config.Shape;
  Plan.Grid = Config.Grid;
  Plan.Cooperative = Config.Cooperative && Plan.Shape == Geometry::Threads;
  Plan.LastBlock = Config.LastBlock && Plan.Shape == Geometry::Threads;
  Plan.FirstBlock = Config.FirstBlock && Plan.Shape == Geometry::Threads;
  Plan.ResidentBlocks = Config.ResidentBlocks;
  Plan.Registers = Config.Registers;
  Plan.Overlap = Config.Overlap;
  std::vector<Blocker> Refusals;
  auto Refuse = [&](BlockerKind Kind, std::string Fact, SourcePlace Where = {}) {
    Refusals.push_back({Kind, std::move(Where), std::move(Fact)});
  };

  // Of all kernels, or of none: what a block is stands in one place for all.
  const bool AreOfLanes = Plan.playsOnce() && (Plan.Shape == Geometry::Blocks || Facts.size() == 1) &&
                          Plan.Registers.Policy != RegisterPolicy::Split &&
                          llvm::all_of(llvm::zip_equal(Facts, Config.Constituents), [](const auto &Each) {
                            return std::get<1>(Each).Copies > 1 && isOfLanes(*std::get<0>(Each), std::get<1>(Each));
                          });
  // Threads behind the end of a kernel's block wait for the next kernel.
  const bool ThreadsStay =
      Plan.Shape == Geometry::Threads || (Plan.Shape == Geometry::Blocks && Plan.Grid == GridPolicy::Pool);
  unsigned long long ParameterBytes = 0;
  unsigned Barriers = 0, MostBarriers = 0;
  for (unsigned I = 0; I < Facts.size(); ++I) {
    const KernelFacts &Kernel = *Facts[I];
    const ConstituentConfig &Chosen = Config.Constituents[I];
    if (!Chosen.Block.isValid()) {
      Refuse(BlockerKind::ImpossibleBlock, fmt::format("{} for {}", Chosen.Block.str(), Kernel.Name));
      continue;
    }
    if (Kernel.MaxThreads && Chosen.Block.threads() > *Kernel.MaxThreads)
      Refuse(BlockerKind::LaunchBoundsExceeded,
             fmt::format("{} threads for {}, which allows {}", Chosen.Block.threads(), Kernel.Name, *Kernel.MaxThreads),
             Kernel.Where);
    // Every partition has a warp at least.
    if (Chosen.Copies > MaxBlockThreads / WarpSize) {
      Refuse(BlockerKind::TooManyThreads, fmt::format("{} blocks of {}", Chosen.Copies, Kernel.Name));
      continue;
    }
    // Behind the last kernel, nothing follows in the block, be it to wait for copies.
    const bool IsLast =
        Plan.Shape == Geometry::Threads && Plan.Grid == GridPolicy::Match && I + 1 == Facts.size() &&
        Chosen.Turns == 1 && Kernel.ExitsBeforeBarrier.empty() &&
        llvm::none_of(Facts, [](const KernelFacts *F) { return F->CopiesAsynchronously || F->CopiesInBulk; });
    if (!Plan.playsOnce() && !IsLast) {
      for (const Finding &Exit : Kernel.ExitsBeforeWarpPrimitive)
        if (!Exit.ByWarps)
          Refuse(BlockerKind::ExitBeforeWarpPrimitive, fmt::format("{}: {}", Kernel.Name, Exit.What), Exit.Where);
        else if (!Exit.isByWarps(Chosen.Block))
          Refuse(BlockerKind::ExitBeforeWarpPrimitive,
                 fmt::format("{}: {}; rows of {} threads are no whole warps", Kernel.Name, Exit.What, Chosen.Block.X),
                 Exit.Where);
    }
    // Kernels in turns have the dynamic shared memory in common.
    if (Kernel.KeptMbarrier &&
        (Plan.Grid != GridPolicy::Match ||
         (Plan.Shape == Geometry::Threads && (Chosen.Turns > 1 || !Kernel.DynamicShared.empty()))))
      Refuse(BlockerKind::KeptMbarrier, Kernel.Name, *Kernel.KeptMbarrier);
    if (Chosen.Turns > 1 && (Plan.Shape != Geometry::Threads || Plan.Grid != GridPolicy::Match))
      Refuse(BlockerKind::Turns,
             fmt::format("{} of {}{}", Chosen.Turns, Kernel.Name, Facts.size() == 1 ? ", which is alone" : ""));
    if (Chosen.Unroll > 0 && !Kernel.GridStrideLoop)
      Refuse(BlockerKind::NoLoopToUnroll, Kernel.Name, Kernel.Where);
    if (const std::string Fact = wrongBinding(Kernel, Chosen); !Fact.empty())
      Refuse(BlockerKind::WrongBinding, Fact, Kernel.Where);
    // Lanes behind the block's end would not be gone, but wait in another kernel.
    const bool OfPart = ThreadsStay && isOfPart(Kernel, Chosen);
    if (ThreadsStay && !OfPart && Chosen.Block.threads() % WarpSize != 0 &&
        (synchronises(Kernel, Plan.Grid, Chosen.Turns) || !Kernel.WarpPrimitives.empty()))
      Refuse(BlockerKind::PartialWarp,
             fmt::format("{} threads of {}{}", Chosen.Block.threads(), Kernel.Name,
                         Kernel.sharesIndices() ? ", which ask in functions where their block is" : ""));
    if (!Plan.playsOnce() && Kernel.ArrivesAtBarriers)
      Refuse(BlockerKind::NamedBarrier,
             fmt::format("{} arrives without waiting, which may reach into the block that its threads play next",
                         Kernel.Name),
             Kernel.Where);
    // With what the fused kernel adds for its grid, its share and its shared memory, and with gaps.
    constexpr unsigned AddedBytes = 128, Gap = 16;
    ParameterBytes += Kernel.ParameterBytes + AddedBytes + Gap * Kernel.Parameters.size();
    if (Plan.Shape == Geometry::Blocks)
      Barriers = 0;
    const bool AreBeside = Facts.size() == 1 && Plan.Shape == Geometry::Warps && Plan.Grid == GridPolicy::Match &&
                           Plan.Registers.Policy != RegisterPolicy::Split && isOfThreads(Kernel, Chosen.Block);
    layOut(Plan, I, Kernel, Chosen, Plan.Shape == Geometry::Warps ? Plan.BlockThreads : 0, Barriers,
           AreBeside || AreOfLanes ? Chosen.Copies : 1, AreOfLanes, OfPart);
    if (!Kernel.DynamicShared.empty()) {
      Plan.Roles.back().HasOffset = Plan.Shape == Geometry::Warps && Plan.DynamicBlocks > 0;
      Plan.DynamicBlocks += Chosen.Copies;
    }
    for (PartitionPlan &P : Plan.Partitions)
      P.ExitsLast = IsLast && P.Constituent == I && Kernel.announcesExits();
    Plan.BlockThreads = Plan.Shape == Geometry::Warps ? Plan.BlockThreads + Plan.Roles.back().Threads
                                                      : std::max(Plan.BlockThreads, Plan.Roles.back().Threads);
    MostBarriers = std::max(MostBarriers, Barriers);
  }
  giveWholeBlocks(Plan);
  Plan.NotesKernel = notesKernel(Plan, Facts);
  Plan.HasOnePlace = hasOnePlace(Plan, Facts);
  // Kernels with blocks of their own have that memory for themselves.
  std::map<unsigned, unsigned> WithTiles;
  for (const PartitionPlan &P : Plan.Partitions)
    if (Facts[P.Constituent]->MultiWarpTiles && ++WithTiles[Plan.Shape == Geometry::Blocks ? P.Constituent : 0] == 2)
      Refuse(BlockerKind::MultiWarpTiles, "two partitions have some, one of " + Facts[P.Constituent]->Name);
  for (size_t I = 0; !Plan.isInOrder() && I < Facts.size(); ++I)
    for (const GlobalFacts &Global : Facts[I]->Globals)
      for (const KernelFacts *Other : Facts.drop_front(I + 1))
        if (llvm::any_of(Other->Globals, [&](const GlobalFacts &G) {
              return G.HostShared && Global.HostShared && G.Name == Global.Name &&
                     (G.Does == Change::Any || G.Does != Global.Does);
            }))
          Refuse(BlockerKind::WrittenVariable, fmt::format("{} of {} and {}", Global.Name, Facts[I]->Name, Other->Name),
                 Facts[I]->Where);
  for (size_t I = 0; Plan.readsFresh() && I < Facts.size(); ++I) {
    if (Facts[I]->GridLaunch && I + 1 < Facts.size())
      Refuse(BlockerKind::GridBarrierLaunch, Facts[I]->Name, Facts[I]->GridLaunch->Where);
    for (const Finding &Load : Facts[I]->ReadOnlyLoads)
      if (I > 0 || Plan.Overlap.Waits)
        Refuse(BlockerKind::ReadOnlyLoad, fmt::format("{}: {}", Facts[I]->Name, Load.What), Load.Where);
  }
  unsigned long long StaticShared = (Plan.NotesKernel ? Plan.BlockThreads : 0) + Plan.countsBlocks();
  for (const PartitionPlan &P : Plan.Partitions)
    StaticShared += Facts[P.Constituent]->staticSharedBytes() * P.Beside +
                    (Plan.sharesIndices(*Facts[P.Constituent]) ? IndicesBytes : 0) + (P.DropsOut ? MeetingBytes : 0) +
                    (Plan.Grid == GridPolicy::Pool ? PoolBytes : 0);
  if (Plan.BlockThreads > MaxBlockThreads)
    Refuse(BlockerKind::TooManyThreads, fmt::format("{} threads in whole warps", Plan.BlockThreads));
  if (Plan.Shape == Geometry::Threads && Plan.Grid != (Plan.isInOrder() ? GridPolicy::Stride : GridPolicy::Match))
    Refuse(BlockerKind::ThreadsGrid, "");
  if (Plan.hasRoles())
    if (const auto Following = llvm::count_if(Plan.Roles, [](const RolePlan &R) { return R.ResidentBlocks == 0; });
        Following > 1 || Plan.residentRoles() == 0)
      Refuse(BlockerKind::ResidentBlocks, fmt::format("{} of {} kernels with none", Following, Plan.Roles.size()));
  // Those that wait for the next kernel do so at barrier 0.
  for (const PartitionPlan &P : Plan.Partitions)
    if (ThreadsStay && Facts[P.Constituent]->namesAnyBarrier() && P.Block.threads() != Plan.BlockThreads)
      MostBarriers = std::max(MostBarriers, MaxNamedBarriers + 1);
  if (MostBarriers > MaxNamedBarriers) {
    auto Greedy = llvm::find_if(Facts, [](const KernelFacts *F) { return F->namesAnyBarrier(); });
    Refuse(BlockerKind::TooManyBarriers,
           Greedy == Facts.end()
               ? fmt::format("{}{}", MostBarriers,
                             Facts.size() > 1 ? "; with --geometry blocks, each kernel has its own" : "")
               : fmt::format("{}, {} may name any itself", MostBarriers, (*Greedy)->Name));
  }
  if (StaticShared > MaxStaticShared)
    Refuse(BlockerKind::StaticSharedMemory, fmt::format("{} bytes", StaticShared));
  if (ParameterBytes > MaxParameterBytes)
    Refuse(BlockerKind::ParameterSpace, fmt::format("{} bytes of {}", ParameterBytes, MaxParameterBytes));
  const unsigned Limit = Config.Registers.Count;
  if (Config.Registers.Policy == RegisterPolicy::Count &&
      (Limit < MinRegisterLimit || Limit > MaxRegisterLimit || 1ull * Limit * Plan.BlockThreads > BlockRegisters))
    Refuse(BlockerKind::RegisterLimit, fmt::format("{} registers for each of {} threads", Limit, Plan.BlockThreads));
  if (Config.Registers.Policy == RegisterPolicy::Split && Refusals.empty())
    if (const std::string Fact = divideRegisters(Plan, Facts, Arch); !Fact.empty())
      Refuse(BlockerKind::RegisterBudget, Fact);
  if (!Refusals.empty())
    return refuse(Refusals);
  return Plan;
}

std::optional<unsigned> mostBlocksInX(const KernelFacts &Facts, const FusionPlan &Plan, unsigned Constituent) {
  if (Plan.playsOnce() || !Facts.SignedThreadNumber)
    return std::nullopt;
  for (const PartitionPlan &P : Plan.Partitions)
    if (P.Constituent == Constituent)
      return (1u << 31) / P.Block.X;
  return std::nullopt;
}

unsigned gridDimensions(const KernelFacts &Facts) {
  auto Reads = [&](size_t I) {
    return Facts.Reads[static_cast<size_t>(Builtin::BlockIdx)][I] ||
           Facts.Reads[static_cast<size_t>(Builtin::GridDim)][I];
  };
  return Reads(2) ? 3 : Reads(1) ? 2 : 1;
}

std::vector<AddedParameter> addedParameters(const KernelFacts &Facts, const FusionPlan &Plan, unsigned Constituent) {
  std::vector<AddedParameter> Added;
  if (!Plan.keepsGrid())
    Added.push_back(gridDimensions(Facts) > 1 ? AddedParameter::Grid : AddedParameter::Blocks);
  // The last takes what the others leave.
  if (Plan.interleaves() && Constituent + 1 < Plan.Roles.size())
    Added.push_back(AddedParameter::Share);
  if (Plan.hasRoles() && Plan.Roles[Constituent].ResidentBlocks > 0)
    Added.push_back(AddedParameter::Resident);
  if (Plan.Roles[Constituent].HasOffset)
    Added.push_back(AddedParameter::DynamicOffset);
  if (!Facts.DynamicShared.empty() && Plan.Roles[Constituent].Copies > 1)
    Added.push_back(AddedParameter::DynamicStride);
  if (!Facts.WarpgroupBudgets.empty() && Facts.CopiesAsynchronously) // products that load by maps
    Added.push_back(AddedParameter::Maps);
  if (Plan.countsBlocks() && Constituent + 1 == Plan.Roles.size())
    Added.push_back(AddedParameter::Place);
  if (Plan.Grid == GridPolicy::Pool && Constituent + 1 == Plan.Roles.size())
    Added.push_back(AddedParameter::Pools);
  return Added;
}

} // namespace cufuse
