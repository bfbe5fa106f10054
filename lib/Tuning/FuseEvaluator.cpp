#include "cufuse/Tuning/FuseEvaluator.h"

#include "CandidateRuns.h"
#include "cufuse/Gpu/Occupancy.h"
#include "cufuse/Plan/FusedLaunch.h"
#include "cufuse/Support/Error.h"

#include <fmt/core.h>
#include <llvm/Support/xxhash.h>

namespace cufuse {

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
  return filesOf(Fuse.options(), std::move(Text));
}

/// Outputs that are compiled whole before the winner is known.
constexpr size_t MostWhole = 3;

class FuseEvaluator::Impl {
public:
  Impl(const Fuser &Fuse, const Problem &P, const PackedShapes &Packed, Compiler &Compiler,
       llvm::ThreadPoolInterface &Pool, RunnerPool &Gpus, EvaluatorOptions Given)
      : Fuse(Fuse), P(P), Packed(Packed), Arch(std::move(Given.Arch)), Flags(nvccFlags(Fuse)), Back(Compiler),
        Runs(Compiler, Pool, Gpus, Given.Short), Tasks(Pool) {
    for (const Constituent &C : Fuse.constituents())
      Facts.push_back(C.Facts);
  }

  void evaluate(NextCandidates Next, std::optional<Effort> How, TakeEvaluation Take) {
    auto Seen = [&] {
      std::vector<Candidate> Some = Next();
      // One of the first finalists wins.
      if (How == Effort::Full)
        for (size_t I = 0; I < Some.size() && Whole.size() < MostWhole; ++I)
          if (!Runs.launchesOf(Some[I]).empty())
            wholeOf(Some[I]);
      return Some;
    };
    Runs.evaluate(Seen, How, Take, [this](const Candidate &C) { return emit(C, /*KernelOnly=*/true); });
  }
  std::vector<KernelLaunch> launchesOf(const Candidate &Candidate) {
    const std::shared_future<BuiltCandidate> Built = wholeOf(Candidate);
    Tasks.wait(); // for all: loops of launches are timed next, which a busy host would slow down
    return Built.get().Launches;
  }

private:
  /// The candidate in the whole output, compiled once.
  std::shared_future<BuiltCandidate> wholeOf(const Candidate &Candidate) {
    const auto [At, IsNew] = Whole.try_emplace(Candidate.key());
    if (IsNew) {
      auto Todo = emit(Candidate, /*KernelOnly=*/false);
      if (!Todo)
        Todo = CandidateRuns::Compilation{
            nullptr, [Failed = failedWith(Fate::Impossible, Todo.takeError())] { return BuiltCandidate{Failed, {}}; }};
      At->second = Tasks.async(std::move(Todo->Build));
    }
    return At->second;
  }

  llvm::Expected<CandidateRuns::Compilation> emit(const Candidate &Candidate, bool KernelOnly) const {
    auto Plan = Fuse.plan(Candidate.Config);
    if (!Plan)
      return Plan.takeError();
    CompileJob Job;
    Job.Arch = Arch;
    Job.Flags = Flags;
    // The cap is set in the PTX: candidates that differ in nothing else share it.
    cufuse::Candidate Shared = Candidate.compiled();
    const RegisterLimit &Limit = Candidate.Config.Registers;
    if (Limit.Policy == RegisterPolicy::Free || Limit.Policy == RegisterPolicy::Bound)
      Job.Cap.MinBlocks = Limit.Policy == RegisterPolicy::Free ? 1 : Limit.MinBlocks;
    if (Limit.Policy == RegisterPolicy::Count)
      Job.Cap.MaxRegisters = Limit.Count;
    if (Limit.Policy != RegisterPolicy::None && Limit.Policy != RegisterPolicy::Split)
      Shared.Config.Registers = {RegisterPolicy::Bound, 0, 1};
    auto Emitted = Fuse.plan(Shared.Config);
    if (!Emitted)
      return Emitted.takeError();
    EmitOptions Own = Fuse.options();
    Own.KernelOnly = KernelOnly;
    Own.Name += fmt::format("_{:016x}", llvm::xxh3_64bits(Shared.key()));
    auto Text = emitFused(Fuse.constituents(), *Emitted, Own);
    if (!Text)
      return Text.takeError();
    Job.Entry = fusedEntry(*Plan, Own.Name);
    Job.Mark = Own.Name;
    Job.Files = filesAlone(Fuse, std::move(*Text));
    auto Source = std::make_shared<CompileJob>(std::move(Job));
    return CandidateRuns::Compilation{
        Source, [this, Candidate, Source, Plan = std::move(*Plan)] {
          auto Compiled = Back.compile(*Source);
          return Compiled ? understand(Candidate, Plan, Source->Mark, *Compiled)
                          : BuiltCandidate{failedWith(Fate::CompileFailed, Compiled.takeError()), {}};
        }};
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
  BuiltCandidate understand(const Candidate &Candidate, const FusionPlan &Plan, const std::string &Name,
                            const CompiledKernels &Compiled) const {
    BuiltCandidate Built;
    const ResourceUse *Use = Compiled.find(fusedEntry(Plan, Name));
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
    auto Fused = cufuse::launchOf(Facts, Plan, Name, Launches, 1, P.Gpu.Multiprocessors);
    if (Fused) {
      const Occupancy Fits = occupancyOf(
          smLimits(Arch), {Plan.BlockThreads, Use->Registers, Use->SharedBytes + Fused->DynamicBytes, Use->Barriers});
      Built.Result.ResidentBlocks = Fits.Blocks;
      // Where every grid will do, one that the resident blocks share evenly.
      for (size_t I = 0; I < Facts.size(); ++I)
        if (Kernels[I].AnyGrid)
          if (const std::uint64_t Playing = playingBlocks(Plan, I, Fits.Blocks))
            Launches[I].Grid = {static_cast<std::uint32_t>(Playing), 1, 1};
      if (Fits.Blocks == 0)
        return {failedWith(Fate::Discarded, "not one block fits on an SM"), {}};
      Fused = cufuse::launchOf(Facts, Plan, Name, Launches, Fits.Blocks, P.Gpu.Multiprocessors);
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
    Built.Launches = {std::move(*Launch)};
    return Built;
  }

  const Fuser &Fuse;
  const Problem &P;
  const PackedShapes &Packed;
  const std::string Arch;
  const std::vector<std::string> Flags;
  std::vector<const KernelFacts *> Facts;
  Compiler &Back;
  std::map<std::string, std::shared_future<BuiltCandidate>> Whole; ///< By key.
  CandidateRuns Runs;
  llvm::ThreadPoolTaskGroup Tasks; ///< Last: what they compile ends first.
};

FuseEvaluator::FuseEvaluator(const Fuser &Fuse, const Problem &P, const PackedShapes &Packed, Compiler &Compiler,
                             llvm::ThreadPoolInterface &Pool, RunnerPool &Gpus, EvaluatorOptions Options)
    : Own(std::make_unique<Impl>(Fuse, P, Packed, Compiler, Pool, Gpus, std::move(Options))) {}
FuseEvaluator::~FuseEvaluator() = default;

void FuseEvaluator::screen(llvm::ArrayRef<Candidate> Candidates, TakeEvaluation Take) {
  Own->evaluate(OnlyThose(Candidates), std::nullopt, Take);
}
void FuseEvaluator::measure(NextCandidates Next, Effort Effort, TakeEvaluation Take) {
  Own->evaluate(Next, Effort, Take);
}
std::vector<KernelLaunch> FuseEvaluator::launchesOf(const Candidate &Candidate) { return Own->launchesOf(Candidate); }

} // namespace cufuse
