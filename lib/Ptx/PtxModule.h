// What stands outside of functions in PTX, and who names whom.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/StringMap.h>
#include <llvm/ADT/StringRef.h>
#include <llvm/Support/Error.h>

#include <string>
#include <vector>

namespace cufuse {

struct PtxItem {
  enum class Kind { Entry, Function, Data };
  Kind What = Kind::Data;
  llvm::StringRef Name, Whole, Head, Body; ///< Head: up to the body's brace. No body: a declaration, or data.
};

struct PtxModule {
  llvm::StringRef Text;
  std::vector<PtxItem> Items;
  llvm::DenseMap<unsigned, std::string> Files;       ///< By the number that `.loc` has.
  llvm::StringMap<std::vector<unsigned>> ItemsNamed; ///< Declarations and the definition.

  /// Of something that points into `Text`, from 1.
  unsigned lineOf(llvm::StringRef At) const { return Text.take_front(At.data() - Text.data()).count('\n') + 1; }
  bool defines(llvm::StringRef Function) const;
  /// These and all whose names are mentioned by them, by what is mentioned so, and so on: calls through pointers lead
  /// only to what is mentioned somewhere.
  std::vector<const PtxItem *> reachedFrom(std::vector<const PtxItem *> Roots) const;
};

/// Fails with the number of the line where something begins that does not end.
llvm::Expected<PtxModule> readPtxModule(llvm::StringRef Ptx);

} // namespace cufuse
