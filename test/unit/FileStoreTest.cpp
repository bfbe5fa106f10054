#include "cufuse/Support/FileStore.h"

#include "TemporaryFolder.h"

#include "cufuse/Support/Error.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace cufuse {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class FileStore : public testing::Test {
protected:
  std::string at(const std::string &Name) const { return Folder.at(Name); }
  static std::string read(const std::string &Path) {
    std::ostringstream Text;
    Text << std::ifstream(Path).rdbuf();
    return Text.str();
  }
  static void put(const std::string &Path, const std::string &Text) { std::ofstream(Path) << Text; }
  std::vector<std::string> names() const {
    std::vector<std::string> Names;
    for (const fs::directory_entry &Entry : fs::directory_iterator(Folder.Path))
      Names.push_back(Entry.path().filename().string());
    std::sort(Names.begin(), Names.end());
    return Names;
  }
  static std::string refused(std::vector<OutputFile> Files) {
    std::string Text;
    llvm::raw_string_ostream Out(Text);
    EXPECT_EQ(report(writeFiles(Files), Out), ExitCode::BadInput);
    return Text;
  }

  TemporaryFolder Folder;
};

TEST_F(FileStore, WritesEveryFileWholeAndNothingElse) {
  ASSERT_FALSE(writeFiles({{at("a.cu"), "source\n"}, {at("a.h"), ""}}));
  EXPECT_EQ(read(at("a.cu")), "source\n");
  EXPECT_EQ(read(at("a.h")), "");
  EXPECT_THAT(names(), ElementsAre("a.cu", "a.h"));
}

TEST_F(FileStore, WhatALinkLeadsToIsReplaced) {
  put(at("real.d"), "old");
  fs::create_symlink("real.d", at("link.d"));
  ASSERT_FALSE(writeFiles({{at("link.d"), "new"}}));
  EXPECT_TRUE(fs::is_symlink(at("link.d")));
  EXPECT_EQ(read(at("real.d")), "new");
  // Also where nothing is there yet.
  fs::create_directory(at("other"));
  fs::create_symlink("other/next.d", at("first.d"));
  fs::create_symlink("../none.d", at("other/next.d"));
  ASSERT_FALSE(writeFiles({{at("first.d"), "new"}}));
  EXPECT_TRUE(fs::is_symlink(at("first.d")));
  EXPECT_EQ(read(at("none.d")), "new");
  EXPECT_THAT(llvm::toString(checkOutputs({at("first.d")}, {at("none.d")})), HasSubstr("is an input"));
}

TEST_F(FileStore, ADeviceIsWrittenTo) {
  fs::create_symlink("/dev/null", at("null"));
  ASSERT_FALSE(writeFiles({{at("null"), "text"}}));
  EXPECT_TRUE(fs::is_character_file(at("null")));
  EXPECT_THAT(names(), ElementsAre("null"));
}

TEST_F(FileStore, AnEmptyFileIsWritten) {
  ASSERT_FALSE(writeFiles({{at("empty.h"), ""}}));
  EXPECT_TRUE(fs::exists(at("empty.h")));
}

TEST_F(FileStore, ReplacesWhatWasThere) {
  put(at("a.cu"), "a longer text that was here before\n");
  ASSERT_FALSE(writeFiles({{at("a.cu"), "new\n"}}));
  EXPECT_EQ(read(at("a.cu")), "new\n");
  EXPECT_THAT(names(), ElementsAre("a.cu"));
}

TEST_F(FileStore, AFileWithTheSameTextKeepsItsTime) {
  put(at("a.cu"), "same\n");
  put(at("b.cu"), "old\n");
  const auto Before = fs::file_time_type::clock::now() - std::chrono::hours(1);
  fs::last_write_time(at("a.cu"), Before);
  fs::last_write_time(at("b.cu"), Before);
  ASSERT_FALSE(writeFiles({{at("a.cu"), "same\n"}, {at("b.cu"), "new\n"}}));
  EXPECT_EQ(fs::last_write_time(at("a.cu")), Before);
  EXPECT_GT(fs::last_write_time(at("b.cu")), Before);
}

TEST_F(FileStore, OutputsAreReadableAsTheUsersOtherFiles) {
  const mode_t Mask = umask(022);
  const bool Failed = static_cast<bool>(writeFiles({{at("a.cu"), "text"}}));
  umask(Mask);
  ASSERT_FALSE(Failed);
  EXPECT_EQ(fs::status(at("a.cu")).permissions() & fs::perms(0777), fs::perms(0644));
}

TEST_F(FileStore, AMissingFolderIsSaidAndNothingIsLeft) {
  EXPECT_THAT(refused({{at("a.cu"), "new"}, {at("none/a.h"), "new"}}),
              HasSubstr("cannot write '" + at("none/a.h") + "': "));
  EXPECT_THAT(names(), IsEmpty());
}

TEST_F(FileStore, AFolderInTheWayIsSaidAndNothingHasChanged) {
  put(at("a.cu"), "old\n");
  fs::create_directory(at("a.h"));
  EXPECT_THAT(refused({{at("a.cu"), "new\n"}, {at("a.h"), "new"}}),
              HasSubstr("cannot write '" + at("a.h") + "': it is a directory"));
  EXPECT_EQ(read(at("a.cu")), "old\n");
  EXPECT_THAT(names(), ElementsAre("a.cu", "a.h"));
}

TEST_F(FileStore, AFileAsFolderIsSaid) {
  put(at("file"), "");
  EXPECT_THAT(refused({{at("file/a.cu"), "new"}}), HasSubstr("cannot write '" + at("file/a.cu") + "': "));
  EXPECT_THAT(names(), ElementsAre("file"));
}

std::string refusedOutputs(std::vector<std::string> Outputs, std::vector<std::string> Inputs) {
  return llvm::toString(checkOutputs(Outputs, Inputs));
}

TEST_F(FileStore, AnOutputIsNoInputByWhateverPath) {
  put(at("a.cu"), "kernel");
  put(at("b.cu"), "other");
  fs::create_directory(at("folder"));
  fs::create_symlink(at("a.cu"), at("link.cu"));
  fs::create_hard_link(at("a.cu"), at("hard.cu"));
  for (const char *Same : {"a.cu", "folder/../a.cu", "./a.cu", "link.cu", "hard.cu"}) {
    EXPECT_THAT(refusedOutputs({at("b.cu"), at(Same)}, {at("a.cu")}), HasSubstr("is an input")) << Same;
    EXPECT_THAT(refusedOutputs({at("a.cu")}, {at(Same)}), HasSubstr("is an input")) << Same;
  }
  EXPECT_EQ(refusedOutputs({at("b.cu"), at("new.cu")}, {at("a.cu")}), "");
}

TEST_F(FileStore, NoFileIsTwoOutputs) {
  fs::create_directory(at("folder"));
  fs::create_symlink(at("folder"), at("same"));
  EXPECT_THAT(refusedOutputs({at("new"), at("new")}, {}), HasSubstr("is two outputs"));
  EXPECT_THAT(refusedOutputs({at("folder/new"), at("same/new")}, {}), HasSubstr("are one file"));
  EXPECT_THAT(refusedOutputs({at("none/new"), at("none/./new")}, {}), HasSubstr("are one file"));
  EXPECT_EQ(refusedOutputs({at("new"), "", "", at("other")}, {""}), "");
}

TEST_F(FileStore, ChangesAreThoseFromATimeOn) {
  put(at("before"), "1");
  put(at("edited"), "1");
  put(at("replaced"), "1");
  put(at("old"), "2");
  const FileTime Then = nextFileTime(at(""));
  EXPECT_FALSE(changedSince(at("before"), Then));
  put(at("edited"), "2");
  fs::rename(at("old"), at("replaced"));
  EXPECT_TRUE(changedSince(at("edited"), Then));
  EXPECT_TRUE(changedSince(at("replaced"), Then));
  EXPECT_TRUE(changedSince(at("none"), Then));
}

TEST_F(FileStore, WhatCannotBeWrittenIsKnownBefore) {
  put(at("file"), "1");
  auto Tried = [&](const std::string &Path) { return llvm::toString(tryOutputs({at("file"), "", Path})); };
  EXPECT_EQ(Tried(at("new")), "");
  EXPECT_THAT(Tried(at("file/new")), HasSubstr("cannot write"));
  // The temporary file beside it has the longer name.
  EXPECT_THAT(Tried(at(std::string(250, 'a'))), HasSubstr("File name too long"));
  EXPECT_EQ(std::distance(fs::directory_iterator(at("")), fs::directory_iterator()), 1);
}

TEST_F(FileStore, OneAtATimeHasALock) {
  auto Take = [&](const char *Name) { return FileLock::take(at(Name), "'{}' is another's"); };
  put(at("trace"), "1");
  {
    auto First = Take("trace"), New = Take("new");
    EXPECT_TRUE(bool(First));
    EXPECT_TRUE(bool(New));
    EXPECT_THAT(llvm::toString(Take("trace").takeError()), HasSubstr("trace' is another's"));
  }
  EXPECT_TRUE(bool(Take("trace")));
  EXPECT_FALSE(fs::exists(at("new")));
  EXPECT_TRUE(fs::exists(at("trace")));
}

} // namespace
} // namespace cufuse
