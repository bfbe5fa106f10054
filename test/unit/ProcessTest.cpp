#include "cufuse/Support/Process.h"

#include "TemporaryFolder.h"

#include <gmock/gmock.h>

#include <csignal>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace cufuse {
namespace {

using std::chrono::seconds;
using Clock = std::chrono::steady_clock;

std::vector<std::string> shell(const std::string &Text) { return {"/bin/sh", "-c", Text}; }

TEST(RunProcess, StatusAndBothOutputs) {
  auto Result = runProcess(shell("echo out; echo err >&2; exit 7"), 10);
  ASSERT_TRUE(bool(Result));
  EXPECT_EQ(Result->Status, 7);
  EXPECT_EQ(Result->Output, "out\nerr\n");
}

TEST(RunProcess, SignalsAreNegative) { EXPECT_EQ(runProcess(shell("kill -SEGV $$"), 10)->Status, -1); }

TEST(RunProcess, WhatIsNoProgramIsSaidSo) {
  EXPECT_THAT(llvm::toString(runProcess({"/nowhere/program"}, 10).takeError()),
              testing::HasSubstr("cannot run '/nowhere/program': No such file or directory"));
}

TEST(RunProcess, TheTimeLimitReachesWhatItStarted) {
  TemporaryFolder Folder;
  const auto Start = Clock::now();
  auto Result = runProcess(shell("(sleep 3; echo late > " + Folder.at("late") + ") & sleep 30"), 1);
  ASSERT_TRUE(bool(Result));
  EXPECT_EQ(Result->Status, -2);
  EXPECT_LT(Clock::now() - Start, seconds(3));
  std::this_thread::sleep_for(seconds(3));
  EXPECT_EQ(Folder.read("late"), "");
}

TEST(RunProcess, OurEndReachesWhatItStarted) {
  TemporaryFolder Folder;
  const std::string Late = "(sleep 2; echo late > " + Folder.at("late") + ") & echo > " + Folder.at("began") + "; wait";
  const pid_t Ours = ::fork();
  if (Ours == 0) {
    llvm::consumeError(runProcess(shell(Late), 30).takeError());
    ::_exit(0);
  }
  for (int I = 0; I < 1000 && !std::filesystem::exists(Folder.at("began")); ++I)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  ::kill(Ours, SIGKILL);
  ::waitpid(Ours, nullptr, 0);
  std::this_thread::sleep_for(seconds(3));
  EXPECT_TRUE(std::filesystem::exists(Folder.at("began")));
  EXPECT_EQ(Folder.read("late"), "");
}

TEST(RunProcess, TemporaryFilesGoWhereTheyAreToGo) {
  EXPECT_EQ(runProcess(shell("echo $TMPDIR"), 10, "/some/folder")->Output, "/some/folder\n");
}

// One limit must not end what runs under another.
TEST(RunProcess, ThreadsDoNotShareALimit) {
  int Statuses[8] = {};
  std::vector<std::thread> Threads;
  for (int I = 0; I < 8; ++I)
    Threads.emplace_back(
        [&Statuses, I] { Statuses[I] = runProcess(shell("sleep 1.5; exit 5"), I % 2 ? 1 : 20)->Status; });
  for (std::thread &One : Threads)
    One.join();
  EXPECT_THAT(Statuses, testing::ElementsAre(5, -2, 5, -2, 5, -2, 5, -2));
}

TEST(ChildProcess, LinesGoBothWays) {
  auto Child = ChildProcess::start(shell("while read line; do echo \"<$line>\"; done; exit 3"));
  ASSERT_TRUE(bool(Child));
  const auto Deadline = Clock::now() + seconds(10);
  std::string Line;
  for (const std::string &Text : {std::string("a"), std::string(300000, 'x')}) {
    EXPECT_EQ((*Child)->write(Text, Deadline), ChildProcess::Event::Line);
    EXPECT_EQ((*Child)->read(Line, Deadline), ChildProcess::Event::Line);
    EXPECT_EQ(Line, "<" + Text + ">");
  }
  EXPECT_EQ((*Child)->end(seconds(10)), "ended with status 3");
}

TEST(ChildProcess, AnEndOrSilenceIsNoLine) {
  auto Child = ChildProcess::start(shell("printf unfinished; echo why >&2; kill -SEGV $$"));
  ASSERT_TRUE(bool(Child));
  std::string Line;
  EXPECT_EQ((*Child)->read(Line, Clock::now() + seconds(10)), ChildProcess::Event::Ended);
  EXPECT_EQ((*Child)->end(seconds(10)), "was ended by signal 11 (Segmentation fault)");
  EXPECT_EQ((*Child)->errors(), "why\n");

  auto Silent = ChildProcess::start(shell("sleep 30"));
  ASSERT_TRUE(bool(Silent));
  EXPECT_EQ((*Silent)->read(Line, Clock::now() + std::chrono::milliseconds(100)), ChildProcess::Event::TimedOut);
  EXPECT_EQ((*Silent)->end(seconds(0)), "");
}

TEST(ChildProcess, WritingToOneThatIsGoneIsNoSignal) {
  auto Child = ChildProcess::start(shell("exec <&- >&-; sleep 0.2"));
  ASSERT_TRUE(bool(Child));
  std::string Line;
  (*Child)->read(Line, Clock::now() + seconds(10));
  EXPECT_EQ((*Child)->write(std::string(1 << 20, 'x'), Clock::now() + seconds(10)), ChildProcess::Event::Ended);
}

TEST(ChildProcess, ManyErrorsDoNotStopIt) {
  auto Child =
      ChildProcess::start(shell("i=0; while [ $i -lt 20000 ]; do echo 'some error' >&2; i=$((i+1)); done; echo done"));
  ASSERT_TRUE(bool(Child));
  std::string Line;
  EXPECT_EQ((*Child)->read(Line, Clock::now() + seconds(30)), ChildProcess::Event::Line);
  EXPECT_EQ(Line, "done");
  EXPECT_LE((*Child)->errors().size(), 2000u);
}

TEST(ChildProcess, EndsWithTheThreadThatStartedIt) {
  std::unique_ptr<ChildProcess> Child;
  std::thread([&] { Child = llvm::cantFail(ChildProcess::start(shell("exec sleep 30"))); }).join();
  std::string Line;
  EXPECT_EQ(Child->read(Line, Clock::now() + seconds(10)), ChildProcess::Event::Ended);
}

} // namespace
} // namespace cufuse
