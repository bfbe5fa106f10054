// The parameters of a kernel and its name, as the output writes them.
#pragma once

#include "SelectCopied.h"

#include "cufuse/Kernel/KernelText.h"

namespace cufuse {

/// Adds them to the text, and the types that the launcher's header needs for them.
void takeSignature(const ParsedUnit &Unit, const Reached &Reach, const KernelFacts &Facts, const SelectCopied &Chosen,
                   KernelText &To);

} // namespace cufuse
