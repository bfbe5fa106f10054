// An output that was written, compiled and compared with its plan.
#pragma once

#include "cufuse/Driver/ReadKernels.h"

namespace cufuse {

/// Compiles `Output` to PTX for every architecture that the flags name (as `Ptx` is, where that is not empty: a file
/// that is read instead) and checks it. Returns what was seen, on a line. Fails with ExitCode::BadInput on what was not
/// planned or does not compile, with ExitCode::MissingTool without nvcc.
llvm::Expected<std::string> checkOutput(const Toolchain &Tools, const std::string &Output, const std::string &Ptx,
                                        const InputFlags &Flags);

} // namespace cufuse
