#include "cufuse/Support/Process.h"

#include "cufuse/Support/Error.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace cufuse {

using Clock = std::chrono::steady_clock;

/// Closed at the end, unless it was released.
namespace {
struct Descriptor {
  int Number = -1;
  ~Descriptor() {
    if (Number >= 0)
      ::close(Number);
  }
  int release() { return std::exchange(Number, -1); }
};
} // namespace

static llvm::Error cannotStart(const std::string &Program, int Errno) {
  return fail(ExitCode::MissingTool, fmt::format("cannot run '{}': {}", Program, std::strerror(Errno)));
}

static void killGroup(int) { ::kill(0, SIGKILL); }

/// Waits for the program, in whose group it is, and ends as that did. Its parent's end, of which the system tells it,
/// is that of the whole group: what compilers start is told of nothing.
[[noreturn]] static void guard(pid_t Program) {
  for (int Number = 0; Number < 4; ++Number)
    ::close(Number);
  int Status = 0;
  while (::waitpid(Program, &Status, 0) < 0 && errno == EINTR)
    ;
  if (WIFEXITED(Status))
    ::_exit(WEXITSTATUS(Status));
  const rlimit NoCore{};
  ::setrlimit(RLIMIT_CORE, &NoCore);
  ::signal(WTERMSIG(Status), SIG_DFL);
  ::kill(::getpid(), WTERMSIG(Status));
  ::_exit(127);
}

static void closeFrom(unsigned First) {
  if (::close_range(First, ~0u, 0) != 0)
    for (unsigned Number = First; Number < 1024; ++Number)
      ::close(Number);
}

/// Everything before `execve` in the child is async-signal-safe: other threads of ours may hold locks. `Guarded`: a
/// process of ours stands between, which kills all that the program has started when we end.
static llvm::Expected<pid_t> spawn(llvm::ArrayRef<std::string> Arguments, int In, int Out, int Err, bool Guarded,
                                   const std::string &Temporary = {}) {
  std::vector<char *> Raw, Environment;
  for (const std::string &Argument : Arguments)
    Raw.push_back(const_cast<char *>(Argument.c_str()));
  Raw.push_back(nullptr);
  std::string Folder = "TMPDIR=" + Temporary;
  for (char **One = environ; *One; ++One)
    if (Temporary.empty() || !llvm::StringRef(*One).starts_with("TMPDIR="))
      Environment.push_back(*One);
  if (!Temporary.empty())
    Environment.push_back(Folder.data());
  Environment.push_back(nullptr);
  int Pipe[2];
  if (::pipe2(Pipe, O_CLOEXEC) != 0)
    return cannotStart(Arguments[0], errno);
  Descriptor Failed{Pipe[0]}, Report{Pipe[1]};
  const pid_t Parent = ::getpid();
  const pid_t Id = ::fork();
  if (Id < 0)
    return cannotStart(Arguments[0], errno);
  if (Id == 0) {
    auto Fail = [&](int Reporting) {
      const int Errno = errno;
      [[maybe_unused]] ssize_t Written = ::write(Reporting, &Errno, sizeof Errno);
      ::_exit(127);
    };
    ::setpgid(0, 0);
    if (Guarded)
      ::signal(SIGTERM, killGroup);
    ::prctl(PR_SET_PDEATHSIG, Guarded ? SIGTERM : SIGKILL);
    if (::getppid() != Parent) // It ended before the line above.
      ::_exit(127);
    sigset_t None;
    ::sigemptyset(&None);
    ::sigprocmask(SIG_SETMASK, &None, nullptr);
    if (::dup2(In, 0) < 0 || ::dup2(Out, 1) < 0 || ::dup2(Err, 2) < 0)
      Fail(Report.Number);
    if (Guarded) {
      // Of what is open here, others await the end.
      if (Report.Number != 3 && ::dup3(Report.Number, 3, O_CLOEXEC) < 0)
        Fail(Report.Number);
      closeFrom(4);
      const pid_t Program = ::vfork();
      if (Program < 0)
        Fail(3);
      if (Program > 0)
        guard(Program);
      ::signal(SIGTERM, SIG_DFL);
    }
    ::execve(Raw[0], Raw.data(), Environment.data());
    Fail(Guarded ? 3 : Report.Number);
  }
  ::close(Report.release());
  int Errno = 0;
  ssize_t Got;
  do
    Got = ::read(Failed.Number, &Errno, sizeof Errno);
  while (Got < 0 && errno == EINTR);
  if (Got != sizeof Errno)
    return Id;
  ::waitpid(Id, nullptr, 0);
  return cannotStart(Arguments[0], Errno);
}

static int millisecondsUntil(Clock::time_point Deadline) {
  const auto Left = std::chrono::ceil<std::chrono::milliseconds>(Deadline - Clock::now()).count();
  return static_cast<int>(std::clamp<long long>(Left, 0, 3600 * 1000));
}

/// `waitpid` with a deadline: its status, or nothing.
static std::optional<int> waitUntil(pid_t Id, Clock::time_point Deadline) {
  for (auto Pause = std::chrono::microseconds(200);; Pause = std::min(Pause * 2, std::chrono::microseconds(20000))) {
    int Status = 0;
    const pid_t Ended = ::waitpid(Id, &Status, WNOHANG);
    if (Ended == Id)
      return Status;
    if ((Ended < 0 && errno != EINTR) || Clock::now() >= Deadline)
      return std::nullopt;
    std::this_thread::sleep_for(Pause);
  }
}

llvm::Expected<ProcessResult> runProcess(llvm::ArrayRef<std::string> Arguments, unsigned TimeLimitSeconds,
                                         const std::string &Temporary) {
  const Clock::time_point Deadline = Clock::now() + std::chrono::seconds(TimeLimitSeconds);
  int Pipe[2];
  if (::pipe2(Pipe, O_CLOEXEC) != 0)
    return cannotStart(Arguments[0], errno);
  Descriptor Read{Pipe[0]}, Write{Pipe[1]}, Null{::open("/dev/null", O_RDONLY | O_CLOEXEC)};
  auto Id = TRY(spawn(Arguments, Null.Number, Write.Number, Write.Number, /*Guarded=*/true, Temporary));
  ::close(Write.release());
  ProcessResult Result;
  char Chunk[1 << 16];
  for (;;) {
    pollfd Poll{Read.Number, POLLIN, 0};
    const int Ready = ::poll(&Poll, 1, millisecondsUntil(Deadline));
    if (Ready == 0)
      break;
    const ssize_t Got = Ready < 0 ? -1 : ::read(Read.Number, Chunk, sizeof Chunk);
    if (Got > 0)
      Result.Output.append(Chunk, Got);
    else if (Got == 0 || errno != EINTR)
      break;
  }
  const std::optional<int> Status = waitUntil(Id, Deadline);
  if (!Status) {
    ::kill(-Id, SIGKILL);
    ::waitpid(Id, nullptr, 0);
    Result.Status = -2;
  } else {
    Result.Status = WIFEXITED(*Status) ? WEXITSTATUS(*Status) : -1;
  }
  return Result;
}

llvm::Expected<std::unique_ptr<ChildProcess>> ChildProcess::start(llvm::ArrayRef<std::string> Arguments) {
  int Pair[2], Pipe[2];
  // A socket, because writing to one that the child has closed can be had without a signal.
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, Pair) != 0)
    return cannotStart(Arguments[0], errno);
  Descriptor Ours{Pair[0]}, Theirs{Pair[1]};
  if (::pipe2(Pipe, O_CLOEXEC) != 0)
    return cannotStart(Arguments[0], errno);
  Descriptor Errors{Pipe[0]}, TheirErrors{Pipe[1]};
  auto Id = TRY(spawn(Arguments, Theirs.Number, Theirs.Number, TheirErrors.Number, /*Guarded=*/false));
  for (int Number : {Ours.Number, Errors.Number})
    ::fcntl(Number, F_SETFL, O_NONBLOCK);
  return std::unique_ptr<ChildProcess>(new ChildProcess(Id, Ours.release(), Errors.release()));
}

ChildProcess::~ChildProcess() {
  end(std::chrono::milliseconds(0));
  ::close(Channel);
  if (ErrorPipe >= 0)
    ::close(ErrorPipe);
}

/// Waits until the channel is ready; the child's errors are read meanwhile, so that it never blocks on them.
ChildProcess::Event ChildProcess::await(short Events, Time Deadline) {
  for (;;) {
    pollfd Polls[] = {{Channel, Events, 0}, {ErrorPipe, POLLIN, 0}};
    const int Ready = ::poll(Polls, 2, millisecondsUntil(Deadline));
    if (Ready == 0)
      return Event::TimedOut;
    if (Ready < 0 && errno != EINTR)
      return Event::Ended;
    if (Ready > 0 && Polls[1].revents)
      readErrors();
    if (Ready > 0 && Polls[0].revents)
      return Event::Line;
  }
}

void ChildProcess::readErrors() {
  char Chunk[4096];
  ssize_t Got = 0;
  while (ErrorPipe >= 0 && (Got = ::read(ErrorPipe, Chunk, sizeof Chunk)) > 0) {
    Errors.append(Chunk, Got);
    if (Errors.size() > 2000)
      Errors.erase(0, Errors.size() - 2000);
  }
  if (Got == 0 && ErrorPipe >= 0)
    ::close(std::exchange(ErrorPipe, -1));
}

ChildProcess::Event ChildProcess::write(llvm::StringRef Text, Time Deadline) {
  const std::string Line = Text.str() + "\n";
  for (llvm::StringRef Left = Line; !Left.empty();) {
    const ssize_t Sent = ::send(Channel, Left.data(), Left.size(), MSG_NOSIGNAL);
    if (Sent >= 0)
      Left = Left.drop_front(Sent);
    else if (errno != EAGAIN && errno != EINTR)
      return Event::Ended;
    else if (Event What = await(POLLOUT, Deadline); What != Event::Line)
      return What;
  }
  return Event::Line;
}

ChildProcess::Event ChildProcess::read(std::string &Line, Time Deadline) {
  for (;;) {
    if (const size_t End = Unread.find('\n'); End != std::string::npos) {
      Line = Unread.substr(0, End);
      Unread.erase(0, End + 1);
      return Event::Line;
    }
    if (Event What = await(POLLIN, Deadline); What != Event::Line)
      return What;
    char Chunk[1 << 16];
    const ssize_t Got = ::read(Channel, Chunk, sizeof Chunk);
    if (Got > 0)
      Unread.append(Chunk, Got);
    else if (Got == 0 || (errno != EAGAIN && errno != EINTR))
      return Event::Ended;
  }
}

std::string ChildProcess::end(std::chrono::milliseconds Grace) {
  if (Id < 0)
    return {};
  const pid_t Was = std::exchange(Id, -1);
  ::shutdown(Channel, SHUT_WR);
  std::optional<int> Status = waitUntil(Was, Clock::now() + Grace);
  const bool ByItself = Status.has_value();
  ::kill(-Was, SIGKILL); // Also what it may have started.
  if (!ByItself)
    waitUntil(Was, Clock::now() + std::chrono::seconds(10));
  readErrors();
  if (!ByItself)
    return {};
  if (WIFEXITED(*Status))
    return fmt::format("ended with status {}", WEXITSTATUS(*Status));
  return fmt::format("was ended by signal {} ({})", WTERMSIG(*Status), strsignal(WTERMSIG(*Status)));
}

} // namespace cufuse
