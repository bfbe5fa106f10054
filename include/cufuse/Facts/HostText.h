// Text that the host's compilation may read otherwise than the device's, which is the one that Clang reads here.
#pragma once

#include "cufuse/Frontend/Parse.h"

#include <clang/Basic/SourceLocation.h>
#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/StringSet.h>

#include <map>
#include <utility>
#include <vector>

namespace clang {
class FileEntry;
class SourceManager;
} // namespace clang

namespace cufuse {

/// First and last offsets in a file.
using OffsetRanges = std::vector<std::pair<unsigned, unsigned>>;
/// Where the ranges are written out, but for those that end in another file than they begin in.
std::map<clang::FileID, OffsetRanges> offsetsOf(llvm::ArrayRef<clang::SourceRange> Ranges,
                                                const clang::SourceManager &Sources);

/// What depends on `__CUDA_ARCH__`: conditions on it, macros that are made of it or defined under such a condition,
/// and what is made of those.
class HostText {
public:
  using File = std::pair<clang::FileID, llvm::StringRef>; ///< With its text.
  /// `Bodies`: of any function, inside which nothing is declared for others.
  HostText(const ParsedUnit &Unit, llvm::ArrayRef<File> Files, llvm::ArrayRef<clang::SourceRange> Bodies);

  /// Is some of this text of that kind, or around it?
  bool mayDiffer(clang::SourceRange Range) const;
  /// Is that a macro of that kind?
  bool depends(llvm::StringRef Name) const;
  /// May such text declare this name for other text, in a part that is read or in another?
  bool mayDeclare(llvm::StringRef Name) const;

private:
  struct Token;
  void read(const clang::FileEntry *Entry, llvm::ArrayRef<Token> Tokens, const OffsetRanges &Bodies);

  const clang::SourceManager &Sources;
  llvm::StringSet<> Macros;
  /// `#include` lines: what they read, null where they are skipped.
  std::map<std::pair<const clang::FileEntry *, unsigned>, const clang::FileEntry *> Includes;
  std::map<const clang::FileEntry *, OffsetRanges> Places;
  std::map<const clang::FileEntry *, bool> Whole; ///< Files that are included in such text.
  llvm::StringSet<> Declared;
  bool IncludesUnread = false, Uses = false; ///< `Uses`: it says `using`.
};

} // namespace cufuse
