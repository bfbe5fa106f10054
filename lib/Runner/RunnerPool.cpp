#include "cufuse/Runner/RunnerPool.h"

#include <utility>

namespace cufuse {

RunnerPool::RunnerPool(std::vector<RunnerOptions> Given, RunnerJob Job, BusyClock &Busy)
    : Devices(std::move(Given)), Job(std::move(Job)), Busy(Busy) {
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
    llvm::consumeError(Gpu.prepare()); // The first schedule tries again, and says why not.
  }
  bool HasReference = false;
  for (;;) {
    std::unique_lock Guard(Lock);
    if (!Changed.wait(Guard, Stop, [this] { return Reference && !Waiting.empty(); }) || Stop.stop_requested())
      return;
    if (!std::exchange(HasReference, true))
      Gpu.setReference(*Reference);
    const Batch Some = std::move(Waiting.front());
    Waiting.pop_front();
    Guard.unlock();
    for (const auto &[Next, Finished] : Some.Schedules) {
      std::optional<BusyClock::Work> Working(std::in_place, Busy);
      auto Reference = Gpu.reference();
      auto Ran = Reference ? Gpu.run(Next) : Reference.takeError();
      RunOutcome Outcome =
          Ran ? std::move(*Ran) : RunOutcome{Next.Name, RunStatus::Crashed, llvm::toString(Ran.takeError())};
      if (Some.Scaled)
        Outcome = onScale(Next.How, std::move(Outcome));
      Working.reset();
      Finished(Outcome);
    }
  }
}

} // namespace cufuse
