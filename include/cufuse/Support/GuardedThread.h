// Work that may crash or recurse deeply, on a thread of its own.
#pragma once

#include <llvm/ADT/STLFunctionalExtras.h>

namespace cufuse {

/// Makes crashes of `runGuarded` recoverable in this process, stack overflows among them.
void enableGuards();

/// Runs the work on a thread with this much stack. False if it crashed and guards are enabled; what it held is then
/// lost. With `Dump`, a crash prints where it was, and temporary files are removed.
bool runGuarded(llvm::function_ref<void()> Work, unsigned StackBytes, bool Dump = false);

} // namespace cufuse
