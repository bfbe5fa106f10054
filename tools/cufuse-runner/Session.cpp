#include "Session.h"

#include "cufuse/Runner/StoppingCriterion.h"
#include "cufuse/Support/Error.h"

#include <fmt/core.h>
#include <llvm/Demangle/Demangle.h>

#include <chrono>
#include <cmath>

namespace cufuse {

Session::Session(const CudaDriver &Cuda, unsigned Device, RunnerJob Job)
    : Cuda(Cuda), DeviceIndex(Device), Job(std::move(Job)) {}

llvm::Expected<std::unique_ptr<Session>> Session::make(const CudaDriver &Cuda, unsigned Device, RunnerJob Job) {
  std::unique_ptr<Session> Made(new Session(Cuda, Device, std::move(Job)));
  TRY(Made->open());
  if (!Made->Job.Schedules.empty())
    TRY(Made->setReference(Made->Job.Schedules.front()));
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
  Memory = TRY(Buffers::make(Cuda, Job.Buffers));
  const std::uint64_t L2 = Cuda.attribute(Device, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
  Stopwatch = TRY(Timer::make(Cuda, Job.FlushL2 && Memory->bytes() < 4 * L2 ? 2 * L2 : 0));
  Clock.emplace(Cuda, Device);
  return llvm::Error::success();
}

static llvm::Error prefixed(const std::string &Text, llvm::Error Failed) {
  return llvm::handleErrors(std::move(Failed), [&](const RunError &Error) -> llvm::Error {
    return llvm::make_error<RunError>(Error.Status, Text + Error.What);
  });
}

llvm::Error Session::runOnce(PreparedSchedule &Schedule) {
  TRY(Memory->prepare(Stopwatch->stream()));
  TRY(Schedule.enqueue(Stopwatch->stream()));
  return check(Cuda, Cuda.cuCtxSynchronize(), RunStatus::LaunchFailed, "running");
}

llvm::Error Session::setReference(const Schedule &Schedule) {
  auto Prepared = TRY(PreparedSchedule::make(Cuda, *Memory, Schedule));
  TRY(runOnce(*Prepared));
  TRY(Memory->keepReference());
  if (llvm::Error Error = Memory->untouched())
    return blame(*Prepared, std::move(Error));
  Reference = std::move(Prepared);
  Reference->capture(true); // the number of passes must not depend on the host
  auto Run = [&] { return runOnce(*Reference); };
  llvm::Error Wrong = Run();
  if (!Wrong)
    Wrong = prefixed("not the same twice, so that a tolerance is needed, or another kernel: ", Memory->compare());
  if (!Wrong)
    Wrong = Memory->checkReads(Run);
  if (!Wrong)
    Wrong = choosePasses();
  if (Wrong)
    Reference.reset();
  return Wrong;
}

/// Which of the kernels it is that changes what it may not.
llvm::Error Session::blame(PreparedSchedule &Schedule, llvm::Error Wrong) {
  for (size_t I = 0; I < Schedule.size(); ++I) {
    llvm::Error Own = Schedule.launchOne(I, Stopwatch->stream());
    if (!Own)
      Own = check(Cuda, Cuda.cuCtxSynchronize(), RunStatus::LaunchFailed, "running");
    if (!Own)
      Own = Memory->untouched();
    if (!Own)
      continue;
    llvm::consumeError(std::move(Wrong));
    return prefixed(llvm::demangle(Schedule.kernel(I)) + ": ", std::move(Own));
  }
  return Wrong;
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
    Least = std::min(Least, TRY(Stopwatch->sample(*Reference, 1, [] {})));
  }
  Job.Passes = Least >= Short ? 1 : static_cast<unsigned>(std::clamp<double>(std::ceil(Wanted / Least), 2, Most));
  return llvm::Error::success();
}

llvm::Expected<double> Session::sample(PreparedSchedule &Schedule, llvm::function_ref<void()> Meanwhile) {
  TRY(Memory->restore());
  return Stopwatch->sample(Schedule, Job.Passes, Meanwhile);
}

/// Runs the reference for a while and until its time no longer changes: a GPU that was idle is slow at first.
llvm::Error Session::warmUp() {
  constexpr double Least = 50'000, Stable = 0.005, MostSeconds = 1; // Microseconds on the GPU; relative.
  constexpr unsigned Window = 10;
  const auto Start = std::chrono::steady_clock::now();
  double Ran = 0, Before = 0, Now = 0;
  do {
    Before = Now;
    std::vector<double> Samples;
    while (Samples.size() < Window) {
      auto Sample = TRY(sample(*Reference, [] {}));
      Samples.push_back(Sample);
      Ran += Sample * Job.Passes;
    }
    Now = medianOf(Samples).Value;
  } while ((Ran < Least || std::abs(Now - Before) > Stable * Now) &&
           std::chrono::duration<double>(std::chrono::steady_clock::now() - Start).count() < MostSeconds);
  return llvm::Error::success();
}

/// A sample of the reference and one of each schedule in turn, so that what changes slowly (clocks, temperature)
/// reaches all alike; the host, too, but only what is limited by it. Every other round is in reverse order, so that
/// what changes steadily favours none.
llvm::Expected<std::vector<Timing>> Session::time(llvm::ArrayRef<PreparedSchedule *> Schedules, const Stopping &Stop) {
  if (Schedules.empty())
    return std::vector<Timing>();
  Reference->capture(Job.Passes == 1 || llvm::any_of(Schedules, [](const auto *S) { return S->isGraph(); }));
  if (Schedules.size() > 1)
    TRY(warmUp());
  using Seconds = std::chrono::duration<double>;
  const auto Start = std::chrono::steady_clock::now();
  std::vector<std::vector<double>> Own(Schedules.size());
  std::vector<double> OfReference, Clocks;
  auto SeeClock = [&] {
    if (Clocks.size() < 5)
      Clocks.push_back(Clock->now());
  };
  auto Take = [&](PreparedSchedule &Which, std::vector<double> &Into) -> llvm::Error {
    Into.push_back(TRY(sample(Which, SeeClock)));
    return llvm::Error::success();
  };
  auto IsEnough = [&] {
    const double Each = Seconds(std::chrono::steady_clock::now() - Start).count() / Schedules.size();
    return llvm::all_of(Own, [&](const std::vector<double> &Samples) { return isEnough(Stop, Samples, Each); });
  };
  do {
    const bool Reversed = OfReference.size() % 2;
    TRY(Take(*Reference, OfReference));
    for (size_t I = 0; I < Schedules.size(); ++I) {
      const size_t Which = Reversed ? Schedules.size() - 1 - I : I;
      TRY(Take(*Schedules[Which], Own[Which]));
    }
  } while (!IsEnough());
  std::vector<Timing> Results;
  for (std::vector<double> &Samples : Own) {
    const Median Middle = medianOf(Samples);
    Timing &Result = Results.emplace_back();
    Result.Microseconds = Middle.Value;
    Result.RelativeNoise = Middle.RelativeNoise;
    Result.Samples = static_cast<unsigned>(Samples.size());
    Result.Passes = Job.Passes;
    Result.ReferenceMicroseconds = medianOf(OfReference).Value;
    Result.ClockMHz = Clocks.front() == 0 ? 0 : medianOf(Clocks).Value;
    if (Schedules.size() > 1)
      Result.Rounds = std::move(Samples);
  }
  return Results;
}

/// What the last of the timed passes has left, if that was of this one, and what one more makes.
llvm::Error Session::checkAgain(PreparedSchedule &Schedule, bool WasLast) {
  llvm::Error Wrong = WasLast ? Memory->compare() : llvm::Error::success();
  if (!Wrong)
    Wrong = runOnce(Schedule);
  if (!Wrong)
    Wrong = Memory->compare();
  return prefixed("after it was right at first: ", std::move(Wrong));
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
    TRY(Schedule.launchAll(Stopwatch->stream()));
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

/// Loaded, and right as far as one run shows.
llvm::Expected<std::unique_ptr<PreparedSchedule>> Session::begin(const Schedule &Schedule) {
  if (!Reference)
    TRY(setReference(Schedule));
  auto Own = PreparedSchedule::make(Cuda, *Memory, Schedule);
  if (!Own)
    return Own;
  TRY(runOnce(**Own));
  TRY(Schedule.Verify ? Memory->compare() : Memory->untouched());
  return Own;
}

/// Says why it is not done, if it is not.
static void note(RunOutcome &Outcome, llvm::Error Failed) {
  llvm::Error Other = llvm::handleErrors(std::move(Failed), [&](const RunError &Error) {
    Outcome.Status = Error.Status;
    Outcome.What = Error.What;
  });
  if (Other) {
    Outcome.Status = RunStatus::LaunchFailed;
    Outcome.What = textOf(std::move(Other));
  }
  if (Outcome.Status != RunStatus::Done)
    Outcome.Time.reset();
}

RunOutcome Session::run(const Schedule &First) {
  std::vector<const Schedule *> All = {&First};
  for (const Schedule &Other : First.Beside)
    All.push_back(&Other);
  std::vector<RunOutcome> Outcomes(All.size());
  std::vector<std::unique_ptr<PreparedSchedule>> Prepared(All.size());
  std::vector<size_t> Timed;
  std::vector<PreparedSchedule *> Running;
  for (size_t I = 0; I < All.size(); ++I) {
    Outcomes[I].Name = All[I]->Name;
    auto Own = begin(*All[I]);
    if (!Own) {
      note(Outcomes[I], Own.takeError());
      continue;
    }
    Prepared[I] = std::move(*Own);
    Timed.push_back(I);
    Running.push_back(Prepared[I].get());
  }
  auto Finish = [&](size_t I) -> llvm::Error {
    if (All[I]->Verify)
      TRY(checkAgain(*Prepared[I], /*WasLast=*/Timed.size() == 1));
    if (All[I]->Counters && !Job.Metrics.empty() && All[I]->Launches.size() == 1)
      count(*Prepared[I], Outcomes[I]);
    // An error may have come after the last call that would have told.
    return check(Cuda, Cuda.cuCtxSynchronize(), RunStatus::LaunchFailed, "running");
  };
  auto Times = time(Running, First.Stop.value_or(Job.Stop));
  RunOutcome Untimed;
  if (!Times)
    note(Untimed, Times.takeError());
  for (size_t I = 0; I < Timed.size(); ++I) {
    RunOutcome &Outcome = Outcomes[Timed[I]];
    Outcome.Status = Untimed.Status;
    Outcome.What = Untimed.What;
    if (Untimed.Status != RunStatus::Done)
      continue;
    Outcome.Time = std::move((*Times)[I]);
    note(Outcome, Finish(Timed[I]));
  }
  RunOutcome Outcome = std::move(Outcomes.front());
  Outcome.Beside.assign(std::make_move_iterator(Outcomes.begin() + 1), std::make_move_iterator(Outcomes.end()));
  return Outcome;
}

} // namespace cufuse
