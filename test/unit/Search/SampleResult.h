// A whole result of a synthetic search, with baselines, counters and failures.
#pragma once

#include "cufuse/Search/TuneResult.h"

#include <map>

namespace cufuse {

Evaluation measured(double Microseconds, double Noise = 0.002);

/// `Faults`: shares of the candidates that end so. `Ease`: the baselines' times are multiplied by it, so that fusing
/// pays less with a smaller one.
TuneResult sampleResult(unsigned Seed, const std::map<Fate, double> &Faults = {}, double Ease = 1);

} // namespace cufuse
