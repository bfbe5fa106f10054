// Enumerators and their spellings: one table for both directions.
#pragma once

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringRef.h>
#include <llvm/Support/ErrorHandling.h>

#include <type_traits>

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

/// Of an enumeration with a table `namesOf(Enum)` beside it.
template <typename Enum>
llvm::StringRef nameOf(Enum Value)
  requires std::is_enum_v<Enum>
{
  return nameIn<Enum>(namesOf(Value), Value);
}

} // namespace cufuse
