// One sitting on one GPU: the buffers, the reference, and schedules run against it.
#pragma once

#include "Timer.h"

#include "cufuse/Runner/CuptiRangeProfiler.h"

namespace cufuse {

class Session {
public:
  /// Takes the device's primary context, makes the buffers and, where the job has a schedule, runs it once as the
  /// reference. Fails with a Failure, or a RunError about the reference.
  static llvm::Expected<std::unique_ptr<Session>> make(const CudaDriver &Cuda, unsigned Device, RunnerJob Job);

  /// Loads, runs, compares, times, counts. The first schedule of a session without a reference becomes it. What is
  /// beside it and fails is not timed, and the others are. After `Crashed` the session is of no more use.
  RunOutcome run(const Schedule &Schedule);

private:
  Session(const CudaDriver &Cuda, unsigned Device, RunnerJob Job);
  llvm::Error open();
  llvm::Error setReference(const Schedule &Schedule);
  llvm::Error runOnce(PreparedSchedule &Schedule);
  llvm::Error blame(PreparedSchedule &Schedule, llvm::Error Wrong);
  llvm::Error choosePasses();
  llvm::Error checkAgain(PreparedSchedule &Schedule, bool WasLast);
  llvm::Expected<double> sample(PreparedSchedule &Schedule, llvm::function_ref<void()> Meanwhile);
  llvm::Error warmUp();
  llvm::Expected<std::vector<Timing>> time(llvm::ArrayRef<PreparedSchedule *> Schedules, const Stopping &Stop);
  llvm::Expected<std::unique_ptr<PreparedSchedule>> begin(const Schedule &Schedule);
  void count(PreparedSchedule &Schedule, RunOutcome &Outcome);

  const CudaDriver &Cuda;
  unsigned DeviceIndex;
  CUdevice Device = 0;
  CUcontext CudaContext = nullptr;
  RunnerJob Job;
  std::unique_ptr<Buffers> Memory;
  std::unique_ptr<Timer> Stopwatch;
  std::optional<SmClock> Clock;
  std::unique_ptr<PreparedSchedule> Reference;
  std::unique_ptr<CuptiRangeProfiler> Profiler;
  std::string NoProfiler; ///< Why there is none.
};

} // namespace cufuse
