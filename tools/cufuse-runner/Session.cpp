#include "Session.h"

#include "cufuse/Runner/StoppingCriterion.h"
#include "cufuse/Support/Error.h"

#include <fmt/core.h>

#include <chrono>
#include <cmath>

namespace cufuse {

Session::Session(const CudaDriver &Cuda, unsigned Device, RunnerJob Job)
    : Cuda(Cuda), DeviceIndex(Device), Job(std::move(Job)) {}

llvm::Expected<std::unique_ptr<Session>> Session::make(const CudaDriver &Cuda, unsigned Device, RunnerJob Job) {
  std::unique_ptr<Session> Made(new Session(Cuda, Device, std::move(Job)));
  if (llvm::Error Error = Made->open())
    return std::move(Error);
  if (!Made->Job.Schedules.empty())
    if (llvm::Error Error = Made->setReference(Made->Job.Schedules.front()))
      return std::move(Error);
  return Made;
}

llvm::Error Session::open() {
  if (const CUresult Result = Cuda.cuDeviceGet(&Device, static_cast<int>(DeviceIndex)); Result != CUDA_SUCCESS)
    return fail(ExitCode::MissingTool, fmt::format("no GPU {}: {}", DeviceIndex, Cuda.describe(Result)));
  CUresult Result = Cuda.cuDevicePrimaryCtxRetain(&CudaContext, Device);
  if (Result == CUDA_SUCCESS)
    Result = Cuda.cuCtxSetCurrent(CudaContext);
  if (Result != CUDA_SUCCESS)
    return fail(ExitCode::MissingTool, fmt::format("GPU {} gives no context: {}", DeviceIndex, Cuda.describe(Result)));
  auto Made = Buffers::make(Cuda, Job.Buffers);
  if (!Made)
    return Made.takeError();
  Memory = std::move(*Made);
  const std::uint64_t L2 = Cuda.attribute(Device, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
  auto NewTimer = Timer::make(Cuda, Job.FlushL2 && Memory->bytes() < 4 * L2 ? 2 * L2 : 0);
  if (!NewTimer)
    return NewTimer.takeError();
  Stopwatch = std::move(*NewTimer);
  Clock.emplace(Cuda, Device);
  return llvm::Error::success();
}

llvm::Error Session::runOnce(PreparedSchedule &Schedule) {
  if (llvm::Error Error = Memory->prepare(Stopwatch->stream()))
    return Error;
  if (llvm::Error Error = Schedule.enqueue(Stopwatch->stream()))
    return Error;
  return check(Cuda, Cuda.cuCtxSynchronize(), RunStatus::LaunchFailed, "running");
}

llvm::Error Session::setReference(const Schedule &Schedule) {
  auto Prepared = PreparedSchedule::make(Cuda, *Memory, Schedule);
  if (!Prepared)
    return Prepared.takeError();
  if (llvm::Error Error = runOnce(**Prepared))
    return Error;
  if (llvm::Error Error = Memory->keepReference())
    return Error;
  Reference = std::move(*Prepared);
  Reference->capture(true); // the number of passes must not depend on the host
  if (llvm::Error Error = runOnce(*Reference))
    return Error;
  return choosePasses();
}

/// Once for all schedules: samples of one kind can be compared.
llvm::Error Session::choosePasses() {
  constexpr double Short = 50, Wanted = 200; // Microseconds.
  constexpr unsigned Most = 200;
  // A second pass would find what the first has left.
  if (Memory->accumulate())
    Job.Passes = 1;
  if (Job.Passes != 0)
    return llvm::Error::success();
  double Least = HUGE_VAL;
  for (unsigned I = 0; I < 3; ++I) {
    auto Sample = Stopwatch->sample(*Reference, 1, [] {});
    if (!Sample)
      return Sample.takeError();
    Least = std::min(Least, *Sample);
  }
  Job.Passes = Least >= Short ? 1 : static_cast<unsigned>(std::clamp<double>(std::ceil(Wanted / Least), 2, Most));
  return llvm::Error::success();
}

/// A sample of the reference and one of the schedule in turn, so that what changes slowly (clocks, temperature) reaches
/// both; the host, too, but only what is limited by it.
llvm::Expected<Timing> Session::time(PreparedSchedule &Schedule, const Stopping &Stop) {
  Reference->capture(Schedule.isGraph() || Job.Passes == 1);
  using Seconds = std::chrono::duration<double>;
  const auto Start = std::chrono::steady_clock::now();
  std::vector<double> Own, OfReference, Clocks;
  auto SeeClock = [&] {
    if (Clocks.size() < 5)
      Clocks.push_back(Clock->now());
  };
  auto Take = [&](PreparedSchedule &Which, std::vector<double> &Into) -> llvm::Error {
    if (llvm::Error Error = Memory->restore())
      return Error;
    auto Sample = Stopwatch->sample(Which, Job.Passes, SeeClock);
    if (!Sample)
      return Sample.takeError();
    Into.push_back(*Sample);
    return llvm::Error::success();
  };
  do {
    if (llvm::Error Error = Take(*Reference, OfReference))
      return std::move(Error);
    if (llvm::Error Error = Take(Schedule, Own))
      return std::move(Error);
  } while (!isEnough(Stop, Own, Seconds(std::chrono::steady_clock::now() - Start).count()));
  const Median Middle = medianOf(Own);
  Timing Result;
  Result.Microseconds = Middle.Value;
  Result.RelativeNoise = Middle.RelativeNoise;
  Result.Samples = static_cast<unsigned>(Own.size());
  Result.Passes = Job.Passes;
  Result.ReferenceMicroseconds = medianOf(OfReference).Value;
  Result.ClockMHz = Clocks.front() == 0 ? 0 : medianOf(Clocks).Value;
  return Result;
}

/// What the last of the timed passes has left, and what one more makes.
llvm::Error Session::checkAgain(PreparedSchedule &Schedule) {
  llvm::Error Wrong = Memory->compare();
  if (!Wrong)
    Wrong = runOnce(Schedule);
  if (!Wrong)
    Wrong = Memory->compare();
  return llvm::handleErrors(std::move(Wrong), [](const RunError &Error) -> llvm::Error {
    return llvm::make_error<RunError>(Error.Status, "after it was right at first: " + Error.What);
  });
}

void Session::count(PreparedSchedule &Schedule, RunOutcome &Outcome) {
  if (!Profiler && NoProfiler.empty()) {
    auto Made = CuptiRangeProfiler::make(CudaContext, DeviceIndex, Job.Metrics);
    if (Made)
      Profiler = std::move(*Made);
    else
      NoProfiler = textOf(Made.takeError());
  }
  Outcome.CountersNote = NoProfiler;
  if (!Profiler)
    return;
  auto Launch = [&]() -> llvm::Error {
    if (llvm::Error Error = Schedule.launchAll(Stopwatch->stream()))
      return Error;
    return check(Cuda, Cuda.cuCtxSynchronize(), RunStatus::LaunchFailed, "running under the profiler");
  };
  // What a pass leaves in L2 is written back by the next: without one before, up to half of L2 would not be counted.
  llvm::Error Wrong = Launch();
  // Between its own passes the profiler restores what the kernel has written.
  if (!Wrong)
    Wrong = Memory->restore();
  if (Wrong) {
    Outcome.CountersNote = textOf(std::move(Wrong));
    return;
  }
  auto Counters = Profiler->measure(Launch);
  if (Counters)
    Outcome.Counters = std::move(*Counters);
  else
    Outcome.CountersNote = textOf(Counters.takeError());
}

RunOutcome Session::run(const Schedule &Schedule) {
  RunOutcome Outcome;
  Outcome.Name = Schedule.Name;
  auto Work = [&]() -> llvm::Error {
    if (!Reference)
      if (llvm::Error Error = setReference(Schedule))
        return Error;
    auto Own = PreparedSchedule::make(Cuda, *Memory, Schedule);
    if (!Own)
      return Own.takeError();
    if (llvm::Error Error = runOnce(**Own))
      return Error;
    if (Schedule.Verify)
      if (llvm::Error Error = Memory->compare())
        return Error;
    auto Time = time(**Own, Schedule.Stop.value_or(Job.Stop));
    if (!Time)
      return Time.takeError();
    Outcome.Time = *Time;
    if (Schedule.Verify)
      if (llvm::Error Error = checkAgain(**Own))
        return Error;
    if (Schedule.Counters && !Job.Metrics.empty() && Schedule.Launches.size() == 1)
      count(**Own, Outcome);
    // An error may have come after the last call that would have told.
    return check(Cuda, Cuda.cuCtxSynchronize(), RunStatus::LaunchFailed, "running");
  };
  llvm::Error Other = llvm::handleErrors(Work(), [&](const RunError &Error) {
    Outcome.Status = Error.Status;
    Outcome.What = Error.What;
  });
  if (Other) {
    Outcome.Status = RunStatus::LaunchFailed;
    Outcome.What = textOf(std::move(Other));
  }
  if (Outcome.Status != RunStatus::Done)
    Outcome.Time.reset();
  return Outcome;
}

} // namespace cufuse
