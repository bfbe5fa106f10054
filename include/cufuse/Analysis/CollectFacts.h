// From the syntax tree to plain facts, and to everything that stands in the way of a fusion.
#pragma once

#include "cufuse/Analysis/KernelFacts.h"
#include "cufuse/Analysis/Reach.h"

#include <string>
#include <vector>

namespace cufuse {

/// What the kernel and its callees do. `Blockers` stays empty: see `checkFusable`.
KernelFacts collectFacts(const ParsedUnit &Unit, const Reached &Reach);

/// Every reason why this kernel cannot be fused, in source order, whatever it is fused with.
std::vector<Blocker> checkFusable(const ParsedUnit &Unit, const Reached &Reach, const KernelFacts &Facts);

/// A variable that must stay the object the program already has: host code of the file refers to it, device code may
/// write it, or it has no initialiser. Otherwise it is a table, and a copy means the same.
bool mustStayShared(const ParsedUnit &Unit, const clang::VarDecl &Variable);

/// `__constant__`, `__managed__`, `__shared__` or `__device__`.
std::string spaceOf(const clang::VarDecl &Variable);

} // namespace cufuse
