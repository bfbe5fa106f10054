#include "../TemporaryFolder.h"
#include "SampleResult.h"
#include "Synthetic.h"

#include "cufuse/Search/Json.h"
#include "cufuse/Search/Space.h"
#include "cufuse/Search/Trace.h"
#include "cufuse/Search/TuningDatabase.h"
#include "cufuse/Support/ArtifactCache.h"
#include "cufuse/Support/Error.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <set>
#include <sqlite3.h>
#include <sstream>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace cufuse {
namespace {

namespace fs = std::filesystem;
namespace json = llvm::json;
using testing::HasSubstr;

std::string message(llvm::Error Error) { return llvm::toString(std::move(Error)); }

class InFolder : public testing::Test {
protected:
  std::string at(const std::string &Name) const { return Folder.at(Name); }
  static std::string textOf(const std::string &Path) {
    std::ostringstream Text;
    Text << std::ifstream(Path).rdbuf();
    return Text.str();
  }
  TemporaryFolder Folder;
};

TraceEntry entry(unsigned Number) {
  TraceEntry E;
  E.Tried.Config.Constituents = {{{256}}, {{Number}}};
  E.Tried.Config.Constituents[1].Bound = {{"stride", "2"}};
  E.Measured = Effort::Full;
  E.Result.Outcome = Fate::Measured;
  E.Result.Resources = ResourceUse{40, 8, 12, 16, 1024, 2};
  E.Result.ResidentBlocks = 4;
  E.Result.Microseconds = 1234.5;
  E.Result.RelativeNoise = 0.004;
  E.Result.Samples = 50;
  E.Result.ClockMHz = 1980;
  E.Predicted = 1300;
  E.At = Number / 8.0;
  return E;
}

std::string lineOf(const TraceEntry &E) { return llvm::formatv("{0}", toJson(E)).str(); }

using TraceFile = InFolder;

TEST_F(TraceFile, IsContinuedWhereItEnded) {
  {
    Trace First = llvm::cantFail(Trace::open(at("t.jsonl"), "key", "about"));
    First.append(entry(32));
    TraceEntry Failed = entry(64);
    Failed.Result = {};
    Failed.Result.Outcome = Fate::Crashed;
    Failed.Result.Why = "signal 11\n\xff";
    First.append(Failed);
    llvm::cantFail(First.close());
  }
  Trace Second = llvm::cantFail(Trace::open(at("t.jsonl"), "key", "about"));
  ASSERT_EQ(Second.entries().size(), 2u);
  EXPECT_EQ(lineOf(Second.entries()[0]), lineOf(entry(32)));
  EXPECT_EQ(Second.entries()[1].Result.Outcome, Fate::Crashed);
  EXPECT_EQ(Second.seconds(), 8.0);
  Second.append(entry(96));
  llvm::cantFail(Second.close());
  EXPECT_EQ(llvm::cantFail(Trace::open(at("t.jsonl"), "key", "about")).entries().size(), 3u);
}

TEST_F(TraceFile, AnEntryIsInTheFileAsSoonAsItIsAppended) {
  Trace Record = llvm::cantFail(Trace::open(at("t.jsonl"), "key", nullptr));
  Record.append(entry(32));
  EXPECT_EQ(llvm::cantFail(parseTrace(textOf(at("t.jsonl")), "t")).Entries.size(), 1u);
  llvm::cantFail(Record.close());
}

TEST_F(TraceFile, ALineCutShortIsLeftOut) {
  {
    Trace First = llvm::cantFail(Trace::open(at("t.jsonl"), "key", nullptr));
    First.append(entry(32));
    First.append(entry(64));
    llvm::cantFail(First.close());
  }
  fs::resize_file(at("t.jsonl"), fs::file_size(at("t.jsonl")) - 5);
  Trace Second = llvm::cantFail(Trace::open(at("t.jsonl"), "key", nullptr));
  EXPECT_EQ(Second.entries().size(), 1u);
  Second.append(entry(96));
  llvm::cantFail(Second.close());
  const RecordedTrace Recorded = llvm::cantFail(parseTrace(textOf(at("t.jsonl")), "t"));
  ASSERT_EQ(Recorded.Entries.size(), 2u);
  EXPECT_EQ(Recorded.Entries[1].Tried.key(), entry(96).Tried.key());
}

TEST_F(TraceFile, AnEmptyFileBeginsATrace) {
  std::ofstream(at("t.jsonl")).flush();
  llvm::cantFail(llvm::cantFail(Trace::open(at("t.jsonl"), "key", nullptr)).close());
  EXPECT_EQ(llvm::cantFail(parseTrace(textOf(at("t.jsonl")), "t")).Key, "key");
}

TEST_F(TraceFile, ResultsOfSomethingElseAreRefusedAndKept) {
  llvm::cantFail(llvm::cantFail(Trace::open(at("t.jsonl"), "one", nullptr)).close());
  const std::string Before = textOf(at("t.jsonl"));
  auto Other = Trace::open(at("t.jsonl"), "two", nullptr);
  ASSERT_FALSE(Other);
  EXPECT_THAT(message(Other.takeError()), HasSubstr("of other sources"));
  EXPECT_EQ(textOf(at("t.jsonl")), Before);
  for (const char *Text : {"my notes\n", "my notes", R"({"key": "one"})"}) {
    std::ofstream(at("notes.txt")) << Text;
    auto Notes = Trace::open(at("notes.txt"), "key", nullptr);
    ASSERT_FALSE(Notes);
    EXPECT_THAT(message(Notes.takeError()), HasSubstr("trace"));
    EXPECT_EQ(textOf(at("notes.txt")), Text);
  }
}

// A file that may not grow takes a part of a line, as a full disk does.
TEST_F(TraceFile, WhatWasWrittenBeforeTheDiskWasFullIsRead) {
  Trace First = llvm::cantFail(Trace::open(at("t.jsonl"), "key", nullptr));
  First.append(entry(32));
  rlimit Before{};
  getrlimit(RLIMIT_FSIZE, &Before);
  const rlimit Full{fs::file_size(at("t.jsonl")) + 10, Before.rlim_max};
  auto *const Handler = std::signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &Full);
  First.append(entry(64));
  EXPECT_THAT(message(Trace::open(at("new.jsonl"), std::string(10'000, 'k'), nullptr).takeError()),
              HasSubstr("cannot write"));
  setrlimit(RLIMIT_FSIZE, &Before);
  std::signal(SIGXFSZ, Handler);
  First.append(entry(96));
  EXPECT_EQ(First.entries().size(), 3u);
  EXPECT_THAT(message(First.close()), HasSubstr("cannot write"));
  EXPECT_EQ(llvm::cantFail(Trace::open(at("t.jsonl"), "key", nullptr)).entries().size(), 1u);
  EXPECT_TRUE(fs::is_empty(at("new.jsonl")));
}

TEST_F(TraceFile, ADeviceIsNotReadForEver) {
  EXPECT_THAT(message(Trace::open("/dev/zero", "key", nullptr).takeError()), HasSubstr("is no regular file"));
}

TEST(TraceEntries, KeysDifferAndConfigurationsAreReadBack) {
  std::set<std::string> Keys;
  for (unsigned Seed : {0u, 3u}) {
    const Problem P = syntheticProblem(Seed);
    Keys.clear();
    const std::vector<Candidate> Space = enumerateSpace(P);
    for (const Candidate &C : Space) {
      EXPECT_TRUE(Keys.insert(C.key()).second) << C.key();
      FusionConfig Again;
      json::Path::Root Root("config");
      ASSERT_TRUE(fromJson(toJson(C.Config), Again, Root));
      EXPECT_EQ(Candidate{Again}.key(), C.key());
    }
  }
}

TEST(TraceEntries, ProblemsAreReadBack) {
  const Problem P = syntheticProblem(1);
  Problem Again;
  json::Path::Root Root("problem");
  ASSERT_TRUE(fromJson(toJson(P), Again, Root));
  EXPECT_EQ(toJson(Again), toJson(P));
}

TEST(TraceEntries, CountsAreOfCandidatesAndTheirLastFate) {
  TraceEntry Screened = entry(32), Crashed = entry(64), Only = entry(96);
  Screened.Measured.reset();
  Only.Measured.reset();
  Crashed.Result.Outcome = Fate::Crashed;
  const FateCounts Counts = countFates({Screened, entry(32), Crashed, Only});
  EXPECT_EQ(Counts.of(Fate::Measured), 1u);
  EXPECT_EQ(Counts.of(Fate::Crashed), 1u);
  EXPECT_EQ(Counts.OnlyScreened, 1u);
  EXPECT_EQ(Counts.total(), 3u);
}

class Database : public InFolder {
protected:
  static TuningKey key(const std::string &Workload) { return {"sources", "flags", "NVIDIA H200", "580", Workload}; }
  static TuneResult result(const std::string &Command) {
    static const TuneResult Sample = sampleResult(3);
    TuneResult R = Sample;
    R.Command = Command;
    return R;
  }
  static void change(const std::string &Path, const char *Text) {
    sqlite3 *Raw = nullptr;
    ASSERT_EQ(sqlite3_open(Path.c_str(), &Raw), SQLITE_OK);
    ASSERT_EQ(sqlite3_exec(Raw, Text, nullptr, nullptr, nullptr), SQLITE_OK);
    sqlite3_close(Raw);
  }
};

TEST_F(Database, KeepsTheLastResultOfEachKeyAmongEquals) {
  {
    TuningDatabase D = llvm::cantFail(TuningDatabase::openToWrite(at("deep/er/t.db")));
    EXPECT_FALSE(llvm::cantFail(D.find(key("w"))));
    llvm::cantFail(D.store(key("w"), result("first")));
    llvm::cantFail(D.store(key("w"), result("second")));
    llvm::cantFail(D.store(key("v"), result("other")));
  }
  TuningDatabase D = llvm::cantFail(TuningDatabase::openToWrite(at("deep/er/t.db")));
  auto Found = llvm::cantFail(D.find(key("w")));
  ASSERT_TRUE(Found);
  EXPECT_EQ(toJson(*Found), toJson(result("second")));
  TuningKey Driver = key("w");
  Driver.Driver = "590";
  EXPECT_FALSE(llvm::cantFail(D.find(Driver)));
  EXPECT_EQ(llvm::cantFail(D.find({"sources", "flags", "", "", ""}))->Command, "other");
  llvm::cantFail(D.store(key("w"), result("third")));
  EXPECT_EQ(llvm::cantFail(D.find({"sources", "flags", "NVIDIA H200", "", ""}))->Command, "third");
  EXPECT_EQ(llvm::cantFail(D.find({"sources", "flags", "", "", "v"}))->Command, "other");
  EXPECT_FALSE(llvm::cantFail(D.find({"sources", "flags", "NVIDIA A100", "", ""})));
  EXPECT_FALSE(llvm::cantFail(D.find({"sources", "other flags", "", "", ""})));
}

TEST_F(Database, ABetterFoundedResultStays) {
  TuningDatabase D = llvm::cantFail(TuningDatabase::openToWrite(at("t.db")));
  TuneResult Weak = result("weak"), Restricted = result("restricted");
  ASSERT_GT(Weak.Tried.size(), 1u);
  Weak.Tried.resize(1);
  Restricted.Restricted = true;
  auto Found = [&](const char *Workload) { return llvm::cantFail(D.find(key(Workload)))->Command; };
  llvm::cantFail(D.store(key("w"), Restricted));
  EXPECT_EQ(Found("w"), "restricted");
  llvm::cantFail(D.store(key("w"), Weak));
  EXPECT_EQ(Found("w"), "weak");
  llvm::cantFail(D.store(key("w"), result("whole")));
  llvm::cantFail(D.store(key("w"), Weak));
  llvm::cantFail(D.store(key("w"), Restricted));
  EXPECT_EQ(Found("w"), "whole");
  llvm::cantFail(D.store(key("w"), result("later")));
  EXPECT_EQ(Found("w"), "later");
  // Of several keys it is the one that was tuned last.
  llvm::cantFail(D.store(key("v"), Weak));
  EXPECT_EQ(llvm::cantFail(D.find({"sources", "flags", "", "", ""}))->Command, "weak");
  llvm::cantFail(D.store(key("w"), Weak));
  EXPECT_EQ(llvm::cantFail(D.find({"sources", "flags", "", "", ""}))->Command, "later");
}

TEST_F(Database, ManyProcessesMayWriteAtOnce) {
  constexpr int Processes = 6, Each = 5;
  for (int I = 0; I < Processes; ++I)
    if (fork() == 0) {
      bool Good = true;
      for (int J = 0; J < Each && Good; ++J) {
        auto D = TuningDatabase::openToWrite(at("t.db"));
        Good = bool(D);
        if (!Good || D->store(key(std::to_string(I * Each + J)), TuneResult()))
          Good = false;
      }
      _exit(Good ? 0 : 1);
    }
  for (int I = 0; I < Processes; ++I) {
    int Status = 0;
    wait(&Status);
    EXPECT_EQ(Status, 0);
  }
  TuningDatabase D = llvm::cantFail(TuningDatabase::open(at("t.db")));
  for (int I = 0; I < Processes * Each; ++I)
    EXPECT_TRUE(llvm::cantFail(D.find(key(std::to_string(I))))) << I;
}

TEST_F(Database, AFileThatIsNoneIsRefusedAndKept) {
  std::ofstream(at("notes.txt")) << std::string(5000, 'x');
  std::ofstream(at("empty.db")).flush();
  for (const auto &[Name, Text] : {std::pair("people.db", "CREATE TABLE people (name)"),
                                   std::pair("older.db", "CREATE TABLE tuned (sources, text); PRAGMA user_version = 1"),
                                   std::pair("version.db", "PRAGMA user_version = 3")})
    change(at(Name), Text);
  for (const char *Name : {"notes.txt", "people.db", "older.db", "version.db"})
    for (auto *Open : {&TuningDatabase::open, &TuningDatabase::openToWrite}) {
      const std::string Before = textOf(at(Name));
      auto D = Open(at(Name));
      ASSERT_FALSE(D) << Name;
      EXPECT_THAT(message(D.takeError()), HasSubstr("name another file"));
      EXPECT_EQ(textOf(at(Name)), Before);
    }
  EXPECT_THAT(message(TuningDatabase::open(at("empty.db")).takeError()), HasSubstr("is no tuning database"));
  EXPECT_TRUE(fs::is_empty(at("empty.db")));
  EXPECT_TRUE(bool(TuningDatabase::openToWrite(at("empty.db"))));
  llvm::consumeError(TuningDatabase::open(at("none.db")).takeError());
  EXPECT_FALSE(fs::exists(at("none.db")));
}

TEST_F(Database, OneInUseIsToBeAskedAgain) {
  TuningDatabase D = llvm::cantFail(TuningDatabase::openToWrite(at("t.db")));
  sqlite3 *Other = nullptr;
  ASSERT_EQ(sqlite3_open(at("t.db").c_str(), &Other), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(Other, "BEGIN EXCLUSIVE", nullptr, nullptr, nullptr), SQLITE_OK);
  EXPECT_THAT(message(D.store(key("w"), TuneResult())),
              testing::AllOf(HasSubstr("locked"), HasSubstr("run this again")));
  sqlite3_close(Other);
  llvm::cantFail(D.store(key("w"), TuneResult()));
}

TEST(ContentHash, TellsTheSameTextInOtherPartsApart) {
  EXPECT_NE(contentHash({"ab", "c"}), contentHash({"a", "bc"}));
  EXPECT_NE(contentHash({"ab"}), contentHash({"ab", ""}));
  EXPECT_EQ(contentHash({"a", "b"}), contentHash({"a", "b"}));
  EXPECT_EQ(contentHash({}).size(), 64u);
}

} // namespace
} // namespace cufuse
