// The JSON of jobs and outcomes, both ways. Keys are the fields' names in lowerCamelCase, enumerators are lower case
// with hyphens (`wrong-result`), an argument's bytes are hexadecimal in memory order; what has its default may be left
// out, and a key that is not known is refused.
#pragma once

#include "cufuse/Profile/RunnerJob.h"

#include <llvm/Support/JSON.h>

namespace cufuse {

llvm::json::Value toJSON(const RunnerJob &Job);
llvm::json::Value toJSON(const Schedule &Schedule);
llvm::json::Value toJSON(const RunOutcome &Outcome);
bool fromJSON(const llvm::json::Value &Json, RunnerJob &Job, llvm::json::Path Path);
bool fromJSON(const llvm::json::Value &Json, Schedule &Schedule, llvm::json::Path Path);
bool fromJSON(const llvm::json::Value &Json, RunOutcome &Outcome, llvm::json::Path Path);

/// The value on one line, as the runner and its parent exchange it.
template <typename T> std::string jsonLine(const T &Value) {
  std::string Text;
  llvm::raw_string_ostream(Text) << llvm::json::Value(toJSON(Value));
  return Text;
}

} // namespace cufuse
