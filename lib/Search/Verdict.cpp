#include "cufuse/Search/Verdict.h"

#include "cufuse/Model/Predict.h"
#include "cufuse/Runner/StoppingCriterion.h"
#include "cufuse/Search/Space.h"
#include "cufuse/Support/Error.h"

#include <fmt/core.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallVectorExtras.h>
#include <llvm/ADT/StringExtras.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace cufuse {

namespace {
constexpr double LaunchMicroseconds = 5; // of one empty launch after another, about

std::string kernelsOf(const TuneResult &R) {
  return listed(llvm::map_to_vector(R.What.Constituents, [](const auto &C) { return C.Name; }));
}

std::string timeOf(double Microseconds) {
  return Microseconds >= 1000 ? fmt::format("{:.3f} ms", Microseconds / 1000) : fmt::format("{:.2f} µs", Microseconds);
}

/// Grids that the search chose: who launches the fused kernel has to give them.
std::string gridsOf(const TuneResult &R, const Evaluation &E) {
  std::string Text;
  for (size_t I = 0; I < E.Grids.size(); ++I)
    if (E.Grids[I] > 0)
      Text += fmt::format(", {} with a grid of {}", R.What.Constituents[I].Name, E.Grids[I]);
  return Text;
}

Regime regimeOf(const TuneResult &R) {
  bool Tail = false;
  double Longest = 0;
  for (const ConstituentProblem &C : R.What.Constituents) {
    const SoloShape &Given = C.Shapes.front();
    Longest = std::max(Longest, Given.Microseconds);
    const ResourceUse Own = Given.Resources.value_or(ResourceUse{.Registers = 32});
    const BlockUse Use{static_cast<unsigned>(Given.Block.threads()), Own.Registers,
                       Given.DynamicBytes + Own.SharedBytes, 0};
    const std::uint64_t Wave =
        std::uint64_t(occupancyOf(smLimits(R.What.Gpu.Arch), Use).Blocks) * R.What.Gpu.Multiprocessors;
    Tail |= Given.Blocks < 2 * Wave;
  }
  if (Longest > 0 && Longest < 2 * LaunchMicroseconds)
    return Regime::LaunchBound;
  return Tail ? Regime::TailBound : Regime::ThroughputBound;
}

void rankCandidates(const TuneResult &R, Summary &S) {
  std::map<std::string, Ranked> ByKey;
  for (const TraceEntry &E : R.Tried) {
    Ranked &Known = ByKey[E.Tried.key()];
    const bool Full = E.Measured == Effort::Full;
    if (E.Predicted > 0)
      Known.Predicted = E.Predicted;
    if (Known.Full && !Full)
      continue;
    Known.Which = E.Tried;
    Known.Result = E.Result;
    Known.Full = Full;
  }
  for (auto &[Key, Known] : ByKey)
    if (isMeasured(Known.Result))
      S.Candidates.push_back(std::move(Known));
  llvm::sort(S.Candidates, [](const Ranked &A, const Ranked &B) {
    return std::pair(!A.Full, A.Result.Microseconds) < std::pair(!B.Full, B.Result.Microseconds);
  });
  std::set<std::string> HfuseKeys;
  if (!R.What.Graph)
    for (const Candidate &C : enumerateHfuseSpace(R.What))
      HfuseKeys.insert(C.key());
  std::vector<Ranked> Fastest = S.Candidates; // full or not
  llvm::stable_sort(Fastest,
                    [](const Ranked &A, const Ranked &B) { return A.Result.Microseconds < B.Result.Microseconds; });
  std::set<std::string> Kinds;
  for (const Ranked &C : Fastest) {
    if (Kinds.insert(kindOf(C.Which)).second)
      S.BestOfKind.push_back(C);
    if (!S.Hfuse && HfuseKeys.contains(C.Which.key()))
      S.Hfuse = C;
  }
  if (!S.Candidates.empty())
    S.Winner = S.Candidates.front();
}

/// Without times: what compiles, by the model with ptxas' figures.
void rankByModel(const TuneResult &R, Summary &S) {
  std::set<std::string> Seen;
  for (const TraceEntry &E : R.Tried)
    if (E.Result.Outcome == Fate::Measured && Seen.insert(E.Tried.key()).second) {
      if (R.What.Graph)
        S.Candidates.push_back({E.Tried, E.Result, false, predictLaunches(R.What, E.Tried.Groups, E.Result.Resources)});
      else if (const Prediction P = predict(R.What, E.Tried.Config, E.Result.Resources); P.ResidentBlocks > 0)
        S.Candidates.push_back({E.Tried, E.Result, false, P.Microseconds});
    }
  llvm::sort(S.Candidates, [](const Ranked &A, const Ranked &B) {
    return std::pair(A.Predicted, A.Which.key()) < std::pair(B.Predicted, B.Which.key());
  });
  if (R.What.Graph)
    S.PredictedSeparate = predictSeparate(R.What);
  if (!S.Candidates.empty() && (!R.What.Graph || S.Candidates.front().Predicted < S.PredictedSeparate))
    S.Winner = S.Candidates.front();
}

void rankBaselines(const TuneResult &R, Summary &S) {
  const bool AnyConfirmed =
      llvm::any_of(R.Baselines, [](const BaselineResult &B) { return B.Confirmed && isMeasured(B.Result); });
  for (const BaselineResult &B : R.Baselines) {
    if (!isMeasured(B.Result))
      continue;
    if (B.How == Schedule::Serial && B.Level == SoloLevel::Given)
      S.GivenSerial = B;
    if (AnyConfirmed && !B.Confirmed)
      continue;
    for (std::optional<BaselineResult> *Best : {&S.BestBaseline[static_cast<unsigned>(B.Level)], &S.StrongestBaseline})
      if (!*Best || B.Result.Microseconds < (*Best)->Result.Microseconds)
        *Best = B;
  }
}

/// Candidates are compared in graphs, where the host does not limit them. Who launches no graph of several kernels
/// launches the winner without one, too.
void lookIntoGraphs(const TuneResult &R, Summary &S) {
  if (!S.Winner || !S.StrongestBaseline)
    return;
  for (const CandidateProfile &Profile : R.Profiles) {
    if (Profile.Key != S.Winner->Which.key())
      continue;
    if (Profile.Launched && isMeasured(*Profile.Launched))
      S.Winner->Result = *Profile.Launched;
    if (S.StrongestBaseline->How == Schedule::Graph && Profile.InGraph && isMeasured(*Profile.InGraph) &&
        Profile.InGraph->Microseconds < S.Winner->Result.Microseconds)
      S.WinnerInGraph = Profile.InGraph;
  }
}

/// How many times as long the one takes; round by round if they were sampled in turn.
Median quotientOf(const Evaluation &Over, const Evaluation &Under) {
  if (!Over.Rounds.empty() && Over.Rounds.size() == Under.Rounds.size())
    return cufuse::quotientOf(Over.Rounds, Under.Rounds);
  return {Over.Microseconds / Under.Microseconds, std::hypot(Over.RelativeNoise, Under.RelativeNoise)};
}

/// Each level may also use what the one before it has: a factor is at least 1.
void factorize(Summary &S) {
  std::array<const Evaluation *, SoloLevelCount> Best{}; // up to each level
  for (unsigned I = 0; I < SoloLevelCount; ++I) {
    Best[I] = I > 0 ? Best[I - 1] : nullptr;
    if (const auto &At = S.BestBaseline[I]; At && (!Best[I] || At->Result.Microseconds < Best[I]->Microseconds))
      Best[I] = &At->Result;
  }
  auto Gain = [](const Evaluation *From, const Evaluation *To) {
    if (!From || From == To)
      return Median{1, 0};
    const Median Quotient = quotientOf(*From, *To);
    return Median{std::max(1.0, Quotient.Value), Quotient.RelativeNoise};
  };
  S.LaunchShapes = Gain(Best[0], Best[1]).Value;
  S.Binding = Gain(Best[1], Best[2]).Value;
  S.AloneNoise = Gain(Best[0], Best[2]).RelativeNoise;
  if (S.StrongestBaseline && S.Winner && isMeasured(S.Winner->Result)) {
    const Median Quotient =
        quotientOf(S.StrongestBaseline->Result, S.WinnerInGraph ? *S.WinnerInGraph : S.Winner->Result);
    S.Fusion = Quotient.Value;
    S.FusionNoise = Quotient.RelativeNoise;
  }
}

/// Of dependent kernels: what stays is moved once.
void boundGraph(const TuneResult &R, Summary &S) {
  if (!S.GivenSerial || leastMicroseconds(R.What) <= 0)
    return;
  S.Limit.Microseconds = leastMicroseconds(R.What);
  S.Limit.By = "DRAM bandwidth";
  S.Limit.Demands = {{S.Limit.By, S.Limit.Microseconds}};
  S.Limit.SerialMicroseconds = S.GivenSerial->Result.Microseconds;
}

void bound(const TuneResult &R, Summary &S) {
  if (R.What.Graph)
    return boundGraph(R, S);
  std::vector<SoloShape> Solo;
  std::vector<std::string> Names;
  for (const ConstituentProblem &C : R.What.Constituents) {
    SoloShape Best = C.best();
    std::vector<const SoloResult *> Levels;
    for (const SoloResult &Alone : R.Solo)
      if (Alone.Constituent == C.Name && isMeasured(Alone.Result))
        Levels.push_back(&Alone);
    for (const SoloResult *Alone : Levels)
      if (Best.Microseconds <= 0 || Alone->Result.Microseconds <= Best.Microseconds)
        Best.Microseconds = Alone->Result.Microseconds;
    if (Best.Microseconds <= 0)
      return;
    // Of those that are as fast, the last one demands least: its arguments are bound.
    for (const SoloResult *Alone : Levels)
      if (!Alone->Counters.empty() && Alone->Result.Microseconds <= AboutEqual * Best.Microseconds)
        Best.Counters = Alone->Counters;
    Solo.push_back(std::move(Best));
    Names.push_back(C.Name);
  }
  S.Limit = resourceBound(Solo, Names, R.What.Gpu);
}

std::string triedOf(const TuneResult &R, const Summary &S) {
  return fmt::format("{} of {} candidates{} were tried", S.Counts.total(), R.SpaceSize,
                     R.Strategy == "hfuse" ? " of HFUSE's search" : "");
}

/// Why a search that found nothing does not speak against fusing; empty where it does.
std::string doubtOf(const TuneResult &R, const Summary &S) {
  const std::string Tried = fmt::format("{}, {} measured", triedOf(R, S), S.Counts.of(Fate::Measured));
  if (!R.Unconfirmed.empty())
    return "the best fused kernel could not be measured again: " + R.Unconfirmed;
  if (R.Interrupted)
    return "the search was interrupted; " + Tried;
  if (R.Starved)
    return "the budget was spent before there was enough to judge by; " + Tried;
  if (R.AloneLeftOut > 0)
    return fmt::format("half of the budget was spent before {} forms of the kernels alone were built; {}",
                       R.AloneLeftOut, Tried);
  if (!S.Winner && !R.What.Graph && R.SpaceSize == 0)
    return fmt::format("the strategy {} has no candidate for them", R.Strategy);
  const unsigned Broken = S.Counts.of(Fate::CompileFailed) + S.Counts.of(Fate::LoadFailed) +
                          S.Counts.of(Fate::LaunchFailed) + S.Counts.of(Fate::Crashed) + S.Counts.of(Fate::TimedOut);
  const unsigned Wrong = S.Counts.of(Fate::WrongResult);
  if (!S.Winner && (Broken + Wrong + S.Counts.OnlyScreened > 0 || S.Counts.total() < R.SpaceSize))
    return fmt::format("no fused candidate could be measured; {} failed, {} gave wrong results", Broken, Wrong);
  if (Broken > S.Counts.of(Fate::Measured))
    return fmt::format("more candidates failed than could be measured, {} and {}", Broken, S.Counts.of(Fate::Measured));
  return {};
}

void judge(const TuneResult &R, Summary &S) {
  const std::string Kernels = kernelsOf(R);
  if (R.Modelled) {
    S.Sentence = fmt::format("Nothing was measured: {} candidates for {} are ranked by the model.", S.Candidates.size(),
                             Kernels);
    if (S.Winner)
      S.Sentence += fmt::format(" The first is {}.", S.Winner->Which.key());
    else if (R.What.Graph)
      S.Sentence += S.Candidates.empty() ? " None of them can be fused." : " By the model: do not fuse.";
    return;
  }
  if (!S.StrongestBaseline) {
    S.Sentence = fmt::format("No baseline of {} could be measured, so there is no verdict.", Kernels);
    return;
  }
  const BaselineResult &Strong = *S.StrongestBaseline;
  const std::string Against =
      fmt::format("{} {}, {}", phraseOf(Strong.How), phraseOf(Strong.Level), timeOf(Strong.Result.Microseconds));
  const double Alone = S.LaunchShapes * S.Binding, AtLeast = std::max(R.RequiredSpeedup, 1.0);
  auto Pays = [&](double Factor, double Noise) { return Factor >= R.RequiredSpeedup && Factor * (1 - Noise) > 1; };
  // By less than the noise, it does or does not.
  auto MayPay = [&](double Factor, double Noise) { return Factor * (1 + Noise) > AtLeast && !Pays(Factor, Noise); };
  const bool AlonePays = Pays(Alone, S.AloneNoise);
  std::string Fused;
  if (S.Winner)
    Fused = S.WinnerInGraph ? timeOf(S.WinnerInGraph->Microseconds) + " in a CUDA graph"
                            : timeOf(S.Winner->Result.Microseconds);
  const std::string Tried = R.SpaceSize > 0 ? fmt::format(" {}.", triedOf(R, S)) : "";
  const bool FusionPays = S.Winner && R.Unconfirmed.empty() && R.AloneLeftOut == 0 && Pays(S.Fusion, S.FusionNoise);
  if (FusionPays && !R.Interrupted) {
    S.What = Advice::Fuse;
    S.Sentence = fmt::format("Fuse {}: {}. That takes {}, {:.2f} times as fast as {}.", Kernels,
                             phraseOf(S.Winner->Which) + gridsOf(R, S.Winner->Result), Fused, S.Fusion, Against);
    if (Alone > S.Fusion)
      S.Sentence += fmt::format(" Tuning the kernels alone gives more: {:.2f} times.", Alone);
    S.Sentence += Tried;
    return;
  }
  const std::string TuningAlone =
      fmt::format(" Tuning the kernels alone makes them {:.2f} times as fast as they are now.", Alone);
  if (const std::string Doubt = doubtOf(R, S); !Doubt.empty()) {
    S.What = Advice::Undecided;
    S.Sentence = fmt::format("Undecided whether to fuse {}: {}.", Kernels, Doubt);
    if (FusionPays)
      S.Sentence += fmt::format(" So far, {} takes {}, {:.2f} times as fast as {}.", phraseOf(S.Winner->Which), Fused,
                                S.Fusion, Against);
    if (AlonePays)
      S.Sentence += TuningAlone;
    return;
  }
  const char *const Best = R.What.Graph ? "the best choice of links" : "the best fused kernel";
  std::string Why;
  if (!S.Winner)
    Why = R.What.Graph && S.Counts.of(Fate::Impossible) == S.Counts.total() && S.Counts.total() > 0
              ? "no link can be fused"
              : "no fused candidate could be measured";
  else if (MayPay(S.Fusion, S.FusionNoise)) {
    S.What = Advice::Undecided;
    S.Sentence = fmt::format("Undecided whether to fuse {}: {}, {}, is {:.3f} times as fast as {}, with a noise of "
                             "{:.1f} %; {:.2f} is required.{}",
                             Kernels, Best, Fused, S.Fusion, Against, S.FusionNoise * 100, AtLeast, Tried);
    return;
  } else
    Why = fmt::format("{} takes {}, {:.2f} times as fast as {}; {}", Best, Fused, S.Fusion, Against,
                      S.Fusion < R.RequiredSpeedup ? fmt::format("{:.2f} is required", R.RequiredSpeedup)
                                                   : "that is slower");
  if (MayPay(Alone, S.AloneNoise)) {
    S.What = Advice::Undecided;
    S.Sentence = fmt::format("Undecided whether to tune {} alone: that makes them {:.3f} times as fast, with a noise "
                             "of {:.1f} %. Do not fuse them: {}.{}",
                             Kernels, Alone, S.AloneNoise * 100, Why, Tried);
    return;
  }
  S.What = AlonePays ? Advice::TuneAlone : Advice::LeaveAlone;
  S.Sentence = fmt::format("Do not fuse {}: {}.", Kernels, Why);
  if (S.What == Advice::TuneAlone)
    S.Sentence += TuningAlone;
  S.Sentence += Tried;
}
} // namespace

std::string phraseOf(Schedule::Kind How) {
  static constexpr Named<Schedule::Kind> Phrases[] = {{Schedule::Serial, "serial launches"},
                                                      {Schedule::Streams, "a stream each"},
                                                      {Schedule::StreamsReversed, "a stream each, in reverse order"},
                                                      {Schedule::Graph, "a CUDA graph with parallel branches"}};
  return nameIn<Schedule::Kind>(Phrases, How).str();
}

std::string phraseOf(const FusionConfig &C) {
  // By geometry, and by grid policy.
  static constexpr const char *Sharing[] = {"side by side, {} threads", "in blocks of their own, {} threads",
                                            "in turn on the same threads, {}"};
  static constexpr const char *Playing[][3] = {{"", ", looping over their blocks", ", taking blocks from a pool"},
                                               {", interleaved", ", {} resident per SM", ", by ticket of the SM"},
                                               {"", "", ""}};
  auto List = [&](auto PartOf) { return listed(llvm::map_to_vector(C.Constituents, PartOf)); };
  const std::string Threads = List([](const ConstituentConfig &Part) {
    return (Part.Turns > 1 ? fmt::format("{} times ", Part.Turns) : "") +
           (Part.Copies > 1 ? fmt::format("{} × ", Part.Copies) : "") + Part.Block.str();
  });
  const std::string Resident = List([](const ConstituentConfig &Part) {
    return Part.ResidentBlocks ? std::to_string(Part.ResidentBlocks) : "the rest";
  });
  const auto Shape = static_cast<size_t>(C.Shape), Grid = static_cast<size_t>(C.Grid);
  const std::string Text =
      fmt::format(fmt::runtime(Sharing[Shape]), Threads) + fmt::format(fmt::runtime(Playing[Shape][Grid]), Resident);
  switch (C.Registers.Policy) {
  case RegisterPolicy::None:
    return Text;
  case RegisterPolicy::Free:
    return Text + ", all registers that one resident block may have";
  case RegisterPolicy::Bound:
    return Text + (C.Registers.MinBlocks > 0
                       ? fmt::format(", registers bound for {} resident blocks", C.Registers.MinBlocks)
                       : ", registers bound");
  case RegisterPolicy::Count:
    return Text + fmt::format(", at most {} registers", C.Registers.Count);
  case RegisterPolicy::Split:
    return Text + ", register budgets of " +
           List([](const ConstituentConfig &Part) { return std::to_string(Part.RegisterBudget); });
  }
  llvm_unreachable("a policy without a phrase");
}

std::string phraseOf(const Candidate &C) {
  if (C.Groups.empty())
    return phraseOf(C.Config);
  auto PhraseOf = [](const LaunchGroup &Group) {
    if (!Group.isFused())
      return Group.Kernels.front() + " alone";
    return fmt::format("{} in one kernel of {} threads{}", listed(Group.Kernels), Group.Block.str(),
                       Group.Vectorize > 1 ? fmt::format(", {} elements each", Group.Vectorize) : "");
  };
  return llvm::join(llvm::map_range(C.Groups, PhraseOf), "; then ");
}

std::string kindOf(const Candidate &C) {
  static constexpr Named<Geometry> Kinds[] = {{Geometry::Warps, "warps side by side"},
                                              {Geometry::Blocks, "whole blocks"},
                                              {Geometry::Threads, "same threads in turn"}};
  if (C.Groups.empty())
    return nameIn<Geometry>(Kinds, C.Config.Shape).str();
  auto NamesOf = [](const LaunchGroup &Group) { return llvm::join(Group.Kernels, "+"); };
  return llvm::join(llvm::map_range(C.Groups, NamesOf), " | ");
}

std::string phraseOf(SoloLevel Level) {
  static constexpr Named<SoloLevel> Phrases[] = {
      {SoloLevel::Given, "as given"},
      {SoloLevel::Shaped, "in their best launch shapes"},
      {SoloLevel::Bound, "in their best launch shapes with bound arguments"}};
  return nameIn<SoloLevel>(Phrases, Level).str();
}

double speedupOver(const std::optional<BaselineResult> &Baseline, const Evaluation &Result) {
  return Baseline && isMeasured(Result) ? Baseline->Result.Microseconds / Result.Microseconds : 0;
}

Summary summarize(const TuneResult &R) {
  Summary S;
  S.Limits = regimeOf(R);
  S.Counts = countFates(R.Tried);
  rankBaselines(R, S);
  R.Modelled ? rankByModel(R, S) : rankCandidates(R, S);
  lookIntoGraphs(R, S);
  factorize(S);
  bound(R, S);
  auto See = [&](const Evaluation &E, bool Full) {
    if (!isMeasured(E))
      return;
    S.Samples += E.Samples;
    if (Full)
      S.WorstNoise = std::max(S.WorstNoise, E.RelativeNoise);
    if (E.ClockMHz > 0) {
      S.LowestClockMHz = S.LowestClockMHz > 0 ? std::min(S.LowestClockMHz, E.ClockMHz) : E.ClockMHz;
      S.HighestClockMHz = std::max(S.HighestClockMHz, E.ClockMHz);
    }
  };
  for (const TraceEntry &E : R.Tried)
    See(E.Result, E.Measured == Effort::Full);
  for (const BaselineResult &B : R.Baselines)
    See(B.Result, true);
  judge(R, S);
  return S;
}

} // namespace cufuse
