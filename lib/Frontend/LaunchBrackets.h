// nvcc takes `<< <` and `>> >`, with spaces, for the brackets of a launch.
#pragma once

#include <string>
#include <vector>

namespace cufuse {

/// The tokens that nvcc makes of one of Clang's: `<<` and `<` of `<<<`.
std::vector<std::string> asNvccReads(std::string Token);

/// The same text with the brackets of launches as Clang wants them: `<<< ` for `<< <`.
std::string asClangReads(std::string Text);

} // namespace cufuse
