// Who calls whom, by place: what overload resolution chose, so that it can be compared with what it chooses in the
// output.
#pragma once

#include "cufuse/Analysis/Reach.h"

#include <set>
#include <string>

namespace cufuse {

/// `file:line function -> file:line function` for every call among reached functions, with the places that #line gives
/// them. Left out are the kernel of the output itself (`Except`), the built-in functions of CUDA that are rebound, and
/// what stands in a file called `Output`.
std::set<std::string> callEdges(const ParsedUnit &Unit, const Reached &Reach, const clang::FunctionDecl *Except,
                                llvm::StringRef Output);

} // namespace cufuse
