// Enumerators and their spellings: one table for both directions.
#pragma once

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/StringRef.h>
#include <llvm/Support/ErrorHandling.h>

namespace cufuse {

template <typename Enum> struct Named {
  Enum Value;
  llvm::StringLiteral Name;
};

template <typename Enum> llvm::StringRef nameIn(llvm::ArrayRef<Named<Enum>> Table, Enum Value) {
  for (const Named<Enum> &N : Table)
    if (N.Value == Value)
      return N.Name;
  llvm_unreachable("an enumerator without a name");
}

} // namespace cufuse
