#include "cufuse/Search/TuningDatabase.h"

#include "cufuse/Search/Json.h"
#include "cufuse/Support/ArtifactCache.h"
#include "cufuse/Support/Error.h"

#include <fmt/core.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/Path.h>
#include <sqlite3.h>

namespace cufuse {

namespace {
constexpr int WaitMilliseconds = 10'000;
constexpr int ApplicationId = 0x63756673, SchemaVersion = 3; // "cufs"
constexpr const char *Schema = R"(
  BEGIN IMMEDIATE;
  CREATE TABLE IF NOT EXISTS tuned (
    sources TEXT NOT NULL, flags TEXT NOT NULL, gpu TEXT NOT NULL, driver TEXT NOT NULL, workload TEXT NOT NULL,
    tools TEXT NOT NULL,
    effort INTEGER NOT NULL, -- as effortOf says; of a key, later results have less
    number INTEGER NOT NULL, -- greater than that of every earlier result
    text TEXT NOT NULL);     -- JSON
  CREATE INDEX IF NOT EXISTS keys ON tuned (sources, flags, gpu, driver, workload, tools);
  PRAGMA application_id = 0x63756673;
  PRAGMA user_version = 3;
  COMMIT;
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
  const int Error = sqlite3_errcode(Handle.get());
  return badInput(fmt::format("cannot {} the tuning database '{}': {}", Doing, Path, sqlite3_errmsg(Handle.get())),
                  Error == SQLITE_BUSY || Error == SQLITE_LOCKED ? "another program uses it: run this again"
                                                                 : "name another file");
}

llvm::Expected<TuningDatabase> TuningDatabase::open(const std::string &Path) { return open(Path, /*ToWrite=*/false); }

llvm::Expected<TuningDatabase> TuningDatabase::openToWrite(const std::string &Path) {
  if (const llvm::StringRef Folder = llvm::sys::path::parent_path(Path); !Folder.empty())
    if (std::error_code Error = llvm::sys::fs::create_directories(Folder))
      return badInput(fmt::format("cannot make the folder '{}': {}", Folder.str(), Error.message()));
  auto Database = open(Path, /*ToWrite=*/true);
  if (!Database)
    return Database;
  // Takes the lock that writing takes, and gives it back.
  sqlite3 *Raw = Database->Handle.get();
  if (sqlite3_db_readonly(Raw, "main") == 1 ||
      sqlite3_exec(Raw, "BEGIN IMMEDIATE; ROLLBACK", nullptr, nullptr, nullptr) != SQLITE_OK)
    return Database->failed("write");
  return Database;
}

llvm::Expected<TuningDatabase> TuningDatabase::open(const std::string &Path, bool ToWrite) {
  if (Path == ":memory:") // where SQLite keeps nothing
    return badUsage("--database ':memory:' is no file", "name one");
  sqlite3 *Raw = nullptr;
  const int Flags = SQLITE_OPEN_READWRITE | (ToWrite ? SQLITE_OPEN_CREATE : 0) | SQLITE_OPEN_FULLMUTEX;
  const int Status = sqlite3_open_v2(Path.c_str(), &Raw, Flags, nullptr);
  TuningDatabase Database(std::unique_ptr<sqlite3, Close>(Raw), Path);
  if (Status != SQLITE_OK)
    return Database.failed("open");
  sqlite3_busy_timeout(Raw, WaitMilliseconds);
  // One statement: another process may make the database just now.
  Statement Head = prepare(Raw,
                           "SELECT (SELECT application_id FROM pragma_application_id), "
                           "(SELECT user_version FROM pragma_user_version), COUNT(*) FROM sqlite_master",
                           {});
  if (!Head || sqlite3_step(Head.get()) != SQLITE_ROW)
    return Database.failed("read");
  const int Id = sqlite3_column_int(Head.get(), 0), Version = sqlite3_column_int(Head.get(), 1);
  const bool IsEmpty = Id == 0 && Version == 0 && sqlite3_column_int(Head.get(), 2) == 0;
  Head.reset();
  if (ToWrite && IsEmpty) {
    if (sqlite3_exec(Raw, Schema, nullptr, nullptr, nullptr) != SQLITE_OK)
      return Database.failed("write");
  } else if (Id != ApplicationId || Version != SchemaVersion) {
    return badInput(fmt::format("'{}' is no tuning database, or that of another version of cufuse", Path),
                    "name another file");
  }
  return Database;
}

llvm::Error TuningDatabase::store(const TuningKey &Key, const TuneResult &Result) {
  sqlite3 *Raw = Handle.get();
  const std::vector<std::string> Values = {Key.Sources,  Key.Flags, Key.Gpu,         Key.Driver,
                                           Key.Workload, Key.Tools, jsonLine(Result)};
  auto Do = [&](const char *Text, llvm::ArrayRef<std::string> With) {
    const Statement One = prepare(Raw, Text, With);
    return One && sqlite3_step(One.get()) == SQLITE_DONE;
  };
  const std::string Effort = fmt::format("{}", effortOf(Result));
  // One transaction: the number is read and written under one lock.
  const std::string Delete = "DELETE FROM tuned WHERE sources = ? AND flags = ? AND gpu = ? AND driver = ? AND "
                             "workload = ? AND tools = ? AND effort <= " +
                             Effort;
  const std::string Insert = "INSERT INTO tuned VALUES (?, ?, ?, ?, ?, ?, " + Effort +
                             ", (SELECT COALESCE(MAX(number), 0) + 1 FROM tuned), ?)";
  if (Do("BEGIN IMMEDIATE", {}) && Do(Delete.c_str(), llvm::ArrayRef(Values).drop_back()) &&
      Do(Insert.c_str(), Values) && Do("COMMIT", {}))
    return llvm::Error::success();
  llvm::Error Failed = failed("write");
  sqlite3_exec(Raw, "ROLLBACK", nullptr, nullptr, nullptr);
  return Failed;
}

llvm::Expected<std::optional<TuneResult>> TuningDatabase::find(const TuningKey &Key) {
  Statement Select =
      prepare(Handle.get(),
              "SELECT text FROM tuned AS t WHERE ?1 IN ('', sources) AND ?2 IN ('', flags) AND ?3 IN ('', gpu) AND "
              "?4 IN ('', driver) AND ?5 IN ('', workload) AND ?6 IN ('', tools) "
              "ORDER BY (SELECT MAX(number) FROM tuned AS o WHERE o.sources = t.sources AND o.flags = t.flags AND "
              "o.gpu = t.gpu AND o.driver = t.driver AND o.workload = t.workload AND o.tools = t.tools) DESC, "
              "effort DESC, number DESC LIMIT 1",
              {Key.Sources, Key.Flags, Key.Gpu, Key.Driver, Key.Workload, Key.Tools});
  const int Status = Select ? sqlite3_step(Select.get()) : SQLITE_ERROR;
  if (Status == SQLITE_DONE)
    return std::nullopt;
  if (Status != SQLITE_ROW)
    return failed("read");
  const auto *Text = reinterpret_cast<const char *>(sqlite3_column_text(Select.get(), 0));
  return TRY(parseTuneResult(Text ? Text : "", Path));
}

} // namespace cufuse
