#include "CandidateRuns.h"

#include "cufuse/Support/Error.h"

#include <llvm/ADT/StringMap.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <deque>

namespace cufuse {

/// Sources that one compiler reads: beyond, what it saves is little and the first result is late.
constexpr size_t MostTogether = 8;
/// Compilers for which one candidate waits: with more, they are chosen earlier, and less is known by then.
constexpr size_t ThreadsPerWaiting = 8;

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
  void wait(size_t Count) {
    std::lock_guard Guard(Lock);
    Waiting += Count;
  }
  void begin(size_t Count) {
    std::lock_guard Guard(Lock);
    Waiting -= Count;
    Changed.notify_one();
  }
  /// The next result; none if fewer than `Least` wait to begin before there is one.
  std::optional<std::pair<size_t, Evaluation>> pop(size_t Least) {
    std::unique_lock Guard(Lock);
    Changed.wait(Guard, [&] { return !Ready.empty() || Waiting < Least; });
    if (Ready.empty())
      return std::nullopt;
    auto First = std::move(Ready.front());
    Ready.pop_front();
    return First;
  }
  std::atomic<bool> Ended = false;

private:
  std::mutex Lock;
  std::condition_variable Changed;
  std::deque<std::pair<size_t, Evaluation>> Ready;
  size_t Waiting = 0; ///< Handed to the pool and not begun.
};

struct CandidateRuns::Begun {
  size_t Position;
  std::string Key;
  Compilation Todo;
};

void CandidateRuns::evaluate(NextCandidates Next, std::optional<Effort> How, TakeEvaluation Take, Emitter Emit) {
  auto This = std::make_shared<Call>();
  size_t Given = 0, Taken = 0;
  bool More = true;
  while (More || Taken < Given) {
    if (const auto Result = This->pop(More ? std::max<size_t>(Threads / ThreadsPerWaiting, 1) : 0)) {
      ++Taken;
      if (!Take(Result->first, Result->second))
        break;
    } else {
      const std::vector<Candidate> Some = Next();
      submit(This, Given, Some, How, Emit);
      Given += Some.size();
      More = !Some.empty();
    }
  }
  This->Ended = true;
}

void CandidateRuns::submit(const std::shared_ptr<Call> &Of, size_t First, llvm::ArrayRef<Candidate> Candidates,
                           std::optional<Effort> How, Emitter Emit) {
  // Those that become the same PTX, in their order.
  std::vector<std::vector<Begun>> Alike;
  llvm::StringMap<size_t> ByMark;
  for (size_t I = 0; I < Candidates.size(); ++I) {
    std::optional<Begun> New = begin(Of, First + I, Candidates[I], How, Emit);
    if (!New)
      continue;
    const auto [At, IsNew] =
        New->Todo.Job ? ByMark.try_emplace(New->Todo.Job->Mark, Alike.size()) : std::pair(ByMark.end(), true);
    if (IsNew)
      Alike.emplace_back();
    Alike[IsNew ? Alike.size() - 1 : At->second].push_back(std::move(*New));
  }
  const size_t Together = std::clamp<size_t>((Alike.size() + Threads - 1) / Threads, 1, MostTogether);
  for (size_t From = 0; From < Alike.size(); From += Together) {
    const auto Chunk = llvm::ArrayRef(Alike).slice(From, std::min(Together, Alike.size() - From));
    Of->wait(Chunk.size());
    Tasks.async([this, Of, How, Chunk = Chunk.vec()] {
      Of->begin(Chunk.size());
      if (Of->Ended)
        return;
      std::vector<const CompileJob *> Jobs;
      for (const std::vector<Begun> &Same : Chunk)
        if (Same.front().Todo.Job)
          Jobs.push_back(Same.front().Todo.Job.get());
      if (Jobs.size() > 1)
        Back.prepare(Jobs);
      for (const std::vector<Begun> &Same : Chunk)
        for (const Begun &One : Same)
          build(Of, One, How);
    });
  }
}

std::vector<KernelLaunch> CandidateRuns::launchesOf(const Candidate &Candidate) {
  std::lock_guard Guard(Lock);
  const auto Found = Known.find(Candidate.key());
  return Found == Known.end() ? std::vector<KernelLaunch>() : Found->second.Launches;
}

/// Emits what is not known yet.
std::optional<CandidateRuns::Begun> CandidateRuns::begin(const std::shared_ptr<Call> &Of, size_t Position,
                                                         const Candidate &Candidate, std::optional<Effort> How,
                                                         Emitter Emit) {
  const std::string Key = Candidate.key();
  std::unique_lock Guard(Lock);
  if (const auto Found = Known.find(Key); Found != Known.end()) {
    const BuiltCandidate Already = Found->second;
    Guard.unlock();
    proceed(Of, Position, Key, Already, How);
    return std::nullopt;
  }
  Guard.unlock();
  auto Todo = Emit(Candidate);
  if (!Todo) {
    Of->push(Position, failedWith(Fate::Impossible, Todo.takeError()));
    return std::nullopt;
  }
  return Begun{Position, Key, std::move(*Todo)};
}

void CandidateRuns::build(const std::shared_ptr<Call> &Of, const Begun &One, std::optional<Effort> How) {
  if (Of->Ended)
    return;
  const BuiltCandidate Built = One.Todo.Build();
  {
    std::lock_guard Guard(Lock);
    Known.insert_or_assign(One.Key, Built);
  }
  proceed(Of, One.Position, One.Key, Built, How);
}

/// A result, or the next step towards it.
void CandidateRuns::proceed(const std::shared_ptr<Call> &Of, size_t Position, const std::string &Key,
                            const BuiltCandidate &Built, std::optional<Effort> How) {
  if (!How || Built.Launches.empty())
    return Of->push(Position, Built.Result);
  if (!Gpus.hasGpu())
    return Of->push(Position, failedWith(Fate::LaunchFailed, "there is no GPU"));
  // A loop of launches can be limited by the host; launches that depend on each other are no parallel branches.
  Schedule One{Key, Built.Launches.size() == 1 ? Schedule::Graph : Schedule::Serial, Built.Launches};
  if (*How == Effort::Short)
    One.Stop = Short;
  Gpus.submit(std::move(One), [Of, Position, Result = Built.Result](const RunOutcome &Outcome) mutable {
    Of->push(Position, withOutcome(std::move(Result), Outcome));
  });
}

} // namespace cufuse
