#include "cufuse/Support/FileStore.h"

#include "cufuse/Support/Error.h"

#include <fmt/format.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/raw_ostream.h>

namespace cufuse {

static bool hasText(const OutputFile &File) {
  auto Existing = llvm::MemoryBuffer::getFile(File.Path);
  return Existing && (*Existing)->getBuffer() == File.Text;
}

llvm::Error writeFiles(llvm::ArrayRef<OutputFile> Files) {
  std::vector<std::pair<llvm::sys::fs::TempFile, std::string>> Written;
  auto Failed = [&](const OutputFile &File, const std::string &Why) {
    for (auto &[Temporary, Path] : Written)
      llvm::consumeError(Temporary.discard());
    return badInput(fmt::format("cannot write '{}': {}", File.Path, Why));
  };
  for (const OutputFile &File : Files) {
    if (llvm::sys::fs::is_directory(File.Path))
      return Failed(File, "it is a directory");
    if (hasText(File))
      continue;
    auto Temporary = llvm::sys::fs::TempFile::create(File.Path + ".%%%%%%%%", 0666 & ~llvm::sys::fs::getUmask());
    if (!Temporary)
      return Failed(File, llvm::toString(Temporary.takeError()));
    Written.emplace_back(std::move(*Temporary), File.Path);
    llvm::raw_fd_ostream Out(Written.back().first.FD, /*shouldClose=*/false);
    Out << File.Text;
    Out.flush();
    if (Out.has_error()) {
      const std::string Why = Out.error().message();
      Out.clear_error();
      return Failed(File, Why);
    }
  }
  for (size_t I = 0; I < Written.size(); ++I)
    if (auto Error = Written[I].first.keep(Written[I].second)) {
      for (size_t J = I + 1; J < Written.size(); ++J)
        llvm::consumeError(Written[J].first.discard());
      return badInput(fmt::format("cannot write '{}': {}", Written[I].second, llvm::toString(std::move(Error))));
    }
  return llvm::Error::success();
}

} // namespace cufuse
