// What `ptxas -v` says of each kernel.
#pragma once

#include <llvm/ADT/StringRef.h>

#include <map>
#include <string>

namespace cufuse {

struct ResourceUse {
  unsigned Registers = 0;                   ///< Per thread.
  unsigned SpillStores = 0, SpillLoads = 0; ///< Bytes per thread.
  unsigned StackBytes = 0;                  ///< Per thread.
  unsigned SharedBytes = 0;                 ///< Static, per block.
  unsigned Barriers = 0;
};

/// By mangled name of the entry function. Lines that are not ptxas' own are passed over.
std::map<std::string, ResourceUse> parsePtxas(llvm::StringRef Log);

} // namespace cufuse
