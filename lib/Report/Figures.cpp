#include "Figures.h"

#include "cufuse/Gpu/Metrics.h"
#include "cufuse/Gpu/Occupancy.h"
#include "cufuse/Model/Predict.h"
#include "cufuse/Plan/ConfigNames.h"

#include <fmt/core.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace cufuse {

std::string shortened(const std::string &Text, size_t Most) {
  if (Text.size() <= Most)
    return Text;
  size_t End = Most - 1;
  while (End > 0 && (Text[End] & 0xC0) == 0x80) // in the middle of a character
    --End;
  return Text.substr(0, End) + "…";
}

namespace {
constexpr unsigned BaselineColour = 7, MarkColour = 6, BestColour = 5;
constexpr double WorstShown = 3; // times the best; what is slower lies at the plot's edge

std::string shortName(const std::string &Name) { return shortened(Name, 32); }

std::string blocksText(const TuneResult &R, SoloLevel Level) {
  auto BlockOf = [&](const ConstituentProblem &C) {
    const auto Own =
        llvm::find_if(R.Solo, [&](const SoloResult &S) { return S.Constituent == C.Name && S.Level == Level; });
    return (Own == R.Solo.end() ? C.Shapes.front().Block : Own->Block).str();
  };
  return llvm::join(llvm::map_range(R.What.Constituents, BlockOf), ", ");
}

/// Of a fused block.
double threadsOf(const Candidate &C) {
  for (const LaunchGroup &Group : C.Groups)
    if (Group.isFused())
      return static_cast<double>(Group.Block.threads());
  return fusedThreads(C.Config);
}

/// Colours of candidates: by geometry, or by what is fused, in the order of trying.
auto coloursOf(const TuneResult &R) {
  std::map<std::string, unsigned> Known;
  for (const TraceEntry &E : R.Tried)
    if (R.What.Graph)
      Known.try_emplace(kindOf(E.Tried), static_cast<unsigned>(Known.size() % BestColour));
  return [Known = std::move(Known)](const Candidate &C) {
    const auto Own = Known.find(kindOf(C));
    return Own == Known.end() ? static_cast<unsigned>(C.Config.Shape) : Own->second;
  };
}

std::string occupancyText(const TuneResult &R, const Ranked &C) {
  const double Most = smLimits(R.What.Gpu.Arch).Threads;
  return C.Result.ResidentBlocks == 0
             ? "–"
             : fmt::format("{:.0f} %", 100 * C.Result.ResidentBlocks * threadsOf(C.Which) / Most);
}

std::vector<std::string> candidateRow(const TuneResult &R, const Summary &S, const std::string &Role, const Ranked &C) {
  const auto &Given = S.BestBaseline[static_cast<unsigned>(SoloLevel::Given)];
  const bool HasLimit = S.Limit.Microseconds > 0 && isMeasured(C.Result);
  const auto &Use = C.Result.Resources;
  return {Role,
          C.Which.key(),
          R.Modelled ? timeText(C.Predicted) + " predicted" : timeText(C.Result.Microseconds),
          timesText(speedupOver(Given, C.Result)),
          timesText(speedupOver(S.StrongestBaseline, C.Result)),
          HasLimit ? percentText(S.Limit.share(C.Result.Microseconds)) : "–",
          Use ? fmt::format("{}", Use->Registers) : "–",
          Use ? fmt::format("{}", Use->SpillStores + Use->SpillLoads) : "–",
          occupancyText(R, C),
          isMeasured(C.Result) ? fmt::format("±{:.1f} %", C.Result.RelativeNoise * 100) : "–"};
}

std::string fateText(Fate F) {
  static constexpr Named<Fate> Texts[] = {{Fate::Impossible, "refused by the fuser"},
                                          {Fate::CompileFailed, "failed to compile"},
                                          {Fate::Discarded, "discarded after ptxas"},
                                          {Fate::LoadFailed, "failed to load"},
                                          {Fate::LaunchFailed, "failed to launch"},
                                          {Fate::Crashed, "crashed"},
                                          {Fate::TimedOut, "ran into the time limit"},
                                          {Fate::WrongResult, "gave wrong results"},
                                          {Fate::Measured, "measured"}};
  return nameIn<Fate>(Texts, F).str();
}

/// A kernel with its counters: a constituent alone or a candidate.
struct Profiled {
  std::string Name;
  double Microseconds;
  std::map<std::string, double> Counters;
};

std::vector<Profiled> profiledAlone(const TuneResult &R) {
  std::vector<Profiled> Kernels;
  for (const ConstituentProblem &C : R.What.Constituents) {
    Profiled New{C.Name, C.best().Microseconds, C.best().Counters};
    for (const SoloResult &S : R.Solo) // the last level counts
      if (S.Constituent == C.Name && !S.Counters.empty())
        New = {C.Name, S.Result.Microseconds, S.Counters};
    if (!New.Counters.empty())
      Kernels.push_back(std::move(New));
  }
  return Kernels;
}

std::vector<Profiled> profiledCandidates(const TuneResult &R, const Summary &S) {
  std::vector<Profiled> Kernels;
  for (const CandidateProfile &P : R.Profiles)
    for (const Ranked &C : S.Candidates)
      if (C.Which.key() == P.Key) {
        const bool Winner = S.Winner && S.Winner->Which.key() == P.Key,
                   Hfuse = S.Hfuse && S.Hfuse->Which.key() == P.Key;
        Kernels.push_back({Winner  ? "fused: " + P.Key
                           : Hfuse ? "HFUSE: " + P.Key
                                   : P.Key,
                           C.Result.Microseconds, P.Counters});
      }
  return Kernels;
}

/// Over the peak of the DRAM, in percent, or less than 0.
double dramOf(const TuneResult &R, const Profiled &K) {
  const double Read = counterOf(K.Counters, metric::DramRead), Written = counterOf(K.Counters, metric::DramWritten);
  const double Peak = R.What.Gpu.DramBytesPerMicrosecond * K.Microseconds;
  return Read < 0 || Written < 0 || Peak <= 0 ? -1 : 100 * (Read + Written) / Peak;
}

std::string labelOf(const std::string &Name) {
  const auto *Found = llvm::find_if(metric::all(), [&](const Metric &Each) { return Each.Name == Name; });
  return Found == metric::all().end() || !Found->Label ? Name : Found->Label;
}
} // namespace

std::string timeText(double Microseconds) {
  if (Microseconds <= 0)
    return "–";
  return Microseconds >= 1000  ? fmt::format("{:.3f} ms", Microseconds / 1000)
         : Microseconds >= 100 ? fmt::format("{:.1f} µs", Microseconds)
                               : fmt::format("{:.2f} µs", Microseconds);
}

std::string timesText(double Factor) { return Factor > 0 ? fmt::format("{:.2f}×", Factor) : "–"; }
std::string percentText(double Share) { return fmt::format("{:.0f} %", Share * 100); }

std::string phraseOf(Regime R) {
  static constexpr Named<Regime> Phrases[] = {
      {Regime::LaunchBound, "launch-bound: the kernels are about as short as their launches"},
      {Regime::TailBound, "tail-bound: a kernel does not fill the GPU twice"},
      {Regime::ThroughputBound, "throughput-bound: both kernels fill the GPU many times"}};
  return nameIn<Regime>(Phrases, R).str();
}

Table baselineTable(const TuneResult &R, const Summary &S) {
  Table T{{"Without fusion", "Launch shapes", "Blocks", "Time", "Over serial as given", "Noise", "Samples"},
          {false, false, false, true, true, true, true}};
  for (const BaselineResult &B : R.Baselines) {
    if (S.StrongestBaseline && S.StrongestBaseline->How == B.How && S.StrongestBaseline->Level == B.Level)
      T.Marked = static_cast<int>(T.Rows.size());
    const bool Known = isMeasured(B.Result);
    T.Rows.push_back({phraseOf(B.How), phraseOf(B.Level), blocksText(R, B.Level),
                      Known ? timeText(B.Result.Microseconds) : fateText(B.Result.Outcome),
                      timesText(speedupOver(S.GivenSerial, B.Result)),
                      Known ? fmt::format("±{:.1f} %", B.Result.RelativeNoise * 100) : "–",
                      Known ? fmt::format("{}", B.Result.Samples) : "–"});
  }
  return T;
}

Table candidateTable(const TuneResult &R, const Summary &S) {
  Table T{{"Fused", "Configuration", "Time", "Over best as given", "Over strongest", "Of the limit", "Registers",
           "Spill bytes", "Occupancy", "Noise"},
          {false, false, true, true, true, true, true, true, true, true}};
  T.Keys = 1;
  for (const Ranked &C : S.BestOfKind) {
    const bool IsWinner = S.Winner && C.Which.key() == S.Winner->Which.key();
    if (IsWinner)
      T.Marked = static_cast<int>(T.Rows.size());
    T.Rows.push_back(candidateRow(R, S, kindOf(C.Which), IsWinner ? *S.Winner : C)); // as in the sentence
  }
  if (S.WinnerInGraph) {
    Ranked InGraph = *S.Winner;
    InGraph.Result = *S.WinnerInGraph;
    T.Rows.push_back(candidateRow(R, S, "the winner in a CUDA graph", InGraph));
  }
  if (S.Hfuse)
    T.Rows.push_back(candidateRow(R, S, "best of HFUSE's search", *S.Hfuse));
  if (R.Modelled)
    for (size_t I = 0; I < std::min<size_t>(S.Candidates.size(), 10); ++I)
      T.Rows.push_back(candidateRow(R, S, fmt::format("{}.", I + 1), S.Candidates[I]));
  return T;
}

Table soloTable(const TuneResult &R) {
  Table T{{"Kernel alone", "Launch shapes", "Block", "Grid", "Arguments", "Unroll", "Time", "Over given", "Tried"},
          {false, false, false, true, false, true, true, true, true}};
  for (const SoloResult &S : R.Solo) {
    double Given = 0;
    for (const SoloResult &Other : R.Solo)
      if (Other.Constituent == S.Constituent && Other.Level == SoloLevel::Given)
        Given = Other.Result.Microseconds;
    auto Argument = [](const auto &One) { return One.first + " = " + One.second; };
    const std::string Bound = llvm::join(llvm::map_range(S.Bound, Argument), ", ");
    T.Rows.push_back(
        {S.Constituent, phraseOf(S.Level), S.Block.str(), fmt::format("{}", S.Blocks), Bound.empty() ? "–" : Bound,
         S.Unroll > 0 ? fmt::format("{}", S.Unroll) : "–", timeText(S.Result.Microseconds),
         timesText(Given > 0 && isMeasured(S.Result) ? Given / S.Result.Microseconds : 0), fmt::format("{}", S.Tried)});
  }
  return T;
}

/// The most frequent three, and how many others there are.
static std::string reasonsText(const std::map<std::string, unsigned> &Reasons) {
  constexpr size_t Shown = 3, MostBytes = 160;
  std::vector<std::pair<std::string, unsigned>> Sorted(Reasons.begin(), Reasons.end());
  llvm::stable_sort(Sorted, [](const auto &A, const auto &B) { return B.second < A.second; });
  std::string Text;
  for (size_t I = 0; I < std::min(Sorted.size(), Shown); ++I)
    Text += fmt::format("{}{} ({})", I == 0 ? "" : "; ", shortened(Sorted[I].first, MostBytes), Sorted[I].second);
  if (Sorted.size() > Shown)
    Text += fmt::format("; {} other reasons", Sorted.size() - Shown);
  return Text;
}

Table fateTable(const TuneResult &R, const Summary &S) {
  Table T{{"Candidates", "Count", "Reasons"}, {false, true, false}};
  std::map<Fate, std::map<std::string, unsigned>> Reasons;
  std::map<std::string, const TraceEntry *> Last;
  for (const TraceEntry &E : R.Tried)
    Last[E.Tried.key()] = &E;
  for (const auto &[Key, E] : Last)
    if (E->Result.Outcome != Fate::Measured)
      ++Reasons[E->Result.Outcome][E->Result.Why];
  T.Rows.push_back({"in the space", fmt::format("{}", R.SpaceSize), ""});
  for (unsigned I = FateCount; I-- > 0;) {
    const Fate F = static_cast<Fate>(I);
    if (S.Counts.of(F) == 0 && F != Fate::Measured)
      continue;
    T.Rows.push_back({fateText(F), fmt::format("{}", S.Counts.of(F)), reasonsText(Reasons[F])});
  }
  if (S.Counts.OnlyScreened > 0)
    T.Rows.push_back({"compiled, and not measured", fmt::format("{}", S.Counts.OnlyScreened), ""});
  std::map<std::pair<std::string, Fate>, std::map<std::string, unsigned>> Alone;
  for (const SoloResult &Failed : R.SoloFailed)
    ++Alone[{Failed.Constituent, Failed.Result.Outcome}][Failed.Result.Why];
  for (const auto &[Which, Own] : Alone) {
    const unsigned Count = llvm::sum_of(llvm::make_second_range(Own));
    T.Rows.push_back({fmt::format("{} alone, {}", shortName(Which.first), fateText(Which.second)),
                      fmt::format("{}", Count), reasonsText(Own)});
  }
  return T;
}

Table stepTable(const TuneResult &R) {
  Table T{{"Step", "Time", "GPU or compilers busy"}, {false, true, true}};
  for (const StepTime &Step : R.Steps)
    T.Rows.push_back({Step.Name, fmt::format("{:.1f} s", Step.Seconds),
                      Step.Seconds > 0 ? percentText(std::min(1.0, Step.Busy / Step.Seconds)) : "–"});
  return T;
}

Table counterTable(const TuneResult &R, const Summary &S) {
  std::vector<Profiled> Kernels = profiledAlone(R);
  llvm::append_range(Kernels, profiledCandidates(R, S));
  Table T{{"Counter"}, {false}};
  std::map<std::string, std::vector<std::string>> Rows;
  for (size_t I = 0; I < Kernels.size(); ++I) {
    T.Head.push_back(Kernels[I].Name);
    T.Numeric.push_back(true);
    for (const auto &[Metric, Value] : Kernels[I].Counters) {
      std::vector<std::string> &Row = Rows[labelOf(Metric)];
      Row.resize(Kernels.size(), "–");
      Row[I] = std::abs(Value) >= 1e6 ? fmt::format("{:.4g} M", Value / 1e6) : fmt::format("{:.4g}", Value);
    }
  }
  for (auto &[Name, Values] : Rows) {
    Values.insert(Values.begin(), Name);
    T.Rows.push_back(std::move(Values));
  }
  return T;
}

Table demandTable(const Summary &S) {
  Table T{{"Resource", "Time it is needed at least"}, {false, true}};
  for (const auto &[Resource, Microseconds] : S.Limit.Demands) {
    if (Resource == S.Limit.By)
      T.Marked = static_cast<int>(T.Rows.size());
    T.Rows.push_back({Resource, timeText(Microseconds)});
  }
  return T;
}

std::vector<std::pair<std::string, std::string>> measurementFacts(const TuneResult &R, const Summary &S) {
  std::vector<std::pair<std::string, std::string>> Facts;
  auto Add = [&](const char *Name, std::string Value) { Facts.emplace_back(Name, std::move(Value)); };
  const GpuFacts &Gpu = R.What.Gpu;
  Add("GPU", fmt::format("{}, {}, {} SMs{}", Gpu.Name.empty() ? "none" : Gpu.Name, Gpu.Arch, Gpu.Multiprocessors,
                         Gpu.Driver.empty() ? "" : ", driver " + Gpu.Driver));
  // A trace may hold what another strategy has measured.
  const std::uint64_t Measured = S.Counts.of(Fate::Measured);
  Add("Strategy", Measured > R.SpaceSize
                      ? fmt::format("{}: {} candidates, and {} measured with those of earlier runs", R.Strategy,
                                    R.SpaceSize, Measured)
                      : fmt::format("{}: {} of {} candidates measured", R.Strategy, Measured, R.SpaceSize));
  Add("Time spent",
      fmt::format("{:.1f} s{}{}", R.Seconds,
                  R.BusyShare > 0 ? fmt::format(", GPU or compilers busy {:.0f} % of it", R.BusyShare * 100) : "",
                  R.Interrupted ? ", ended before the strategy was done" : ""));
  if (S.Samples > 0) {
    Add("Samples", fmt::format("{} in all; medians, interleaved with the reference", S.Samples));
    Add("Noise",
        fmt::format("at most ±{:.1f} % of a full measurement (95 % confidence of the median)", S.WorstNoise * 100));
    Add("SM clock", S.HighestClockMHz <= 0 ? "not readable"
                    : S.LowestClockMHz == S.HighestClockMHz
                        ? fmt::format("{:.0f} MHz throughout", S.HighestClockMHz)
                        : fmt::format("{:.0f} to {:.0f} MHz", S.LowestClockMHz, S.HighestClockMHz));
  }
  Add("Regime", phraseOf(S.Limits));
  if (S.Limit.Microseconds > 0)
    Add("Limit", fmt::format("{}, set by {}{}", timeText(S.Limit.Microseconds), S.Limit.By,
                             S.Limit.Quick ? "; quick form, since counters are missing" : ""));
  Add("Started", fmt::format("{}, cufuse {}", R.Started, R.Version));
  return Facts;
}

BarPlot timePlot(const TuneResult &R, const Summary &S) {
  BarPlot P{"Times without and with fusion", {}, {}};
  auto Add = [&](std::string Name, double Microseconds, unsigned Colour) {
    P.Bars.push_back({std::move(Name), timeText(Microseconds), Microseconds, Colour});
  };
  for (const BaselineResult &B : R.Baselines)
    if (isMeasured(B.Result)) {
      const char *Level = B.Level == SoloLevel::Given    ? "as given"
                          : B.Level == SoloLevel::Shaped ? "best shapes"
                                                         : "bound";
      const std::string Name = B.How == Schedule::Graph             ? "graph"
                               : B.How == Schedule::StreamsReversed ? "streams, reversed"
                                                                    : nameOf(B.How).str();
      Add(Name + ", " + Level, B.Result.Microseconds, BaselineColour);
    }
  if (S.Hfuse)
    Add("HFUSE's search", S.Hfuse->Result.Microseconds, MarkColour);
  const auto ColourOf = coloursOf(R);
  for (const Ranked &C : S.BestOfKind)
    Add("fused, " + kindOf(C.Which), C.Result.Microseconds, ColourOf(C.Which));
  if (S.WinnerInGraph)
    Add("fused, in a graph", S.WinnerInGraph->Microseconds, ColourOf(S.Winner->Which));
  if (S.Limit.Microseconds > 0)
    P.Levels.push_back({"limit", S.Limit.Microseconds});
  return P;
}

XyPlot partitionPlot(const TuneResult &R, const Summary &S) {
  XyPlot P;
  P.Title = "Time over partition by register mode";
  P.YAxis = "microseconds";
  if (R.What.Constituents.size() != 2 || R.What.Graph)
    return P;
  P.XAxis = fmt::format("share of the block's threads that play {}, %", shortName(R.What.Constituents[0].Name));
  std::map<RegisterPolicy, std::map<double, const Ranked *>> Best;
  for (const Ranked &C : S.Candidates) {
    if (C.Which.Config.Shape != Geometry::Warps || !isMeasured(C.Result))
      continue;
    const ConstituentConfig &First = C.Which.Config.Constituents[0];
    const double Own = 100.0 * paddedThreads(First) / fusedThreads(C.Which.Config);
    const Ranked *&Known = Best[C.Which.Config.Registers.Policy][Own];
    if (!Known || C.Result.Microseconds < Known->Result.Microseconds)
      Known = &C;
  }
  for (const auto &[Policy, Points] : Best) {
    PlotSeries Series{"registers: " + nameOf(Policy).str(), static_cast<unsigned>(Policy), true, true, {}};
    for (const auto &[Share, C] : Points)
      Series.Points.push_back(
          {Share, C->Result.Microseconds, C->Which.key() + ", " + timeText(C->Result.Microseconds)});
    P.Series.push_back(std::move(Series));
  }
  if (S.StrongestBaseline)
    P.Levels.push_back({"best without fusion", S.StrongestBaseline->Result.Microseconds});
  if (S.Winner)
    P.YMost = S.Winner->Result.Microseconds * WorstShown;
  return P;
}

XyPlot searchPlot(const TuneResult &R, const Summary &S) {
  XyPlot P;
  P.Title = "All candidates in the order in which they were measured";
  P.XAxis = "measurement";
  P.YAxis = "microseconds";
  std::map<std::string, PlotSeries> ByKind;
  const auto ColourOf = coloursOf(R);
  PlotSeries Best{"best so far", BestColour, true, false, {}};
  double Number = 0, Lowest = 0;
  for (const TraceEntry &E : R.Tried) {
    if (!E.Measured || !isMeasured(E.Result))
      continue;
    PlotSeries &Series = ByKind[kindOf(E.Tried)];
    Series.Name = kindOf(E.Tried);
    Series.Colour = ColourOf(E.Tried);
    const double Time = E.Result.Microseconds;
    Series.Points.push_back(
        {++Number, Time,
         fmt::format("{}, {}{}", E.Tried.key(), timeText(Time), *E.Measured == Effort::Full ? "" : " (short run)")});
    Lowest = Lowest > 0 ? std::min(Lowest, Time) : Time;
    Best.Points.push_back({Number, Lowest, {}});
  }
  for (auto &[Kind, Series] : ByKind)
    P.Series.push_back(std::move(Series));
  if (Number > 0)
    P.Series.push_back(std::move(Best));
  if (S.StrongestBaseline)
    P.Levels.push_back({"best without fusion", S.StrongestBaseline->Result.Microseconds});
  if (S.Limit.Microseconds > 0)
    P.Levels.push_back({"limit", S.Limit.Microseconds});
  P.YMost = Lowest * WorstShown;
  return P;
}

GroupedBars utilisationPlot(const TuneResult &R, const Summary &S) {
  GroupedBars P{"Utilisation before and after", "percent of the peak", {}, {}, 100};
  const std::vector<Profiled> Alone = profiledAlone(R), Fused = profiledCandidates(R, S);
  if (Alone.size() < R.What.Constituents.size() || Fused.empty())
    return P;
  P.Groups = {{"issue slots", {}}, {"achieved occupancy", {}}, {"DRAM bandwidth", {}}};
  auto Values = [&](const Profiled &K) {
    return std::array{counterOf(K.Counters, metric::Issue), counterOf(K.Counters, metric::Occupancy), dramOf(R, K)};
  };
  auto Add = [&](const std::string &Name, const std::array<double, 3> &Percent) {
    P.Series.push_back(Name);
    for (size_t I = 0; I < Percent.size(); ++I)
      P.Groups[I].Values.push_back(Percent[I]);
  };
  // One after the other: weighted by time.
  std::array<double, 3> Sum{};
  double Time = 0;
  for (const Profiled &K : Alone) {
    Add(K.Name + " alone", Values(K));
    for (size_t I = 0; I < Sum.size(); ++I)
      Sum[I] = Sum[I] < 0 || Values(K)[I] < 0 ? -1 : Sum[I] + Values(K)[I] * K.Microseconds;
    Time += K.Microseconds;
  }
  for (double &Percent : Sum)
    Percent = Percent < 0 || Time <= 0 ? -1 : Percent / Time;
  Add("one after the other", Sum);
  for (const Profiled &K : Fused)
    Add(K.Name, Values(K));
  return P;
}

} // namespace cufuse
