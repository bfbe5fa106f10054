// What a tuning reads and writes.
#pragma once

#include "TuningSubject.h"
#include "cufuse/Tuning/Tune.h"

namespace cufuse {

/// Refuses what could not be written in the end, and what would replace an input or another output: of all files that
/// may be written, whatever the result will be.
llvm::Error checkTuneFiles(const TuneRequest &Request, const TuningSubject &Subject);

} // namespace cufuse
