// What people read of a tuning result. All of it is made from the result and its summary; the JSON is the result
// itself.
#pragma once

#include "cufuse/Search/TuneResult.h"
#include "cufuse/Search/Verdict.h"

#include <string>

namespace cufuse {

/// For a terminal: the verdict, then tables of about 120 columns at most.
std::string textReport(const TuneResult &R, const Summary &S);

/// The result, which parseTuneResult reads back, with the summary's figures under `summary`, for programs that want no
/// more than those. Ends with a line break.
std::string jsonReport(const TuneResult &R, const Summary &S);

/// One HTML file that loads nothing: style and plots (SVG) are in it, for light and dark screens and for paper.
std::string htmlReport(const TuneResult &R, const Summary &S);

} // namespace cufuse
