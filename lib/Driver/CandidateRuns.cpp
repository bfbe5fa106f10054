#include "CandidateRuns.h"

#include "cufuse/Support/Error.h"

#include <atomic>
#include <condition_variable>
#include <deque>

namespace cufuse {

static Fate fateOf(RunStatus Status) {
  switch (Status) {
  case RunStatus::Done:
    return Fate::Measured;
  case RunStatus::WrongResult:
    return Fate::WrongResult;
  case RunStatus::LoadFailed:
    return Fate::LoadFailed;
  case RunStatus::LaunchFailed:
    return Fate::LaunchFailed;
  case RunStatus::Crashed:
    return Fate::Crashed;
  case RunStatus::TimedOut:
    return Fate::TimedOut;
  }
  llvm_unreachable("an unknown status");
}

Evaluation failedWith(Fate Outcome, std::string Why) {
  Evaluation Failed;
  Failed.Outcome = Outcome;
  Failed.Why = std::move(Why);
  return Failed;
}

Evaluation failedWith(Fate Outcome, llvm::Error Error) { return failedWith(Outcome, textOf(std::move(Error))); }

Evaluation withOutcome(Evaluation Known, const RunOutcome &Outcome) {
  Known.Outcome = fateOf(Outcome.Status);
  Known.Why = Outcome.What;
  if (Outcome.Time) {
    Known.Microseconds = Outcome.Time->Microseconds;
    Known.RelativeNoise = Outcome.Time->RelativeNoise;
    Known.Samples = Outcome.Time->Samples;
    Known.ClockMHz = Outcome.Time->ClockMHz;
  }
  return Known;
}

/// One call of an evaluator: where its results arrive. Work for a call that has ended is passed over.
class CandidateRuns::Call {
public:
  void push(size_t Position, Evaluation Result) {
    std::lock_guard Guard(Lock);
    Ready.emplace_back(Position, std::move(Result));
    Changed.notify_one();
  }
  /// Hands over `Count` results as they come, or fewer, if `Take` does not want more.
  void deliver(size_t Count, TakeEvaluation Take) {
    for (; Count > 0; --Count) {
      const auto [Position, Result] = pop();
      if (!Take(Position, Result))
        break;
    }
    Ended = true;
  }
  std::atomic<bool> Ended = false;

private:
  std::pair<size_t, Evaluation> pop() {
    std::unique_lock Guard(Lock);
    Changed.wait(Guard, [this] { return !Ready.empty(); });
    auto First = std::move(Ready.front());
    Ready.pop_front();
    return First;
  }

  std::mutex Lock;
  std::condition_variable Changed;
  std::deque<std::pair<size_t, Evaluation>> Ready;
};

void CandidateRuns::evaluate(llvm::ArrayRef<Candidate> Candidates, std::optional<Effort> How, TakeEvaluation Take,
                             Emitter Emit) {
  auto This = std::make_shared<Call>();
  for (size_t I = 0; I < Candidates.size(); ++I)
    begin(This, I, Candidates[I], How, Emit);
  This->deliver(Candidates.size(), Take);
}

std::vector<KernelLaunch> CandidateRuns::launchesOf(const Candidate &Candidate) {
  std::lock_guard Guard(Lock);
  const auto Found = Known.find(Candidate.key());
  return Found == Known.end() ? std::vector<KernelLaunch>() : Found->second.Launches;
}

/// Emits and hands on what is not known yet.
void CandidateRuns::begin(const std::shared_ptr<Call> &Of, size_t Position, const Candidate &Candidate,
                          std::optional<Effort> How, Emitter Emit) {
  const std::string Key = Candidate.key();
  {
    std::unique_lock Guard(Lock);
    if (const auto Found = Known.find(Key); Found != Known.end()) {
      const BuiltCandidate Already = Found->second;
      Guard.unlock();
      return proceed(Of, Position, Key, Already, How);
    }
  }
  auto Compile = Emit(Candidate);
  if (!Compile)
    return Of->push(Position, failedWith(Fate::Impossible, Compile.takeError()));
  Tasks.async([this, Of, Position, Key, How, Compile = std::move(*Compile)] {
    if (Of->Ended)
      return;
    const BuiltCandidate Built = Compile();
    {
      std::lock_guard Guard(Lock);
      Known.insert_or_assign(Key, Built);
    }
    proceed(Of, Position, Key, Built, How);
  });
}

/// A result, or the next step towards it.
void CandidateRuns::proceed(const std::shared_ptr<Call> &Of, size_t Position, const std::string &Key,
                            const BuiltCandidate &Built, std::optional<Effort> How) {
  if (!How || Built.Launches.empty())
    return Of->push(Position, Built.Result);
  if (!Gpus.hasGpu())
    return Of->push(Position, failedWith(Fate::LaunchFailed, "there is no GPU"));
  Schedule One{Key, Schedule::Serial, Built.Launches};
  if (*How == Effort::Short)
    One.Stop = Short;
  Gpus.submit(std::move(One), [Of, Position, Result = Built.Result](const RunOutcome &Outcome) mutable {
    Of->push(Position, withOutcome(std::move(Result), Outcome));
  });
}

} // namespace cufuse
