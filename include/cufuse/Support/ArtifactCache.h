// What was compiled once is kept on disk, by the hash of all that it was made from.
#pragma once

#include "cufuse/Support/FileStore.h"

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/Support/Error.h>

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>

namespace cufuse {

/// `$XDG_CACHE_HOME/cufuse`, `~/.cache/cufuse` without it, a folder for temporary files without a home.
std::string defaultCacheFolder();

/// SHA-256 in hexadecimal digits, of the parts and their lengths: two lists with the same joined text differ.
std::string contentHash(llvm::ArrayRef<std::string> Parts);

/// Safe for several threads and processes at once: an entry is a folder that is made elsewhere and renamed when it is
/// complete. Entries are never changed but for the time of `stamps`, which is that of their last use, and replaced only
/// when a file that they depend on has another content, or one of their own has not the content that it was given: what
/// is damaged or not whole is no entry. What a killed process leaves is removed by `prune`.
class ArtifactCache {
public:
  explicit ArtifactCache(const std::string &Folder);

  using Maker = llvm::function_ref<llvm::Error(const std::string &NewFolder)>;

  /// The folder of the entry. Where there is none, `Make` fills a new folder, one thread at a time for the same key. A
  /// file named `depends` in it lists files, one path per line: the entry counts while these have the content that they
  /// had, and those that were missing are missing. Nothing is kept if one of them was changed after `Make` began: it is
  /// called again, and fails with ExitCode::BadInput when that goes on. Fails as `Make` does, which leaves nothing
  /// behind, or with ExitCode::BadUsage when the cache cannot be written.
  llvm::Expected<std::string> get(llvm::ArrayRef<std::string> Key, Maker Make);
  /// Keeps what was made since that time, unless there is an entry: once, and not at all if a file that it depends on
  /// was changed since then.
  llvm::Error put(llvm::ArrayRef<std::string> Key, FileTime Began, Maker Fill);
  /// A new folder within the cache, for work that takes no longer than an hour.
  llvm::Expected<std::string> newFolder() const;

  bool has(llvm::ArrayRef<std::string> Key) const;

  /// Removes those entries that were not used for longest, until all together have no more than `MostBytes`. Entries
  /// used in the last `Spared` stay, since another process may work with them. Removes folders that somebody began to
  /// make or to remove more than an hour ago.
  void prune(std::uint64_t MostBytes = 2ull << 30, std::chrono::seconds Spared = std::chrono::hours(24)) const;

private:
  enum class Kept { Yes, Changed };
  /// Content of files by path, as long as these look the same.
  struct Known {
    std::string Look, Hash;
  };

  std::string entry(llvm::ArrayRef<std::string> Key) const;
  std::mutex &lockOf(const std::string &Entry);
  llvm::Error unwritable(std::error_code Error) const;
  std::string contentOf(const std::string &Path) const;
  std::string dependsOf(llvm::StringRef Paths) const;
  bool isCurrent(const std::string &Entry) const;
  llvm::Expected<Kept> make(const std::string &Entry, FileTime Began, bool Stable, Maker Make, std::string &Before);
  void discard(const std::string &Path) const;

  std::string Folder;
  std::mutex Lock;
  std::map<std::string, std::unique_ptr<std::mutex>> Making; ///< By entry.
  mutable std::mutex LookLock;
  mutable std::map<std::string, Known> Contents; ///< By path.
};

} // namespace cufuse
