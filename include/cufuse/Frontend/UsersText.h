// What a preprocessor leaves of the user's files: the tokens outside directives, in order, and what macros among them
// are. Two preprocessors that leave the same give a compiler the same program, but for the libraries' own text.
#pragma once

#include "cufuse/Frontend/RawTokens.h"
#include "cufuse/Frontend/Toolchain.h"
#include "cufuse/Support/Error.h"

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/ADT/StringMap.h>
#include <llvm/ADT/StringRef.h>

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace cufuse {

struct UsersToken {
  unsigned File = 0; ///< In `UsersText::Files`.
  unsigned Line = 0;
  std::string Spelling;
  /// Of a macro: a hash of its definition at this place and of those of all macros in it, the pasted ones too. 0: it is
  /// none.
  std::uint64_t Meaning = 0;
  /// The names that `##` made while Clang expanded it, of macros or not.
  std::set<std::string> Pasted = {};
};

struct UsersText {
  std::vector<std::string> Files;
  std::vector<UsersToken> Tokens;
  /// Macros of the compiler that a condition or the text depends on, which nvcc may define otherwise.
  std::vector<UsersToken> Compilers;
};

/// Where headers are that only the analysis sees.
constexpr llvm::StringLiteral VirtualFolder = "/cufuse-virtual/";

/// The path without links; as it is where there is no such file.
std::string realPath(llvm::StringRef Path);

/// Whether a file is the CUDA toolkit's, Clang's, or one that only the analysis sees, by whatever link it is named. Not
/// safe for several threads.
class ToolkitFiles {
public:
  explicit ToolkitFiles(const Toolchain &Tools);
  bool contains(llvm::StringRef Path);

protected:
  std::vector<std::string> Folders;

private:
  llvm::StringMap<bool> Known;
};

/// Whether a file is a library's: of the C or C++ library, or one of those. What `-isystem` names is not, or what lies
/// in /usr/local/include: people change it, the output is compiled with it, too, and no other check would see that it
/// differs.
class LibraryFiles : public ToolkitFiles {
public:
  explicit LibraryFiles(const Toolchain &Tools);
  /// `<built-in>` and its like, too.
  bool contains(llvm::StringRef Path) { return Path.starts_with("<") || ToolkitFiles::contains(Path); }
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

/// The hash of two.
std::uint64_t combined(std::uint64_t A, std::uint64_t B);

/// Does gcc's preprocessor leave nothing of this `pragma …`?
bool isSwallowedPragma(llvm::ArrayRef<RawToken> Line);

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
