// Results of tuning, kept from run to run and shared by processes: a SQLite file.
#pragma once

#include "cufuse/Search/TuneResult.h"

#include <llvm/Support/Error.h>

#include <memory>
#include <optional>
#include <string>

struct sqlite3;

namespace cufuse {

/// What a result holds for. A change of any of these makes it another one.
struct TuningKey {
  std::string Sources;    ///< contentHash of the texts of all constituents, with what they include of the project.
  std::string Flags;      ///< contentHash of the compilers' flags.
  std::string Gpu;        ///< Its name.
  std::string Driver;     ///< Its version.
  std::string Workload;   ///< contentHash of the workload with its sizes and data files.
  std::string Tools = {}; ///< contentHash of the versions of compiler and cufuse, with the compiler's environment.

  std::string str() const; ///< contentHash of all of them: the key of a trace's file.
};

class TuningDatabase {
public:
  /// Fails when it cannot be opened, or is not a database of this version's results, and then leaves it as it is.
  static llvm::Expected<TuningDatabase> open(const std::string &Path);
  /// Makes the file and its folder where they are missing, too. Fails also where a result could not be stored now.
  static llvm::Expected<TuningDatabase> openToWrite(const std::string &Path);

  /// Replaces results of the same key that are no better founded (`effortOf`), and keeps those that are. Waits up to
  /// ten seconds for another process that writes.
  llvm::Error store(const TuningKey &Key, const TuneResult &Result);
  /// Of those results that have what is not empty in the key: the best founded one of the key that was stored last. For
  /// a build that has perhaps no GPU.
  llvm::Expected<std::optional<TuneResult>> find(const TuningKey &Key);

private:
  struct Close {
    void operator()(sqlite3 *Handle) const;
  };
  TuningDatabase(std::unique_ptr<sqlite3, Close> Handle, std::string Path)
      : Handle(std::move(Handle)), Path(std::move(Path)) {}
  static llvm::Expected<TuningDatabase> open(const std::string &Path, bool ToWrite);
  llvm::Error failed(const std::string &Doing) const;

  std::unique_ptr<sqlite3, Close> Handle;
  std::string Path;
};

} // namespace cufuse
