// What text names, and so what an output needs of lib/Cuda/: nothing else is written.
#pragma once

#include "cufuse/Kernel/OutputText.h"

#include <set>
#include <string>
#include <vector>

namespace cufuse {

/// All words but members and comments.
std::set<std::string> namesIn(llvm::StringRef Text);
/// Those that stand behind the qualifier.
std::set<std::string> namesBehind(llvm::StringRef Text, llvm::StringRef Qualifier);

/// A function, a constant or a class, with the comments before it. A class of the file is the head alone: what it has
/// is declared by itself. Without a name: what is none of these, and the end of a class.
struct Declaration {
  std::string Text, Name;
  bool IsClass = false, IsMember = false;
};
std::vector<Declaration> declarationsIn(llvm::StringRef File);

/// The text of a file of lib/Cuda/ without functions, constants and classes that are not `Named`, or only by each
/// other. Adds the names in what is left.
OutputText emittedAsNamed(llvm::StringRef File, llvm::ArrayRef<Given> Values, std::set<std::string> &Named);

} // namespace cufuse
