#include "cufuse/Driver/FuseEvaluator.h"

#include "Batch.h"
#include "cufuse/Fusion/FusedLaunch.h"
#include "cufuse/Model/Occupancy.h"
#include "cufuse/Support/Error.h"

#include <llvm/Support/ThreadPool.h>

#include <mutex>

namespace cufuse {

namespace {

Fate fateOf(RunStatus Status) {
  switch (Status) {
  case RunStatus::Done:
    return Fate::Measured;
  case RunStatus::WrongResult:
    return Fate::WrongResult;
  case RunStatus::LoadFailed:
    return Fate::LoadFailed;
  case RunStatus::LaunchFailed:
    return Fate::LaunchFailed;
  case RunStatus::Crashed:
    return Fate::Crashed;
  case RunStatus::TimedOut:
    return Fate::TimedOut;
  }
  llvm_unreachable("an unknown status");
}

} // namespace

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
  }
  return Known;
}

std::vector<std::string> nvccFlags(const Fuser &Fuser) {
  std::vector<std::string> Flags = Fuser.flags().Nvcc;
  if (!Fuser.flags().Standard.empty())
    Flags.push_back("-std=" + Fuser.flags().Standard);
  for (const std::string &Folder : Fuser.includeFolders())
    Flags.insert(Flags.end(), {"-I", Folder});
  // A cubin is not linked: variables of other objects become its own.
  if (Fuser.flags().Relocatable)
    Flags.insert(Flags.end(), {"-D__CUDACC_RDC__", "-diag-suppress=20044"});
  return Flags;
}

std::vector<OutputFile> filesAlone(const Fuser &Fuse, FusedSource Text) {
  for (const Constituent &C : Fuse.constituents())
    for (const auto &[Declaration, Definition] : C.Text->SharedValues)
      // Of several constituents' declarations, one becomes the definition.
      if (const size_t At = Text.Source.find("\n" + Declaration);
          At != std::string::npos && Text.Source.find(Definition) == std::string::npos)
        Text.Source.replace(At + 1, Declaration.size(), Definition);
  return {{Fuse.options().SourceFile, std::move(Text.Source)}, {Fuse.options().HeaderFile, std::move(Text.Header)}};
}

class FuseEvaluator::Impl {
public:
  Impl(const Fuser &Fuse, const Problem &P, const PackedShapes &Packed, Compiler &Compiler,
       llvm::ThreadPoolInterface &Pool, RunnerPool &Gpus, EvaluatorOptions Given)
      : Fuse(Fuse), P(P), Packed(Packed), Options(std::move(Given)), Gpus(Gpus), Flags(nvccFlags(Fuse)), Back(Compiler),
        Tasks(Pool) {
    for (const Constituent &C : Fuse.constituents())
      Facts.push_back(C.Facts);
  }

  void evaluate(llvm::ArrayRef<Candidate> Candidates, std::optional<Effort> How, TakeEvaluation Take) {
    auto Call = std::make_shared<Batch>();
    for (size_t I = 0; I < Candidates.size(); ++I)
      begin(Call, I, Candidates[I], How);
    Call->deliver(Candidates.size(), Take);
  }

  const KernelLaunch *launchOf(const Candidate &Candidate) {
    std::lock_guard Guard(Lock);
    const auto Found = Known.find(Candidate.key());
    return Found != Known.end() && Found->second.Launch ? &*Found->second.Launch : nullptr;
  }

private:
  struct Screened {
    Evaluation Result;
    std::optional<KernelLaunch> Launch;
  };

  /// Emits and hands on what is not known yet.
  void begin(const std::shared_ptr<Batch> &Call, size_t Position, const Candidate &Candidate,
             std::optional<Effort> How) {
    const std::string Key = Candidate.key();
    {
      std::unique_lock Guard(Lock);
      if (const auto Found = Known.find(Key); Found != Known.end()) {
        const Screened Already = Found->second;
        Guard.unlock();
        return proceed(Call, Position, Key, Already, How);
      }
    }
    auto Plan = Fuse.plan(Candidate.Config);
    if (!Plan)
      return Call->push(Position, failedWith(Fate::Impossible, Plan.takeError()));
    CompileJob Job;
    Job.Arch = Options.Arch;
    Job.Flags = Flags;
    Job.Entry = fusedEntry(*Plan, Fuse.options().Name);
    // The cap is set in the PTX, which candidates that differ in nothing else share.
    FusionPlan Emitted = *Plan;
    const RegisterLimit &Limit = Candidate.Config.Registers;
    if (Limit.Policy == RegisterPolicy::Free || Limit.Policy == RegisterPolicy::Bound)
      Job.Cap.MinBlocks = Limit.Policy == RegisterPolicy::Free ? 1 : Limit.MinBlocks;
    if (Limit.Policy == RegisterPolicy::Count)
      Job.Cap.MaxRegisters = Limit.Count;
    if (Limit.Policy != RegisterPolicy::None && Limit.Policy != RegisterPolicy::Split)
      Emitted.Registers = {RegisterPolicy::Bound, 0, 1};
    auto Text = Fuse.emit(Emitted);
    if (!Text)
      return Call->push(Position, failedWith(Fate::Impossible, Text.takeError()));
    Job.Files = filesAlone(Fuse, std::move(*Text));
    Tasks.async([this, Call, Position, Key, How, Candidate, Job = std::move(Job), Plan = std::move(*Plan)] {
      if (Call->Ended)
        return;
      auto Compiled = Back.compile(Job);
      const Screened Built = Compiled ? understand(Candidate, Plan, *Compiled)
                                      : Screened{failedWith(Fate::CompileFailed, Compiled.takeError()), {}};
      {
        std::lock_guard Guard(Lock);
        Known.insert_or_assign(Key, Built);
      }
      proceed(Call, Position, Key, Built, How);
    });
  }

  /// A result, or the next step towards it.
  void proceed(const std::shared_ptr<Batch> &Call, size_t Position, const std::string &Key, const Screened &Built,
               std::optional<Effort> How) {
    if (!How || !Built.Launch)
      return Call->push(Position, Built.Result);
    if (!Gpus.hasGpu())
      return Call->push(Position, failedWith(Fate::LaunchFailed, "there is no GPU"));
    Schedule One{Key, Schedule::Serial, {*Built.Launch}};
    if (*How == Effort::Short)
      One.Stop = Options.Short;
    Gpus.submit(std::move(One), [Call, Position, Result = Built.Result](const RunOutcome &Outcome) mutable {
      Call->push(Position, withOutcome(std::move(Result), Outcome));
    });
  }

  const PackedKernel *packed(size_t Constituent, const BlockShape &Block) const {
    for (const PackedKernel &Shape : Packed[Constituent])
      if (Shape.Block == Block)
        return &Shape;
    return nullptr;
  }

  /// Blocks of a constituent that are played at a time where fused blocks loop over them, 0 elsewhere.
  std::uint64_t playingBlocks(const FusionPlan &Plan, size_t Constituent, unsigned Resident) const {
    if (Plan.Grid != GridPolicy::Stride)
      return 0;
    const RolePlan &Role = Plan.Roles[Constituent];
    const unsigned PerSm = Plan.Shape == Geometry::Blocks ? Role.ResidentBlocks : Resident;
    return std::uint64_t(PerSm) * Role.Copies * P.Gpu.Multiprocessors;
  }

  /// What ptxas made of it, and how it is launched.
  Screened understand(const Candidate &Candidate, const FusionPlan &Plan, const CompiledKernels &Compiled) const {
    Screened Built;
    const ResourceUse *Use = Compiled.find(fusedEntry(Plan, Fuse.options().Name));
    if (!Use)
      return {failedWith(Fate::CompileFailed, "ptxas does not know the fused kernel"), {}};
    Built.Result.Resources = *Use;
    std::vector<PackedKernel> Kernels;
    std::vector<ConstituentLaunch> Launches;
    for (size_t I = 0; I < Facts.size(); ++I) {
      const PackedKernel *Shape = packed(I, Candidate.Config.Constituents[I].Block);
      if (!Shape)
        return {failedWith(Fate::Impossible, "the workload has no such block"), {}};
      Kernels.push_back(*Shape);
      Launches.push_back(Shape->Launch);
    }
    auto Fused = cufuse::launchOf(Facts, Plan, Fuse.options().Name, Launches, 1, P.Gpu.Multiprocessors);
    if (Fused) {
      const Occupancy Fits =
          occupancyOf(smLimits(Options.Arch),
                      {Plan.BlockThreads, Use->Registers, Use->SharedBytes + Fused->DynamicBytes, Use->Barriers});
      Built.Result.ResidentBlocks = Fits.Blocks;
      // Where every grid will do, one that the resident blocks share evenly.
      for (size_t I = 0; I < Facts.size(); ++I)
        if (Kernels[I].AnyGrid)
          if (const std::uint64_t Playing = playingBlocks(Plan, I, Fits.Blocks))
            Launches[I].Grid = {static_cast<std::uint32_t>(Playing), 1, 1};
      if (Fits.Blocks == 0)
        return {failedWith(Fate::Discarded, "not one block fits on an SM"), {}};
      Fused = cufuse::launchOf(Facts, Plan, Fuse.options().Name, Launches, Fits.Blocks, P.Gpu.Multiprocessors);
    }
    if (!Fused)
      return {failedWith(Fate::Impossible, Fused.takeError()), {}};
    const bool Split = Candidate.Config.Registers.Policy == RegisterPolicy::Split;
    if (Split && (Compiled.BudgetIgnored || Use->SpillStores > 0)) {
      Built.Result.Outcome = Fate::Discarded;
      Built.Result.Why = Compiled.BudgetIgnored
                             ? "ptxas took no notice of the register budgets"
                             : fmt::format("{} bytes spilled under the register budgets", Use->SpillStores);
      return Built;
    }
    auto Launch = launchFused(*Fused, Facts, Kernels, Compiled.Cubin);
    if (!Launch)
      return {failedWith(Fate::Impossible, Launch.takeError()), {}};
    for (size_t I = 0; I < Facts.size(); ++I)
      Built.Result.Grids.push_back(Kernels[I].AnyGrid ? Launches[I].Grid[0] : 0);
    Built.Result.Outcome = Fate::Measured;
    Built.Launch = std::move(*Launch);
    return Built;
  }

  const Fuser &Fuse;
  const Problem &P;
  const PackedShapes &Packed;
  const EvaluatorOptions Options;
  RunnerPool &Gpus;
  const std::vector<std::string> Flags;
  std::vector<const KernelFacts *> Facts;

  std::mutex Lock;
  std::map<std::string, Screened> Known; ///< By key.
  Compiler &Back;
  llvm::ThreadPoolTaskGroup Tasks; ///< Last: they end first.
};

FuseEvaluator::FuseEvaluator(const Fuser &Fuse, const Problem &P, const PackedShapes &Packed, Compiler &Compiler,
                             llvm::ThreadPoolInterface &Pool, RunnerPool &Gpus, EvaluatorOptions Options)
    : Own(std::make_unique<Impl>(Fuse, P, Packed, Compiler, Pool, Gpus, std::move(Options))) {}
FuseEvaluator::~FuseEvaluator() = default;

void FuseEvaluator::screen(llvm::ArrayRef<Candidate> Candidates, TakeEvaluation Take) {
  Own->evaluate(Candidates, std::nullopt, Take);
}
void FuseEvaluator::measure(llvm::ArrayRef<Candidate> Candidates, Effort Effort, TakeEvaluation Take) {
  Own->evaluate(Candidates, Effort, Take);
}
const KernelLaunch *FuseEvaluator::launchOf(const Candidate &Candidate) const { return Own->launchOf(Candidate); }

} // namespace cufuse
