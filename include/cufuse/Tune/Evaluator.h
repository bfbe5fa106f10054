// What a search sees of the world: candidates go in, numbers come out. No CUDA, no Clang.
#pragma once

#include "cufuse/Compile/ParsePtxas.h"
#include "cufuse/Fusion/FusionConfig.h"

#include <llvm/ADT/ArrayRef.h>

#include <optional>
#include <string>
#include <vector>

namespace cufuse {

struct Candidate {
  FusionConfig Config;
  std::string key() const; ///< Names it in traces and databases: `warps match 256+128 x1+1 none`.
};

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

struct Evaluation {
  Fate Outcome = Fate::Impossible;
  std::string Why; ///< Unless `Measured`.
  std::optional<ResourceUse> Resources;
  unsigned ResidentBlocks = 0; ///< Per SM, by its resources.
  double Microseconds = 0;     ///< Median; the same schedule as every other candidate and baseline of the run.
  double RelativeNoise = 0;
  unsigned Samples = 0;
};

enum class Effort { Short, Full }; ///< A few samples, to rank; or until the noise is below the limit.

/// Evaluates candidates for one workload. Results correspond to the candidates by position.
class Evaluator {
public:
  virtual ~Evaluator() = default;
  /// Fuses and compiles, without the GPU: `Measured` stands for "could be measured", with resources and no time.
  virtual std::vector<Evaluation> screen(llvm::ArrayRef<Candidate> Candidates) = 0;
  /// Runs those, screening first what was not screened.
  virtual std::vector<Evaluation> measure(llvm::ArrayRef<Candidate> Candidates, Effort Effort) = 0;
};

} // namespace cufuse
