// The names and places of outputs, beside those of the inputs.
#pragma once

#include "cufuse/Driver/FuseRequest.h"
#include "cufuse/Driver/Fuser.h"

namespace cufuse {

/// The header of an output, beside it.
std::string headerOf(const std::string &Output);

/// Neither the output nor its header replaces what cufuse has not written, or what was edited or protected since.
llvm::Error checkReplaced(const std::string &Output);

/// Nor does another output, which begins in one of these ways wherever cufuse writes it. An empty path is none.
llvm::Error checkReplaced(const std::string &Path, llvm::ArrayRef<llvm::StringRef> Begins);

/// The same; nor does any output replace what is read, or another output.
llvm::Error checkPaths(const FuseRequest &Request, llvm::ArrayRef<LoadedKernel> Kernels);

/// `#include "NAME"` finds what lies beside the output before any folder of the inputs.
llvm::Error checkBeside(const FuseRequest &Request, const Fuser &Fuser, const FusedSource &Fused);

} // namespace cufuse
