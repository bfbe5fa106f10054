// What was compiled once is kept on disk, by the hash of all that it was made from.
#pragma once

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

/// Safe for several threads and processes at once: an entry is a folder that is made elsewhere and renamed when it is
/// complete. Entries are never changed but for the time of `stamps`, which is that of their last use, and replaced only
/// when a file that they depend on is another.
class ArtifactCache {
public:
  explicit ArtifactCache(std::string Folder) : Folder(std::move(Folder)) {}

  /// The folder of the entry. Where there is none, `Make` fills a new folder, one thread at a time for the same key. A
  /// file named `depends` in it lists files, one path per line: the entry counts while these have the size and the time
  /// of modification that they had. Fails as `Make` does, which leaves nothing behind, or with ExitCode::BadUsage when
  /// the cache cannot be written.
  llvm::Expected<std::string> get(llvm::ArrayRef<std::string> Key,
                                  llvm::function_ref<llvm::Error(const std::string &NewFolder)> Make);

  bool has(llvm::ArrayRef<std::string> Key) const;

  /// Removes those entries that were not used for longest, until all together have no more than `MostBytes`. Entries
  /// used in the last `Spared` stay, since another process may work with them.
  void prune(std::uint64_t MostBytes, std::chrono::seconds Spared) const;

private:
  std::string entry(llvm::ArrayRef<std::string> Key) const;

  std::string Folder;
  std::mutex Lock;
  std::map<std::string, std::unique_ptr<std::mutex>> Making; ///< By entry.
};

} // namespace cufuse
