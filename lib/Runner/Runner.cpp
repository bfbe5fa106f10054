#include "cufuse/Runner/Runner.h"

#include "cufuse/Runner/RunnerJson.h"
#include "cufuse/Support/Error.h"
#include "cufuse/Support/Process.h"

#include <algorithm>
#include <chrono>
#include <fmt/core.h>
#include <llvm/Support/Path.h>

namespace cufuse {

using Clock = std::chrono::steady_clock;
using std::chrono::seconds;
using Event = ChildProcess::Event;

/// For a schedule, besides what its samples take.
constexpr double BesideSamplesSeconds = 5;

std::string runnerBeside(llvm::StringRef Program) {
  llvm::SmallString<128> Path(llvm::sys::path::parent_path(Program));
  llvm::sys::path::append(Path, "cufuse-runner");
  return std::string(Path);
}

/// The last line that is not empty.
static std::string lastLine(llvm::StringRef Text) {
  Text = Text.rtrim();
  return Text.substr(Text.rfind('\n') + 1).str();
}

/// Why a child said nothing more, once it is ended.
static std::string explain(ChildProcess &Child, Event What, unsigned Seconds) {
  if (What == Event::TimedOut) {
    Child.end(std::chrono::milliseconds(0));
    return fmt::format("took longer than {} s", Seconds);
  }
  const std::string How = Child.end(seconds(2)), Said = lastLine(Child.errors());
  return (How.empty() ? "closed its output" : How) + (Said.empty() ? "" : ": " + Said);
}

/// A line that is a JSON object.
static std::optional<llvm::json::Object> parseObject(llvm::StringRef Line) {
  auto Json = llvm::expectedToOptional(llvm::json::parse(Line));
  llvm::json::Object *Object = Json ? Json->getAsObject() : nullptr;
  return Object ? std::optional(std::move(*Object)) : std::nullopt;
}

static llvm::Error failureOf(const llvm::json::Object &Answer) {
  const auto Code = Answer.getInteger("exit").value_or(static_cast<int>(ExitCode::Defect));
  return fail(static_cast<ExitCode>(Code), Answer.getString("failed").value_or("cufuse-runner failed").str(),
              Answer.getString("remedy").value_or("").str());
}

llvm::Expected<std::vector<DeviceInfo>> listDevices(const std::string &Runner, std::string *WhyNone) {
  auto Child = TRY(ChildProcess::start({Runner, "--list"}));
  constexpr unsigned Limit = 60;
  const auto Deadline = Clock::now() + seconds(Limit);
  std::vector<DeviceInfo> Devices;
  for (std::string Line;;) {
    const Event What = Child->read(Line, Deadline);
    if (What == Event::Ended && !Devices.empty())
      return Devices;
    if (What != Event::Line)
      return fail(ExitCode::MissingTool, "cufuse-runner --list " + explain(*Child, What, Limit));
    const auto Object = parseObject(Line);
    if (!Object)
      return defect("cufuse-runner --list says: " + Line);
    if (Object->get("failed")) {
      auto Error = failureOf(*Object);
      if (!WhyNone || Object->getInteger("exit") != static_cast<int>(ExitCode::MissingTool))
        return Error;
      *WhyNone = textOf(std::move(Error));
      return Devices;
    }
    auto Device = parseJson<DeviceInfo>(Line, "device");
    if (!Device)
      return defect("cufuse-runner --list says: " + Line + ": " + llvm::toString(Device.takeError()));
    Devices.push_back(std::move(*Device));
  }
}

llvm::Expected<std::vector<DeviceInfo>> chooseDevices(llvm::ArrayRef<DeviceInfo> Found, std::vector<unsigned> Wanted) {
  if (Wanted.empty())
    Wanted = {0};
  std::string Names;
  for (const DeviceInfo &Device : Found)
    Names += fmt::format("{}{} ({})", Names.empty() ? "" : ", ", Device.Index, Device.Name);
  std::vector<DeviceInfo> Chosen;
  for (const unsigned Index : Wanted) {
    auto IsIt = [&](const DeviceInfo &D) { return D.Index == Index; };
    const auto *const Device = std::find_if(Found.begin(), Found.end(), IsIt);
    if (Device == Found.end())
      return badUsage(fmt::format("there is no GPU {}", Index), "there are: " + Names);
    if (std::any_of(Chosen.begin(), Chosen.end(), IsIt))
      return badUsage(fmt::format("--devices names GPU {} twice", Index));
    if (!Chosen.empty() && Device->Name != Chosen.front().Name)
      return badUsage(fmt::format("GPUs {} and {} differ", Chosen.front().Index, Index),
                      "share a search among GPUs of one kind; there are: " + Names);
    Chosen.push_back(*Device);
  }
  return Chosen;
}

Runner::Runner(RunnerOptions Options, RunnerJob Job) : Options(std::move(Options)), Job(std::move(Job)) {
  if (!this->Job.Schedules.empty())
    Reference = std::move(this->Job.Schedules.front());
  this->Job.Schedules.clear();
}

Runner::~Runner() {
  if (Child)
    Child->end(seconds(2));
}

llvm::Error Runner::start() {
  auto Started = TRY(ChildProcess::start({Options.Runner, "--serve", "--device", fmt::format("{}", Options.Device)}));
  const unsigned Limit = Options.StartSeconds + (Job.Schedules.empty() ? 0 : Job.ScheduleSeconds);
  const auto Deadline = Clock::now() + seconds(Limit);
  std::string Line;
  Event What = Started->write(jsonLine(Job), Deadline);
  // A child that ends at once may have said why before.
  if (What != Event::TimedOut)
    What = Started->read(Line, Deadline);
  if (What != Event::Line)
    return fail(ExitCode::MissingTool, "cufuse-runner " + explain(*Started, What, Limit));
  const auto Answer = parseObject(Line);
  if (Answer && Answer->get("failed"))
    return failureOf(*Answer);
  if (!Answer || !Answer->get("ready"))
    return defect("cufuse-runner answers a job with: " + Line);
  Child = std::move(Started);
  return llvm::Error::success();
}

static bool isOf(const RunOutcome &Outcome, const Schedule &Schedule) {
  return Outcome.Name == Schedule.Name &&
         llvm::equal(Outcome.Beside, Schedule.Beside, [](const auto &A, const auto &B) { return isOf(A, B); });
}

/// Of all of them: which one it was is not known.
static RunOutcome failed(const Schedule &Schedule, RunStatus Status, const std::string &Why) {
  RunOutcome Outcome{Schedule.Name, Status, Why};
  for (const auto &Other : Schedule.Beside)
    Outcome.Beside.push_back(failed(Other, Status, Why));
  return Outcome;
}

/// One schedule, and what is beside it, with a child that runs.
RunOutcome Runner::exchange(const Schedule &Schedule) {
  // Samples are soon taken, so that one that hangs does not take a search's time. Two hundred times the reference's are
  // those of a candidate that is ten times as slow. How long counters take is not known.
  double Seconds = Job.ScheduleSeconds;
  if (!ReferenceOutcome)
    Seconds *= 2; // it is run more often, to see whether it is a reference
  else if (!Schedule.Counters && ReferenceOutcome->Time)
    Seconds = std::min(Seconds, BesideSamplesSeconds + Schedule.Stop.value_or(Job.Stop).MaxSeconds +
                                    200e-6 * ReferenceOutcome->Time->Microseconds);
  const auto Limit = static_cast<unsigned>(Seconds * (1 + Schedule.Beside.size()));
  const auto Deadline = Clock::now() + seconds(Limit);
  std::string Line;
  Event What = Child->write(jsonLine(Schedule), Deadline);
  if (What == Event::Line)
    What = Child->read(Line, Deadline);
  if (What == Event::Line) {
    auto Parsed = llvm::expectedToOptional(parseJson<RunOutcome>(Line, "outcome", /*Strict=*/true));
    if (Parsed && isOf(*Parsed, Schedule)) {
      if (isContextLost(*Parsed))
        Child.reset();
      return std::move(*Parsed);
    }
    Child.reset();
    return failed(Schedule, RunStatus::Crashed,
                  "cufuse-runner answered what is no outcome of this schedule: " + Line.substr(0, 200));
  }
  const std::string Why = "cufuse-runner " + explain(*Child, What, Limit);
  Child.reset();
  return failed(Schedule, What == Event::TimedOut ? RunStatus::TimedOut : RunStatus::Crashed, Why);
}

llvm::Expected<RunOutcome> Runner::reference() {
  if (ReferenceOutcome)
    return *ReferenceOutcome;
  if (!Child)
    TRY(start());
  ReferenceOutcome = exchange(Reference);
  Job.Schedules = {Reference};
  // Samples stay alike after a restart, whatever the reference takes then.
  if (ReferenceOutcome->Time && Job.Passes == 0)
    Job.Passes = ReferenceOutcome->Time->Passes;
  return *ReferenceOutcome;
}

llvm::Expected<RunOutcome> Runner::run(const Schedule &Schedule) {
  if (!ReferenceOutcome)
    TRY(reference());
  if (ReferenceOutcome->Status != RunStatus::Done)
    return failed(Schedule, ReferenceOutcome->Status,
                  fmt::format("not run, since the reference '{}' is {}: {}", Reference.Name,
                              nameOf(ReferenceOutcome->Status).str(), ReferenceOutcome->What));
  while (!Child) {
    if (FailedStarts >= Enough)
      return failed(Schedule, RunStatus::Crashed,
                    fmt::format("not run, since cufuse-runner could not be started again {} times", FailedStarts));
    llvm::Error Error = start();
    if (Error && ++FailedStarts >= Enough)
      return failed(Schedule, RunStatus::Crashed,
                    "not run, since cufuse-runner could not be started again: " + textOf(std::move(Error)));
    llvm::consumeError(std::move(Error));
  }
  FailedStarts = 0;
  return exchange(Schedule);
}

llvm::Expected<std::vector<RunOutcome>> runJob(const RunnerOptions &Options, const RunnerJob &Job,
                                               llvm::function_ref<void(const RunOutcome &)> OnOutcome) {
  if (Job.Schedules.empty())
    return badInput("a job without a schedule");
  std::vector<RunOutcome> Outcomes;
  Runner Runner(Options, Job);
  for (const Schedule &One : Job.Schedules) {
    auto Outcome = TRY(Outcomes.empty() ? Runner.reference() : Runner.run(One));
    OnOutcome(Outcome);
    Outcomes.push_back(std::move(Outcome));
  }
  return Outcomes;
}

} // namespace cufuse
