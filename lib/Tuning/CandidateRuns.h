// From emitted candidates to launches and times; what the evaluators have in common.
#pragma once

#include "TuningSubject.h"
#include "cufuse/Model/Problem.h"
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
  std::vector<KernelLaunch> Launches; ///< In order; none where it cannot be run.
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

  explicit CandidateRuns(const TuningTools &Tools)
      : Back(Tools.Back), Gpus(Tools.Gpus), Threads(Tools.Pool.getMaxConcurrency()), Tasks(Tools.Pool) {}

  /// As `Evaluator::evaluate`.
  void evaluate(NextCandidates Next, std::optional<Effort> How, TakeEvaluation Take, Emitter Emit);
  /// One that was compiled, by its key.
  std::optional<BuiltCandidate> known(const std::string &Key);

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
  const unsigned Threads; ///< Of the pool.
  std::mutex Lock;
  std::map<std::string, BuiltCandidate> Known; ///< By key.
  llvm::ThreadPoolTaskGroup Tasks;             ///< Last: they end first.
};

/// The source of a fusion, to be compiled as the build would: with nvcc's flags for the kernels' files and the folders
/// they lie in. It runs without the program's other objects: a variable that it would share with them is its own, with
/// the value that the kernel's file gives it, where that is a number or an array of them, and else zero.
/// For what is compiled and not written: the same text, and so the same entry of the cache, whatever the command was.
EmitOptions ofAnyCommand(EmitOptions Options);
CompileJob jobOf(const Fuser &Fuse, FusedSource Text, const std::string &Arch);
/// What ptxas made of a planned kernel, and how it is launched. `Entry`: how its name begins; `Name`: of its namespace;
/// `Kernels`: with which its constituents are launched, each in a grid for the resident blocks where every one will do.
BuiltCandidate understand(const FusionPlan &Plan, const std::string &Name, const std::string &Entry,
                          const CompiledKernels &Compiled, llvm::ArrayRef<const KernelFacts *> Facts,
                          std::vector<PackedKernel> Kernels, const GpuFacts &Gpu);

/// What is known of a candidate, with what running it has shown.
Evaluation withOutcome(Evaluation Known, const RunOutcome &Outcome);
/// Of what did not get so far as to run.
Evaluation failedWith(Fate Outcome, std::string Why);
Evaluation failedWith(Fate Outcome, llvm::Error Error);

} // namespace cufuse
