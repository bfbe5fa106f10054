// From the syntax tree to plain facts, and to everything that stands in the way of a fusion.
#pragma once

#include "cufuse/Facts/HostCode.h"
#include "cufuse/Kernel/KernelFacts.h"
#include "cufuse/Reach/DeviceIr.h"
#include "cufuse/Reach/Reach.h"

#include <string>
#include <vector>

namespace cufuse {

/// What the kernel and its callees do. `Ir`: its code, null where there is none. `Blockers` stays empty: see
/// `checkFusable`.
KernelFacts collectFacts(const ParsedUnit &Unit, const HostCode &Host, const Reached &Reach, const DeviceIr *Ir);

/// Every reason why this kernel cannot be fused, in source order, whatever it is fused with.
std::vector<Blocker> checkFusable(const ParsedUnit &Unit, const HostCode &Host, const Reached &Reach,
                                  const DeviceIr *Ir, const KernelFacts &Facts);

/// Does an error stand in the text of a declaration?
bool liesIn(const ParsedUnit &Unit, const ParseError &Error, const clang::Decl &D);

/// The names of a kernel's parameters, each once: as declared, `arg<N>` where there is no name.
std::vector<std::string> parameterNames(const clang::FunctionDecl &Kernel);

/// `__constant__`, `__managed__`, `__shared__` or `__device__`.
std::string spaceOf(const clang::VarDecl &Variable);

} // namespace cufuse
