// In files of the user, Clang's preprocessor passes for nvcc's.
#pragma once

#include "cufuse/Frontend/UsersText.h"

#include <clang/Basic/SourceLocation.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace clang {
class PPCallbacks;
class Preprocessor;
} // namespace clang

namespace cufuse {

/// The order in which files were read, what was left out of those of the user and what the parser got of them, and
/// which names `##` made in the expansion of the macro at a place.
struct ReadingOrder {
  std::vector<clang::FileID> Files;
  std::vector<clang::SourceRange> Skipped;
  std::map<clang::SourceLocation, std::set<std::string>> Pasted;
  std::uint64_t Tokens = 0; ///< A hash of all that the parser gets of the user's files, macros expanded.
};

/// Callbacks that, whenever the preprocessor comes to a file of the user, define what nvcc's predefines (`Macros`) and
/// undefine what it does not, and take that back in libraries, which ask for Clang.
/// Without `Macros`, only Clang's own names are hidden. `Order` must outlive the preprocessor. `AtToken` is called at
/// every token that the parser gets.
std::unique_ptr<clang::PPCallbacks> passForNvcc(clang::Preprocessor &Preprocessor, const Toolchain &Tools,
                                                const std::vector<std::string> *Macros, ReadingOrder &Order,
                                                std::function<void()> AtToken);

/// The user's text as the preprocessor left it. Of the main file, only the first `MainBytes` count.
UsersText usersText(clang::Preprocessor &Preprocessor, const Toolchain &Tools, const ReadingOrder &Order,
                    size_t MainBytes);

} // namespace cufuse
