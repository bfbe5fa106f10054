// What `ptxas -v` says of each kernel.
#pragma once

#include "cufuse/Gpu/ResourceUse.h"

#include <llvm/ADT/StringRef.h>

#include <map>
#include <string>

namespace cufuse {

/// By mangled name of the entry function. Lines that are not ptxas' own are passed over.
std::map<std::string, ResourceUse> parsePtxas(llvm::StringRef Log);

} // namespace cufuse
