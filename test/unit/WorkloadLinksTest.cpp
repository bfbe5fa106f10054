#include "cufuse/Workload/Workload.h"

#include "Complaint.h"
#include "TemporaryFolder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cufuse {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

/// A text with its line 10 and what follows, to which a test adds.
std::string graph(const std::string &Links, const std::string &Middle = "{type: f32, count: n}") {
  return R"(sizes: {rows: 30, columns: 10, n: rows * columns}
kernels:
  - kernel: k.cu:first
    block: 128
    grid: ceil(n / block.x)
    arguments: {in: in, out: middle, rows: rows, columns: columns, each: block.x}
  - kernel: k.cu:second
    block: 64
    grid: ceil(n / block.x)
    arguments: {x: middle, y: out, n: n, half: middle + 150}
)" + Links +
         R"(
buffers:
  in: {type: f32, count: n, init: zero}
  out: {type: f32, count: n, output: true}
  middle: )" +
         Middle + "\n";
}
const std::string Dead = "\ndead: [first.out]";

class WorkloadLinks : public testing::Test {
protected:
  llvm::Expected<Workload> read(const std::string &Text) { return readWorkload({Folder.put("w.yaml", Text)}, {}); }
  /// What is wrong, from the file's name on.
  std::string complaint(const std::string &Text) {
    auto Result = read(Text);
    if (Result)
      return "nothing is wrong";
    const std::string All = complaintOf(Result.takeError());
    const size_t At = All.find("w.yaml:");
    return At == std::string::npos ? All : All.substr(At);
  }
  TemporaryFolder Folder;
};

TEST_F(WorkloadLinks, JoinArraysNumbersAndProducts) {
  auto W = read(graph("links: [first.out=second.x, 'first.rows*columns=second.n']" + Dead));
  ASSERT_TRUE(static_cast<bool>(W)) << llvm::toString(W.takeError());
  ASSERT_EQ(W->Links.size(), 2u);
  EXPECT_EQ(W->Links[0].From, 0u);
  EXPECT_EQ(W->Links[0].To, 1u);
  EXPECT_TRUE(W->Links[0].IsArray);
  EXPECT_FALSE(W->Links[1].IsArray);
  EXPECT_THAT(W->Links[1].Factors, ElementsAre("rows", "columns"));
  EXPECT_EQ(W->Links[1].Parameter, "n");
  EXPECT_THAT(W->Dead, ElementsAre("middle"));
  // Another run must not find there what this one leaves.
  EXPECT_FALSE(W->Buffers[2].Output);
  EXPECT_TRUE(W->Buffers[2].Accumulated);
}

TEST_F(WorkloadLinks, HaveNamesThatExist) {
  EXPECT_THAT(complaint(graph("links: [frist.out=second.x]")),
              StartsWith("w.yaml:11:9: 'frist' is none of the kernels"));
  EXPECT_THAT(complaint(graph("links: [first.out=second.x]\ndead: [second.z]")),
              StartsWith("w.yaml:12:15: second has no argument 'z' to link"));
  EXPECT_THAT(complaint(graph("links: [first.out=second.z]")),
              StartsWith("w.yaml:11:26: second has no argument 'z' to link"));
  EXPECT_THAT(complaint(graph("links: [first=second.x]")), StartsWith("w.yaml:11:9: 'first=second.x' is no link"));
  EXPECT_THAT(complaint(graph("links: [first.out=first.in]")),
              HasSubstr("11:9: 'first.out=first.in' links a kernel to"));
  EXPECT_THAT(complaint(graph("links: [first.out=second.x, first.in=second.x]" + Dead)),
              StartsWith("w.yaml:11:29: second.x is linked twice"));
  EXPECT_THAT(complaint(graph("links: first.out=second.x")), StartsWith("w.yaml:11:8: a list was expected"));
}

TEST_F(WorkloadLinks, AreBetweenArgumentsThatAreTheSame) {
  EXPECT_THAT(complaint(graph("links: [first.in=second.x]")),
              StartsWith("w.yaml:11:9: 'first.in=second.x' links arguments that differ: in and middle"));
  EXPECT_THAT(complaint(graph("links: [first.out=second.half]")), HasSubstr("differ: middle and middle + 150"));
  EXPECT_THAT(complaint(graph("links: [first.out=second.x, first.rows=second.n]" + Dead)),
              StartsWith("w.yaml:11:29: 'first.rows=second.n' links arguments that differ: 30 and 300"));
  EXPECT_THAT(complaint(graph("links: [first.out=second.x, first.each=second.n]" + Dead)),
              StartsWith("w.yaml:6:74: a linked argument is the same for every block"));
  EXPECT_THAT(complaint(graph("links: [first.out=second.x, first.out*rows=second.n]" + Dead)),
              StartsWith("w.yaml:11:39: integers alone are multiplied"));
  EXPECT_THAT(complaint(graph("links: ['first.rows*columns=second.n']", "{type: f32, count: n, init: zero}")),
              StartsWith("w.yaml:11:10: the links join numbers alone"));
}

TEST_F(WorkloadLinks, SayWhatBecomesOfEveryBuffer) {
  const std::string Link = "links: [first.out=second.x]";
  EXPECT_THAT(complaint(graph(Link)), StartsWith("w.yaml:15:3: 'middle' is neither dead nor an output"));
  EXPECT_EQ(complaint(graph(Link, "{type: f32, count: n, output: true}")), "nothing is wrong");
  EXPECT_THAT(complaint(graph(Link + Dead, "{type: f32, count: n, output: true}")),
              StartsWith("w.yaml:16:3: 'middle' is dead, and so no output"));
  EXPECT_THAT(complaint(graph(Link + Dead, "{type: f32, count: n, init: zero}")),
              HasSubstr("is dead, and so has no con"));
  EXPECT_THAT(complaint(graph(Link + "\ndead: [first.in]")),
              StartsWith("w.yaml:12:8: 'first.in' is no intermediate: no link leads from it"));
  EXPECT_THAT(complaint(graph("dead: [first.out]", "{type: f32, count: n, init: zero}")),
              StartsWith("w.yaml:11:8: there are no links"));
}

TEST_F(WorkloadLinks, AreNotOneOfSeveralFiles) {
  const std::string One = Folder.put("one.yaml", graph("links: [first.out=second.x]" + Dead));
  auto Both = readWorkload({One, One}, {});
  ASSERT_FALSE(static_cast<bool>(Both));
  EXPECT_THAT(complaintOf(Both.takeError()), HasSubstr("one.yaml:11:9: a workload with links is not one of several"));
}

} // namespace
} // namespace cufuse
