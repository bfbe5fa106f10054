// What a compiled file says of itself.
#pragma once

#include <llvm/Support/Error.h>

#include <string>

namespace cufuse {

/// The name in `Cubin` (a path) of the kernel that the Itanium C++ ABI calls `Mangled`. They differ for internal
/// linkage: nvcc marks no function as internal, and names unnamed namespaces after a hash of the file
/// (`_ZN32_GLOBAL__N__b9485825_4_a_cu_main4kernEPi` for `_ZN12_GLOBAL__N_14kernEPi`). Fails if the file has no such
/// kernel, as where nothing instantiates a template, or several.
llvm::Expected<std::string> entryName(const std::string &Cubin, const std::string &Mangled);

} // namespace cufuse
