#include "TuningKind.h"

#include "cufuse/Plan/FusedLaunch.h"

#include <fmt/core.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/Support/xxhash.h>

namespace cufuse {

namespace {

/// Outputs that are compiled whole before the winner is known.
constexpr size_t MostWhole = 3;

class SideBySide final : public TuningKind {
public:
  SideBySide(const TuningTools &Tools, const TuningSubject &Subject, const SoloFindings &Found)
      : Fuse(Tools.Clang, Subject.Kernels, Subject.Emit), Found(Found), Back(Tools.Back), Runs(Tools),
        Tasks(Tools.Pool) {
    for (const Constituent &C : Fuse.constituents())
      Facts.push_back(C.Facts);
  }

  std::vector<Candidate> candidates(const Strategy &How) const override { return How.Candidates(Found.What); }

  void evaluate(NextCandidates Next, std::optional<Effort> How, TakeEvaluation Take) override {
    auto Seen = [&] {
      std::vector<Candidate> Some = Next();
      // One of the first finalists wins.
      if (How == Effort::Full)
        for (size_t I = 0; I < Some.size() && Whole.size() < MostWhole; ++I)
          if (const auto Built = Runs.known(Some[I].key()); Built && !Built->Launches.empty())
            beginWhole(Some[I]);
      return Some;
    };
    Runs.evaluate(Seen, How, Take, [this](const Candidate &C) { return emit(C, /*KernelOnly=*/true); });
  }

  BuiltCandidate wholeOf(const Candidate &Of) override {
    const std::shared_future<BuiltCandidate> Built = beginWhole(Of);
    Tasks.wait(); // for all: loops of launches are timed next, which a busy host would slow down
    return Built.get();
  }

  llvm::Expected<TuningDraft> draft(const Candidate &Of) override {
    return TuningDraft{filesOf(Fuse.options(), TRY(Fuse.source(Of.Config))), ""};
  }

private:
  /// The candidate in the whole output, compiled once.
  std::shared_future<BuiltCandidate> beginWhole(const Candidate &Of) {
    const auto [At, IsNew] = Whole.try_emplace(Of.key());
    if (IsNew) {
      auto Todo = emit(Of, /*KernelOnly=*/false);
      if (!Todo)
        Todo = CandidateRuns::Compilation{
            nullptr, [Failed = failedWith(Fate::Impossible, Todo.takeError())] { return BuiltCandidate{Failed, {}}; }};
      At->second = Tasks.async(std::move(Todo->Build));
    }
    return At->second;
  }

  llvm::Expected<CandidateRuns::Compilation> emit(const Candidate &Of, bool KernelOnly) {
    auto Plan = TRY(Fuse.plan(Of.Config));
    TRY(Fuse.chooseIncludes(Plan));
    // The cap is set in the PTX: candidates that differ in nothing else share it.
    Candidate Shared = Of.compiled();
    const RegisterLimit &Limit = Of.Config.Registers;
    if (Limit.Policy != RegisterPolicy::None && Limit.Policy != RegisterPolicy::Split)
      Shared.Config.Registers = {RegisterPolicy::Bound, 0, 1};
    auto Emitted = TRY(Fuse.plan(Shared.Config));
    EmitOptions Own = ofAnyCommand(Fuse.options());
    Own.KernelOnly = KernelOnly;
    Own.AllIncludes = Fuse.options().AllIncludes;
    Own.Name += fmt::format("_{:016x}", llvm::xxh3_64bits(Shared.key()));
    auto Text = TRY(emitFused(Fuse.constituents(), Emitted, Own));
    auto Job = std::make_shared<CompileJob>(jobOf(Fuse, std::move(Text), Found.What.Gpu.Arch));
    if (Limit.Policy == RegisterPolicy::Free || Limit.Policy == RegisterPolicy::Bound)
      Job->Cap.MinBlocks = Limit.Policy == RegisterPolicy::Free ? 1 : Limit.MinBlocks;
    if (Limit.Policy == RegisterPolicy::Count)
      Job->Cap.MaxRegisters = Limit.Count;
    Job->Entry = fusedEntry(Plan, Own.Name);
    Job->Mark = Own.Name;
    return CandidateRuns::Compilation{
        Job, [this, Of, Job, Plan = std::move(Plan)] {
          auto Compiled = Back.compile(*Job);
          return Compiled ? built(Of, Plan, *Job, *Compiled)
                          : BuiltCandidate{failedWith(Fate::CompileFailed, Compiled.takeError()), {}};
        }};
  }

  BuiltCandidate built(const Candidate &Of, const FusionPlan &Plan, const CompileJob &Job,
                       const CompiledKernels &Compiled) const {
    std::vector<PackedKernel> Kernels;
    for (const auto &[Shapes, Config] : llvm::zip(Found.Packed, Of.Config.Constituents)) {
      const auto Shape = llvm::find_if(Shapes, [&](const PackedKernel &One) { return One.Block == Config.Block; });
      if (Shape == Shapes.end())
        return {failedWith(Fate::Impossible, "the workload has no such block"), {}};
      Kernels.push_back(*Shape);
    }
    return understand(Plan, Job.Mark, Job.Entry, Compiled, Facts, std::move(Kernels), Found.What.Gpu);
  }

  Fuser Fuse;
  const SoloFindings &Found;
  std::vector<const KernelFacts *> Facts;
  Compiler &Back;
  std::map<std::string, std::shared_future<BuiltCandidate>> Whole; ///< By key.
  CandidateRuns Runs;
  llvm::ThreadPoolTaskGroup Tasks; ///< Last: what they compile ends first.
};

} // namespace

std::unique_ptr<TuningKind> sideBySide(const TuningTools &Tools, const TuningSubject &Subject,
                                       const SoloFindings &Found) {
  return std::make_unique<SideBySide>(Tools, Subject, Found);
}

} // namespace cufuse
