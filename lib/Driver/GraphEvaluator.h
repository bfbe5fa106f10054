// Choices of links become sources, cubins, sequences of launches and times.
#pragma once

#include "Batch.h"
#include "GroupFuser.h"

#include <llvm/Support/ThreadPool.h>

#include <map>

namespace cufuse {

/// Texts are emitted on the calling thread, compiled on the threads of the pool, and run on the GPUs, all at once. A
/// group is compiled once, however many candidates have it.
class GraphEvaluator final : public Evaluator {
public:
  /// `Alone`: each kernel's own launch. The references outlive it.
  GraphEvaluator(const GroupFuser &Fuse, const Problem &P, EmitOptions Emit, std::vector<KernelLaunch> Alone,
                 Compiler &Back, llvm::ThreadPoolInterface &Pool, RunnerPool &Gpus, EvaluatorOptions Options)
      : Fuse(Fuse), P(P), Emit(std::move(Emit)), Alone(std::move(Alone)), Back(Back), Gpus(Gpus),
        Options(std::move(Options)), Tasks(Pool) {}

  void screen(llvm::ArrayRef<Candidate> Candidates, TakeEvaluation Take) override {
    evaluate(Candidates, std::nullopt, Take);
  }
  void measure(llvm::ArrayRef<Candidate> Candidates, Effort Effort, TakeEvaluation Take) override {
    evaluate(Candidates, Effort, Take);
  }

  /// Of one that was screened and can be run.
  const std::vector<KernelLaunch> *launchesOf(const Candidate &Candidate);

private:
  struct Built {
    Evaluation Result;
    std::vector<KernelLaunch> Launches; ///< None where it cannot be run.
  };

  /// A group on its way; compiled by the first candidate that needs it.
  struct Build {
    std::optional<FusedGroup> Fused;
    CompileJob Job;
    std::once_flag Once;
    Built Done;
  };

  void evaluate(llvm::ArrayRef<Candidate> Candidates, std::optional<Effort> How, TakeEvaluation Take);
  void begin(const std::shared_ptr<Batch> &Call, size_t Position, const Candidate &Candidate,
             std::optional<Effort> How);
  void proceed(const std::shared_ptr<Batch> &Call, size_t Position, const std::string &Key, const Built &Known,
               std::optional<Effort> How);
  std::shared_ptr<Build> build(const LaunchGroup &Group);
  Built compile(const FusedGroup &Group, const CompileJob &Job);
  /// The candidate's launches by constituents; nothing where no order of them does the same.
  std::optional<Launches> membersOf(const Candidate &Candidate) const;

  const GroupFuser &Fuse;
  const Problem &P;
  const EmitOptions Emit;
  const std::vector<KernelLaunch> Alone;
  Compiler &Back;
  RunnerPool &Gpus;
  const EvaluatorOptions Options;

  std::map<std::string, std::shared_ptr<Build>> Groups; ///< By `LaunchGroup::str`; on the calling thread alone.
  std::mutex Lock;
  std::map<std::string, Built> Known; ///< By key.
  llvm::ThreadPoolTaskGroup Tasks;    ///< Last: they end first.
};

} // namespace cufuse
