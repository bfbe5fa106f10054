#include "cufuse/Runner/RunnerPool.h"

#include "Complaint.h"
#include "TemporaryFolder.h"

#include "cufuse/Support/Error.h"

#include <gmock/gmock.h>

#include <chrono>

namespace cufuse {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// In the place of cufuse-runner: the names of the schedules say what becomes of them. Jobs are kept in `jobs`, schedules
/// in `schedules`.
constexpr char Fake[] = R"sh(
here=$(dirname "$0")
read -r job && echo "$job" >> "$here/jobs"
starts=$(wc -l < "$here/jobs")
[ -e "$here/fails-again" ] && [ "$starts" -gt 1 ] && { echo "no luck" >&2; exit 9; }
echo '{"ready":true}'
while read -r line; do
  echo "$line" >> "$here/schedules"
  name=$(echo "$line" | sed 's/.*"name":"\([^"]*\)".*/\1/')
  case $name in
  segfault*) kill -SEGV $$ ;;
  exit*) echo first >&2; echo "terminate called" >&2; exit 6 ;;
  hang*) sleep 60 ;;
  garbage*) echo 'no JSON at all' ;;
  another*) echo '{"name":"somebody","status":"done"}' ;;
  half*) printf '{"name":"half"'; exit 0 ;;
  lost*) echo "{\"name\":\"$name\",\"status\":\"crashed\",\"what\":\"CUDA_ERROR_ILLEGAL_ADDRESS\"}"; exit 0 ;;
  wrong*) echo "{\"name\":\"$name\",\"status\":\"wrong-result\",\"what\":\"c[1] is 2\"}" ;;
  *) done='"status":"done","time":{"microseconds":10,"passes":20}'
    others=$(echo "$line" | grep -o '"name":"[^"]*"' | sed '$d' | sed "s/.*/{&,$done}/" | paste -sd,)
    echo "{\"name\":\"$name\",$done${others:+,\"beside\":[$others]}}" ;;
  esac
done
)sh";

class RunnerFake : public testing::Test {
protected:
  RunnerFake() { Options.Runner = Folder.script("runner", Fake); }

  static RunnerJob jobOf(std::initializer_list<const char *> Names) {
    RunnerJob Job;
    for (const char *Name : Names)
      Job.Schedules.emplace_back().Name = Name;
    Job.ScheduleSeconds = 1;
    return Job;
  }
  /// `name: status: what`
  std::vector<std::string> run(std::initializer_list<const char *> Names) {
    std::vector<std::string> Lines, Heard;
    auto Line = [](const RunOutcome &Outcome) {
      return Outcome.Name + ": " + nameOf(Outcome.Status).str() + (Outcome.What.empty() ? "" : ": " + Outcome.What);
    };
    auto Outcomes = runJob(Options, jobOf(Names), [&](const RunOutcome &Outcome) { Heard.push_back(Line(Outcome)); });
    if (!Outcomes) {
      ADD_FAILURE() << llvm::toString(Outcomes.takeError());
      return {};
    }
    for (const RunOutcome &Outcome : *Outcomes)
      Lines.push_back(Line(Outcome));
    EXPECT_EQ(Lines, Heard);
    return Lines;
  }

  TemporaryFolder Folder;
  RunnerOptions Options;
};

TEST_F(RunnerFake, OneChildRunsEverySchedule) {
  EXPECT_THAT(run({"serial", "wrong", "b"}), ElementsAre("serial: done", "wrong: wrong-result: c[1] is 2", "b: done"));
  EXPECT_EQ(Folder.lines("jobs"), 1u);
}

TEST_F(RunnerFake, WhateverAScheduleDoesTheOthersAreRun) {
  const auto Start = std::chrono::steady_clock::now();
  EXPECT_THAT(
      run({"serial", "segfault", "a", "exit", "b", "hang", "c", "garbage", "d", "another", "half", "lost", "e"}),
      ElementsAre(
          "serial: done", "segfault: crashed: cufuse-runner was ended by signal 11 (Segmentation fault)", "a: done",
          "exit: crashed: cufuse-runner ended with status 6: terminate called", "b: done",
          "hang: timed-out: cufuse-runner took longer than 1 s", "c: done",
          "garbage: crashed: cufuse-runner answered what is no outcome of this schedule: no JSON at all", "d: done",
          HasSubstr("another: crashed: cufuse-runner answered what is no outcome of this schedule: {"),
          "half: crashed: cufuse-runner ended with status 0", "lost: crashed: CUDA_ERROR_ILLEGAL_ADDRESS", "e: done"));
  EXPECT_LT(std::chrono::steady_clock::now() - Start, std::chrono::seconds(15));
  EXPECT_EQ(Folder.lines("jobs"), 8u);
}

// After a restart the child needs the reference's outputs, and samples must be what they were.
TEST_F(RunnerFake, ANewChildIsGivenTheReferenceAndThePasses) {
  run({"serial", "segfault", "a"});
  std::istringstream Jobs(Folder.read("jobs"));
  std::string First, Second;
  std::getline(Jobs, First);
  std::getline(Jobs, Second);
  EXPECT_THAT(First, testing::AllOf(HasSubstr(R"("schedules":[])"), HasSubstr(R"("passes":0)")));
  EXPECT_THAT(Second, testing::AllOf(HasSubstr(R"("name":"serial")"), HasSubstr(R"("passes":20)")));
  // The reference itself is timed once.
  EXPECT_EQ(Folder.lines("schedules"), 3u);
}

TEST_F(RunnerFake, WithoutAReferenceNothingIsCompared) {
  EXPECT_THAT(run({"lost reference", "a", "b"}),
              ElementsAre("lost reference: crashed: CUDA_ERROR_ILLEGAL_ADDRESS",
                          "a: crashed: not run, since the reference 'lost reference' is crashed: "
                          "CUDA_ERROR_ILLEGAL_ADDRESS",
                          testing::StartsWith("b: crashed: not run")));
}

TEST_F(RunnerFake, ResultsStayWhenNoChildCanBeStartedAgain) {
  Folder.put("fails-again", "");
  EXPECT_THAT(run({"serial", "a", "segfault", "b", "c"}),
              ElementsAre("serial: done", "a: done", HasSubstr("segfault: crashed"),
                          "b: crashed: not run, since cufuse-runner could not be started again: "
                          "cufuse-runner ended with status 9: no luck",
                          HasSubstr("c: crashed: not run")));
  // Three attempts; none for the last schedule.
  EXPECT_EQ(Folder.lines("jobs"), 4u);
}

TEST_F(RunnerFake, ARunnerThatIsMissingIsAMissingTool) {
  Options.Runner = Folder.at("nothing");
  auto Outcomes = runJob(Options, jobOf({"serial"}), [](const RunOutcome &) {});
  ASSERT_FALSE(bool(Outcomes));
  llvm::handleAllErrors(Outcomes.takeError(), [&](const Failure &Error) {
    EXPECT_EQ(Error.Code, ExitCode::MissingTool);
    EXPECT_THAT(Error.Messages.front().Text, HasSubstr("nothing"));
  });
}

TEST_F(RunnerFake, WhyItCannotBeginIsItsOwnToSay) {
  Options.Runner = Folder.script("no-gpu", R"(echo '{"failed":"no GPU","exit":3,"remedy":"buy one"}'; exit 3)");
  auto Outcomes = runJob(Options, jobOf({"serial"}), [](const RunOutcome &) {});
  ASSERT_FALSE(bool(Outcomes));
  EXPECT_THAT(complaintOf(Outcomes.takeError()), HasSubstr("no GPU; buy one"));
}

TEST_F(RunnerFake, OneThatNeverGetsReadyIsEnded) {
  Options.Runner = Folder.script("slow", "sleep 60");
  Options.StartSeconds = 1;
  EXPECT_THAT(llvm::toString(runJob(Options, jobOf({"serial"}), [](const RunOutcome &) {}).takeError()),
              HasSubstr("took longer than 1 s"));
}

TEST_F(RunnerFake, AJobWithoutSchedulesIsBadInput) {
  EXPECT_THAT(llvm::toString(runJob(Options, {}, [](const RunOutcome &) {}).takeError()),
              HasSubstr("a job without a schedule"));
}

TEST_F(RunnerFake, SchedulesCanComeOneByOne) {
  Runner Runner(Options, jobOf({"serial"}));
  Schedule Next;
  Next.Name = "candidate";
  // The reference is run first, whoever asks.
  EXPECT_EQ(Runner.run(Next)->Name, "candidate");
  EXPECT_EQ(Runner.reference()->Name, "serial");
  EXPECT_EQ(Folder.lines("schedules"), 2u);
}

TEST_F(RunnerFake, AFewSamplesHaveLessTime) {
  RunnerJob Job = jobOf({"serial"});
  Job.ScheduleSeconds = 60;
  Runner Runner(Options, Job);
  Schedule Next;
  Next.Name = "hang";
  Next.Stop = Stopping{.MaxSeconds = 0};
  EXPECT_EQ(Runner.run(Next)->What, "cufuse-runner took longer than 5 s");
}

TEST_F(RunnerFake, APoolPreparesItsGpusAndWaitsForTheReference) {
  BusyClock Busy;
  RunnerPool Pool({Options, Options}, jobOf({}), Busy);
  ASSERT_TRUE(Pool.hasGpu());
  for (int Tries = 0; Folder.lines("jobs") < 2 && Tries < 500; ++Tries)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_EQ(Folder.lines("jobs"), 2u);
  EXPECT_EQ(Folder.lines("schedules"), 0u);
  Schedule One;
  One.Name = "serial";
  Pool.setReference(One);
  One.Name = "candidate";
  EXPECT_EQ(Pool.run({One}).front().Name, "candidate");
  EXPECT_GT(Busy.seconds(), 0);
  EXPECT_THAT(Folder.read("schedules"), HasSubstr("serial"));
}

TEST_F(RunnerFake, AGpuThatIsLostLeavesItsWorkToTheOthers) {
  RunnerOptions Broken = Options;
  Broken.Runner = Folder.script("broken", R"(echo '{"failed":"no device memory","exit":1}'; exit 1)");
  Broken.Device = 1;
  Schedule One;
  One.Name = "serial";
  const std::vector<Schedule> Many(20, One);
  BusyClock Busy;
  {
    RunnerPool Pool({Options, Broken}, jobOf({}), Busy);
    Pool.setReference(One);
    for (int Tries = 0; Pool.notes().empty() && Tries < 500; ++Tries)
      for (const RunOutcome &Outcome : Pool.runInTurn(Many))
        EXPECT_EQ(Outcome.Status, RunStatus::Done);
    EXPECT_THAT(Pool.notes(), ElementsAre("GPU 1 was left out: no device memory."));
  }
  RunnerPool Pool({Broken, Broken}, jobOf({}), Busy);
  Pool.setReference(One);
  for (const RunOutcome &Outcome : Pool.run(Many)) {
    EXPECT_EQ(Outcome.Status, RunStatus::Crashed);
    EXPECT_EQ(Outcome.What, "no device memory");
  }
}

TEST_F(RunnerFake, DevicesAreListed) {
  const std::string Path = Folder.script(
      "list", R"(echo '{"index":0,"name":"GPU","arch":"sm_90","multiprocessors":132,"l2Bytes":62914560,"driver":13000}'
echo '{"index":1,"name":"GPU","arch":"sm_90","memoryBytes":150000000000,"dramBytesPerSecond":4.8e12}')");
  auto Devices = listDevices(Path);
  ASSERT_TRUE(bool(Devices));
  ASSERT_EQ(Devices->size(), 2u);
  EXPECT_EQ((*Devices)[0].Multiprocessors, 132u);
  EXPECT_EQ((*Devices)[1].Index, 1u);
  EXPECT_EQ((*Devices)[1].MemoryBytes, 150000000000u);
  const std::string None = Folder.script("none", "echo '{\"failed\":\"no GPU\",\"exit\":3}'; exit 3");
  EXPECT_THAT(llvm::toString(listDevices(None).takeError()), HasSubstr("no GPU"));
  std::string WhyNone;
  EXPECT_TRUE(listDevices(None, &WhyNone)->empty());
  EXPECT_EQ(WhyNone, "no GPU");
}

TEST_F(RunnerFake, OneThatFailsDoesNotSayThatThereIsNoGpu) {
  for (const char *Script : {"echo hello", "exit 7", R"(echo '{"failed":"no memory","exit":1}'; exit 1)"}) {
    std::string WhyNone;
    EXPECT_TRUE(llvm::errorToBool(listDevices(Folder.script("fails", Script), &WhyNone).takeError())) << Script;
    EXPECT_EQ(WhyNone, "");
  }
}

} // namespace
} // namespace cufuse
