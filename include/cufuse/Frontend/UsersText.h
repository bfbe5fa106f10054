// What a preprocessor leaves of the user's files: the tokens outside directives, in order, and what macros among them
// are. Two preprocessors that leave the same give a compiler the same program, but for the libraries' own text.
#pragma once

#include "cufuse/Frontend/Toolchain.h"
#include "cufuse/Support/Error.h"

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/ADT/StringMap.h>
#include <llvm/ADT/StringRef.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace cufuse {

struct UsersToken {
  unsigned File = 0; ///< In `UsersText::Files`.
  unsigned Line = 0;
  std::string Spelling;
  /// Of a macro: a hash of its definition at this place and of those of all macros in it. 0: it is none.
  std::uint64_t Meaning = 0;
};

struct UsersText {
  std::vector<std::string> Files;
  std::vector<UsersToken> Tokens;
  /// Macros of the compiler that a condition or the text depends on, which nvcc may define otherwise.
  std::vector<UsersToken> Compilers;
};

/// Whether a file is a library's: of the CUDA toolkit, the C or C++ library, or Clang. What `-isystem` names is not:
/// the output is compiled with it, too, and no other check would see that it differs. Not safe for several threads.
class LibraryFiles {
public:
  explicit LibraryFiles(const Toolchain &Tools);
  bool contains(llvm::StringRef Path);

private:
  std::vector<std::string> Folders;
  llvm::StringMap<bool> Known;
};

/// A macro's definition, as the preprocessor compares two of them: by tokens.
struct MacroDefinition {
  bool IsFunction = false, Variadic = false;
  std::vector<std::string> Parameters;
  std::vector<std::string> Body;
  bool Users = false; ///< Defined in a file of the user.
};

/// Reads what follows `#define `. Nothing where it is no definition.
std::optional<MacroDefinition> readDefinition(llvm::StringRef Text, std::string &Name);

/// The hash of `Name` and of what it is made of. Macros of libraries that the language or CUDA defines the meaning of
/// (assert, NULL, __global__) count by name. 0 where it is no macro.
using FindDefinition = llvm::function_ref<std::optional<MacroDefinition>(llvm::StringRef Name)>;
std::uint64_t meaningOf(llvm::StringRef Name, FindDefinition Find);

/// Does gcc's preprocessor leave nothing of this #pragma?
bool isSwallowedPragma(llvm::ArrayRef<std::string> Tokens);

/// Where the two part, and what is the fact; nothing if they are equal. `Other` says whose `Theirs` is.
struct TextDifference {
  SourcePlace Where;
  std::string Fact;
};
std::optional<TextDifference> firstDifference(const UsersText &Ours, const UsersText &Theirs,
                                              const std::string &Architecture);

/// A hash of all that `firstDifference` compares.
std::string digestOf(const UsersText &Text);

/// The place of a token, with its line.
SourcePlace placeOf(const UsersText &Text, const UsersToken &Token);

} // namespace cufuse
