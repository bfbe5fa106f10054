#include "cufuse/Runner/RunnerPool.h"

#include "cufuse/Support/Error.h"

#include <fmt/core.h>

#include <utility>

namespace cufuse {

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

std::vector<RunOutcome> RunnerPool::runTogether(std::vector<Schedule> Schedules) {
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
  Outcome.Time->Microseconds *= ReferenceMicroseconds / Outcome.Time->ReferenceMicroseconds;
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

std::vector<RunOutcome> RunnerPool::await(std::vector<Schedule> Schedules, bool Together) {
  std::vector<RunOutcome> Outcomes(Schedules.size());
  std::mutex Own;
  std::condition_variable AllDone;
  size_t Left = Schedules.size();
  Batch All;
  All.Scaled = false;
  for (size_t I = 0; I < Schedules.size(); ++I) {
    Done Finished = [&, I](const RunOutcome &Outcome) {
      std::lock_guard Guard(Own);
      Outcomes[I] = Outcome;
      if (--Left == 0)
        AllDone.notify_one();
    };
    if (Together)
      All.Schedules.emplace_back(std::move(Schedules[I]), std::move(Finished));
    else
      submit(std::move(Schedules[I]), std::move(Finished));
  }
  if (Together)
    submit(std::move(All));
  std::unique_lock Guard(Own);
  AllDone.wait(Guard, [&] { return Left == 0; });
  return Outcomes;
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
    for (const auto &[Next, Finished] : Some.Schedules) {
      const BusyClock::Work Working(Busy);
      auto Ran = Gpu.run(Next);
      Outcomes.push_back(Ran ? std::move(*Ran) : RunOutcome{Next.Name, RunStatus::Crashed, textOf(Ran.takeError())});
      // It would answer at once, and so take most of what there is to run.
      if (Gpu.isLost() && leave(Device, Outcomes.back().What, Some))
        return;
      if (Some.Scaled)
        Outcomes.back() = onScale(Next.How, std::move(Outcomes.back()));
    }
    for (size_t I = 0; I < Outcomes.size(); ++I)
      Some.Schedules[I].second(Outcomes[I]);
  }
}

} // namespace cufuse
