// What the steps of a tuning have of each other.
#pragma once

#include "CandidateRuns.h"
#include "SoloTuning.h"
#include "cufuse/Search/Search.h"
#include "cufuse/Search/Verdict.h"
#include "cufuse/Tuning/Tune.h"

namespace cufuse {

/// The source of a candidate.
struct TuningDraft {
  std::vector<OutputFile> Files;                ///< Names without a folder.
  std::string Order;                            ///< Which launch is in which file, where there are several.
  std::shared_ptr<const FusedGroup> Fused = {}; ///< The last launch of linked kernels.
};

/// How kernels become one: side by side, or along the links between them. All that differs between the two in a search.
class TuningKind : public Evaluator {
public:
  virtual std::vector<Candidate> candidates(const Strategy &How) const = 0;
  /// The whole output, with all that is left out while searching; compiles it.
  virtual BuiltCandidate wholeOf(const Candidate &Of) = 0;
  /// Verified.
  virtual llvm::Expected<TuningDraft> draft(const Candidate &Of) = 0;
  /// As the launcher of a candidate that was tried counts them; 0 where it does not, or there are several launches.
  virtual std::uint64_t elementsOf(const Candidate &) const { return 0; }
};

/// What the references lead to outlives them. `Given`: each kernel's own launch.
std::unique_ptr<TuningKind> sideBySide(const TuningTools &Tools, const TuningSubject &Subject,
                                       const SoloFindings &Found);
std::unique_ptr<TuningKind> alongLinks(const TuningTools &Tools, const TuningSubject &Subject,
                                       const SoloFindings &Found, std::vector<KernelLaunch> Given);

/// A winner, measured once more beside what it has to beat.
struct Confirmed {
  TuneResult Result;
  Summary Verdict;
};

/// The best of many measurements is partly luck: the winner and what it has to beat are measured once more, the winner
/// from the whole output, as a graph and with its counters, too. Without a winner, the kernels alone are. Should
/// another be the winner then, it is that one's turn, if it still is when measured alone: the clock drifts during a
/// search, and makes early candidates look faster. `Result` has what was found alone and tried; `Meanwhile` is called
/// while the GPU measures a winner that is to be fused. Fails as that does.
llvm::Expected<Confirmed> confirmWinner(TuneResult Result, const SoloFindings &Found, TuningKind &World,
                                        RunnerPool &Gpus, llvm::function_ref<llvm::Error(const Candidate &)> Meanwhile);

/// The sources that may be written, whatever the result will be. Each has a header beside it.
std::vector<std::string> sourcesOf(const TuneRequest &Request, const TuningSubject &Subject, bool OfAny = false);
/// `OUT_2.cu`
std::string numbered(llvm::StringRef Source, size_t Number);
/// Has a tuning with that output made it?
bool isOfTuning(const std::string &Source, const std::string &Output);

/// The workload, and what its buffers are filled from.
std::vector<std::string> filesOf(const TuneRequest &Request, const Workload &Work);

/// What the kernels were read from.
std::vector<std::string> textsOf(llvm::ArrayRef<LoadedKernel> Kernels);

/// Refuses what could not be written in the end, and what would replace an input or another output.
llvm::Error checkTuneFiles(const TuneRequest &Request, const TuningSubject &Subject);

} // namespace cufuse
