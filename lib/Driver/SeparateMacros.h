// Macros that the kernels' files are compiled with, each with its own.
#pragma once

#include "cufuse/Driver/ReadKernels.h"

namespace cufuse {

/// One output has the text of all: what the command lines say of a macro otherwise is written around each kernel's
/// text, and before the headers that ask for it.
void separateMacros(std::vector<LoadedKernel> &Kernels);

/// What a flag of the command line says something of: a macro, or "" for `-include`.
std::string macroOfFlag(llvm::StringRef Flag);

} // namespace cufuse
