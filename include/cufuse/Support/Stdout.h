// What a program writes for people.
#pragma once

#include <llvm/ADT/StringRef.h>

#include <string>

namespace cufuse {

/// What a file says, for a terminal: characters that would command it are spelt, like `\x1b`.
std::string printable(llvm::StringRef Text);

/// Has everything written. What cannot be is said on stderr, and makes the status that of bad input at least.
int finishStdout(int Status);

} // namespace cufuse
