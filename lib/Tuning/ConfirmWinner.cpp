#include "ConfirmWinner.h"

#include "CandidateRuns.h"

#include <fmt/core.h>

#include <future>
#include <set>

namespace cufuse {

namespace {

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
      const Ranked Winner = *Verdict.Winner;
      const std::string Key = Winner.Which.key();
      if (const auto Already = Against.find(Key); Already != Against.end()) {
        Result.Baselines = Already->second;
        Verdict = summarize(Result);
        break;
      }
      if (!Against.empty() && Repeated.insert(Key).second) {
        World.evaluate(once<Candidate>(Winner.Which), Effort::Full, [&](size_t, const Evaluation &Again) {
          addMeasured(Winner.Which, Again);
          return true;
        });
      } else {
        const std::vector<KernelLaunch> Launches = World.launchesOf(Winner.Which);
        Result.Baselines = Found.Baselines;
        if (Launches.empty())
          Result.Unconfirmed = fmt::format("the whole output of {} does not compile", Key);
        else if (llvm::Error Error = confirm(Winner, Launches))
          return std::move(Error);
        Against[Key] = Result.Baselines;
      }
      Verdict = summarize(Result);
    }
    return Confirmed{std::move(Result), std::move(Verdict)};
  }

private:
  /// The baselines that may be the strongest. Where loops and graphs are on scales of their own, the best of each kind;
  /// all, where some were measured on one GPU and some on another, which may be faster.
  std::vector<size_t> rivals() const {
    const std::vector<BaselineResult> &All = Result.Baselines;
    std::vector<size_t> Positions;
    std::map<Schedule::Kind, size_t> Best;
    for (size_t I = 0; I < All.size(); ++I) {
      if (All[I].Result.Outcome != Fate::Measured)
        continue;
      Positions.push_back(I);
      const Schedule::Kind Kind = Found.SeveralPasses ? All[I].How : Schedule::Serial;
      const auto [At, IsFirst] = Best.try_emplace(Kind, I);
      if (!IsFirst && All[I].Result.Microseconds < All[At->second].Result.Microseconds)
        At->second = I;
    }
    if (Gpus.hasSeveralGpus())
      return Positions;
    Positions.clear();
    for (const auto &[Kind, I] : Best)
      Positions.push_back(I);
    return Positions;
  }

  /// Times are compared only with those taken here: on one GPU, one after the other, and all scaled alike. A pass at a
  /// time is as long as the GPU's clock makes it, which the reference knows; what limits a loop, the host or the GPU,
  /// need not limit another, and none is scaled.
  llvm::Error confirm(const Ranked &Winner, const std::vector<KernelLaunch> &Launches) {
    Schedule Fused{Winner.Which.key(), Schedule::Serial, Launches};
    Fused.Counters = Launches.size() == 1;
    const std::vector<size_t> Rivals = rivals();
    std::vector<Schedule> Again;
    for (const size_t I : Rivals)
      Again.push_back(Found.Launched[I]);
    Again.push_back(Fused);
    // Launches that depend on each other are no parallel branches.
    if (Launches.size() == 1)
      Again.push_back({Winner.Which.key() + " in a graph", Schedule::Graph, Launches});
    const Schedule::Kind Last = Again.back().How;
    auto Running = std::async(std::launch::async, [&] { return Gpus.runTogether(std::move(Again)); });
    llvm::Error Failed = llvm::Error::success();
    if (Verdict.What == Advice::Fuse)
      Failed = Meanwhile(Winner.Which);
    std::vector<RunOutcome> Outcomes = Running.get();
    if (Failed)
      return Failed;
    const RunOutcome OnScale = Gpus.onScale(Last, Outcomes.back());
    const double Scale = Outcomes.front().Time ? Outcomes.front().Time->ReferenceMicroseconds : 0;
    for (RunOutcome &One : Outcomes)
      if (One.Time && One.Time->Passes == 1 && Scale > 0 && One.Time->ReferenceMicroseconds > 0)
        One.Time->Microseconds *= Scale / One.Time->ReferenceMicroseconds;
    for (size_t I = 0; I < Rivals.size(); ++I) {
      BaselineResult &Baseline = Result.Baselines[Rivals[I]];
      Baseline.Result = withOutcome(Baseline.Result, Outcomes[I]);
      Baseline.Confirmed = true;
      if (Outcomes[I].Status != RunStatus::Done)
        Result.Unconfirmed = fmt::format("what it has to beat ({}) fails now: {}", Outcomes[I].Name, Outcomes[I].What);
    }
    const RunOutcome &Loop = Outcomes[Rivals.size()];
    // The launches given, in turn with loops of the winner's.
    if (Loop.Time && Loop.Time->Passes > 1) {
      Result.Baselines.front().Result.Microseconds = Loop.Time->ReferenceMicroseconds;
      Result.Baselines.front().Confirmed = true;
    }
    CandidateProfile &Profile = Result.Profiles.emplace_back();
    Profile.Key = Winner.Which.key();
    Profile.Counters = Loop.Counters;
    Profile.Launched = withOutcome(Winner.Result, Loop);
    if (Launches.size() == 1)
      Profile.InGraph = withOutcome(Winner.Result, Outcomes.back());
    addMeasured(Winner.Which, withOutcome(Winner.Result, OnScale));
    return llvm::Error::success();
  }

  void addMeasured(const Candidate &Which, const Evaluation &Again) {
    const double At = Result.Tried.empty() ? 0 : Result.Tried.back().At;
    Result.Tried.push_back({Which, Effort::Full, Again, 0, At});
  }

  TuneResult Result;
  Summary Verdict;
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
