#include "cufuse/Support/Error.h"
#include "cufuse/Kernel/Blocker.h"

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

TEST(Error, PlaceFactSnippetAndRemedyArePrintedAsClangDoes) {
  const auto [Code, Text] = reported(badInput("the fact", "the remedy", {"a.cu", 3, 5, "    return;"}));
  EXPECT_EQ(Code, ExitCode::BadInput);
  EXPECT_EQ(Text, "a.cu:3:5: error: the fact\n"
                  "    3 |     return;\n"
                  "      |     ^\n"
                  "a.cu:3:5: note: the remedy\n");
}

TEST(Error, TheCaretStandsUnderTabs) {
  EXPECT_EQ((SourcePlace{"a.cu", 12, 3, "\t\treturn;"}.snippet()), "   12 | \t\treturn;\n      | \t\t^\n");
}

TEST(Error, WithoutPlaceOrRemedyTheLineIsShorter) {
  EXPECT_EQ(reported(badInput("the fact")).second, "cufuse: error: the fact\n");
  EXPECT_EQ(reported(badInput("the fact", "", {"a.cu", 3, 5, ""})).second, "a.cu:3:5: error: the fact\n");
}

TEST(Error, OnlyWhatABlockerForbidsIsRefused) {
  const Blocker Alone{BlockerKind::TooManyBarriers, {}, "16"},
      Placed{BlockerKind::TooManyBarriers, {"a.cu", 3, 5, ""}, "16"};
  auto Reported = [](const Blocker &B) {
    return reported(llvm::make_error<Failure>(ExitCode::BadInput, std::vector{B.message()}));
  };
  EXPECT_EQ(Reported(Alone),
            std::pair(ExitCode::BadInput,
                      std::string("cufuse: refused: the partitions need more than 15 barriers together: 16 "
                                  "[TooManyBarriers]\ncufuse: note: use fewer copies\n")));
  EXPECT_EQ(Reported(Placed),
            std::pair(ExitCode::BadInput,
                      std::string("a.cu:3:5: error: the partitions need more than 15 barriers together: 16 "
                                  "[TooManyBarriers]\na.cu:3:5: note: use fewer copies\n")));
}

TEST(Error, AdviceAndDoubtHaveTheirOwnWords) {
  EXPECT_EQ(reported(fail(ExitCode::NotAdvised, "slower", "go on")),
            std::pair(ExitCode::NotAdvised, std::string("cufuse: not advised: slower\ncufuse: note: go on\n")));
  EXPECT_EQ(reported(fail(ExitCode::Undecided, "no time")),
            std::pair(ExitCode::Undecided, std::string("cufuse: undecided: no time\n")));
}

TEST(Error, TheOutputOfAnotherToolEndsBeforeTheRemedy) {
  EXPECT_EQ(reported(badInput("nvcc says:\nno\n", "try again")).second,
            "cufuse: error: nvcc says:\nno\ncufuse: note: try again\n");
}

TEST(Error, OtherFailuresAreErrors) {
  EXPECT_EQ(reported(badUsage("wrong", "write it so")),
            std::pair(ExitCode::BadUsage, std::string("cufuse: error: wrong\ncufuse: note: write it so\n")));
  EXPECT_EQ(reported(fail(ExitCode::MissingTool, "no nvcc", "install it")),
            std::pair(ExitCode::MissingTool, std::string("cufuse: error: no nvcc\ncufuse: note: install it\n")));
}

TEST(Error, ADefectAsksForAReport) {
  const auto [Code, Text] = reported(defect("the plan has a hole"));
  EXPECT_EQ(Code, ExitCode::Defect);
  EXPECT_EQ(Text, "cufuse: error: the plan has a hole\n"
                  "cufuse: note: this is a bug in cufuse: please report it with the command and inputs\n");
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
  EXPECT_EQ(Text, "cufuse: error: first\ncufuse: error: second\ncufuse: error: third\n");
}

TEST(Blocker, MessageHasMeaningFactAndEnumerator) {
  const Message M = Blocker{BlockerKind::NamedBarrier, {"a.cu", 3, 5, ""}, "__barrier_sync in k"}.message();
  EXPECT_EQ(M.str(),
            "a hardware barrier is named in a way that cannot be renumbered: __barrier_sync in k [NamedBarrier]");
  EXPECT_EQ(M.Remedy, "name one of 1 to 15, with a count, and have every thread that arrives wait");
  EXPECT_EQ(M.Where.str(), "a.cu:3:5");
  EXPECT_EQ(M.Rule, "NamedBarrier");
  EXPECT_EQ((Blocker{BlockerKind::NamedBarrier, {}, ""}.message().str()),
            "a hardware barrier is named in a way that cannot be renumbered [NamedBarrier]");
}

// A place without a fact or a remedy is what users cannot act on.
TEST(Blocker, EveryBlockerHasAMeaningAndARemedyInPlainWords) {
  unsigned Count = 0;
#define BLOCKER(Enumerator, Means, ToDo)                                                                               \
  {                                                                                                                    \
    const Message M = Blocker{BlockerKind::Enumerator, {}, "fact"}.message();                                          \
    EXPECT_EQ(M.str(), std::string(Means) + ": fact [" #Enumerator "]");                                               \
    EXPECT_EQ(M.Remedy, ToDo);                                                                                         \
    EXPECT_GT(std::string(Means).size(), 10u) << #Enumerator;                                                          \
    EXPECT_GT(M.Remedy.size(), 5u) << #Enumerator;                                                                     \
    EXPECT_STREQ(blockerName(BlockerKind::Enumerator), #Enumerator);                                                   \
    EXPECT_STREQ(blockerRemedy(BlockerKind::Enumerator), ToDo);                                                        \
    ++Count;                                                                                                           \
  }
#include "cufuse/Kernel/Blockers.def"
  EXPECT_GT(Count, 0u);
}

TEST(Error, AsPartOfAnotherMessageIsOneLine) {
  EXPECT_EQ(textOf(badInput("two\nlines\n", "a remedy")), "two lines; a remedy");
  EXPECT_EQ(textOf(llvm::make_error<Failure>(ExitCode::BadInput,
                                             std::vector{Blocker{BlockerKind::TooManyBarriers, {}, "16"}.message()})),
            "the partitions need more than 15 barriers together: 16 [TooManyBarriers]; use fewer copies");
  EXPECT_EQ(textOf(llvm::createStringError("plain")), "plain");
}

} // namespace
} // namespace cufuse
