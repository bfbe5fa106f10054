// cufuse-runner: runs and times kernels on a GPU, in a process that they may take down.
#include "Session.h"

#include "cufuse/Runner/Runner.h"
#include "cufuse/Runner/RunnerJson.h"
#include "cufuse/Support/Error.h"
#include "cufuse/Support/Stdout.h"

#include <fmt/core.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/raw_ostream.h>

#include <iostream>
#include <unistd.h>

using namespace cufuse;

static const char Usage[] =
    R"(usage: cufuse-runner [--device N] JOB.json   runs the job's schedules; one outcome per line, as JSON
       cufuse-runner --list                  the GPUs, one per line, as JSON
       cufuse-runner --serve [--device N]    what the first form starts: a job on stdin, then a schedule per line

JOB.json is what include/cufuse/Runner/RunnerJob.h describes. The first schedule is the reference: the others' outputs
are compared with its outputs, and their times are taken in turn with its times.
Exit status: 0 all were run, whatever came of them; 2 bad usage or job; 3 no driver, no GPU.
)";

/// An error as an answer to the parent.
static std::string failureLine(llvm::Error Error) {
  llvm::json::Object Json;
  llvm::handleAllErrors(
      std::move(Error),
      [&](const Failure &F) {
        Json["exit"] = static_cast<int>(F.Code);
        Json["failed"] = llvm::json::fixUTF8(F.Messages.front().Text);
        Json["remedy"] = llvm::json::fixUTF8(F.Messages.front().Remedy);
      },
      [&](const RunError &E) {
        Json["exit"] = static_cast<int>(ExitCode::Defect);
        Json["failed"] = llvm::json::fixUTF8("the reference: " + E.What);
      });
  std::string Text;
  llvm::raw_string_ostream(Text) << llvm::json::Value(std::move(Json));
  return Text;
}

/// Reads a value that comes from a file or from the parent.
template <typename T> static llvm::Expected<T> parse(llvm::StringRef Text, const std::string &From) {
  auto Parsed = parseJson<T>(Text, "job", /*Strict=*/true);
  if (!Parsed)
    return badUsage(fmt::format("{}: {}", From, llvm::toString(Parsed.takeError())));
  return Parsed;
}

namespace {
/// The parent's end. What kernels print goes to stdout, which is therefore made another name of stderr.
class Parent {
public:
  Parent() : Out(::dup(1), /*shouldClose=*/true) { ::dup2(2, 1); }
  void say(const std::string &Line) {
    Out << Line << '\n';
    Out.flush();
  }

private:
  llvm::raw_fd_ostream Out;
};
} // namespace

static int serve(unsigned Device) {
  Parent Parent;
  std::string Line;
  if (!std::getline(std::cin, Line))
    return 0;
  auto Job = parse<RunnerJob>(Line, "stdin");
  if (!Job) {
    Parent.say(failureLine(Job.takeError()));
    return 2;
  }
  auto Cuda = CudaDriver::load();
  if (!Cuda) {
    Parent.say(failureLine(Cuda.takeError()));
    return 3;
  }
  auto Session = Session::make(*Cuda, Device, std::move(*Job));
  if (!Session) {
    Parent.say(failureLine(Session.takeError()));
    return 3;
  }
  Parent.say(R"({"ready":true})");
  while (std::getline(std::cin, Line)) {
    auto Next = parse<Schedule>(Line, "stdin");
    if (!Next) {
      llvm::errs() << textOf(Next.takeError()) << '\n';
      return 2;
    }
    const RunOutcome Outcome = (*Session)->run(*Next);
    Parent.say(jsonLine(Outcome));
    // Nothing can be freed in a context that is lost.
    if (isContextLost(Outcome))
      ::_exit(0);
  }
  return 0;
}

static int list() {
  auto Cuda = CudaDriver::load();
  if (!Cuda) {
    llvm::outs() << failureLine(Cuda.takeError()) << '\n';
    return 3;
  }
  int Count = 0, Driver = 0;
  Cuda->cuDeviceGetCount(&Count);
  Cuda->cuDriverGetVersion(&Driver);
  for (int I = 0; I < Count; ++I) {
    CUdevice Device = 0;
    Cuda->cuDeviceGet(&Device, I);
    auto Attribute = [&](CUdevice_attribute Which) { return Cuda->attribute(Device, Which); };
    char Name[256] = {};
    Cuda->cuDeviceGetName(Name, sizeof Name, Device);
    size_t Bytes = 0;
    Cuda->cuDeviceTotalMem(&Bytes, Device);
    // Two transfers per clock.
    const double Bandwidth = 2e3 * Attribute(CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE) *
                             (Attribute(CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH) / 8.0);
    DeviceInfo Info;
    Info.Index = I;
    Info.Name = Name;
    Info.Arch = fmt::format("sm_{}{}", Attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR),
                            Attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR));
    Info.Driver = Driver;
    Info.Multiprocessors = Attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
    Info.MemoryBytes = Bytes;
    Info.L2Bytes = Attribute(CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
    Info.ClockMHz = Attribute(CU_DEVICE_ATTRIBUTE_CLOCK_RATE) / 1000.0;
    Info.DramBytesPerSecond = Bandwidth;
    llvm::outs() << jsonLine(Info) << '\n';
  }
  return 0;
}

static int runFile(const std::string &Program, unsigned Device, const std::string &Path) {
  auto Text = llvm::MemoryBuffer::getFile(Path);
  if (!Text) {
    return static_cast<int>(
        report(badUsage(fmt::format("cannot read '{}': {}", Path, Text.getError().message())), llvm::errs()));
  }
  auto Job = parse<RunnerJob>((*Text)->getBuffer(), Path);
  if (!Job)
    return static_cast<int>(report(Job.takeError(), llvm::errs()));
  RunnerOptions Options;
  Options.Runner = Program;
  Options.Device = Device;
  auto Outcomes = runJob(Options, *Job, [](const RunOutcome &Outcome) {
    llvm::outs() << jsonLine(Outcome) << '\n';
    llvm::outs().flush();
  });
  return static_cast<int>(Outcomes ? ExitCode::Done : report(Outcomes.takeError(), llvm::errs()));
}

int main(int Count, char **Arguments) {
  const std::string Program = llvm::sys::fs::getMainExecutable(Arguments[0], reinterpret_cast<void *>(&runFile));
  bool Serve = false, List = false, Good = true;
  unsigned Device = 0;
  std::string Path;
  for (int I = 1; I < Count; ++I) {
    const llvm::StringRef Argument = Arguments[I];
    if (Argument == "--help") {
      llvm::outs() << Usage;
      return finishStdout(0);
    }
    if (Argument == "--serve")
      Serve = true;
    else if (Argument == "--list")
      List = true;
    else if (Argument == "--device")
      Good &= I + 1 < Count && !llvm::StringRef(Arguments[++I]).getAsInteger(10, Device);
    else if (Path.empty() && !Argument.starts_with("-"))
      Path = Argument.str();
    else
      Good = false;
  }
  if (!Good || Serve + List + !Path.empty() != 1) {
    llvm::errs() << Usage;
    return static_cast<int>(ExitCode::BadUsage);
  }
  return finishStdout(Serve ? serve(Device) : List ? list() : runFile(Program, Device, Path));
}
