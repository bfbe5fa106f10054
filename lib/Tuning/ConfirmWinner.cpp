#include "TuningKind.h"

#include "cufuse/Support/Error.h"

#include <fmt/core.h>

#include <future>
#include <set>

namespace cufuse {

namespace {

/// So many candidates fail that have not failed before: for each, the whole output is compiled.
constexpr unsigned MostFailed = 8;

class Confirmation {
public:
  Confirmation(TuneResult Result, const SoloFindings &Found, TuningKind &World, RunnerPool &Gpus,
               llvm::function_ref<llvm::Error(const Candidate &)> Meanwhile)
      : Result(std::move(Result)), Found(Found), World(World), Gpus(Gpus), Meanwhile(Meanwhile) {}

  llvm::Expected<Confirmed> run() {
    Verdict = summarize(Result);
    std::map<std::string, std::vector<BaselineResult>> Against; // by candidate that is confirmed
    std::set<std::string> Repeated;
    while (Gpus.hasGpu() && Verdict.Winner && Result.Unconfirmed.empty()) {
      const Candidate Winner = Verdict.Winner->Which;
      const std::string Key = Winner.key();
      if (const auto Already = Against.find(Key); Already != Against.end()) {
        Result.Baselines = Already->second;
        Verdict = summarize(Result);
        break;
      }
      if (!Against.empty() && Repeated.insert(Key).second) {
        World.evaluate(once<Candidate>(Winner), Effort::Full, [&](size_t, const Evaluation &Again) {
          addMeasured(Winner, Again);
          return true;
        });
      } else {
        const BuiltCandidate Whole = World.wholeOf(Winner);
        Result.Baselines = Found.Baselines;
        if (Whole.Launches.empty())
          Result.Unconfirmed = fmt::format("the whole output of {} does not compile", Key);
        else
          TRY(confirm(Winner, Whole));
        Against[Key] = Result.Baselines;
      }
      Verdict = summarize(Result);
    }
    // No winner: tuning the kernels alone is advised by times of one batch, too.
    if (Gpus.hasGpu() && rivals().size() > 1 &&
        llvm::none_of(Result.Baselines, [](const BaselineResult &B) { return B.Confirmed; })) {
      TRY(runWithRivals({}));
      Verdict = summarize(Result);
    }
    return Confirmed{std::move(Result), std::move(Verdict)};
  }

private:
  /// The baselines that may be the best of their level: all, where loops and graphs are on scales of their own, or some
  /// were measured on one GPU and some on another, which may be faster.
  std::vector<size_t> rivals() const {
    const std::vector<BaselineResult> &All = Result.Baselines;
    const bool OfAnyKind = Found.SeveralPasses || Gpus.hasSeveralGpus();
    std::map<std::pair<SoloLevel, Schedule::Kind>, size_t> Best;
    for (size_t I = 0; I < All.size(); ++I) {
      if (!isMeasured(All[I].Result))
        continue;
      size_t &At = Best.try_emplace({All[I].Level, OfAnyKind ? All[I].How : Schedule::Serial}, I).first->second;
      if (All[I].Result.Microseconds < All[At].Result.Microseconds)
        At = I;
    }
    std::vector<size_t> Positions;
    for (const auto &[Kind, I] : Best)
      Positions.push_back(I);
    return Positions;
  }

  /// Times are compared only with those taken here: on one GPU, in turn, and all scaled alike. A pass at a time is as
  /// long as the GPU's clock makes it, which the reference knows, and goes on the scale of the search; what limits a
  /// loop, the host or the GPU, need not limit another, and none is scaled.
  llvm::Expected<std::vector<RunOutcome>> runWithRivals(llvm::ArrayRef<Schedule> Fused) {
    const std::vector<size_t> Rivals = rivals();
    std::vector<Schedule> Again;
    for (const size_t I : Rivals)
      Again.push_back(Found.Launched[I]);
    llvm::append_range(Again, Fused);
    auto Running = std::async(std::launch::async, [&] { return Gpus.runInTurn(std::move(Again)); });
    llvm::Error Failed = Verdict.What == Advice::Fuse ? Meanwhile(Verdict.Winner->Which) : llvm::Error::success();
    std::vector<RunOutcome> Outcomes = Running.get();
    if (Failed)
      return std::move(Failed);
    for (size_t I = 0; I < Rivals.size(); ++I) {
      BaselineResult &Baseline = Result.Baselines[Rivals[I]];
      Baseline.Result = withOutcome(Baseline.Result, scaled(Outcomes[I]));
      Baseline.Confirmed = true;
      if (Outcomes[I].Status != RunStatus::Done && !Fused.empty())
        Result.Unconfirmed = fmt::format("what it has to beat ({}) fails now: {}", Outcomes[I].Name, Outcomes[I].What);
    }
    Outcomes.erase(Outcomes.begin(), Outcomes.begin() + Rivals.size());
    return Outcomes;
  }

  RunOutcome scaled(const RunOutcome &Outcome) const {
    return Outcome.Time && Outcome.Time->Passes == 1 ? Gpus.onScale(Schedule::Serial, Outcome) : Outcome;
  }

  llvm::Error confirm(const Candidate &Which, const BuiltCandidate &Whole) {
    std::vector<Schedule> Fused = {{Which.key(), Schedule::Serial, Whole.Launches}};
    // Launches that depend on each other are no parallel branches.
    const bool HasGraph = Whole.Launches.size() == 1;
    Fused.front().Counters = HasGraph;
    if (HasGraph)
      Fused.push_back({Which.key() + " in a graph", Schedule::Graph, Whole.Launches});
    auto Outcomes = TRY(runWithRivals(Fused));
    const RunOutcome &Loop = Outcomes.front(), &Last = Outcomes.back();
    CandidateProfile &Profile = Result.Profiles.emplace_back();
    Profile.Key = Which.key();
    Profile.Counters = Loop.Counters;
    Profile.Launched = withOutcome(Whole.Result, scaled(Loop));
    if (HasGraph)
      Profile.InGraph = withOutcome(Whole.Result, scaled(Last));
    // It is out if it fails in either way.
    const RunOutcome &Worse = Loop.Status != RunStatus::Done ? Loop : Last;
    Evaluation Again = withOutcome(Whole.Result, Gpus.onScale(Fused.back().How, Worse));
    Again.Rounds.clear(); // the profile has them
    addMeasured(Which, Again);
    if (Worse.Status != RunStatus::Done && ++FailedNow == MostFailed)
      Result.Unconfirmed = fmt::format("{} candidates fail now, the last one: {}", FailedNow, Worse.What);
    return llvm::Error::success();
  }

  void addMeasured(const Candidate &Which, const Evaluation &Again) {
    const double At = Result.Tried.empty() ? 0 : Result.Tried.back().At;
    Result.Tried.push_back({Which, Effort::Full, Again, 0, At});
  }

  TuneResult Result;
  Summary Verdict;
  unsigned FailedNow = 0;
  const SoloFindings &Found;
  TuningKind &World;
  RunnerPool &Gpus;
  const llvm::function_ref<llvm::Error(const Candidate &)> Meanwhile;
};

} // namespace

llvm::Expected<Confirmed> confirmWinner(TuneResult Result, const SoloFindings &Found, TuningKind &World,
                                        RunnerPool &Gpus,
                                        llvm::function_ref<llvm::Error(const Candidate &)> Meanwhile) {
  return Confirmation(std::move(Result), Found, World, Gpus, Meanwhile).run();
}

} // namespace cufuse
