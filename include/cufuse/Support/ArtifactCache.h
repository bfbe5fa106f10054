// What was compiled once is kept on disk, by the hash of all that it was made from.
//
// A cache is a folder of its own, with a file CACHEDIR.TAG that says whose it is. What is in it is believed, as it is
// in part run: only where the folder, no link, is ours and nobody else may write to it. What else there is, is no
// cache, and nothing of it is changed.
#pragma once

#include "cufuse/Support/FileStore.h"

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/Support/Error.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

namespace cufuse {

/// The cache within a folder that may have others' files, and caches of others: `FOLDER/cufuse-UID`.
std::string cacheWithin(llvm::StringRef Folder);
/// That in `$XDG_CACHE_HOME`, in `~/.cache` without it, in the folder for temporary files without a home.
std::string defaultCacheFolder();

/// SHA-256 in hexadecimal digits, of the parts and their lengths: two lists with the same joined text differ.
std::string contentHash(llvm::ArrayRef<std::string> Parts);
/// XXH3 of what is in a file of any size, and that; "unreadable" if it is.
std::string hashOfFile(const std::string &Path);

/// A folder that is removed in the end. Links in it are, and not what they lead to.
class OwnFolder {
public:
  explicit OwnFolder(std::string Path) : Path(std::move(Path)) {}
  OwnFolder(OwnFolder &&Other) noexcept : Path(std::exchange(Other.Path, {})) {}
  OwnFolder &operator=(OwnFolder &&) = delete;
  ~OwnFolder();
  const std::string &path() const { return Path; }

private:
  std::string Path;
};

/// Safe for several threads and processes at once: an entry is a folder that is made elsewhere and renamed when it is
/// complete. Entries are never changed but for the time of `stamps`, which is that of their last use, and replaced only
/// when a file that they depend on has another content, or one of their own has not the content that it was given: what
/// is damaged or not whole is no entry. What a killed process leaves is removed by `prune`.
/// A folder that cannot be used costs time, and never a result: a new one takes its place, and goes with this object.
class ArtifactCache {
public:
  /// `Say` is told once, should the folder be of no use: a sentence.
  using Listener = std::function<void(const std::string &)>;
  explicit ArtifactCache(const std::string &Folder, Listener Say = {});
  ArtifactCache(const ArtifactCache &) = delete;
  ArtifactCache &operator=(const ArtifactCache &) = delete;
  ~ArtifactCache();

  /// Its whole path.
  const std::string &folder() const { return Folder; }

  using Maker = llvm::function_ref<llvm::Error(const std::string &NewFolder)>;

  /// The folder of the entry. Where there is none, `Make` fills a new folder, one thread at a time for the same key. A
  /// file named `depends` in it lists files, one path per line: the entry counts while these have the content that they
  /// had, and those that were missing are missing. Nothing is kept if one of them was changed after `Make` began: it is
  /// called again, and fails with ExitCode::BadInput when that goes on. Fails as `Make` does, which leaves nothing
  /// behind, or with ExitCode::BadUsage when not even temporary files can be written.
  llvm::Expected<std::string> get(llvm::ArrayRef<std::string> Key, Maker Make);
  /// Keeps what was made since that time, unless there is an entry: once, and not at all if a file that it depends on
  /// was changed since then.
  llvm::Error put(llvm::ArrayRef<std::string> Key, FileTime Began, Maker Fill);
  /// A new folder within the cache, for work that takes no longer than an hour.
  llvm::Expected<OwnFolder> newFolder();

  /// Of the clock that stamps what is in the cache: see `nextFileTime`.
  FileTime now();

  bool has(llvm::ArrayRef<std::string> Key);

  /// Removes those entries that were not used for longest, until all together have no more than `MostBytes`. Entries
  /// used in the last `Spared` stay, since another process may work with them. Removes folders that somebody began to
  /// make or to remove more than an hour ago. Follows no links, and leaves what has not the form of an entry.
  void prune(std::uint64_t MostBytes = 2ull << 30, std::chrono::seconds Spared = std::chrono::hours(24));

private:
  enum class Kept { Yes, Changed };
  /// Content of files by path, as long as these look the same.
  struct Known {
    std::string Look, Hash;
  };

  void open();
  void leave(const std::string &Why);
  llvm::Expected<std::string> writable();
  std::optional<std::string> find(const std::string &Name);
  std::mutex &lockOf(const std::string &Name);
  std::string contentOf(const std::string &Path) const;
  std::string dependsOf(llvm::StringRef Paths) const;
  bool isCurrent(const std::string &Entry) const;
  llvm::Expected<Kept> make(const std::string &Name, std::optional<FileTime> Began, bool Stable, Maker Make,
                            std::string &Before);
  llvm::Expected<Kept> makeIn(const std::string &Within, const std::string &Name, std::optional<FileTime> Began,
                              bool Stable, Maker Make, std::string &Before, std::error_code &Unwritable) const;

  const std::string Folder;
  const Listener Say;
  std::mutex Lock; ///< For what is below.
  bool Opened = false;
  bool Readable = false, Writable = false; ///< `Folder`.
  std::string Own;                         ///< In its place, where that is not so; made when it is needed.
  std::map<std::string, std::unique_ptr<std::mutex>> Making; ///< By name.
  mutable std::mutex LookLock;
  mutable std::map<std::string, Known> Contents; ///< By path.
};

} // namespace cufuse
