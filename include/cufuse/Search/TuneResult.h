// The whole result of tuning one workload: what was measured, and nothing that follows from it. Text, JSON and HTML are
// made from it and from its summary (Verdict.h).
#pragma once

#include "cufuse/Model/Problem.h"
#include "cufuse/Runner/RunnerJob.h"
#include "cufuse/Search/Trace.h"

#include <llvm/Support/Error.h>

#include <map>
#include <string>
#include <vector>

namespace cufuse {

/// How far the constituents have been tuned alone.
enum class SoloLevel {
  Given,  ///< Launch shapes as the workload gives them.
  Shaped, ///< Each in its own best launch shape.
  Bound,  ///< And with arguments bound and loops unrolled as is best for it.
};
constexpr unsigned SoloLevelCount = 3;
inline constexpr Named<SoloLevel> SoloLevelNames[] = {
    {SoloLevel::Given, "given"}, {SoloLevel::Shaped, "shaped"}, {SoloLevel::Bound, "bound"}};
constexpr llvm::ArrayRef<Named<SoloLevel>> namesOf(SoloLevel) { return SoloLevelNames; }

/// A constituent alone, in its best shape of a level.
struct SoloResult {
  std::string Constituent;
  SoloLevel Level = SoloLevel::Given;
  BlockShape Block;
  std::uint64_t Blocks = 1;
  unsigned Unroll = 0;
  std::vector<std::pair<std::string, std::string>> Bound;
  unsigned Tried = 1; ///< Shapes and bindings measured on this level.
  Evaluation Result;
  std::map<std::string, double> Counters;
};

/// The constituents without fusion, all of them on one level.
struct BaselineResult {
  Schedule::Kind How = Schedule::Serial;
  SoloLevel Level = SoloLevel::Given;
  Evaluation Result;
  std::map<std::string, double> Counters; ///< Of all launches together; mostly empty.
  bool Confirmed = false;                 ///< Measured at the end with the others and the winner, on one GPU.
};

/// What is known of one fused candidate besides its time.
struct CandidateProfile {
  std::string Key;
  std::map<std::string, double> Counters;
  std::optional<Evaluation> InGraph = {};  ///< Its time in a CUDA graph: without what a launch costs the host.
  std::optional<Evaluation> Launched = {}; ///< The same in a loop of launches.
};

/// A part of a tuning, one after the other.
struct StepTime {
  std::string Name; ///< `searching`
  double Seconds = 0;
  double Busy = 0; ///< Seconds in which a compiler or a GPU was at work.
};

constexpr double UsualSpeedup = 1.02; ///< That is required, unless another is asked for.

struct TuneResult {
  std::string Command;  ///< That makes it again.
  std::string Version;  ///< Of cufuse.
  std::string Started;  ///< `2025-11-21T08:15:09Z`
  double Seconds = 0;   ///< Of tuning, all sittings together.
  double BusyShare = 0; ///< Of that time, the GPU or the compilers were at work; 0: not known.
  std::vector<StepTime> Steps;
  std::string Strategy;
  std::uint64_t SpaceSize = 0; ///< Candidates the strategy chose from.
  double RequiredSpeedup = UsualSpeedup;
  bool Restricted = false;        ///< Arguments could have been bound or loops unrolled, and the user has ruled it out.
  bool Modelled = false;          ///< No GPU: candidates were ranked by the model after ptxas.
  bool Interrupted = false;       ///< By the user, before the strategy was done.
  bool Starved = false;           ///< The budget was spent before there was enough to judge by.
  unsigned AloneLeftOut = 0;      ///< Forms of the kernels alone that were not built, as half of the budget was spent.
  std::string Unconfirmed;        ///< Why the winner could not be measured again; empty where it was.
  std::vector<std::string> Notes; ///< What the reader must know besides, a sentence each.
  Problem What;
  std::vector<SoloResult> Solo;
  std::vector<SoloResult> SoloFailed; ///< Variants that were left out, with the reason.
  std::vector<BaselineResult> Baselines;
  std::vector<TraceEntry> Tried;
  std::vector<CandidateProfile> Profiles;
};

/// How well a result is founded: one that is not restricted better than any that is, and else by the candidates
/// measured.
unsigned effortOf(const TuneResult &R);

/// Whether a candidate is of this problem's kernels.
bool isOf(const Problem &P, const TraceEntry &E);

/// Fails with the field that is wrong.
llvm::Expected<TuneResult> parseTuneResult(llvm::StringRef Text, const std::string &Name);

} // namespace cufuse
