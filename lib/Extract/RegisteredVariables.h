// The device's variables of the copied text, as the host's compilation needs them: nvcc registers each by its name.
#pragma once

#include "SelectCopied.h"

#include "cufuse/Kernel/KernelText.h"

namespace cufuse {

/// Adds the names, in their namespaces, with nothing of their types. `HostShared`: variables that stay the program's,
/// canonical. What cannot be named so is a blocker.
void registerVariables(const ParsedUnit &Unit, const SelectCopied &Chosen,
                       const std::set<const clang::Decl *> &HostShared, KernelText &To);

} // namespace cufuse
