// Sweeps that were measured on a GPU, small enough to be kept beside the tests: strategies are judged by replaying
// them.
#pragma once

#include "cufuse/Model/Problem.h"
#include "cufuse/Search/Trace.h"

#include <llvm/Support/Error.h>

#include <string>
#include <vector>

namespace cufuse {

struct RecordedSweep {
  Problem What;
  std::vector<TraceEntry> Entries;
};

/// Reads what `compact_sweep` of scripts/paper_results.py makes of an exhaustive tuning: a JSON object with `problem`
/// as in the result, and `rows`, one for each candidate:
///   [[geometry, grid, resident, registers, register count, min blocks,
///     [[shape, copies, resident, budget, unroll, bound, turns], …]],
///    fate, [registers, spill stores, spill loads, shared bytes, barriers, resident blocks], [us, noise], [us, noise]]
/// `shape` is a position in the constituent's shapes; `bound` says whether the arguments that the problem names are
/// bound; `turns` may be left out. The last two are the short and the full measurement; they, and the resources, are
/// empty where there are none. Fails with the field that is wrong.
llvm::Expected<RecordedSweep> parseSweep(llvm::StringRef Text, const std::string &Name);

} // namespace cufuse
