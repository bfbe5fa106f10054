#include "cufuse/Support/ArtifactCache.h"

#include "cufuse/Support/Error.h"

#include <fmt/core.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/ScopeExit.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/Path.h>
#include <llvm/Support/SHA256.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Support/xxhash.h>

#include <cstdlib>
#include <optional>
#include <sys/stat.h>
#include <utility>

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

ArtifactCache::ArtifactCache(const std::string &Folder) {
  llvm::SmallString<128> Path(Folder);
  fs::make_absolute(Path);
  this->Folder = std::string(Path);
}

std::string contentHash(llvm::ArrayRef<std::string> Parts) {
  llvm::SHA256 Hash;
  for (const std::string &Part : Parts) {
    Hash.update(fmt::format("{}:", Part.size()));
    Hash.update(Part);
  }
  return llvm::toHex(Hash.final(), /*LowerCase=*/true);
}

static std::string readAll(const std::string &Path) {
  auto Text = llvm::MemoryBuffer::getFile(Path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  return Text ? (*Text)->getBuffer().str() : std::string();
}

static std::string hashOfText(llvm::StringRef Text) {
  const llvm::XXH128_hash_t Hash = llvm::xxh3_128bits(llvm::arrayRefFromStringRef(Text));
  return fmt::format("{:016x}{:016x}-{}", Hash.high64, Hash.low64, Text.size());
}

static std::string hashOfFile(const std::string &Path) {
  auto Text = llvm::MemoryBuffer::getFile(Path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  return Text ? hashOfText((*Text)->getBuffer()) : "unreadable";
}

/// What changes whenever a file does, but for changes within one tick of the clock; nothing where there is none.
static std::optional<std::string> lookOf(const std::string &Path) {
  struct stat Found{};
  if (::stat(Path.c_str(), &Found) != 0)
    return std::nullopt;
  return fmt::format("{} {} {} {}.{} {}.{}", Found.st_dev, Found.st_ino, Found.st_size, Found.st_mtim.tv_sec,
                     Found.st_mtim.tv_nsec, Found.st_ctim.tv_sec, Found.st_ctim.tv_nsec);
}

/// Its hash, or that it is missing.
std::string ArtifactCache::contentOf(const std::string &Path) const {
  const std::optional<std::string> Look = lookOf(Path);
  if (!Look)
    return "missing";
  {
    std::lock_guard Guard(LookLock);
    if (const auto Found = Contents.find(Path); Found != Contents.end() && Found->second.Look == *Look)
      return Found->second.Hash;
  }
  const std::string Hash = hashOfFile(Path);
  // What has only just been written may be written once more and look the same.
  constexpr auto Tick = std::chrono::milliseconds(100);
  if (lookOf(Path) == Look && !changedSince(Path, std::chrono::system_clock::now().time_since_epoch() - Tick)) {
    std::lock_guard Guard(LookLock);
    Contents[Path] = {*Look, Hash};
  }
  return Hash;
}

/// A line for each of the paths, with what is there.
std::string ArtifactCache::dependsOf(llvm::StringRef Paths) const {
  std::string Lines;
  for (llvm::StringRef Path : llvm::split(Paths, '\n'))
    if (!Path.empty())
      Lines += fmt::format("depends {} {}\n", contentOf(Path.str()), Path.str());
  return Lines;
}

/// The files that an entry has: `product HASH NAME` each.
static std::string productsOf(const std::string &Folder) {
  std::vector<std::string> Lines;
  std::error_code Error;
  for (fs::directory_iterator I(Folder, Error), End; I != End && !Error; I.increment(Error))
    if (llvm::sys::path::filename(I->path()) != "stamps" && fs::is_regular_file(I->path()))
      Lines.push_back(
          fmt::format("product {} {}\n", hashOfFile(I->path()), llvm::sys::path::filename(I->path()).str()));
  llvm::sort(Lines);
  return llvm::join(Lines, "");
}

constexpr llvm::StringLiteral Heading = "stamps 2\n";

static std::string endOf(llvm::StringRef Lines) { return "end " + hashOfText(Lines) + "\n"; }

/// `stamps` says what there was when it was made: products, and what these depend on. The last line is of the others.
bool ArtifactCache::isCurrent(const std::string &Entry) const {
  const std::string Stamps = readAll(within(Entry, "stamps"));
  const size_t Last = llvm::StringRef(Stamps).rtrim('\n').rfind('\n') + 1;
  llvm::StringRef Lines = llvm::StringRef(Stamps).take_front(Last);
  if (Stamps.substr(Last) != endOf(Lines) || !Lines.consume_front(Heading))
    return false;
  for (llvm::StringRef Line : llvm::split(Lines, '\n')) {
    if (Line.empty())
      continue;
    const auto [Kind, Rest] = Line.split(' ');
    const auto [Hash, Name] = Rest.split(' ');
    const std::string Now = Kind == "product" ? hashOfFile(within(Entry, Name)) : contentOf(Name.str());
    if (Now != Hash)
      return false;
  }
  return true;
}

/// Without the right to do so, it only is as old as it looks.
static void markUsed(const std::string &Entry) {
  int Descriptor = -1;
  if (fs::openFileForReadWrite(within(Entry, "stamps"), Descriptor, fs::CD_OpenExisting, fs::OF_Append))
    return;
  llvm::raw_fd_ostream Closing(Descriptor, /*shouldClose=*/true);
  fs::setLastAccessAndModificationTime(Descriptor, std::chrono::system_clock::now());
}

/// Nobody may find a part of it.
void ArtifactCache::discard(const std::string &Path) const {
  llvm::SmallString<128> Old;
  if (!fs::createUniqueDirectory(within(Folder, "old"), Old) && !fs::rename(Path, within(Old, "entry")))
    fs::remove_directories(Old);
  else
    fs::remove_directories(Old.empty() ? llvm::StringRef(Path) : llvm::StringRef(Old));
}

void ArtifactCache::prune(std::uint64_t MostBytes, std::chrono::seconds Spared) const {
  struct Used {
    llvm::sys::TimePoint<> When;
    std::uint64_t Bytes = 0;
    std::string Path;
  };
  std::vector<Used> Entries;
  std::vector<std::string> Left;
  std::uint64_t Sum = 0;
  std::error_code Ignored; // What cannot be read or removed stays.
  auto Each = [&](const std::string &In, auto Do) {
    for (fs::directory_iterator I(In, Ignored), End; I != End && !Ignored; I.increment(Ignored))
      Do(I->path());
  };
  const auto Now = std::chrono::system_clock::now();
  Each(Folder, [&](const std::string &Group) {
    const llvm::StringRef Name = llvm::sys::path::filename(Group);
    fs::file_status Of;
    if ((Name.starts_with("new-") || Name.starts_with("old-")) && !fs::status(Group, Of) &&
        Of.getLastModificationTime() < Now - std::chrono::hours(1))
      Left.push_back(Group);
    if (Name.size() != 2)
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
  for (const std::string &Path : Left)
    fs::remove_directories(Path);
  llvm::sort(Entries, [](const Used &A, const Used &B) { return A.When < B.When; });
  for (const Used &One : Entries) {
    if (Sum <= MostBytes || One.When > Now - Spared)
      return;
    discard(One.Path);
    Sum -= One.Bytes;
  }
}

/// The folder that it has, or would have.
std::string ArtifactCache::entry(llvm::ArrayRef<std::string> Key) const {
  const std::string Hash = contentHash(Key).substr(0, 40);
  return within(within(Folder, Hash.substr(0, 2)), Hash.substr(2));
}

bool ArtifactCache::has(llvm::ArrayRef<std::string> Key) const { return isCurrent(entry(Key)); }

std::mutex &ArtifactCache::lockOf(const std::string &Entry) {
  std::lock_guard Guard(Lock);
  auto &Slot = Making[Entry];
  if (!Slot)
    Slot = std::make_unique<std::mutex>();
  return *Slot;
}

llvm::Error ArtifactCache::unwritable(std::error_code Error) const {
  return fail(ExitCode::BadUsage, fmt::format("cannot write to the cache '{}': {}", Folder, Error.message()),
              "set XDG_CACHE_HOME to a folder that can be written");
}

llvm::Expected<std::string> ArtifactCache::newFolder() const {
  llvm::SmallString<128> New;
  std::error_code Error = fs::create_directories(Folder);
  if (!Error)
    Error = fs::createUniqueDirectory(within(Folder, "new"), New);
  if (Error)
    return unwritable(Error);
  return std::string(New);
}

/// `Stable`: it counts also if files were changed since then, while they are what they were `Before`. That takes what
/// they are now.
llvm::Expected<ArtifactCache::Kept> ArtifactCache::make(const std::string &Entry, FileTime Began, bool Stable,
                                                        Maker Make, std::string &Before) {
  if (std::error_code Error = fs::create_directories(llvm::sys::path::parent_path(Entry)))
    return unwritable(Error);
  auto New = newFolder();
  if (!New)
    return New.takeError();
  llvm::scope_exit Clean([&] { fs::remove_directories(*New); });
  if (llvm::Error Error = Make(*New))
    return std::move(Error);
  const std::string Paths = readAll(within(*New, "depends"));
  const std::string Depends = dependsOf(Paths);
  const bool Unchanged = llvm::none_of(llvm::split(Paths, '\n'), [&](llvm::StringRef Path) {
    return !Path.empty() && fs::exists(Path) && changedSince(Path.str(), Began);
  });
  const bool Same = Depends == std::exchange(Before, Depends);
  if (!Unchanged && !(Stable && Same))
    return Kept::Changed;
  const std::string Lines = Heading.str() + productsOf(*New) + Depends;
  std::error_code Failed;
  {
    llvm::raw_fd_ostream Out(within(*New, "stamps"), Failed);
    if (!Failed) {
      Out << Lines << endOf(Lines);
      Out.close();
      Failed = Out.error();
      Out.clear_error();
    }
  }
  // What stands there is stale or, when another process was faster, as good as ours.
  for (int Attempt = 0; Attempt < 10 && !Failed; ++Attempt) {
    Failed = fs::rename(*New, Entry);
    if (!Failed || isCurrent(Entry))
      return Kept::Yes;
    Failed = {};
    discard(Entry);
  }
  return unwritable(Failed ? Failed : std::make_error_code(std::errc::directory_not_empty));
}

llvm::Expected<std::string> ArtifactCache::get(llvm::ArrayRef<std::string> Key, Maker Make) {
  const std::string Entry = entry(Key);
  std::lock_guard Guard(lockOf(Entry));
  if (isCurrent(Entry)) {
    markUsed(Entry);
    return Entry;
  }
  constexpr unsigned Most = 5;
  std::string Before;
  for (unsigned Attempt = 0; Attempt < Most; ++Attempt) {
    auto Done = make(Entry, nextFileTime(), /*Stable=*/Attempt > 0, Make, Before);
    if (!Done)
      return Done.takeError();
    if (*Done == Kept::Yes)
      return Entry;
  }
  return badInput("a file that is compiled is changed again and again meanwhile", "run this again");
}

llvm::Error ArtifactCache::put(llvm::ArrayRef<std::string> Key, FileTime Began, Maker Fill) {
  const std::string Entry = entry(Key);
  std::lock_guard Guard(lockOf(Entry));
  std::string Before;
  return isCurrent(Entry) ? llvm::Error::success() : make(Entry, Began, /*Stable=*/false, Fill, Before).takeError();
}

} // namespace cufuse
