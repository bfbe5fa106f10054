// Folders that a process would leave behind where a signal ends it.
#pragma once

#include <string>

namespace cufuse {

/// Of this path; until it is `released`.
void isLeftover(const std::string &Path);
void released(const std::string &Path);

/// Has them removed once this process has ended. For the handler of a signal.
void removeLeftovers();

} // namespace cufuse
