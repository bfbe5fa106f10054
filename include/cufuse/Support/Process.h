// Running another program: the only place that starts one.
#pragma once

#include <llvm/ADT/ArrayRef.h>
#include <llvm/Support/Error.h>

#include <string>

namespace cufuse {

struct ProcessResult {
  int Status = 0;     ///< Exit status; negative when a signal or the time limit ended it.
  std::string Output; ///< stdout and stderr together.
};

/// Runs `Arguments[0]`, found by path, with a time limit in seconds. Fails only when it cannot be started.
llvm::Expected<ProcessResult> runProcess(llvm::ArrayRef<std::string> Arguments, unsigned TimeLimitSeconds);

} // namespace cufuse
