// The end of a program that has written results to stdout.
#pragma once

namespace cufuse {

/// Has everything written. What cannot be is said on stderr, and makes the status that of bad input at least.
int finishStdout(int Status);

} // namespace cufuse
