// What nvcc would do.
#pragma once

#include "cufuse/Support/Process.h"

namespace cufuse {

class ArtifactCache;

/// The steps in which nvcc would compile /dev/null with these flags, as `--dryrun` says them. They are kept for as long
/// as all that they come from is as it was.
llvm::Expected<ProcessResult> dryRun(ArtifactCache &Cache, const std::string &Nvcc,
                                     llvm::ArrayRef<std::string> Flags = {});

} // namespace cufuse
