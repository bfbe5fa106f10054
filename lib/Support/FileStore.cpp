#include "cufuse/Support/FileStore.h"

#include "cufuse/Support/Error.h"

#include <fmt/core.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/Path.h>
#include <llvm/Support/raw_ostream.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <sys/stat.h>
#include <thread>

namespace cufuse {

std::string within(llvm::StringRef Folder, llvm::StringRef Name) {
  llvm::SmallString<128> Path(Folder);
  llvm::sys::path::append(Path, Name);
  return std::string(Path);
}

std::string folderOf(llvm::StringRef File) {
  const llvm::StringRef Folder = llvm::sys::path::parent_path(File);
  return Folder.empty() ? "." : Folder.str();
}

llvm::Expected<std::string> textOfFile(const std::string &Path) {
  auto Text = llvm::MemoryBuffer::getFile(Path);
  if (!Text)
    return badInput(fmt::format("cannot read '{}': {}", Path, Text.getError().message()));
  return (*Text)->getBuffer().str();
}

static bool hasText(const OutputFile &File) {
  auto Existing = llvm::MemoryBuffer::getFile(File.Path);
  return Existing && (*Existing)->getBuffer() == File.Text;
}

/// Where a file is, or would be.
static std::filesystem::path placeOf(const std::string &Path) {
  llvm::SmallString<128> Full(Path);
  llvm::sys::fs::make_absolute(Full);
  std::filesystem::path Real = Full.str().str();
  std::error_code Error;
  // One that leads to no file yet: `weakly_canonical` stays there.
  constexpr int Most = 40;
  for (int I = 0; I < Most && std::filesystem::is_symlink(Real, Error); ++I)
    Real = Real.parent_path() / std::filesystem::read_symlink(Real, Error);
  const std::filesystem::path Known = std::filesystem::weakly_canonical(Real, Error);
  return Error ? Real.lexically_normal() : Known;
}

llvm::Error writeFiles(llvm::ArrayRef<OutputFile> Files) {
  std::vector<std::pair<llvm::sys::fs::TempFile, std::string>> Written;
  auto Failed = [&](const OutputFile &File, const std::string &Why) {
    for (auto &[Temporary, Path] : Written)
      llvm::consumeError(Temporary.discard());
    return badInput(fmt::format("cannot write '{}': {}", File.Path, Why));
  };
  std::vector<const OutputFile *> Streams;
  for (const OutputFile &File : Files) {
    if (llvm::sys::fs::is_directory(File.Path))
      return Failed(File, "it is a directory");
    // A device or a pipe is written to, not replaced.
    if (llvm::sys::fs::exists(File.Path) && !llvm::sys::fs::is_regular_file(File.Path)) {
      Streams.push_back(&File);
      continue;
    }
    if (hasText(File))
      continue;
    // What a link leads to is replaced, not the link.
    const std::string Real = placeOf(File.Path).string();
    auto Temporary = llvm::sys::fs::TempFile::create(Real + ".%%%%%%%%", 0666 & ~llvm::sys::fs::getUmask());
    if (!Temporary)
      return Failed(File, llvm::toString(Temporary.takeError()));
    Written.emplace_back(std::move(*Temporary), Real);
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
  for (const OutputFile *File : Streams) {
    std::error_code Error;
    llvm::raw_fd_ostream Out(File->Path, Error, llvm::sys::fs::CD_OpenExisting);
    if (!Error) {
      Out << File->Text;
      Out.close();
      Error = Out.error();
      Out.clear_error();
    }
    if (Error)
      return badInput(fmt::format("cannot write '{}': {}", File->Path, Error.message()));
  }
  return llvm::Error::success();
}

namespace {
struct Place {
  std::filesystem::path Real;
  explicit Place(const std::string &Path) : Real(placeOf(Path)) {}
  bool operator==(const Place &Other) const {
    std::error_code Missing;
    return Real == Other.Real || std::filesystem::equivalent(Real, Other.Real, Missing); // hard links
  }
};
} // namespace

llvm::Error checkOutputs(llvm::ArrayRef<std::string> Outputs, llvm::ArrayRef<std::string> Inputs) {
  std::vector<Place> Read;
  for (const std::string &Input : Inputs)
    if (!Input.empty())
      Read.emplace_back(Input);
  std::vector<std::pair<Place, std::string>> Written;
  for (const std::string &Output : Outputs) {
    if (Output.empty())
      continue;
    const Place Where(Output);
    if (std::find(Read.begin(), Read.end(), Where) != Read.end())
      return badInput(fmt::format("the output '{}' is an input", Output), "choose another name for it");
    for (const auto &[Other, Path] : Written)
      if (Other == Where)
        return badInput(Path == Output ? fmt::format("'{}' is two outputs", Output)
                                       : fmt::format("the outputs '{}' and '{}' are one file", Path, Output),
                        "choose another name for one of them");
    Written.emplace_back(Where, Output);
  }
  return llvm::Error::success();
}

static FileTime timeBy(clockid_t Clock) {
  timespec Now{};
  ::clock_gettime(Clock, &Now);
  return std::chrono::seconds(Now.tv_sec) + std::chrono::nanoseconds(Now.tv_nsec);
}

FileTime nextFileTime() {
  // Some systems stamp by this clock, others by the coarse one, which is behind.
  const FileTime Now = timeBy(CLOCK_REALTIME);
  constexpr int Most = 200; // should the clock be set back meanwhile
  for (int I = 0; I < Most && timeBy(CLOCK_REALTIME_COARSE) < Now; ++I)
    std::this_thread::sleep_for(std::chrono::microseconds(500));
  return Now;
}

bool changedSince(const std::string &Path, FileTime When) {
  // Of a link, the link itself, too: it may lead elsewhere since then.
  for (auto *Look : {&::stat, &::lstat}) {
    struct stat Found{};
    if (Look(Path.c_str(), &Found) != 0 ||
        std::chrono::seconds(Found.st_ctim.tv_sec) + std::chrono::nanoseconds(Found.st_ctim.tv_nsec) >= When)
      return true;
  }
  return false;
}

} // namespace cufuse
