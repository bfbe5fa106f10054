// What a search sees of the world: candidates go in, numbers come out. No CUDA, no Clang.
#pragma once

#include "cufuse/Gpu/ResourceUse.h"
#include "cufuse/Search/Candidate.h"
#include "cufuse/Support/Names.h"

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/STLFunctionalExtras.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace cufuse {

/// What became of a candidate, in the order of how far it got.
enum class Fate {
  Impossible,    ///< The fuser refuses the configuration.
  CompileFailed, ///< nvcc, NVRTC or ptxas.
  Discarded,     ///< Compiled, and ruled out by what ptxas said (a spill, an ignored register budget).
  LoadFailed,
  LaunchFailed,
  Crashed,
  TimedOut,
  WrongResult,
  Measured,
};
constexpr unsigned FateCount = static_cast<unsigned>(Fate::Measured) + 1;
inline constexpr Named<Fate> FateNames[] = {
    {Fate::Impossible, "impossible"},  {Fate::CompileFailed, "compile-failed"}, {Fate::Discarded, "discarded"},
    {Fate::LoadFailed, "load-failed"}, {Fate::LaunchFailed, "launch-failed"},   {Fate::Crashed, "crashed"},
    {Fate::TimedOut, "timed-out"},     {Fate::WrongResult, "wrong-result"},     {Fate::Measured, "measured"}};
constexpr llvm::ArrayRef<Named<Fate>> namesOf(Fate) { return FateNames; }

struct Evaluation {
  Fate Outcome = Fate::Impossible;
  std::string Why; ///< Unless `Measured`.
  std::optional<ResourceUse> Resources;
  unsigned ResidentBlocks = 0;      ///< Per SM, by its resources.
  std::vector<std::uint64_t> Grids; ///< Blocks that each constituent is launched with; 0 where the workload says it.
  double Microseconds = 0;          ///< Median; the same schedule as every other candidate and baseline of the run.
  double RelativeNoise = 0;         ///< Half-width of the median's 95 % confidence interval over the median.
  unsigned Samples = 0;
  double ClockMHz = 0; ///< SM clock seen meanwhile; 0 where it could not be read.
  /// The samples, where it was confirmed: the n-th of all that were confirmed together are neighbours in time.
  std::vector<double> Rounds;
};

inline bool isMeasured(const Evaluation &E) { return E.Outcome == Fate::Measured && E.Microseconds > 0; }

enum class Effort { Short, Full }; ///< A few samples, to rank; or until the noise is below the limit.
inline constexpr Named<Effort> EffortNames[] = {{Effort::Short, "short"}, {Effort::Full, "full"}};
constexpr llvm::ArrayRef<Named<Effort>> namesOf(Effort) { return EffortNames; }

/// Takes each result as it comes, in any order, with the candidate's position; answers whether to go on. Called on the
/// thread that called the evaluator.
using TakeEvaluation = llvm::function_ref<bool(size_t Position, const Evaluation &)>;

/// What to measure next, in the order of their positions; nothing ends it. Asked on the thread that called the
/// evaluator, whenever the compilers could soon be idle.
using NextCandidates = llvm::function_ref<std::vector<Candidate>()>;

/// A list as something to ask for once.
template <typename T> auto once(llvm::ArrayRef<T> List) {
  return [List]() mutable { return std::exchange(List, {}).vec(); };
}

/// Evaluates candidates for one workload. After `Take` has answered no, no further result is delivered, and what has
/// not begun is left out; otherwise every candidate gets exactly one result.
class Evaluator {
public:
  virtual ~Evaluator() = default;
  /// Runs those; the compilers may work ahead while the GPU measures. Without an effort it fuses and compiles alone:
  /// `Measured` stands for "could be measured", with resources and no time.
  virtual void evaluate(NextCandidates Next, std::optional<Effort> How, TakeEvaluation Take) = 0;
};

} // namespace cufuse
