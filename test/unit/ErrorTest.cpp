#include "cufuse/Support/Error.h"
#include "cufuse/Analysis/Blocker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cufuse {
namespace {

using testing::HasSubstr;

std::pair<ExitCode, std::string> reported(llvm::Error Error) {
  std::string Text;
  llvm::raw_string_ostream Out(Text);
  const ExitCode Code = report(std::move(Error), Out);
  return {Code, Text};
}

TEST(Error, StatusesAreThoseOfTheCommandLine) {
  EXPECT_EQ(static_cast<int>(ExitCode::Done), 0);
  EXPECT_EQ(static_cast<int>(ExitCode::BadInput), 1);
  EXPECT_EQ(static_cast<int>(ExitCode::BadUsage), 2);
  EXPECT_EQ(static_cast<int>(ExitCode::MissingTool), 3);
  EXPECT_EQ(static_cast<int>(ExitCode::Defect), 70);
}

TEST(Error, SuccessIsSilent) { EXPECT_EQ(reported(llvm::Error::success()), std::pair(ExitCode::Done, std::string())); }

TEST(Error, BadInputIsRefusedWithPlaceFactAndRemedy) {
  const auto [Code, Text] = reported(badInput("the fact", "the remedy", {"a.cu", 3, 5, "    return;"}));
  EXPECT_EQ(Code, ExitCode::BadInput);
  EXPECT_EQ(Text, "    3 |     return;\n"
                  "      |     ^\n"
                  "cufuse: refused: a.cu:3:5: the fact; the remedy\n");
}

TEST(Error, TheCaretStandsUnderTabs) {
  EXPECT_EQ((SourcePlace{"a.cu", 12, 3, "\t\treturn;"}.snippet()), "   12 | \t\treturn;\n      | \t\t^\n");
}

TEST(Error, WithoutPlaceOrRemedyTheLineIsShorter) {
  EXPECT_EQ(reported(badInput("the fact")).second, "cufuse: refused: the fact\n");
  EXPECT_EQ(reported(badInput("the fact", "", {"a.cu", 3, 5, ""})).second, "cufuse: refused: a.cu:3:5: the fact\n");
}

TEST(Error, OtherFailuresAreErrors) {
  EXPECT_EQ(reported(badUsage("wrong", "write it so")),
            std::pair(ExitCode::BadUsage, std::string("cufuse: error: wrong; write it so\n")));
  EXPECT_EQ(reported(fail(ExitCode::MissingTool, "no nvcc", "install it")),
            std::pair(ExitCode::MissingTool, std::string("cufuse: error: no nvcc; install it\n")));
}

TEST(Error, ADefectAsksForAReport) {
  const auto [Code, Text] = reported(defect("the plan has a hole"));
  EXPECT_EQ(Code, ExitCode::Defect);
  EXPECT_EQ(
      Text,
      "cufuse: error: the plan has a hole; this is a bug in cufuse: please report it with the command and inputs\n");
}

TEST(Error, AnErrorOfAnotherKindIsADefect) {
  const auto [Code, Text] = reported(llvm::createStringError("from elsewhere"));
  EXPECT_EQ(Code, ExitCode::Defect);
  EXPECT_THAT(Text, HasSubstr("cufuse: error: from elsewhere"));
}

TEST(Error, EveryMessageIsPrintedAndTheWorstStatusCounts) {
  const auto [Code, Text] = reported(
      llvm::joinErrors(badInput("first"), llvm::joinErrors(fail(ExitCode::MissingTool, "second"), badUsage("third"))));
  EXPECT_EQ(Code, ExitCode::MissingTool);
  EXPECT_EQ(Text, "cufuse: refused: first\ncufuse: error: second\ncufuse: error: third\n");
}

TEST(Blocker, MessageHasMeaningFactAndEnumerator) {
  const Message M = Blocker{BlockerKind::NamedBarrier, {"a.cu", 3, 5, ""}, "__barrier_sync in k"}.message();
  EXPECT_EQ(M.Text,
            "a hardware barrier is named in a way that cannot be renumbered: __barrier_sync in k [NamedBarrier]");
  EXPECT_EQ(M.Remedy, "name one of 1 to 15, with a count, and have every thread that arrives wait");
  EXPECT_EQ(M.Where.str(), "a.cu:3:5");
  EXPECT_EQ((Blocker{BlockerKind::NamedBarrier, {}, ""}.message().Text),
            "a hardware barrier is named in a way that cannot be renumbered [NamedBarrier]");
}

// A place without a fact or a remedy is what users cannot act on.
TEST(Blocker, EveryBlockerHasAMeaningAndARemedyInPlainWords) {
  unsigned Count = 0;
#define BLOCKER(Enumerator, Means, ToDo)                                                                               \
  {                                                                                                                    \
    const Message M = Blocker{BlockerKind::Enumerator, {}, "fact"}.message();                                          \
    EXPECT_EQ(M.Text, std::string(Means) + ": fact [" #Enumerator "]");                                                \
    EXPECT_EQ(M.Remedy, ToDo);                                                                                         \
    EXPECT_GT(std::string(Means).size(), 10u) << #Enumerator;                                                          \
    EXPECT_GT(M.Remedy.size(), 5u) << #Enumerator;                                                                     \
    EXPECT_STREQ(blockerName(BlockerKind::Enumerator), #Enumerator);                                                   \
    EXPECT_STREQ(blockerRemedy(BlockerKind::Enumerator), ToDo);                                                        \
    ++Count;                                                                                                           \
  }
#include "cufuse/Analysis/Blockers.def"
  EXPECT_GT(Count, 0u);
}

TEST(Error, AsPartOfAnotherMessageIsOneLine) {
  EXPECT_EQ(textOf(badInput("two\nlines\n", "a remedy")), "two lines; a remedy");
  EXPECT_EQ(textOf(llvm::createStringError("plain")), "plain");
}

} // namespace
} // namespace cufuse
