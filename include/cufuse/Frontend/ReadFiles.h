// What a parse depends on beside the user's files: a build system must know it, too.
#pragma once

#include "cufuse/Frontend/Parse.h"

#include <llvm/ADT/ArrayRef.h>

#include <string>
#include <vector>

namespace cufuse {

/// The headers of libraries, the toolkit's and Clang's that were read, precompiled or not; sorted.
std::vector<std::string> libraryHeaders(const ParsedUnit &Unit);

/// The files that flags stand in: response files, also those that they name, and a compile_commands.json. Of `Written`
/// from `Folder` on; of `BuildDirectory`, where it is not empty, those of `File`.
std::vector<std::string> filesOfFlags(const std::string &File, llvm::ArrayRef<std::string> Written,
                                      const std::string &Folder, const std::string &BuildDirectory);

} // namespace cufuse
