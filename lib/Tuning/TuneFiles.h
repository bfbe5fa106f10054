// The files that a tuning reads and writes.
#pragma once

#include "TuningSubject.h"
#include "cufuse/Tuning/Tune.h"

namespace cufuse {

/// The sources that may be written, whatever the result will be. Each has a header beside it.
std::vector<std::string> sourcesOf(const TuneRequest &Request, const TuningSubject &Subject);

/// The workload, and what its buffers are filled from.
std::vector<std::string> filesOf(const TuneRequest &Request, const Workload &Work);

/// What the kernels were read from.
std::vector<std::string> textsOf(llvm::ArrayRef<LoadedKernel> Kernels);

/// Refuses what could not be written in the end, and what would replace an input or another output.
llvm::Error checkTuneFiles(const TuneRequest &Request, const TuningSubject &Subject);

} // namespace cufuse
