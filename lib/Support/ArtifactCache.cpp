#include "cufuse/Support/ArtifactCache.h"

#include "cufuse/Support/Error.h"
#include "cufuse/Support/Leftovers.h"

#include <fmt/core.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/ScopeExit.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/ErrorOr.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/Path.h>
#include <llvm/Support/SHA256.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Support/xxhash.h>

#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

namespace cufuse {

namespace fs = llvm::sys::fs;

constexpr llvm::StringLiteral Tag = "CACHEDIR.TAG"; // bford.info/cachedir
constexpr llvm::StringLiteral TagText = "Signature: 8a477f597d28d172789f06886806bc55\n"
                                        "# A cache of cufuse, which removes from it what is old. It may be removed.\n";

std::string cacheWithin(llvm::StringRef Folder) { return within(Folder, fmt::format("cufuse-{}", ::geteuid())); }

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
  return cacheWithin(Path);
}

/// What stands at the path itself: links are not followed.
static std::optional<struct stat> lookAt(const std::string &Path) {
  struct stat Found{};
  return ::lstat(Path.c_str(), &Found) == 0 ? std::optional(Found) : std::nullopt;
}

/// Why what is in the folder may be another's; empty where only we can have put it there.
static std::string doubtOf(const struct stat &Found) {
  if (!S_ISDIR(Found.st_mode))
    return S_ISLNK(Found.st_mode) ? "it is a link" : "it is no folder";
  if (Found.st_uid != ::geteuid())
    return fmt::format("it belongs to another user, {}", Found.st_uid);
  if (Found.st_mode & (S_IWGRP | S_IWOTH))
    return "others may write to it";
  return {};
}

static bool isOurs(const std::string &Folder) {
  const auto Found = lookAt(Folder);
  return Found && doubtOf(*Found).empty();
}

/// For nobody but us.
static llvm::ErrorOr<std::string> newFolderAt(std::string Prefix) {
  Prefix += "-XXXXXX";
  if (!::mkdtemp(Prefix.data()))
    return std::error_code(errno, std::generic_category());
  isLeftover(Prefix);
  return Prefix;
}

/// Removes links, and not what they lead to.
static void removeAll(const std::string &Path) {
  std::error_code Ignored;
  std::filesystem::remove_all(Path, Ignored);
  released(Path);
}

std::string contentHash(llvm::ArrayRef<std::string> Parts) {
  llvm::SHA256 Hash;
  for (const std::string &Part : Parts) {
    Hash.update(fmt::format("{}:", Part.size()));
    Hash.update(Part);
  }
  return llvm::toHex(Hash.final(), /*LowerCase=*/true);
}

static llvm::Error unwritable(const std::string &Folder, std::error_code Error) {
  return fail(ExitCode::BadUsage, fmt::format("cannot write to '{}': {}", Folder, Error.message()),
              "set XDG_CACHE_HOME or TMPDIR to a folder that can be written");
}

static std::string readAll(const std::string &Path) {
  auto Text = llvm::MemoryBuffer::getFile(Path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  return Text ? (*Text)->getBuffer().str() : std::string();
}

static std::string hashOfText(llvm::StringRef Text) {
  const llvm::XXH128_hash_t Hash = llvm::xxh3_128bits(llvm::arrayRefFromStringRef(Text));
  return fmt::format("{:016x}{:016x}-{}", Hash.high64, Hash.low64, Text.size());
}

std::string hashOfFile(const std::string &Path) {
  auto Text = llvm::MemoryBuffer::getFile(Path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  return Text ? hashOfText((*Text)->getBuffer()) : "unreadable";
}

/// Its hash, or that it is missing.
std::string ArtifactCache::contentOf(const std::string &Path) const {
  const std::string Look = lookOf(Path);
  if (Look.empty())
    return "missing";
  {
    std::lock_guard Guard(LookLock);
    if (const auto Found = Contents.find(Path); Found != Contents.end() && Found->second.Look == Look)
      return Found->second.Hash;
  }
  const std::string Hash = hashOfFile(Path);
  // What has only just been written may be written once more and look the same.
  constexpr auto Tick = std::chrono::milliseconds(100);
  if (lookOf(Path) == Look && !changedSince(Path, std::chrono::system_clock::now().time_since_epoch() - Tick)) {
    std::lock_guard Guard(LookLock);
    Contents[Path] = {Look, Hash};
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
  for (std::filesystem::directory_iterator I(Folder, Error), End; I != End && !Error; I.increment(Error))
    if (const std::string Name = I->path().filename();
        Name != "stamps" && I->symlink_status().type() == std::filesystem::file_type::regular)
      Lines.push_back(fmt::format("product {} {}\n", hashOfFile(I->path()), Name));
  llvm::sort(Lines);
  return llvm::join(Lines, "");
}

// Names: of an entry, `ab/38 more digits`; of what is being made or removed, with six letters or digits behind.
constexpr size_t GroupDigits = 2, EntryDigits = 40;
constexpr llvm::StringLiteral NewName = "new-cufuse", OldName = "old-cufuse";
constexpr llvm::StringLiteral Heading = "stamps 2\n";

static std::string endOf(llvm::StringRef Lines) { return "end " + hashOfText(Lines) + "\n"; }

/// What `stamps` says behind its heading; nothing where it is not whole. The last line is of the others.
static std::optional<std::string> stampsOf(const std::string &Entry) {
  const std::string Path = within(Entry, "stamps");
  if (const auto Found = lookAt(Path); !isOurs(Entry) || !Found || !S_ISREG(Found->st_mode))
    return std::nullopt;
  const std::string Stamps = readAll(Path);
  const size_t Last = llvm::StringRef(Stamps).rtrim('\n').rfind('\n') + 1;
  llvm::StringRef Lines = llvm::StringRef(Stamps).take_front(Last);
  if (Stamps.substr(Last) != endOf(Lines) || !Lines.consume_front(Heading))
    return std::nullopt;
  return Lines.str();
}

/// What there was when it was made: products, and what these depend on.
bool ArtifactCache::isCurrent(const std::string &Entry) const {
  const auto Lines = isOurs(folderOf(Entry)) ? stampsOf(Entry) : std::nullopt;
  return Lines && llvm::all_of(llvm::split(*Lines, '\n'), [&](llvm::StringRef Line) {
           const auto [Kind, Rest] = Line.split(' ');
           const auto [Hash, Name] = Rest.split(' ');
           return Line.empty() || (Kind == "product" ? hashOfFile(within(Entry, Name)) : contentOf(Name.str())) == Hash;
         });
}

/// Without the right to do so, it only is as old as it looks.
static void markUsed(const std::string &Entry) {
  int Descriptor = -1;
  if (fs::openFileForReadWrite(within(Entry, "stamps"), Descriptor, fs::CD_OpenExisting, fs::OF_Append))
    return;
  llvm::raw_fd_ostream Closing(Descriptor, /*shouldClose=*/true);
  fs::setLastAccessAndModificationTime(Descriptor, std::chrono::system_clock::now());
}

/// Nobody may find a part of it. `Folder`: of the cache.
static void discard(const std::string &Folder, const std::string &Path) {
  auto Old = newFolderAt(within(Folder, OldName));
  if (!Old)
    return removeAll(Path);
  std::error_code Ignored;
  std::filesystem::rename(Path, within(*Old, "entry"), Ignored);
  removeAll(*Old);
}

static bool isHex(llvm::StringRef Text) { return Text.find_first_not_of("0123456789abcdef") == llvm::StringRef::npos; }

void ArtifactCache::prune(std::uint64_t MostBytes, std::chrono::seconds Spared) {
  {
    std::lock_guard Guard(Lock);
    open();
    if (!Writable)
      return;
  }
  struct Used {
    timespec When{};
    std::uint64_t Bytes = 0;
    std::string Path;
  };
  std::vector<Used> Entries;
  std::vector<std::string> Left;
  std::uint64_t Sum = 0;
  // Calls for each folder or file of ours, no links; what cannot be read stays.
  auto Each = [](const std::string &In, mode_t Kind, auto Do) {
    std::error_code Error;
    for (std::filesystem::directory_iterator I(In, Error), End; I != End && !Error; I.increment(Error))
      if (const auto Found = lookAt(I->path()); Found && (Found->st_mode & S_IFMT) == Kind)
        Do(I->path().string(), I->path().filename().string(), *Found);
  };
  const auto Now = std::chrono::system_clock::now();
  auto IsOlder = [&](const timespec &Time, std::chrono::seconds Age) {
    return std::chrono::seconds(Time.tv_sec) < Now.time_since_epoch() - Age;
  };
  Each(Folder, S_IFDIR, [&](const std::string &Group, llvm::StringRef Name, const struct stat &Found) {
    for (llvm::StringRef Begun : {NewName, OldName})
      if (Name.starts_with(Begun) && Name.size() == Begun.size() + 7 && IsOlder(Found.st_mtim, std::chrono::hours(1)))
        Left.push_back(Group);
    if (Name.size() != GroupDigits || !isHex(Name) || !doubtOf(Found).empty())
      return;
    Each(Group, S_IFDIR, [&](const std::string &Entry, llvm::StringRef Name, const struct stat &) {
      if (Name.size() != EntryDigits - GroupDigits || !isHex(Name) || !stampsOf(Entry))
        return;
      Used &One = Entries.emplace_back();
      One.Path = Entry;
      Each(Entry, S_IFREG, [&](const std::string &, llvm::StringRef Name, const struct stat &File) {
        One.Bytes += File.st_size;
        if (Name == "stamps")
          One.When = File.st_mtim;
      });
      Sum += One.Bytes;
    });
  });
  for (const std::string &Path : Left)
    removeAll(Path);
  llvm::sort(Entries, [](const Used &A, const Used &B) {
    return std::pair(A.When.tv_sec, A.When.tv_nsec) < std::pair(B.When.tv_sec, B.When.tv_nsec);
  });
  for (const Used &One : Entries) {
    if (Sum <= MostBytes || !IsOlder(One.When, Spared))
      return;
    discard(Folder, One.Path);
    Sum -= One.Bytes;
  }
}

/// Makes it where there is none, or an empty folder: all at once, so that nobody finds it without its tag.
static std::string makeCache(const std::string &Folder) {
  auto Said = [](std::error_code Error) { return "cannot make it: " + Error.message(); };
  if (std::error_code Error = fs::create_directories(folderOf(Folder), /*IgnoreExisting=*/true, fs::owner_all))
    return Said(Error);
  auto New = newFolderAt(Folder);
  if (!New)
    return Said(New.getError());
  llvm::scope_exit Clean([&] { removeAll(*New); });
  if (llvm::Error Error = writeFiles({{within(*New, Tag), TagText.str()}}))
    return textOf(std::move(Error));
  std::error_code Error;
  std::filesystem::rename(*New, Folder, Error); // to nothing, or to an empty folder
  return Error && !lookAt(Folder) ? Said(Error) : std::string();
}

/// Why the cache is of no use; empty where it is one. Makes it where there is none.
static std::string troubleWith(const std::string &Folder) {
  std::error_code Ignored;
  auto Found = lookAt(Folder);
  if (!Found || (doubtOf(*Found).empty() && std::filesystem::is_empty(Folder, Ignored)))
    if (std::string Why = makeCache(Folder); !Why.empty())
      return Why;
  Found = lookAt(Folder);
  if (!Found)
    return "it is removed again and again";
  if (std::string Why = doubtOf(*Found); !Why.empty())
    return Why;
  if (const std::string Path = within(Folder, Tag); !lookAt(Path) || readAll(Path) != TagText)
    return fmt::format("it has no {} of cufuse, and so others' files", Tag.str());
  return {};
}

OwnFolder::~OwnFolder() {
  if (!Path.empty())
    removeAll(Path);
}

ArtifactCache::ArtifactCache(const std::string &Folder, Listener Say) : Folder(absolute(Folder)), Say(std::move(Say)) {}

ArtifactCache::~ArtifactCache() {
  if (!Own.empty())
    removeAll(Own);
}

/// With the lock, as the next two.
void ArtifactCache::open() {
  if (std::exchange(Opened, true))
    return;
  Readable = Writable = true;
  if (const std::string Why = troubleWith(Folder); !Why.empty()) {
    Readable = false;
    leave(Why);
  }
}

void ArtifactCache::leave(const std::string &Why) {
  if (std::exchange(Writable, false) && Say)
    Say(fmt::format("the cache '{}' is not {}: {}; what is compiled is compiled again in the next run", Folder,
                    Readable ? "written to" : "used", Why));
}

/// Where new entries are made.
llvm::Expected<std::string> ArtifactCache::writable() {
  open();
  if (Writable)
    return Folder;
  if (Own.empty()) {
    llvm::SmallString<128> Temporary;
    llvm::sys::path::system_temp_directory(/*ErasedOnReboot=*/true, Temporary);
    auto New = newFolderAt(within(Temporary, "cufuse"));
    if (!New)
      return fail(ExitCode::BadUsage,
                  fmt::format("cannot make a folder in '{}': {}", std::string(Temporary), New.getError().message()),
                  "set XDG_CACHE_HOME or TMPDIR to a folder that can be written");
    Own = std::move(*New);
  }
  return Own;
}

/// The folder that an entry has within a cache.
static std::string nameOf(llvm::ArrayRef<std::string> Key) {
  const std::string Hash = contentHash(Key).substr(0, EntryDigits);
  return within(Hash.substr(0, GroupDigits), Hash.substr(GroupDigits));
}

std::optional<std::string> ArtifactCache::find(const std::string &Name) {
  std::vector<std::string> Places;
  {
    std::lock_guard Guard(Lock);
    open();
    // It may have been moved, and another put in its place.
    if (Readable && isOurs(Folder))
      Places.push_back(Folder);
    if (!Own.empty())
      Places.push_back(Own);
  }
  for (const std::string &Place : Places)
    if (std::string Entry = within(Place, Name); isCurrent(Entry))
      return Entry;
  return std::nullopt;
}

bool ArtifactCache::has(llvm::ArrayRef<std::string> Key) { return find(nameOf(Key)).has_value(); }

std::mutex &ArtifactCache::lockOf(const std::string &Name) {
  std::lock_guard Guard(Lock);
  auto &Slot = Making[Name];
  if (!Slot)
    Slot = std::make_unique<std::mutex>();
  return *Slot;
}

llvm::Expected<OwnFolder> ArtifactCache::newFolder() {
  std::lock_guard Guard(Lock);
  for (;;) {
    auto Within = TRY(writable());
    auto New = newFolderAt(within(Within, NewName));
    if (New)
      return OwnFolder(std::move(*New));
    if (Within == Own)
      return unwritable(Own, New.getError());
    leave(New.getError().message());
  }
}

FileTime ArtifactCache::now() {
  const auto New = llvm::expectedToOptional(newFolder());
  return New ? nextFileTime(New->path()) : FileTime::min();
}

/// Whether what one compilation writes still has room there.
static bool hasRoom(const std::string &Folder) {
  constexpr std::uint64_t Enough = 32 << 20;
  const std::string Path = within(Folder, "room");
  const int File = ::open(Path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (File < 0)
    return false;
  const int Failed = ::posix_fallocate(File, 0, Enough);
  ::close(File);
  ::unlink(Path.c_str());
  return Failed != ENOSPC && Failed != EDQUOT && Failed != EROFS && Failed != EIO && Failed != EFBIG;
}

/// `Began`: when what it depends on was read, if that is over. `Stable`: it counts also if files were changed since
/// then, while they are what they were `Before`. That takes what they are now. `Unwritable`: why it cannot be made
/// there, whatever is returned.
llvm::Expected<ArtifactCache::Kept> ArtifactCache::makeIn(const std::string &Within, const std::string &Name,
                                                          std::optional<FileTime> Began, bool Stable, Maker Make,
                                                          std::string &Before, std::error_code &Unwritable) const {
  const std::string Entry = within(Within, Name);
  Unwritable = fs::create_directory(folderOf(Entry), /*IgnoreExisting=*/true, fs::owner_all);
  if (!Unwritable && !isOurs(folderOf(Entry)))
    Unwritable = std::make_error_code(std::errc::operation_not_permitted);
  if (Unwritable)
    return Kept::Changed;
  auto New = newFolderAt(within(Within, NewName));
  if ((Unwritable = New.getError()))
    return Kept::Changed;
  llvm::scope_exit Clean([&] { removeAll(*New); });
  if (!Began)
    Began = nextFileTime(*New);
  if (llvm::Error Error = Make(*New)) {
    if (!hasRoom(*New))
      Unwritable = std::make_error_code(std::errc::no_space_on_device);
    return std::move(Error);
  }
  const std::string Paths = readAll(within(*New, "depends"));
  const std::string Depends = dependsOf(Paths);
  const bool Unchanged = llvm::none_of(llvm::split(Paths, '\n'), [&](llvm::StringRef Path) {
    return !Path.empty() && fs::exists(Path) && changedSince(Path.str(), *Began);
  });
  const bool Same = Depends == std::exchange(Before, Depends);
  if (!Unchanged && !(Stable && Same))
    return Kept::Changed;
  const std::string Lines = Heading.str() + productsOf(*New) + Depends;
  {
    llvm::raw_fd_ostream Out(within(*New, "stamps"), Unwritable);
    if (!Unwritable) {
      Out << Lines << endOf(Lines);
      Out.close();
      Unwritable = Out.error();
      Out.clear_error();
    }
  }
  // What stands there is stale or, when another process was faster, as good as ours.
  for (int Attempt = 0; Attempt < 10 && !Unwritable; ++Attempt) {
    Unwritable = fs::rename(*New, Entry);
    if (!Unwritable || isCurrent(Entry)) {
      Unwritable = {};
      return Kept::Yes;
    }
    Unwritable = {};
    discard(Within, Entry);
  }
  if (!Unwritable)
    Unwritable = std::make_error_code(std::errc::directory_not_empty);
  return Kept::Changed;
}

llvm::Expected<ArtifactCache::Kept> ArtifactCache::make(const std::string &Name, std::optional<FileTime> Began,
                                                        bool Stable, Maker Make, std::string &Before) {
  for (;;) {
    std::string Within;
    {
      std::lock_guard Guard(Lock);
      Within = TRY(writable());
    }
    std::error_code Unwritable;
    auto Done = makeIn(Within, Name, Began, Stable, Make, Before, Unwritable);
    if (!Unwritable)
      return Done;
    if (Within != Folder)
      return Done ? unwritable(Within, Unwritable) : Done.takeError();
    llvm::consumeError(Done.takeError());
    std::lock_guard Guard(Lock);
    leave(Unwritable.message());
  }
}

llvm::Expected<std::string> ArtifactCache::get(llvm::ArrayRef<std::string> Key, Maker Make) {
  const std::string Name = nameOf(Key);
  std::lock_guard Guard(lockOf(Name));
  constexpr unsigned Most = 5;
  std::string Before;
  for (unsigned Attempt = 0; Attempt <= Most; ++Attempt) {
    if (auto Entry = find(Name)) {
      markUsed(*Entry);
      return *Entry;
    }
    if (Attempt == Most)
      break;
    TRY(make(Name, std::nullopt, /*Stable=*/Attempt > 0, Make, Before));
  }
  return badInput("a file that is compiled is changed again and again meanwhile", "run this again");
}

llvm::Error ArtifactCache::put(llvm::ArrayRef<std::string> Key, FileTime Began, Maker Fill) {
  const std::string Name = nameOf(Key);
  std::lock_guard Guard(lockOf(Name));
  std::string Before;
  return find(Name) ? llvm::Error::success() : make(Name, Began, /*Stable=*/false, Fill, Before).takeError();
}

} // namespace cufuse
