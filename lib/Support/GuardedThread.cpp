#include "cufuse/Support/GuardedThread.h"

#include <llvm/Support/CrashRecoveryContext.h>
#include <llvm/Support/thread.h>

#include <csignal>
#include <memory>
#include <optional>

namespace cufuse {

void enableGuards() {
  llvm::CrashRecoveryContext::Enable();
  // A stack that has overflowed cannot carry the handler.
  for (int Signal : {SIGSEGV, SIGBUS}) {
    struct sigaction Action;
    if (sigaction(Signal, nullptr, &Action) != 0)
      continue;
    Action.sa_flags |= SA_ONSTACK;
    sigaction(Signal, &Action, nullptr);
  }
}

bool runGuarded(llvm::function_ref<void()> Work, unsigned StackBytes, bool Dump) {
  constexpr size_t HandlerBytes = 256 << 10;
  const auto Handler = std::make_unique<char[]>(HandlerBytes);
  llvm::CrashRecoveryContext Guard;
  Guard.DumpStackAndCleanupOnFailure = Dump;
  bool Survived = false;
  llvm::thread Thread(std::optional<unsigned>(StackBytes), [&] {
    const stack_t Other = {Handler.get(), 0, HandlerBytes};
    stack_t Before;
    sigaltstack(&Other, &Before);
    Survived = Guard.RunSafely(Work);
    // A sanitizer frees what it finds here when the thread ends, and must find its own.
    sigaltstack(&Before, nullptr);
  });
  Thread.join();
  return Survived;
}

} // namespace cufuse
