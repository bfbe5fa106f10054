#include "cufuse/Support/Stdout.h"

#include "cufuse/Support/Error.h"

#include <llvm/Support/raw_ostream.h>

#include <algorithm>

namespace cufuse {

int finishStdout(int Status) {
  llvm::outs().flush();
  if (!llvm::outs().has_error())
    return Status;
  const std::string Why = llvm::outs().error().message();
  llvm::outs().clear_error(); // Its destructor would end the program as if that were a bug.
  return std::max(Status, static_cast<int>(report(badInput("cannot write to stdout: " + Why), llvm::errs())));
}

} // namespace cufuse
