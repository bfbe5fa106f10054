// What host code that includes the launcher's header may call with the classes that are copied there.
#pragma once

#include "cufuse/Analysis/Reach.h"

namespace cufuse {

/// Looks for what stands behind the classes of the kernel's parameters, and behind what those name, where that is in
/// one of `Files`:
///
/// - definitions of their members and friends for the host, by which a program links;
/// - explicit specialisations, and functions that templates find by their arguments' types, by which the host's
///   compiler chooses (`Decides`).
///
/// `Reach` need not be complete: what it does not know yet is said to name more.
std::vector<HostMember> hostMembers(const ParsedUnit &Unit, const Reached &Reach, const std::set<clang::FileID> &Files);

} // namespace cufuse
