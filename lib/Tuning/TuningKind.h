// How kernels become one: side by side, or along the links between them. All that differs between the two in a tuning.
#pragma once

#include "SoloTuning.h"
#include "cufuse/Search/Search.h"

namespace cufuse {

/// The source of a candidate.
struct TuningDraft {
  std::vector<OutputFile> Files; ///< Names without a folder.
  std::string Order;             ///< Which launch is in which file, where there are several.
};

class TuningKind {
public:
  virtual ~TuningKind() = default;
  /// What kernels by links are to each other; nothing of others.
  virtual std::optional<GraphFacts> graph() const = 0;
  /// Whether other launches of the kernels alone than those given are candidates for the fused ones.
  virtual bool shapesKernels() const = 0;
  /// The strategy in place of the one that was asked for.
  virtual std::string strategy(const std::string &Asked) const = 0;
  virtual std::vector<Candidate> candidates(const Problem &P, const Strategy &How) const = 0;
  /// The references outlive it. `Given`: each kernel's own launch.
  virtual std::unique_ptr<LaunchingEvaluator> evaluator(const TuningTools &Tools, const SoloFindings &Found,
                                                        std::vector<KernelLaunch> Given) = 0;
  /// Verified.
  virtual llvm::Expected<TuningDraft> draft(const Problem &P, const Candidate &Of) = 0;
};

/// The references outlive it.
std::unique_ptr<TuningKind> sideBySide(const Toolchain &Tools, const TuningSubject &Subject);
std::unique_ptr<TuningKind> alongLinks(const Toolchain &Tools, const TuningSubject &Subject);

} // namespace cufuse
