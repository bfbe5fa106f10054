// The time in which anybody works, however many.
#pragma once

#include <chrono>
#include <mutex>

namespace cufuse {

/// Safe to be told by several threads at once.
class BusyClock {
public:
  /// Somebody works while this lives.
  class Work {
  public:
    explicit Work(BusyClock &Clock) : Clock(Clock) { Clock.begin(); }
    ~Work() { Clock.end(); }
    Work(const Work &) = delete;
    Work &operator=(const Work &) = delete;

  private:
    BusyClock &Clock;
  };

  /// So far, with what is being done.
  double seconds() const {
    std::lock_guard Guard(Lock);
    const auto Running = Working > 0 ? std::chrono::steady_clock::now() - Since : std::chrono::steady_clock::duration();
    return std::chrono::duration<double>(Sum + Running).count();
  }

private:
  void begin() {
    std::lock_guard Guard(Lock);
    if (Working++ == 0)
      Since = std::chrono::steady_clock::now();
  }
  void end() {
    std::lock_guard Guard(Lock);
    if (--Working == 0)
      Sum += std::chrono::steady_clock::now() - Since;
  }

  mutable std::mutex Lock;
  unsigned Working = 0;
  std::chrono::steady_clock::time_point Since;
  std::chrono::steady_clock::duration Sum{};
};

} // namespace cufuse
