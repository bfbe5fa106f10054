// How kernels become one: side by side, or along the links between them. All that differs between the two in a search.
#pragma once

#include "CandidateRuns.h"
#include "SoloTuning.h"
#include "cufuse/Search/Search.h"

namespace cufuse {

/// The source of a candidate.
struct TuningDraft {
  std::vector<OutputFile> Files; ///< Names without a folder.
  std::string Order;             ///< Which launch is in which file, where there are several.
};

class TuningKind : public Evaluator {
public:
  virtual std::vector<Candidate> candidates(const Strategy &How) const = 0;
  /// The whole output, with all that is left out while searching; compiles it.
  virtual BuiltCandidate wholeOf(const Candidate &Of) = 0;
  /// Verified.
  virtual llvm::Expected<TuningDraft> draft(const Candidate &Of) = 0;
};

/// What the references lead to outlives them. `Given`: each kernel's own launch.
std::unique_ptr<TuningKind> sideBySide(const TuningTools &Tools, const TuningSubject &Subject,
                                       const SoloFindings &Found);
std::unique_ptr<TuningKind> alongLinks(const TuningTools &Tools, const TuningSubject &Subject,
                                       const SoloFindings &Found, std::vector<KernelLaunch> Given);

} // namespace cufuse
