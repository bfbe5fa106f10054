// What the strategies have in common, and the one that is not a list.
#pragma once

#include "cufuse/Search/Search.h"

namespace cufuse {

/// Short runs, chosen some at a time by what the model says and what has been learnt, so early that the compilers need
/// not wait; in the end full runs of the few best.
void searchByLearning(Search &S);

/// Full measurements of those whose short ones are within a few percent of the best, the most promising first, at most
/// `Most`.
void measureFinalists(Search &S, size_t Most);

} // namespace cufuse
