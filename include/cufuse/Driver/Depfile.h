// What an output is made of, for a build system.
#pragma once

#include "cufuse/Driver/FuseRequest.h"

namespace cufuse {

/// A rule of Make: the output depends on everything that was read for it. A header of a library that is there no more
/// is no error: there is a rule for it, too, that does nothing.
std::string dependencyRule(const FuseRequest &Request, llvm::ArrayRef<LoadedKernel> Kernels,
                           const std::string &Toolkit);

/// Is the text such a rule, of this output?
bool isDependencyRule(llvm::StringRef Text, const std::string &Output);

} // namespace cufuse
