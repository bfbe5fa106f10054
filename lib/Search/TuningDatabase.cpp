#include "cufuse/Search/TuningDatabase.h"

#include "cufuse/Search/Json.h"
#include "cufuse/Support/ArtifactCache.h"
#include "cufuse/Support/Error.h"

#include <fmt/core.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/Path.h>
#include <sqlite3.h>

#include <cstdlib>

namespace cufuse {

namespace {
constexpr int WaitMilliseconds = 10'000;
constexpr int SchemaVersion = 2;
constexpr const char *Schema = R"(
  CREATE TABLE IF NOT EXISTS tuned (
    sources TEXT NOT NULL, flags TEXT NOT NULL, gpu TEXT NOT NULL, driver TEXT NOT NULL, workload TEXT NOT NULL,
    tools TEXT NOT NULL,
    number INTEGER NOT NULL, -- greater than that of every earlier result
    text TEXT NOT NULL,      -- JSON
    PRIMARY KEY (sources, flags, gpu, driver, workload, tools));
  PRAGMA user_version = 2;
)";

struct Finalize {
  void operator()(sqlite3_stmt *Statement) const { sqlite3_finalize(Statement); }
};
using Statement = std::unique_ptr<sqlite3_stmt, Finalize>;

/// Null when the text is wrong or the database is.
Statement prepare(sqlite3 *Handle, const char *Text, llvm::ArrayRef<std::string> Values) {
  sqlite3_stmt *Raw = nullptr;
  if (sqlite3_prepare_v2(Handle, Text, -1, &Raw, nullptr) != SQLITE_OK)
    return nullptr;
  Statement Prepared(Raw);
  for (size_t I = 0; I < Values.size(); ++I)
    if (sqlite3_bind_text(Raw, static_cast<int>(I + 1), Values[I].data(), static_cast<int>(Values[I].size()),
                          SQLITE_TRANSIENT) != SQLITE_OK)
      return nullptr;
  return Prepared;
}
} // namespace

std::string TuningKey::str() const { return contentHash({Sources, Flags, Gpu, Driver, Workload, Tools}); }

void TuningDatabase::Close::operator()(sqlite3 *Handle) const { sqlite3_close(Handle); }

llvm::Error TuningDatabase::failed(const std::string &Doing) const {
  return badInput(fmt::format("cannot {} the tuning database '{}': {}", Doing, Path, sqlite3_errmsg(Handle.get())),
                  "remove the file to begin a new one, or name another with --database");
}

llvm::Expected<TuningDatabase> TuningDatabase::open(const std::string &Path) {
  if (const llvm::StringRef Folder = llvm::sys::path::parent_path(Path); !Folder.empty())
    if (std::error_code Error = llvm::sys::fs::create_directories(Folder))
      return badInput(fmt::format("cannot make the folder '{}': {}", Folder.str(), Error.message()));
  sqlite3 *Raw = nullptr;
  const int Status =
      sqlite3_open_v2(Path.c_str(), &Raw, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_FULLMUTEX, nullptr);
  TuningDatabase Database(std::unique_ptr<sqlite3, Close>(Raw), Path);
  if (Status != SQLITE_OK)
    return Database.failed("open");
  sqlite3_busy_timeout(Raw, WaitMilliseconds);
  Statement Version = prepare(Raw, "PRAGMA user_version", {});
  if (!Version || sqlite3_step(Version.get()) != SQLITE_ROW)
    return Database.failed("read");
  const int Found = sqlite3_column_int(Version.get(), 0);
  Version.reset();
  if (Found > SchemaVersion)
    return badInput(fmt::format("the tuning database '{}' was written by a later cufuse", Path),
                    "name another file with --database");
  if (Found < SchemaVersion && sqlite3_exec(Raw, Schema, nullptr, nullptr, nullptr) != SQLITE_OK)
    return Database.failed("write");
  return Database;
}

llvm::Error TuningDatabase::checkWritable() {
  // Takes the lock that writing takes, and gives it back.
  if (sqlite3_db_readonly(Handle.get(), "main") == 1 ||
      sqlite3_exec(Handle.get(), "BEGIN IMMEDIATE; ROLLBACK", nullptr, nullptr, nullptr) != SQLITE_OK)
    return failed("write");
  return llvm::Error::success();
}

llvm::Error TuningDatabase::store(const TuningKey &Key, const TuneResult &Result) {
  const std::string Text = jsonLine(Result);
  // One statement is one transaction: the number is read and written under one lock.
  Statement Insert = prepare(Handle.get(),
                             "INSERT OR REPLACE INTO tuned VALUES (?, ?, ?, ?, ?, ?, "
                             "(SELECT COALESCE(MAX(number), 0) + 1 FROM tuned), ?)",
                             {Key.Sources, Key.Flags, Key.Gpu, Key.Driver, Key.Workload, Key.Tools, Text});
  if (!Insert || sqlite3_step(Insert.get()) != SQLITE_DONE)
    return failed("write");
  return llvm::Error::success();
}

llvm::Expected<std::optional<TuneResult>> TuningDatabase::findLatest(const TuningKey &Key) {
  Statement Select = prepare(Handle.get(),
                             "SELECT text FROM tuned WHERE ?1 IN ('', sources) AND ?2 IN ('', flags) "
                             "AND ?3 IN ('', gpu) AND ?4 IN ('', driver) AND ?5 IN ('', workload) "
                             "AND ?6 IN ('', tools) ORDER BY number DESC LIMIT 1",
                             {Key.Sources, Key.Flags, Key.Gpu, Key.Driver, Key.Workload, Key.Tools});
  const int Status = Select ? sqlite3_step(Select.get()) : SQLITE_ERROR;
  if (Status == SQLITE_DONE)
    return std::nullopt;
  if (Status != SQLITE_ROW)
    return failed("read");
  const auto *Text = reinterpret_cast<const char *>(sqlite3_column_text(Select.get(), 0));
  llvm::Expected<TuneResult> Result = parseTuneResult(Text ? Text : "", Path);
  if (!Result)
    return Result.takeError();
  return std::move(*Result);
}

} // namespace cufuse
