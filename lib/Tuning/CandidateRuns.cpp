#include "CandidateRuns.h"

#include "cufuse/Gpu/Occupancy.h"
#include "cufuse/Plan/FusedLaunch.h"
#include "cufuse/Support/Error.h"

#include <fmt/core.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringMap.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <deque>

namespace cufuse {

/// Sources that one compiler reads: beyond, what it saves is little and the first result is late.
constexpr size_t MostTogether = 8;
/// Compilers for which one candidate waits: with more, they are chosen earlier, and less is known by then.
constexpr size_t ThreadsPerWaiting = 8;

static Fate fateOf(RunStatus Status) {
  constexpr std::pair<RunStatus, Fate> Fates[] = {
      {RunStatus::Done, Fate::Measured},         {RunStatus::WrongResult, Fate::WrongResult},
      {RunStatus::LoadFailed, Fate::LoadFailed}, {RunStatus::LaunchFailed, Fate::LaunchFailed},
      {RunStatus::Crashed, Fate::Crashed},       {RunStatus::TimedOut, Fate::TimedOut}};
  return llvm::find_if(Fates, [&](const auto &Each) { return Each.first == Status; })->second;
}

Evaluation failedWith(Fate Outcome, std::string Why) {
  Evaluation Failed;
  Failed.Outcome = Outcome;
  Failed.Why = std::move(Why);
  return Failed;
}

Evaluation failedWith(Fate Outcome, llvm::Error Error) { return failedWith(Outcome, textOf(std::move(Error))); }

Evaluation withOutcome(Evaluation Known, const RunOutcome &Outcome) {
  Known.Outcome = fateOf(Outcome.Status);
  Known.Why = Outcome.What;
  if (Outcome.Time) {
    Known.Microseconds = Outcome.Time->Microseconds;
    Known.RelativeNoise = Outcome.Time->RelativeNoise;
    Known.Samples = Outcome.Time->Samples;
    Known.ClockMHz = Outcome.Time->ClockMHz;
    Known.Rounds = Outcome.Time->Rounds;
  }
  return Known;
}

EmitOptions ofAnyCommand(EmitOptions Options) {
  Options.Command = "cufuse tune";
  Options.AllIncludes = true; // which are needed does not change a time
  return Options;
}

CompileJob jobOf(const Fuser &Fuse, FusedSource Text, const std::string &Arch) {
  for (const Constituent &C : Fuse.constituents())
    for (const auto &[Declaration, Definition] : C.Text->SharedValues)
      // Of several constituents' declarations, one becomes the definition.
      if (const size_t At = Text.Source.find("\n" + Declaration);
          At != std::string::npos && Text.Source.find(Definition) == std::string::npos)
        Text.Source.replace(At + 1, Declaration.size(), Definition);
  CompileJob Job;
  Job.Files = filesOf(Fuse.options(), std::move(Text));
  Job.Arch = Arch;
  Job.Flags = Fuse.nvccFlags();
  // A cubin is not linked: variables of other objects become its own.
  if (Fuse.flags().Relocatable)
    Job.Flags.insert(Job.Flags.end(), {"-D__CUDACC_RDC__", "-diag-suppress=20044"});
  return Job;
}

/// Blocks of a constituent that are played at a time where fused blocks loop over them, 0 elsewhere.
static unsigned playingBlocks(const FusionPlan &Plan, size_t Constituent, unsigned Resident, const GpuFacts &Gpu) {
  if (Plan.Grid != GridPolicy::Stride)
    return 0;
  const RolePlan &Role = Plan.Roles[Constituent];
  return (Plan.Shape == Geometry::Blocks ? Role.ResidentBlocks : Resident) * Role.Copies * Gpu.Multiprocessors;
}

BuiltCandidate understand(const FusionPlan &Plan, const std::string &Name, const std::string &Entry,
                          const CompiledKernels &Compiled, llvm::ArrayRef<const KernelFacts *> Facts,
                          std::vector<PackedKernel> Kernels, const GpuFacts &Gpu) {
  const ResourceUse *Use = Compiled.find(Entry);
  if (!Use)
    return {failedWith(Fate::CompileFailed, "ptxas does not know the fused kernel"), {}};
  BuiltCandidate Built;
  Built.Result.Resources = *Use;
  std::vector<ConstituentLaunch> Launches;
  for (const PackedKernel &Kernel : Kernels)
    Launches.push_back(Kernel.Launch);
  auto Fused = launchOf(Facts, Plan, Name, Launches, 1, Gpu.Multiprocessors);
  if (Fused) {
    const unsigned Resident = occupancyOf(smLimits(Gpu.Arch), {Plan.BlockThreads, Use->Registers,
                                                               Use->SharedBytes + Fused->DynamicBytes, Use->Barriers})
                                  .Blocks;
    Built.Result.ResidentBlocks = Resident;
    if (Resident == 0)
      return {failedWith(Fate::Discarded, "not one block fits on an SM"), {}};
    // Where every grid will do, one that the resident blocks share evenly.
    for (size_t I = 0; I < Kernels.size(); ++I)
      if (const unsigned Playing = Kernels[I].AnyGrid ? playingBlocks(Plan, I, Resident, Gpu) : 0)
        Launches[I].Grid = {Playing, 1, 1};
    Fused = launchOf(Facts, Plan, Name, Launches, Resident, Gpu.Multiprocessors);
  }
  if (!Fused)
    return {failedWith(Fate::Impossible, Fused.takeError()), {}};
  const bool Split = Plan.Registers.Policy == RegisterPolicy::Split;
  if (Split && (Compiled.BudgetIgnored || Use->SpillStores > 0)) {
    Built.Result.Outcome = Fate::Discarded;
    Built.Result.Why = Compiled.BudgetIgnored
                           ? "ptxas took no notice of the register budgets"
                           : fmt::format("{} bytes spilled under the register budgets", Use->SpillStores);
    return Built;
  }
  Fused->Kernel = Entry;
  auto Launch = launchFused(*Fused, Facts, Kernels, Compiled.Cubin);
  if (!Launch)
    return {failedWith(Fate::Impossible, Launch.takeError()), {}};
  for (const auto &[Kernel, Own] : llvm::zip(Kernels, Launches))
    Built.Result.Grids.push_back(Kernel.AnyGrid ? Own.Grid[0] : 0);
  Built.Result.Outcome = Fate::Measured;
  Built.Launches = {std::move(*Launch)};
  return Built;
}

/// One call of an evaluator: where its results arrive. Work for a call that has ended is passed over.
class CandidateRuns::Call {
public:
  void push(size_t Position, Evaluation Result) {
    std::lock_guard Guard(Lock);
    Ready.emplace_back(Position, std::move(Result));
    Changed.notify_one();
  }
  void wait(size_t Count) {
    std::lock_guard Guard(Lock);
    Waiting += Count;
  }
  void begin(size_t Count) {
    std::lock_guard Guard(Lock);
    Waiting -= Count;
    Changed.notify_one();
  }
  /// The next result; none if fewer than `Least` wait to begin before there is one.
  std::optional<std::pair<size_t, Evaluation>> pop(size_t Least) {
    std::unique_lock Guard(Lock);
    Changed.wait(Guard, [&] { return !Ready.empty() || Waiting < Least; });
    if (Ready.empty())
      return std::nullopt;
    auto First = std::move(Ready.front());
    Ready.pop_front();
    return First;
  }
  std::atomic<bool> Ended = false;

private:
  std::mutex Lock;
  std::condition_variable Changed;
  std::deque<std::pair<size_t, Evaluation>> Ready;
  size_t Waiting = 0; ///< Handed to the pool and not begun.
};

struct CandidateRuns::Begun {
  size_t Position;
  std::string Key;
  Compilation Todo;
};

void CandidateRuns::evaluate(NextCandidates Next, std::optional<Effort> How, TakeEvaluation Take, Emitter Emit) {
  auto This = std::make_shared<Call>();
  size_t Given = 0, Taken = 0;
  bool More = true;
  while (More || Taken < Given) {
    if (const auto Result = This->pop(More ? std::max<size_t>(Threads / ThreadsPerWaiting, 1) : 0)) {
      ++Taken;
      if (!Take(Result->first, Result->second))
        break;
    } else {
      const std::vector<Candidate> Some = Next();
      submit(This, Given, Some, How, Emit);
      Given += Some.size();
      More = !Some.empty();
    }
  }
  This->Ended = true;
}

void CandidateRuns::submit(const std::shared_ptr<Call> &Of, size_t First, llvm::ArrayRef<Candidate> Candidates,
                           std::optional<Effort> How, Emitter Emit) {
  // Those that become the same PTX, in their order.
  std::vector<std::vector<Begun>> Alike;
  llvm::StringMap<size_t> ByMark;
  for (size_t I = 0; I < Candidates.size(); ++I) {
    std::optional<Begun> New = begin(Of, First + I, Candidates[I], How, Emit);
    if (!New)
      continue;
    const auto [At, IsNew] =
        New->Todo.Job ? ByMark.try_emplace(New->Todo.Job->Mark, Alike.size()) : std::pair(ByMark.end(), true);
    if (IsNew)
      Alike.emplace_back();
    Alike[IsNew ? Alike.size() - 1 : At->second].push_back(std::move(*New));
  }
  const size_t Together = std::clamp<size_t>((Alike.size() + Threads - 1) / Threads, 1, MostTogether);
  for (size_t From = 0; From < Alike.size(); From += Together) {
    const auto Chunk = llvm::ArrayRef(Alike).slice(From, std::min(Together, Alike.size() - From));
    Of->wait(Chunk.size());
    Tasks.async([this, Of, How, Chunk = Chunk.vec()] {
      Of->begin(Chunk.size());
      if (Of->Ended)
        return;
      std::vector<const CompileJob *> Jobs;
      for (const std::vector<Begun> &Same : Chunk)
        if (Same.front().Todo.Job)
          Jobs.push_back(Same.front().Todo.Job.get());
      if (Jobs.size() > 1)
        Back.prepare(Jobs);
      for (const std::vector<Begun> &Same : Chunk)
        for (const Begun &One : Same)
          build(Of, One, How);
    });
  }
}

std::optional<BuiltCandidate> CandidateRuns::known(const std::string &Key) {
  std::lock_guard Guard(Lock);
  const auto Found = Known.find(Key);
  return Found == Known.end() ? std::nullopt : std::optional(Found->second);
}

/// Emits what is not known yet.
std::optional<CandidateRuns::Begun> CandidateRuns::begin(const std::shared_ptr<Call> &Of, size_t Position,
                                                         const Candidate &Candidate, std::optional<Effort> How,
                                                         Emitter Emit) {
  const std::string Key = Candidate.key();
  if (const std::optional<BuiltCandidate> Already = known(Key)) {
    proceed(Of, Position, Key, *Already, How);
    return std::nullopt;
  }
  auto Todo = Emit(Candidate);
  if (!Todo) {
    Of->push(Position, failedWith(Fate::Impossible, Todo.takeError()));
    return std::nullopt;
  }
  return Begun{Position, Key, std::move(*Todo)};
}

void CandidateRuns::build(const std::shared_ptr<Call> &Of, const Begun &One, std::optional<Effort> How) {
  if (Of->Ended)
    return;
  const BuiltCandidate Built = One.Todo.Build();
  {
    std::lock_guard Guard(Lock);
    Known.insert_or_assign(One.Key, Built);
  }
  proceed(Of, One.Position, One.Key, Built, How);
}

/// A result, or the next step towards it.
void CandidateRuns::proceed(const std::shared_ptr<Call> &Of, size_t Position, const std::string &Key,
                            const BuiltCandidate &Built, std::optional<Effort> How) {
  if (!How || Built.Launches.empty())
    return Of->push(Position, Built.Result);
  if (!Gpus.hasGpu())
    return Of->push(Position, failedWith(Fate::LaunchFailed, "there is no GPU"));
  // A loop of launches can be limited by the host; launches that depend on each other are no parallel branches.
  Schedule One{Key, Built.Launches.size() == 1 ? Schedule::Graph : Schedule::Serial, Built.Launches};
  if (*How == Effort::Short)
    One.Stop = ShortStop;
  Gpus.submit(std::move(One), [Of, Position, Result = Built.Result](const RunOutcome &Outcome) mutable {
    Of->push(Position, withOutcome(std::move(Result), Outcome));
  });
}

} // namespace cufuse
