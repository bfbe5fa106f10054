// Running other programs: the only place that starts one.
#pragma once

#include <llvm/ADT/ArrayRef.h>
#include <llvm/Support/Error.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <sys/types.h>

namespace cufuse {

struct ProcessResult {
  int Status = 0;     ///< Exit status; negative when a signal (-1) or the time limit (-2) ended it.
  std::string Output; ///< stdout and stderr together.
};

/// Runs `Arguments[0]`, found by path, with a time limit in seconds. It and what it started are killed then, and when
/// the calling thread ends in any way. `Temporary`: the folder for its temporary files, where that is not to be the
/// user's. Fails only when it cannot be started. Safe to call from several threads at once.
llvm::Expected<ProcessResult> runProcess(llvm::ArrayRef<std::string> Arguments, unsigned TimeLimitSeconds,
                                         const std::string &Temporary = {});

/// A running program that lines are exchanged with, over its stdin and stdout. It is in a process group of its own, so
/// that an interrupt from the keyboard leaves it to us, and it is killed when the thread that started it ends.
class ChildProcess {
public:
  using Time = std::chrono::steady_clock::time_point;
  enum class Event { Line, Ended, TimedOut };

  /// Fails with ExitCode::MissingTool when it cannot be started.
  static llvm::Expected<std::unique_ptr<ChildProcess>> start(llvm::ArrayRef<std::string> Arguments);
  ChildProcess(const ChildProcess &) = delete;
  ChildProcess &operator=(const ChildProcess &) = delete;
  /// Kills it, where it still runs.
  ~ChildProcess();

  /// Sends the text and a newline. `Ended`: it closed its stdin.
  Event write(llvm::StringRef Text, Time Deadline);
  /// Its next line, without the newline. `Ended`: it closed its stdout, and what was left was no whole line.
  Event read(std::string &Line, Time Deadline);
  /// Closes its stdin, gives it time to end, then kills it. Says how it ended when it did so itself: `ended with status
  /// 3`, `was ended by signal 11 (Segmentation fault)`. One that the system does not let go within ten seconds is left.
  std::string end(std::chrono::milliseconds Grace);
  /// The last lines of its stderr so far, at most 2000 characters.
  const std::string &errors() const { return Errors; }

private:
  ChildProcess(pid_t Id, int Channel, int ErrorPipe) : Id(Id), Channel(Channel), ErrorPipe(ErrorPipe) {}
  Event await(short Events, Time Deadline);
  void readErrors();

  pid_t Id;
  int Channel;   ///< A socket, non-blocking: stdin and stdout of the child.
  int ErrorPipe; ///< Its stderr, non-blocking; -1 once it is closed.
  std::string Unread, Errors;
};

} // namespace cufuse
