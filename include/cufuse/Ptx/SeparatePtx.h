// Many sources compiled as one: their headers are read once. What PTX comes of it is taken apart again.
#pragma once

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/StringRef.h>

#include <string>
#include <vector>

namespace cufuse {

/// For each of `Marks`: the PTX without the definitions and declarations whose symbol holds another of them (and not
/// it). Empty where the PTX cannot be told apart. Source: PTX ISA, Syntax and Directives.
std::vector<std::string> separatePtx(llvm::StringRef Ptx, llvm::ArrayRef<std::string> Marks);

} // namespace cufuse
