// Choices of links become sources, cubins, sequences of launches and times.
#pragma once

#include "CandidateRuns.h"
#include "GroupFuser.h"

namespace cufuse {

/// A group is compiled once, however many candidates have it.
class GraphEvaluator final : public LaunchingEvaluator {
public:
  /// `Alone`: each kernel's own launch. The references outlive it.
  GraphEvaluator(const GroupFuser &Fuse, const Problem &P, EmitOptions Emit, std::vector<KernelLaunch> Alone,
                 Compiler &Back, llvm::ThreadPoolInterface &Pool, RunnerPool &Gpus, EvaluatorOptions Options)
      : Fuse(Fuse), P(P), Emit(std::move(Emit)), Alone(std::move(Alone)), Back(Back), Arch(std::move(Options.Arch)),
        Runs(Back, Pool, Gpus, Options.Short) {}

  void screen(llvm::ArrayRef<Candidate> Candidates, TakeEvaluation Take) override {
    Runs.evaluate(OnlyThose(Candidates), std::nullopt, Take, [this](const Candidate &C) { return emit(C); });
  }
  void measure(NextCandidates Next, Effort Effort, TakeEvaluation Take) override {
    Runs.evaluate(Next, Effort, Take, [this](const Candidate &C) { return emit(C); });
  }

  std::vector<KernelLaunch> launchesOf(const Candidate &Candidate) override {
    screen(Candidate, [](size_t, const Evaluation &) { return true; });
    return Runs.launchesOf(Candidate);
  }

private:
  /// A group on its way; compiled by the first candidate that needs it.
  struct Build {
    std::optional<FusedGroup> Fused;
    CompileJob Job;
    std::once_flag Once;
    BuiltCandidate Done;
  };

  llvm::Expected<CandidateRuns::Compilation> emit(const Candidate &Candidate);
  std::shared_ptr<Build> build(const LaunchGroup &Group, llvm::ArrayRef<unsigned> Members);
  BuiltCandidate compile(const FusedGroup &Group, const CompileJob &Job) const;

  const GroupFuser &Fuse;
  const Problem &P;
  const EmitOptions Emit;
  const std::vector<KernelLaunch> Alone;
  Compiler &Back;
  const std::string Arch;

  std::map<std::string, std::shared_ptr<Build>> Groups; ///< By `LaunchGroup::str`; on the calling thread alone.
  CandidateRuns Runs;                                   ///< Last: what they compile ends first.
};

} // namespace cufuse
