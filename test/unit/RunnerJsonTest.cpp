#include "cufuse/Runner/RunnerJson.h"

#include <gmock/gmock.h>

namespace cufuse {
namespace {

RunnerJob wholeJob() {
  RunnerJob Job;
  BufferSpec &In = Job.Buffers.emplace_back();
  In.Name = "in";
  In.Type = ElementType::BF16;
  In.Count = 1ull << 40;
  In.Init = {Initializer::Uniform, -0.25, 3.5, 0xFFFFFFFFFFFFFFFF, ""};
  BufferSpec &Out = Job.Buffers.emplace_back();
  Out.Name = "out";
  Out.Output = Out.Accumulated = true;
  Out.Init = {Initializer::File, 0, 0, 0, "/a b/c.bin"};
  Out.Compare = {1e-6, 0.125};
  KernelLaunch Launch;
  Launch.Cubin = "k.cubin";
  Launch.Kernel = "_Z1kPf";
  Launch.Grid = {1, 2, 3};
  Launch.Block = {4, 5, 6};
  Launch.DynamicBytes = 7;
  Launch.Arguments.push_back({{0, 1, 0xFE, 0xFF, 0, 0, 0, 0, 0, 0}, {{2, "in", 16}}, 0});
  Launch.Arguments.push_back({{}, {}, 24});
  Job.Schedules.push_back({"all at once", Schedule::Graph, {Launch, Launch}, false});
  Job.Stop = {0.25, 1, 2, 0.5};
  Job.FlushL2 = false;
  Job.Passes = 9;
  Job.Metrics = {"a.sum", "b.max"};
  Job.ScheduleSeconds = 11;
  return Job;
}

template <typename T> std::string faultOf(llvm::StringRef Text) {
  auto Parsed = parseJson<T>(Text, "job", /*Strict=*/true);
  return Parsed ? "" : llvm::toString(Parsed.takeError());
}

TEST(RunnerJson, JobsComeBackAsTheyWere) {
  const std::string Line = jsonLine(wholeJob());
  EXPECT_EQ(Line.find('\n'), std::string::npos);
  auto Back = parseJson<RunnerJob>(Line, "", /*Strict=*/true);
  ASSERT_TRUE(bool(Back)) << llvm::toString(Back.takeError());
  EXPECT_EQ(jsonLine(*Back), Line);
  EXPECT_EQ(Back->Buffers[0].Init.Seed, 0xFFFFFFFFFFFFFFFF);
  EXPECT_EQ(Back->Buffers[1].Init.Path, "/a b/c.bin");
  EXPECT_EQ(Back->Buffers[1].Compare.Relative, 0.125);
  const Schedule &Only = Back->Schedules.front();
  EXPECT_EQ(Only.How, Schedule::Graph);
  EXPECT_FALSE(Only.Verify);
  EXPECT_THAT(Only.Launches[1].Block, testing::ElementsAre(4, 5, 6));
  EXPECT_EQ(Only.Launches[0].Arguments[0].Bytes[2], 0xFE);
  EXPECT_EQ(Only.Launches[0].Arguments[0].Addresses[0].Plus, 16u);
  EXPECT_EQ(Only.Launches[0].Arguments[1].ZeroedBytes, 24u);
  EXPECT_EQ(Back->Stop.MaxSamples, 2u);
  EXPECT_EQ(Back->Metrics.size(), 2u);
}

TEST(RunnerJson, OutcomesComeBackAsTheyWere) {
  RunOutcome Outcome;
  Outcome.Name = "x";
  Outcome.Status = RunStatus::WrongResult;
  Outcome.What = "c[1] is \"1\"\n";
  Outcome.Time = Timing{12.345678901234567, 0.01, 30, 4, 13, 1980};
  Outcome.Counters = {{"a.sum", 1e12}, {"b.pct", 12.5}};
  Outcome.CountersNote = "none";
  const std::string Line = jsonLine(Outcome);
  EXPECT_EQ(Line.find('\n'), std::string::npos);
  auto Back = parseJson<RunOutcome>(Line, "", /*Strict=*/true);
  ASSERT_TRUE(bool(Back)) << llvm::toString(Back.takeError());
  EXPECT_EQ(jsonLine(*Back), Line);
  EXPECT_EQ(Back->Time->Microseconds, 12.345678901234567);
  EXPECT_EQ(Back->Time->Passes, 4u);
  EXPECT_EQ(Back->Counters.at("a.sum"), 1e12);
}

TEST(RunnerJson, EveryStatusHasAName) {
  for (RunStatus Status : {RunStatus::Done, RunStatus::WrongResult, RunStatus::LoadFailed, RunStatus::LaunchFailed,
                           RunStatus::Crashed, RunStatus::TimedOut}) {
    RunOutcome Outcome;
    Outcome.Status = Status;
    auto Back = parseJson<RunOutcome>(jsonLine(Outcome), "", /*Strict=*/true);
    ASSERT_TRUE(bool(Back));
    EXPECT_EQ(Back->Status, Status) << nameOf(Status).str();
  }
}

TEST(RunnerJson, WhatIsLeftOutHasItsDefault) {
  auto Job = parseJson<RunnerJob>(R"({"buffers": [{"name": "a", "type": "f32", "count": 4}],
                                             "schedules": [{"name": "s"}]})",
                                  "job", /*Strict=*/true);
  ASSERT_TRUE(bool(Job));
  EXPECT_EQ(Job->Buffers[0].Init.What, Initializer::Zero);
  EXPECT_EQ(Job->Schedules[0].How, Schedule::Serial);
  EXPECT_TRUE(Job->Schedules[0].Verify);
  EXPECT_EQ(Job->Stop.MinSamples, Stopping().MinSamples);
}

TEST(RunnerJson, FaultsAreNamedWithTheirPlace) {
  EXPECT_THAT(faultOf<RunnerJob>(R"({"schedules": [{"name": "s", "hwo": "serial"}]})"),
              testing::HasSubstr("unknown key at job.schedules[0].hwo"));
  EXPECT_THAT(faultOf<RunnerJob>(R"({"buffers": [{"type": "f32", "count": 1}]})"),
              testing::HasSubstr("missing at job.buffers[0].name"));
  EXPECT_THAT(faultOf<RunnerJob>(R"({"buffers": [{"name": "a", "type": "float", "count": 1}]})"),
              testing::HasSubstr("not one of the known names at job.buffers[0].type"));
  EXPECT_THAT(faultOf<RunnerJob>(R"({"scheduleSeconds": -1})"),
              testing::HasSubstr("expected an integer from 0 to 4294967295 at job.scheduleSeconds"));
  EXPECT_THAT(faultOf<Schedule>(R"({"name": "s", "launches": [{"cubin": "c", "kernel": "k", "grid": [1, 2]}]})"),
              testing::HasSubstr("expected three numbers at job.launches[0].grid"));
  EXPECT_THAT(faultOf<Schedule>(
                  R"({"name": "s", "launches": [{"cubin": "c", "kernel": "k", "arguments": [{"bytes": "0g"}]}]})"),
              testing::HasSubstr("hexadecimal digits at job.launches[0].arguments[0].bytes"));
  EXPECT_THAT(faultOf<RunOutcome>(R"([1])"), testing::HasSubstr("expected an object"));
}

} // namespace
} // namespace cufuse
