#include "cufuse/Runner/RunnerPool.h"

#include "cufuse/Support/Error.h"

#include <fmt/core.h>

#include <utility>

namespace cufuse {

/// Of what is sampled in rounds. Before, each is checked alone, with its counters and as few samples as may be.
constexpr Stopping RoundsStop{.MinSamples = 24}, CheckStop{.MinSamples = 3, .MaxSamples = 3, .MaxSeconds = 0.1};

RunnerPool::RunnerPool(std::vector<RunnerOptions> Given, RunnerJob Job, BusyClock &Busy)
    : Devices(std::move(Given)), Job(std::move(Job)), Busy(Busy), Serving(Devices.size()) {
  for (const RunnerOptions &Device : Devices)
    Threads.emplace_back([this, &Device](const std::stop_token &Stop) { serve(Device, Stop); });
}

RunnerPool::~RunnerPool() {
  for (std::jthread &One : Threads)
    One.request_stop();
}

void RunnerPool::setReference(Schedule Schedule) {
  std::lock_guard Guard(Lock);
  Reference = std::move(Schedule);
  Changed.notify_all();
}

void RunnerPool::submit(Batch Next) {
  std::lock_guard Guard(Lock);
  Waiting.push_back(std::move(Next));
  Changed.notify_one();
}

void RunnerPool::submit(Schedule Next, Done Finished) {
  Batch One;
  One.Schedules.emplace_back(std::move(Next), std::move(Finished));
  submit(std::move(One));
}

std::vector<RunOutcome> RunnerPool::run(std::vector<Schedule> Schedules) { return await(std::move(Schedules), false); }

std::vector<RunOutcome> RunnerPool::runInTurn(std::vector<Schedule> Schedules) {
  return await(std::move(Schedules), true);
}

RunOutcome RunnerPool::onScale(Schedule::Kind How, RunOutcome Outcome) {
  // What limits one loop of launches, the host or the GPU, need not limit another.
  if (!Outcome.Time || (How != Schedule::Graph && Outcome.Time->Passes != 1) ||
      Outcome.Time->ReferenceMicroseconds <= 0)
    return Outcome;
  std::lock_guard Guard(Lock);
  if (ReferenceMicroseconds == 0)
    ReferenceMicroseconds = Outcome.Time->ReferenceMicroseconds;
  const double Factor = ReferenceMicroseconds / Outcome.Time->ReferenceMicroseconds;
  Outcome.Time->Microseconds *= Factor;
  for (double &Sample : Outcome.Time->Rounds)
    Sample *= Factor;
  return Outcome;
}

std::vector<std::string> RunnerPool::notes() {
  std::lock_guard Guard(Lock);
  return Notes;
}

bool RunnerPool::leave(const RunnerOptions &Device, const std::string &Why, Batch &Undone) {
  std::lock_guard Guard(Lock);
  if (Serving == 1)
    return false;
  --Serving;
  Notes.push_back(fmt::format("GPU {} was left out: {}.", Device.Device, Why));
  if (!Undone.Schedules.empty())
    Waiting.push_front(std::move(Undone));
  Changed.notify_one();
  return true;
}

std::vector<RunOutcome> RunnerPool::await(std::vector<Schedule> Schedules, bool InTurn) {
  std::vector<RunOutcome> Outcomes(Schedules.size());
  std::mutex Own;
  std::condition_variable AllDone;
  size_t Left = Schedules.size();
  Batch All;
  All.InTurn = true;
  for (size_t I = 0; I < Schedules.size(); ++I) {
    Done Finished = [&, I](const RunOutcome &Outcome) {
      std::lock_guard Guard(Own);
      Outcomes[I] = Outcome;
      if (--Left == 0)
        AllDone.notify_one();
    };
    if (InTurn) {
      Schedules[I].Stop = CheckStop;
      All.Schedules.emplace_back(std::move(Schedules[I]), std::move(Finished));
    } else {
      submit(std::move(Schedules[I]), std::move(Finished));
    }
  }
  if (InTurn)
    submit(std::move(All));
  std::unique_lock Guard(Own);
  AllDone.wait(Guard, [&] { return Left == 0; });
  return Outcomes;
}

/// What has failed is left out.
void RunnerPool::timeInTurn(Runner &Gpu, const Batch &Some, std::vector<RunOutcome> &Outcomes) {
  Schedule Rounds;
  std::vector<size_t> Sampled;
  for (size_t I = 0; I < Outcomes.size(); ++I) {
    if (Outcomes[I].Status != RunStatus::Done)
      continue;
    Schedule Next = Some.Schedules[I].first;
    Next.Counters = false;
    Next.Stop = RoundsStop;
    Sampled.push_back(I);
    if (Sampled.size() == 1)
      Rounds = std::move(Next);
    else
      Rounds.Beside.push_back(std::move(Next));
  }
  if (Sampled.empty())
    return;
  // A runner that has run something does not fail.
  RunOutcome Timed = llvm::cantFail(Gpu.run(Rounds));
  std::vector<RunOutcome> Others = std::exchange(Timed.Beside, {});
  for (size_t I = 0; I < Sampled.size(); ++I) {
    RunOutcome &Outcome = Outcomes[Sampled[I]], &Now = I == 0 ? Timed : Others[I - 1];
    Outcome.Status = Now.Status;
    Outcome.What = std::move(Now.What);
    Outcome.Time = std::move(Now.Time);
  }
}

void RunnerPool::serve(const RunnerOptions &Device, const std::stop_token &Stop) {
  Runner Gpu(Device, Job);
  {
    const BusyClock::Work Working(Busy);
    Batch None;
    if (llvm::Error Failed = Gpu.prepare(); Failed && leave(Device, textOf(std::move(Failed)), None))
      return; // The last one tries again with the first schedule, and says why not.
  }
  bool HasReference = false;
  for (;;) {
    std::unique_lock Guard(Lock);
    if (!Changed.wait(Guard, Stop, [this] { return Reference && !Waiting.empty(); }) || Stop.stop_requested())
      return;
    if (!std::exchange(HasReference, true))
      Gpu.setReference(*Reference);
    Batch Some = std::move(Waiting.front());
    Waiting.pop_front();
    Guard.unlock();
    std::vector<RunOutcome> Outcomes;
    const BusyClock::Work Working(Busy);
    for (const auto &[Next, Finished] : Some.Schedules) {
      auto Ran = Gpu.run(Next);
      Outcomes.push_back(Ran ? std::move(*Ran) : RunOutcome{Next.Name, RunStatus::Crashed, textOf(Ran.takeError())});
      // It would answer at once, and so take most of what there is to run.
      if (Gpu.isLost() && leave(Device, Outcomes.back().What, Some))
        return;
      if (!Some.InTurn)
        Outcomes.back() = onScale(Next.How, std::move(Outcomes.back()));
    }
    if (Some.InTurn)
      timeInTurn(Gpu, Some, Outcomes);
    for (size_t I = 0; I < Outcomes.size(); ++I)
      Some.Schedules[I].second(Outcomes[I]);
  }
}

} // namespace cufuse
