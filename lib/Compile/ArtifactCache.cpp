#include "cufuse/Compile/ArtifactCache.h"

#include "cufuse/Support/Error.h"

#include <fmt/format.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/Path.h>
#include <llvm/Support/SHA256.h>
#include <llvm/Support/raw_ostream.h>

#include <cstdlib>

namespace cufuse {

namespace fs = llvm::sys::fs;

std::string defaultCacheFolder() {
  const char *Cache = std::getenv("XDG_CACHE_HOME");
  llvm::SmallString<128> Path;
  if (Cache && llvm::sys::path::is_absolute(Cache)) { // The specification ignores relative ones.
    Path = Cache;
  } else if (llvm::sys::path::home_directory(Path)) {
    llvm::sys::path::append(Path, ".cache");
  } else {
    llvm::sys::path::system_temp_directory(/*ErasedOnReboot=*/true, Path);
  }
  llvm::sys::path::append(Path, "cufuse");
  return std::string(Path);
}

static std::string hashOf(llvm::ArrayRef<std::string> Key) {
  llvm::SHA256 Hash;
  for (const std::string &Part : Key) {
    // With its length, so that no two keys read alike.
    Hash.update(fmt::format("{}:", Part.size()));
    Hash.update(Part);
  }
  return llvm::toHex(Hash.final(), /*LowerCase=*/true).substr(0, 40);
}

static std::string within(llvm::StringRef Folder, llvm::StringRef Name) {
  llvm::SmallString<128> Path(Folder);
  llvm::sys::path::append(Path, Name);
  return std::string(Path);
}

/// Size and time of modification, as the stamps of an entry have them; a file that is not there has none.
static std::string stampOf(llvm::StringRef Path) {
  fs::file_status Status;
  if (fs::status(Path, Status))
    return "missing";
  return fmt::format("{} {}", Status.getSize(), Status.getLastModificationTime().time_since_epoch().count());
}

/// The lines of `depends`, each with its stamp.
static std::string stampsOf(llvm::StringRef Depends) {
  std::string Stamps;
  for (llvm::StringRef Path : llvm::split(Depends, '\n'))
    if (!Path.empty())
      Stamps += fmt::format("{} {}\n", stampOf(Path), Path.str());
  return Stamps;
}

static std::string readAll(const std::string &Path) {
  auto Text = llvm::MemoryBuffer::getFile(Path);
  return Text ? (*Text)->getBuffer().str() : std::string();
}

static bool isCurrent(const std::string &Entry) {
  return fs::is_directory(Entry) && stampsOf(readAll(within(Entry, "depends"))) == readAll(within(Entry, "stamps"));
}

/// Without the right to do so, it only is as old as it looks.
static void markUsed(const std::string &Entry) {
  int Descriptor = -1;
  if (fs::openFileForReadWrite(within(Entry, "stamps"), Descriptor, fs::CD_OpenExisting, fs::OF_Append))
    return;
  llvm::raw_fd_ostream Closing(Descriptor, /*shouldClose=*/true);
  fs::setLastAccessAndModificationTime(Descriptor, std::chrono::system_clock::now());
}

void ArtifactCache::prune(std::uint64_t MostBytes, std::chrono::seconds Spared) const {
  struct Used {
    llvm::sys::TimePoint<> When;
    std::uint64_t Bytes = 0;
    std::string Path;
  };
  std::vector<Used> Entries;
  std::uint64_t Sum = 0;
  std::error_code Ignored; // What cannot be read or removed stays.
  auto Each = [&](const std::string &In, auto Do) {
    for (fs::directory_iterator I(In, Ignored), End; I != End && !Ignored; I.increment(Ignored))
      Do(I->path());
  };
  Each(Folder, [&](const std::string &Group) {
    if (llvm::sys::path::filename(Group).size() != 2)
      return;
    Each(Group, [&](const std::string &Entry) {
      Used &One = Entries.emplace_back();
      One.Path = Entry;
      Each(Entry, [&](const std::string &File) {
        fs::file_status Status;
        if (fs::status(File, Status))
          return;
        One.Bytes += Status.getSize();
        if (llvm::sys::path::filename(File) == "stamps")
          One.When = Status.getLastModificationTime();
      });
      Sum += One.Bytes;
    });
  });
  llvm::sort(Entries, [](const Used &A, const Used &B) { return A.When < B.When; });
  const auto Recent = std::chrono::system_clock::now() - Spared;
  for (const Used &One : Entries) {
    if (Sum <= MostBytes || One.When > Recent)
      return;
    fs::remove_directories(One.Path);
    Sum -= One.Bytes;
  }
}

/// The folder that it has, or would have.
std::string ArtifactCache::entry(llvm::ArrayRef<std::string> Key) const {
  const std::string Hash = hashOf(Key);
  return within(within(Folder, Hash.substr(0, 2)), Hash.substr(2));
}

bool ArtifactCache::has(llvm::ArrayRef<std::string> Key) const { return isCurrent(entry(Key)); }

llvm::Expected<std::string> ArtifactCache::get(llvm::ArrayRef<std::string> Key,
                                               llvm::function_ref<llvm::Error(const std::string &NewFolder)> Make) {
  const std::string Entry = entry(Key);
  std::mutex *Mine = nullptr;
  {
    std::lock_guard Guard(Lock);
    auto &Slot = Making[Entry];
    if (!Slot)
      Slot = std::make_unique<std::mutex>();
    Mine = Slot.get();
  }
  std::lock_guard Guard(*Mine);
  if (isCurrent(Entry)) {
    markUsed(Entry);
    return Entry;
  }
  auto Unwritable = [&](std::error_code Error) {
    return fail(ExitCode::BadUsage, fmt::format("cannot write to the cache '{}': {}", Folder, Error.message()),
                "set XDG_CACHE_HOME to a folder that can be written");
  };
  if (std::error_code Error = fs::create_directories(llvm::sys::path::parent_path(Entry)))
    return Unwritable(Error);
  llvm::SmallString<128> New;
  if (std::error_code Error = fs::createUniqueDirectory(within(Folder, "new"), New))
    return Unwritable(Error);
  auto Discard = [&] { fs::remove_directories(New); };
  if (llvm::Error Error = Make(std::string(New))) {
    Discard();
    return std::move(Error);
  }
  const std::string Stamps = stampsOf(readAll(within(New, "depends")));
  std::error_code Failed;
  {
    llvm::raw_fd_ostream Out(within(New, "stamps"), Failed);
    if (!Failed)
      Out << Stamps;
  }
  // What stands there is stale or, when another process was faster, as good as ours.
  for (int Attempt = 0; Attempt < 10 && !Failed; ++Attempt) {
    Failed = fs::rename(New, Entry);
    if (!Failed)
      return Entry;
    if (isCurrent(Entry)) {
      Discard();
      return Entry;
    }
    llvm::SmallString<128> Old;
    Failed = fs::createUniqueDirectory(within(Folder, "old"), Old);
    fs::rename(Entry, within(Old, "entry"));
    fs::remove_directories(Old);
  }
  Discard();
  return Unwritable(Failed);
}

} // namespace cufuse
