// What follows from a result: fuse or not, and why, with the figures.
#pragma once

#include "cufuse/Model/ResourceBound.h"
#include "cufuse/Search/TuneResult.h"

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace cufuse {

constexpr double AboutEqual = 1.01; ///< Times that differ by less say nothing of which is better.

enum class Advice {
  Fuse,
  TuneAlone,  ///< Do not fuse, but launch the constituents in their own best shapes or bound.
  LeaveAlone, ///< Nothing beats what is there.
  Undecided,  ///< It was looked for too little, or in vain: nothing says that fusing does not pay.
  Unknown,    ///< Nothing was measured.
};

/// A candidate with the best that is known of it.
struct Ranked {
  Candidate Which;
  Evaluation Result;
  bool Full = false; ///< Measured until the noise was below the limit.
  double Predicted = 0;
};

/// What limits the constituents as given (tuning.md, "small kernels").
enum class Regime {
  LaunchBound, ///< Shorter than about two launches: what counts is how many there are.
  TailBound,   ///< A constituent does not fill the GPU twice: it idles at the end.
  ThroughputBound,
};

struct Summary {
  Advice What = Advice::Unknown;
  std::string Sentence; ///< The verdict, for people.
  Regime Limits = Regime::ThroughputBound;

  /// Best by schedule on each level, of those that were measured together where any were; nothing where none was.
  std::array<std::optional<BaselineResult>, SoloLevelCount> BestBaseline;
  std::optional<BaselineResult> StrongestBaseline; ///< The fastest of all.
  std::optional<BaselineResult> GivenSerial;       ///< Serial launches in the shapes given.

  /// Measured, full measurements first, each from the shortest time on. Of a result that is `Modelled`: those that
  /// compile, by the prediction.
  std::vector<Ranked> Candidates;
  /// The best candidate, also when it is not worth fusing; but by the model, a graph has none where separate launches
  /// are better.
  std::optional<Ranked> Winner;
  double PredictedSeparate = 0; ///< Of a graph that is `Modelled`: the separate launches, in microseconds.
  /// The winner as a CUDA graph, where that is what it is compared with: the strongest baseline is one, and a graph of
  /// the fused kernel was measured and is faster than its plain launch.
  std::optional<Evaluation> WinnerInGraph;
  std::vector<Ranked> BestOfKind; ///< From the fastest on, by `kindOf`.
  std::optional<Ranked> Hfuse;    ///< The best of those that HFUSE's search would try, where any was measured.

  /// The winner over the best baseline in the shapes given, split: launch shapes × binding × fusion. Fusion is against
  /// the strongest baseline. Ones where something was not measured.
  double LaunchShapes = 1, Binding = 1, Fusion = 1;
  double total() const { return LaunchShapes * Binding * Fusion; }
  double FusionNoise = 0; ///< Relative, of `Fusion`: of its quotients round by round, or both measurements' noise.
  double AloneNoise = 0;  ///< The same of `LaunchShapes` × `Binding`.

  ResourceBound Limit; ///< Of the constituents at their best alone; `Microseconds` is 0 where they were not measured.
  FateCounts Counts;
  double LowestClockMHz = 0, HighestClockMHz = 0; ///< Seen by any measurement; 0: not read.
  unsigned Samples = 0;                           ///< Of all measurements together.
  double WorstNoise = 0;                          ///< Of full measurements and baselines.
};

/// A candidate is recommended when its speed-up over the strongest baseline is at least what is required, and above 1
/// by more than its noise. Times are compared with the baselines that were measured in turn with the winner, where
/// there are any. What reaches the requirement, or does not, by less than the noise decides nothing, and neither does
/// what the kernels gain alone so.
///
/// Against fusing speaks only a search that was neither interrupted nor starved, in which there was something to try,
/// candidates could be measured, and more of them than failed; else nothing is decided.
Summary summarize(const TuneResult &R);

/// How much faster: baseline / candidate; 0 where either was not measured.
double speedupOver(const std::optional<BaselineResult> &Baseline, const Evaluation &Result);

/// `serial launches`, `two streams`, `a CUDA graph`, …
std::string phraseOf(Schedule::Kind How);
/// `side by side, 256 and 128 threads, looping over their blocks, registers bound for 4 resident blocks`
std::string phraseOf(const FusionConfig &Config);
/// Of a graph, its launches: `addBias and gelu in one kernel of 256 threads, 4 elements each; then dropout alone`.
std::string phraseOf(const Candidate &Candidate);
/// What candidates are told apart by: the geometry, or of a graph the links that are fused (`addBias+gelu | dropout`).
std::string kindOf(const Candidate &Candidate);
/// `as given`, `in their best launch shapes`, `with bound arguments`.
std::string phraseOf(SoloLevel Level);

} // namespace cufuse
