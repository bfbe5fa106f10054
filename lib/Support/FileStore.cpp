#include "cufuse/Support/FileStore.h"

#include "cufuse/Support/Error.h"

#include <fmt/core.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/Path.h>
#include <llvm/Support/Signals.h>
#include <llvm/Support/raw_ostream.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/file.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

namespace cufuse {

std::string within(llvm::StringRef Folder, llvm::StringRef Name) {
  llvm::SmallString<128> Path(Folder);
  llvm::sys::path::append(Path, Name);
  return std::string(Path);
}

std::string absolute(llvm::StringRef Path) {
  llvm::SmallString<128> Full(Path);
  llvm::sys::fs::make_absolute(Full);
  return std::string(Full);
}

std::string absolute(const std::string &Path, const std::string &Folder) {
  return Folder.empty() || llvm::sys::path::is_absolute(Path) ? Path : within(Folder, Path);
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
  std::filesystem::path Real = absolute(Path);
  std::error_code Error;
  // One that leads to no file yet: `weakly_canonical` stays there.
  constexpr int Most = 40;
  for (int I = 0; I < Most && std::filesystem::is_symlink(Real, Error); ++I)
    Real = Real.parent_path() / std::filesystem::read_symlink(Real, Error);
  const std::filesystem::path Known = std::filesystem::weakly_canonical(Real, Error);
  return Error ? Real.lexically_normal() : Known;
}

static llvm::Error cannotWrite(const std::string &Path, const std::string &Why) {
  return badInput(fmt::format("cannot write '{}': {}", Path, Why));
}

/// A device or a pipe is written to, not replaced.
static bool isReplaced(const std::string &Path) {
  return !llvm::sys::fs::exists(Path) || llvm::sys::fs::is_regular_file(Path);
}

namespace {

/// A file that goes with this object, or with the process, unless it is kept. LLVM's has a digit for every `%` of its
/// path, those of folders, too.
class TemporaryFile {
public:
  /// `Path` is followed by letters of its own.
  static llvm::Expected<TemporaryFile> create(const std::string &Path) {
    TemporaryFile File;
    File.Path = Path + ".tmpXXXXXX";
    File.Descriptor = ::mkostemp(File.Path.data(), O_CLOEXEC);
    if (File.Descriptor < 0)
      return llvm::createStringError(std::error_code(errno, std::generic_category()), std::strerror(errno));
    ::fchmod(File.Descriptor, 0666 & ~llvm::sys::fs::getUmask());
    llvm::sys::RemoveFileOnSignal(File.Path);
    return File;
  }
  TemporaryFile(TemporaryFile &&Other) noexcept
      : Path(std::exchange(Other.Path, {})), Descriptor(std::exchange(Other.Descriptor, -1)) {}
  TemporaryFile &operator=(TemporaryFile &&) = delete;
  ~TemporaryFile() {
    if (Descriptor < 0)
      return;
    ::close(Descriptor);
    if (!Path.empty()) {
      ::unlink(Path.c_str());
      llvm::sys::DontRemoveFileOnSignal(Path);
    }
  }
  int descriptor() const { return Descriptor; }
  std::error_code keep(const std::string &As) {
    if (::rename(Path.c_str(), As.c_str()) != 0)
      return {errno, std::generic_category()};
    llvm::sys::DontRemoveFileOnSignal(std::exchange(Path, {}));
    return {};
  }

private:
  TemporaryFile() = default;
  std::string Path;
  int Descriptor = -1;
};

} // namespace

llvm::Error tryOutputs(llvm::ArrayRef<std::string> Outputs) {
  for (const std::string &Output : Outputs) {
    if (Output.empty())
      continue;
    if (llvm::sys::fs::is_directory(Output))
      return cannotWrite(Output, "it is a directory");
    auto CanWrite = [](int Descriptor) { return ::write(Descriptor, "\n", 1) == 1; };
    if (!isReplaced(Output)) {
      // Nobody waits for what comes through a device that is no terminal; a pipe's reader would get it.
      const int Device = ::open(Output.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
      struct stat Found{};
      const bool Fails = Device >= 0 && ::fstat(Device, &Found) == 0 && S_ISCHR(Found.st_mode) && !::isatty(Device) &&
                         !CanWrite(Device);
      const std::string Why = std::strerror(errno);
      if (Device >= 0)
        ::close(Device);
      if (Fails)
        return cannotWrite(Output, Why);
      continue;
    }
    auto Temporary = TemporaryFile::create(placeOf(Output).string());
    if (!Temporary)
      return cannotWrite(Output, llvm::toString(Temporary.takeError()));
    if (!CanWrite(Temporary->descriptor()))
      return cannotWrite(Output, std::strerror(errno));
  }
  return llvm::Error::success();
}

llvm::Error writeFiles(llvm::ArrayRef<OutputFile> Files) {
  std::vector<std::pair<TemporaryFile, std::string>> Written;
  std::vector<const OutputFile *> Streams;
  for (const OutputFile &File : Files) {
    if (llvm::sys::fs::is_directory(File.Path))
      return cannotWrite(File.Path, "it is a directory");
    if (!isReplaced(File.Path)) {
      Streams.push_back(&File);
      continue;
    }
    if (hasText(File))
      continue;
    // What a link leads to is replaced, not the link.
    const std::string Real = placeOf(File.Path).string();
    auto Temporary = TemporaryFile::create(Real);
    if (!Temporary)
      return cannotWrite(File.Path, llvm::toString(Temporary.takeError()));
    Written.emplace_back(std::move(*Temporary), Real);
    llvm::raw_fd_ostream Out(Written.back().first.descriptor(), /*shouldClose=*/false);
    Out << File.Text;
    Out.flush();
    if (Out.has_error()) {
      const std::string Why = Out.error().message();
      Out.clear_error();
      return cannotWrite(File.Path, Why);
    }
  }
  for (auto &[Temporary, Path] : Written)
    if (const std::error_code Error = Temporary.keep(Path))
      return cannotWrite(Path, Error.message());
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
      return cannotWrite(File->Path, Error.message());
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

llvm::Expected<FileLock> FileLock::take(const std::string &Path, const char *Busy) {
  FileLock Taken;
  Taken.Path = Path;
  Taken.Descriptor = ::open(Path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0666);
  if (Taken.Descriptor < 0)
    return cannotWrite(Path, std::strerror(errno));
  // Where a file system knows no locks, there are none.
  if (::flock(Taken.Descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    ::close(std::exchange(Taken.Descriptor, -1)); // it is another's
    return badInput(fmt::format(fmt::runtime(Busy), Path), "wait until that has ended, or name another file");
  }
  return Taken;
}

FileLock::~FileLock() {
  if (Descriptor < 0)
    return;
  if (struct stat Found{}, Named{}; ::fstat(Descriptor, &Found) == 0 && Found.st_size == 0 &&
                                    ::lstat(Path.c_str(), &Named) == 0 && S_ISREG(Named.st_mode))
    ::unlink(Path.c_str()); // nothing came of it; a link is the user's
  ::close(Descriptor);
}

std::string lookOf(const std::string &Path) {
  std::string Look;
  // Of a link, the link itself, too: it may lead elsewhere.
  for (auto *Ask : {&::stat, &::lstat}) {
    struct stat Found{};
    if (Ask(Path.c_str(), &Found) != 0)
      return "";
    Look += fmt::format("{} {} {} {}.{} {}.{} ", Found.st_dev, Found.st_ino, Found.st_size, Found.st_mtim.tv_sec,
                        Found.st_mtim.tv_nsec, Found.st_ctim.tv_sec, Found.st_ctim.tv_nsec);
  }
  return Look;
}

static FileTime timeOf(const timespec &Time) {
  return std::chrono::seconds(Time.tv_sec) + std::chrono::nanoseconds(Time.tv_nsec);
}

FileTime nextFileTime(const std::string &Folder) {
  // The clock of whoever keeps the files, which may be another machine's.
  auto Touched = llvm::expectedToOptional(TemporaryFile::create(within(Folder, "time")));
  if (!Touched)
    return FileTime::min(); // then all may have been changed
  auto Touch = [&] {
    struct stat Found{};
    return ::futimens(Touched->descriptor(), nullptr) == 0 && ::fstat(Touched->descriptor(), &Found) == 0
               ? timeOf(Found.st_ctim)
               : FileTime::min();
  };
  const FileTime First = Touch();
  FileTime Now = First;
  constexpr int Most = 200; // should the clock be set back meanwhile
  for (int I = 0; I < Most && Now <= First; ++I) {
    std::this_thread::sleep_for(std::chrono::microseconds(500));
    Now = Touch();
  }
  return Now;
}

bool changedSince(const std::string &Path, FileTime When) {
  // Of a link, the link itself, too: it may lead elsewhere since then.
  for (auto *Look : {&::stat, &::lstat}) {
    struct stat Found{};
    if (Look(Path.c_str(), &Found) != 0 || timeOf(Found.st_ctim) >= When)
      return true;
  }
  return false;
}

} // namespace cufuse
