// Who calls whom, by place: what overload resolution chose, so that it can be compared with what it chooses in the
// output.
#pragma once

#include "cufuse/Analysis/Reach.h"

#include <map>
#include <string>

namespace cufuse {

/// `file:line function -> file:line function` for every call among reached functions, and a place where it is made, all
/// with the files and lines that #line gives them. Left out are the kernel of the output itself (`Except`), the
/// built-in functions of CUDA that are rebound, and what stands in a file called `Output`.
std::map<std::string, SourcePlace> callEdges(const ParsedUnit &Unit, const Reached &Reach,
                                             const clang::FunctionDecl *Except, llvm::StringRef Output);

} // namespace cufuse
