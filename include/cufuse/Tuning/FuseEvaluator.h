// Candidates as the search names them become sources, cubins, launches and times.
#pragma once

#include "cufuse/Compile/Compiler.h"
#include "cufuse/Driver/Fuser.h"
#include "cufuse/Model/Problem.h"
#include "cufuse/Runner/RunnerPool.h"
#include "cufuse/Search/Evaluator.h"
#include "cufuse/Workload/Launches.h"

#include <memory>

namespace llvm {
class ThreadPoolInterface;
}

namespace cufuse {

/// What a fusion is launched with: by constituent, the packed kernel of each of its shapes, as `Problem` lists them.
using PackedShapes = std::vector<std::vector<PackedKernel>>;

/// What compiles a fused source as the build would: nvcc's flags for the kernels' files and the folders they lie in.
std::vector<std::string> nvccFlags(const Fuser &Fuser);

/// The files of a fused source that runs without the program's other objects: a variable that it would share with them
/// is its own, with the value that the kernel's file gives it, where that is a number or an array of them, and else
/// zero.
std::vector<OutputFile> filesAlone(const Fuser &Fuse, FusedSource Text);

struct EvaluatorOptions {
  std::string Arch; ///< `sm_90a`
  Stopping Short;   ///< Of `Effort::Short`; that of the runners' job is that of `Effort::Full`.
};

/// An evaluator that can tell how a candidate is launched.
class LaunchingEvaluator : public Evaluator {
public:
  /// In order, of the whole output, with all that is left out while searching; compiles it. None where it cannot be
  /// run.
  virtual std::vector<KernelLaunch> launchesOf(const Candidate &Candidate) = 0;
};

/// Of kernels side by side.
class FuseEvaluator final : public LaunchingEvaluator {
public:
  /// The references outlive it.
  FuseEvaluator(const Fuser &Fuser, const Problem &Problem, const PackedShapes &Packed, Compiler &Compiler,
                llvm::ThreadPoolInterface &Pool, RunnerPool &Gpus, EvaluatorOptions Options);
  ~FuseEvaluator() override;

  void screen(llvm::ArrayRef<Candidate> Candidates, TakeEvaluation Take) override;
  void measure(NextCandidates Next, Effort Effort, TakeEvaluation Take) override;

  std::vector<KernelLaunch> launchesOf(const Candidate &Candidate) override;

private:
  class Impl;
  std::unique_ptr<Impl> Own;
};

} // namespace cufuse
