#include "cufuse/Support/Leftovers.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <sys/wait.h>
#include <unistd.h>

namespace cufuse {

/// A handler must not wait for a lock. Whoever takes a path out frees it, or ends.
static std::array<std::atomic<char *>, 64> Paths;

void isLeftover(const std::string &Path) {
  char *const Copy = ::strdup(Path.c_str());
  for (std::atomic<char *> &Place : Paths)
    if (char *Free = nullptr; Place.compare_exchange_strong(Free, Copy))
      return;
  std::free(Copy); // so many at once: then it stays
}

void released(const std::string &Path) {
  for (std::atomic<char *> &Place : Paths)
    if (char *Known = Place.exchange(nullptr)) {
      if (Path == Known)
        return std::free(Known);
      Place.store(Known);
    }
}

static bool isThere(const char *Path) { return Path && ::access(Path, F_OK) == 0; }

void removeLeftovers() {
  const pid_t Ending = ::getpid();
  const bool Any = std::any_of(Paths.begin(), Paths.end(), [](const auto &Place) { return isThere(Place); });
  // `fork` waits for locks, which the thread may have had when the signal came.
  if (!Any || ::_Fork() != 0)
    return;
  // By a process of its own: those that write there end with us. It has no memory to go through folders with.
  ::setsid();
  for (int Number = 0; Number < 3; ++Number)
    ::close(Number);
  constexpr unsigned Tick = 10000, Most = 200; // microseconds; times
  while (::getppid() == Ending)
    ::usleep(Tick);
  for (unsigned Times = 0; Times < Most; ++Times) {
    bool Left = false;
    for (const std::atomic<char *> &Place : Paths)
      if (const char *const Path = Place; isThere(Path)) {
        Left = true;
        const pid_t Remover = ::_Fork();
        if (Remover == 0) {
          ::execl("/bin/rm", "rm", "-rf", "--", Path, nullptr);
          ::_exit(1);
        }
        if (Remover > 0)
          ::waitpid(Remover, nullptr, 0);
      }
    if (!Left)
      break;
    ::usleep(Tick);
  }
  ::_exit(0);
}

} // namespace cufuse
