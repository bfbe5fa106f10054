// Loops whose counters begin elsewhere than at the thread's number, and elements that end where rows do. No Clang.
#pragma once

#include "cufuse/Kernel/Accesses.h"

namespace cufuse {

/// The same with counters less where their block begins: `for (i = row * n + threadIdx.x; i < row * n + n; …) p[i]` is
/// `p[row * n + i]` for all i < n from the thread's number on. Such a loop has no `Statement` any more: its text counts
/// otherwise.
KernelAccesses countedFromThreads(KernelAccesses Accesses);

/// The same where the end of an element's row ends the element: `b < rows` of `b = i / columns` is `i < rows *
/// columns`, and `i % columns < columns`, which holds anyway, says no more.
KernelAccesses endedByElements(KernelAccesses Accesses);

} // namespace cufuse
