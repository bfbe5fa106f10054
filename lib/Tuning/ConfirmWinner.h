// The winner of a search, measured once more beside what it has to beat.
#pragma once

#include "TuningKind.h"
#include "cufuse/Search/Verdict.h"

namespace cufuse {

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

} // namespace cufuse
