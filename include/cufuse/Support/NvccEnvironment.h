// What nvcc is told besides its flags.
#pragma once

#include <string>
#include <vector>

namespace cufuse {

/// `NAME=VALUE` of everything that nvcc, and the compilers it calls, take from the environment.
std::vector<std::string> nvccEnvironment();

} // namespace cufuse
