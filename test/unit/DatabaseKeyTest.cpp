#include "cufuse/Driver/FromDatabase.h"

#include "Complaint.h"
#include "TemporaryFolder.h"

#include <gtest/gtest.h>

namespace cufuse {
namespace {

TEST(DatabaseKey, toolsAreOfTheirVersions) {
  const TemporaryFolder Folder;
  NvccCompiler Old(Folder.script("old", "echo release 13.0\n"), nullptr);
  NvccCompiler New(Folder.script("new", "echo release 13.1\n"), nullptr);
  NvccCompiler Same(Folder.script("same", "echo release 13.0\n"), nullptr), None("", nullptr);
  EXPECT_EQ(toolsHash(Old, "1.0"), toolsHash(Same, "1.0"));
  EXPECT_NE(toolsHash(Old, "1.0"), toolsHash(New, "1.0"));
  EXPECT_NE(toolsHash(Old, "1.0"), toolsHash(Old, "1.1"));
  EXPECT_NE(toolsHash(Old, "1.0"), toolsHash(None, "1.0"));
  const std::string Plain = toolsHash(Old, "1.0");
  ::setenv("NVCC_APPEND_FLAGS", "-DMORE", 1);
  EXPECT_NE(toolsHash(Old, "1.0"), Plain);
  ::unsetenv("NVCC_APPEND_FLAGS");
}

TEST(DatabaseKey, workloadHasItsData) {
  const TemporaryFolder Folder;
  const std::string File = Folder.put("k.yaml", "sizes: {}\n");
  Workload Read;
  Read.Buffers.resize(2);
  Read.Buffers[1].Init.What = Initializer::File;
  Read.Buffers[1].Init.Path = Folder.put("in.bin", "1234");
  auto Texts = textsHash({File});
  ASSERT_TRUE(bool(Texts));
  auto Hash = [&](const Numbers &Sizes) {
    Read.Kernels.resize(1);
    Read.Kernels[0].Sizes = Sizes;
    auto Whole = workloadHash({File}, Read, *Texts);
    return Whole ? *Whole : complaintOf(Whole.takeError());
  };
  const std::string Before = Hash({});
  EXPECT_EQ(Hash({}), Before);
  EXPECT_NE(Hash({{"n", {Number::Integer(3)}}}), Before);
  EXPECT_NE(Hash({{"n", {Number::Integer(3)}}}), Hash({{"n", {Number::Integer(4)}}}));
  Folder.put("in.bin", "1235");
  EXPECT_NE(Hash({}), Before);
  Folder.put("in.bin", "1234");
  EXPECT_EQ(Hash({}), Before);
  // What was read has another text now.
  Folder.put("k.yaml", "sizes: {n: 1}\n");
  EXPECT_EQ(Hash({}), "a workload file was changed while it was read; run this again\n");
}

} // namespace
} // namespace cufuse
