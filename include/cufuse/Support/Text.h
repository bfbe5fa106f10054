// What strings lack.
#pragma once

#include <llvm/ADT/StringExtras.h>

#include <string>

namespace cufuse {

/// With `By` for every `What`.
inline std::string replaced(llvm::StringRef Text, llvm::StringRef What, llvm::StringRef By) {
  return llvm::join(llvm::split(Text, What), By);
}

} // namespace cufuse
