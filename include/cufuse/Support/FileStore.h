// Output files, written whole or not at all.
#pragma once

#include <llvm/ADT/ArrayRef.h>
#include <llvm/Support/Error.h>

#include <string>

namespace cufuse {

struct OutputFile {
  std::string Path;
  std::string Text;
};

/// Writes every file beside its destination and renames them only when all of them are complete; on an error nothing
/// is left behind and nothing that existed has changed. A file that already has this text is left alone, so that build
/// systems see no change.
llvm::Error writeFiles(llvm::ArrayRef<OutputFile> Files);

} // namespace cufuse
