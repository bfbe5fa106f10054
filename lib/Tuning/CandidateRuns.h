// From emitted candidates to launches and times; what the evaluators have in common.
#pragma once

#include "cufuse/Compile/Compiler.h"
#include "cufuse/Runner/RunnerPool.h"
#include "cufuse/Search/Evaluator.h"

#include <llvm/Support/ThreadPool.h>

#include <functional>
#include <map>
#include <memory>
#include <mutex>

namespace cufuse {

/// A compiled candidate, as far as it got.
struct BuiltCandidate {
  Evaluation Result;
  std::vector<KernelLaunch> Launches; ///< None where it cannot be run.
};

/// Candidates are emitted on the calling thread, compiled on the threads of the pool, some together where there are
/// more than threads, and run on the GPUs, all at once. Each is compiled once, however often it is asked for.
class CandidateRuns {
public:
  struct Compilation {
    std::shared_ptr<const CompileJob> Job; ///< What it compiles, where that can be prepared with others.
    std::function<BuiltCandidate()> Build; ///< Called on a thread of the pool.
  };
  /// Fails where the candidate is impossible.
  using Emitter = llvm::function_ref<llvm::Expected<Compilation>(const Candidate &)>;

  /// `Short`: of `Effort::Short`; that of the runners' job is that of `Effort::Full`. The references outlive it.
  CandidateRuns(Compiler &Back, llvm::ThreadPoolInterface &Pool, RunnerPool &Gpus, Stopping Short)
      : Back(Back), Gpus(Gpus), Short(Short), Threads(Pool.getMaxConcurrency()), Tasks(Pool) {}

  /// As `Evaluator::measure`, or, without an effort, `Evaluator::screen`.
  void evaluate(NextCandidates Next, std::optional<Effort> How, TakeEvaluation Take, Emitter Emit);
  /// Of one that was compiled; none where it cannot be run.
  std::vector<KernelLaunch> launchesOf(const Candidate &Candidate);

private:
  class Call;
  struct Begun;

  void submit(const std::shared_ptr<Call> &Of, size_t First, llvm::ArrayRef<Candidate> Candidates,
              std::optional<Effort> How, Emitter Emit);
  std::optional<Begun> begin(const std::shared_ptr<Call> &Of, size_t Position, const Candidate &Candidate,
                             std::optional<Effort> How, Emitter Emit);
  void build(const std::shared_ptr<Call> &Of, const Begun &One, std::optional<Effort> How);
  void proceed(const std::shared_ptr<Call> &Of, size_t Position, const std::string &Key, const BuiltCandidate &Built,
               std::optional<Effort> How);

  Compiler &Back;
  RunnerPool &Gpus;
  const Stopping Short;
  const unsigned Threads; ///< Of the pool.
  std::mutex Lock;
  std::map<std::string, BuiltCandidate> Known; ///< By key.
  llvm::ThreadPoolTaskGroup Tasks;             ///< Last: they end first.
};

/// What is known of a candidate, with what running it has shown.
Evaluation withOutcome(Evaluation Known, const RunOutcome &Outcome);
/// Of what did not get so far as to run.
Evaluation failedWith(Fate Outcome, std::string Why);
Evaluation failedWith(Fate Outcome, llvm::Error Error);

} // namespace cufuse
