// The parent's side of cufuse-runner: schedules go to a child process, outcomes come back, and what a schedule does to
// the child happens to that schedule alone.
#pragma once

#include "cufuse/Runner/RunnerJob.h"

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/Support/Error.h>

#include <memory>

namespace cufuse {

class ChildProcess;

/// cufuse-runner stands beside the running program.
std::string runnerBeside(llvm::StringRef Program);

/// Fails with ExitCode::MissingTool when there is no driver or no GPU; with `WhyNone`, that is no failure, and why is
/// there. A runner that does not say so itself fails in any case.
llvm::Expected<std::vector<DeviceInfo>> listDevices(const std::string &Runner, std::string *WhyNone = nullptr);

/// Those with these numbers, which have to be alike; without numbers the first.
llvm::Expected<std::vector<DeviceInfo>> chooseDevices(llvm::ArrayRef<DeviceInfo> Found, std::vector<unsigned> Wanted);

struct RunnerOptions {
  std::string Runner; ///< Path of cufuse-runner.
  unsigned Device = 0;
  unsigned StartSeconds = 120; ///< For the CUDA context, the buffers and, after a restart, one run of the reference.
};

/// One sitting on one GPU. The child is started when it is first needed and again after each schedule that it did not
/// survive; it is killed when the thread that started it ends, so a Runner stays on one thread.
class Runner {
public:
  /// The job's first schedule is the reference, unless it has none; its other schedules are not looked at.
  Runner(RunnerOptions Options, RunnerJob Job);
  ~Runner();

  /// Starts the child, which makes the buffers, ahead of the first schedule. Fails as `reference` does.
  llvm::Error prepare() { return Child ? llvm::Error::success() : start(); }
  /// Before anything is run.
  void setReference(Schedule Schedule) { Reference = std::move(Schedule); }
  /// Runs and times the reference, once; later calls answer the same. Fails when no child can be started: with
  /// ExitCode::MissingTool without cufuse-runner, a driver or a GPU, with ExitCode::BadInput when the buffers cannot be
  /// made.
  llvm::Expected<RunOutcome> reference();
  /// Runs another schedule: after the reference, and not at all when the reference is not `Done`; the outcome then has
  /// the reference's status. Fails as `reference` does; once that has succeeded, it never fails.
  llvm::Expected<RunOutcome> run(const Schedule &Schedule);
  /// Once something was run: nothing can be run any more.
  bool isLost() const {
    return FailedStarts >= Enough || !ReferenceOutcome || ReferenceOutcome->Status != RunStatus::Done;
  }

private:
  llvm::Error start();
  RunOutcome exchange(const Schedule &Schedule);

  RunnerOptions Options;
  RunnerJob Job; ///< Without schedules until the reference ran, and with that one afterwards.
  Schedule Reference;
  std::unique_ptr<ChildProcess> Child;
  std::optional<RunOutcome> ReferenceOutcome;
  unsigned FailedStarts = 0;            ///< In a row.
  static constexpr unsigned Enough = 3; ///< A GPU that is gone does not come back for the hundredth candidate.
};

/// Every schedule of the job in turn. `OnOutcome` hears of each as soon as it is there. As many outcomes as schedules.
llvm::Expected<std::vector<RunOutcome>> runJob(const RunnerOptions &Options, const RunnerJob &Job,
                                               llvm::function_ref<void(const RunOutcome &)> OnOutcome);

} // namespace cufuse
