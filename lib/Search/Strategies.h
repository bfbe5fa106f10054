// The strategies, by their names on the command line.
#pragma once

#include "cufuse/Search/Search.h"

namespace cufuse {

std::unique_ptr<Strategy> makeAutoStrategy();
std::unique_ptr<Strategy> makeExhaustiveStrategy();
std::unique_ptr<Strategy> makeHfuseStrategy();
std::unique_ptr<Strategy> makeRandomStrategy(std::uint64_t Seed);

/// Full measurements of those whose short ones are within a few percent of the best, the most promising first, at most
/// `Most`.
void measureFinalists(Search &S, size_t Most);

} // namespace cufuse
