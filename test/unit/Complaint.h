// What an error says, for tests that check its words and its place, not how it is printed.
#pragma once

#include "cufuse/Support/Error.h"

namespace cufuse {

/// A line for each message: `place: fact [Rule]; remedy`.
inline std::string complaintOf(llvm::Error Error) {
  std::string Lines;
  llvm::handleAllErrors(std::move(Error), [&](const Failure &F) {
    for (const Message &M : F.Messages)
      Lines +=
          M.Where.str() + (M.Where.isValid() ? ": " : "") + M.str() + (M.Remedy.empty() ? "" : "; ") + M.Remedy + "\n";
  });
  return Lines;
}

} // namespace cufuse
