// One call of an evaluator: where its results arrive. Work for a call that has ended is passed over.
#pragma once

#include "cufuse/Tune/Evaluator.h"

#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <utility>

namespace cufuse {

class Batch {
public:
  void push(size_t Position, Evaluation Result) {
    std::lock_guard Guard(Lock);
    Ready.emplace_back(Position, std::move(Result));
    Changed.notify_one();
  }
  /// Hands over `Count` results as they come, or fewer, if `Take` does not want more.
  void deliver(size_t Count, TakeEvaluation Take) {
    for (; Count > 0; --Count) {
      const auto [Position, Result] = pop();
      if (!Take(Position, Result))
        break;
    }
    Ended = true;
  }
  std::atomic<bool> Ended = false;

private:
  std::pair<size_t, Evaluation> pop() {
    std::unique_lock Guard(Lock);
    Changed.wait(Guard, [this] { return !Ready.empty(); });
    auto First = std::move(Ready.front());
    Ready.pop_front();
    return First;
  }

  std::mutex Lock;
  std::condition_variable Changed;
  std::deque<std::pair<size_t, Evaluation>> Ready;
};

} // namespace cufuse
