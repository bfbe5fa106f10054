// The part of a description that vertical fusion reads.
#pragma once

#include "cufuse/Driver/ReadKernels.h"

#include <llvm/Support/JSON.h>

namespace cufuse {

llvm::json::Value toJSON(const SourcePlace &Where);
/// Label and text of each row; none for a template without arguments.
std::vector<std::pair<std::string, std::string>> accessRows(const LoadedKernel &Kernel);
llvm::json::Object accessJson(const LoadedKernel &Kernel);

} // namespace cufuse
