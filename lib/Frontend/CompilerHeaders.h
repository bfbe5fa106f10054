// The headers that a compiler has beside the C library's.
#pragma once

#include "cufuse/Frontend/UsersText.h"

#include <llvm/Support/Path.h>

namespace cufuse {

/// What Clang's and gcc's define is the language's, or intrinsics of the host's processor, each in its own way: a macro
/// of one may be a function of the other. Not what Clang's say of CUDA.
class CompilerHeaders {
public:
  explicit CompilerHeaders(const Toolchain &Tools) : Clangs(realPath(Tools.ResourceDir) + "/") {}
  bool contains(llvm::StringRef Path) {
    auto [Entry, New] = Known.try_emplace(Path, false);
    if (New) {
      const std::string Real = realPath(Path);
      Entry->second =
          llvm::StringRef(Real).starts_with("/usr/lib/gcc/") ||
          (llvm::StringRef(Real).starts_with(Clangs) && !llvm::sys::path::filename(Real).starts_with("__clang_"));
    }
    return Entry->second;
  }

private:
  const std::string Clangs;
  llvm::StringMap<bool> Known;
};

} // namespace cufuse
