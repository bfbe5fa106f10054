// What the JSON of this part is written with.
#pragma once

#include "cufuse/Support/Names.h"

#include <llvm/Support/JSON.h>

#include <vector>

namespace cufuse {

template <typename Enum>
bool readName(llvm::ArrayRef<Named<Enum>> Table, const llvm::json::Value &V, Enum &Out, llvm::json::Path P) {
  if (auto Text = V.getAsString())
    for (const Named<Enum> &N : Table)
      if (N.Name == *Text) {
        Out = N.Value;
        return true;
      }
  P.report("not one of the known names");
  return false;
}

template <typename T> llvm::json::Array arrayOf(const std::vector<T> &Values) {
  llvm::json::Array Out;
  for (const T &Value : Values)
    Out.push_back(toJSON(Value));
  return Out;
}

} // namespace cufuse
