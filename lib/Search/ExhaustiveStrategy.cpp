#include "Strategies.h"

#include <numeric>

namespace cufuse {

void measureFinalists(Search &S, size_t Most) {
  constexpr double Margin = 1.03; // what a short measurement may be wrong by
  std::vector<size_t> Finalists = S.ranking();
  if (Finalists.empty())
    return;
  const double Best = S.state(Finalists.front()).last()->Microseconds;
  size_t Count = 0;
  while (Count < Finalists.size() && Count < Most && S.state(Finalists[Count]).last()->Microseconds <= Best * Margin)
    ++Count;
  Finalists.resize(Count);
  S.measure(Finalists, Effort::Full);
}

namespace {
/// Every candidate, so that another strategy can be judged by what it missed.
struct Exhaustive : Strategy {
  void run(Search &S) const override {
    std::vector<size_t> All(S.candidates().size());
    std::iota(All.begin(), All.end(), 0);
    S.measure(All, Effort::Short);
    measureFinalists(S, All.size());
  }
};
} // namespace

std::unique_ptr<Strategy> makeExhaustiveStrategy() { return std::make_unique<Exhaustive>(); }

} // namespace cufuse
