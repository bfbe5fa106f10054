#include "Strategies.h"

#include "cufuse/Search/Space.h"
#include "cufuse/Support/Error.h"

#include <fmt/core.h>
#include <llvm/ADT/Sequence.h>

#include <random>

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

static llvm::SmallVector<size_t> all(const Search &S) { return llvm::to_vector(llvm::seq(S.candidates().size())); }

/// Every candidate, so that another strategy can be judged by what it missed.
static void searchAll(Search &S) {
  S.measure(all(S), Effort::Short);
  measureFinalists(S, S.candidates().size());
}

/// HFUSE's own search: all of its few candidates, measured fully; the fastest wins.
static void searchAsHfuse(Search &S) { S.measure(all(S), Effort::Full); }

/// In an order that only the seed decides: what a search must beat.
static void searchAtRandom(Search &S, std::uint64_t Seed) {
  llvm::SmallVector<size_t> Order = all(S);
  // By hand: std::shuffle gives another order with another standard library.
  std::mt19937_64 Generator(Seed);
  for (size_t I = Order.size(); I > 1; --I)
    std::swap(Order[I - 1], Order[Generator() % I]);
  S.measure(Order, Effort::Short);
  measureFinalists(S, 8);
}

llvm::Expected<Strategy> makeStrategy(llvm::StringRef Name, std::uint64_t Seed) {
  if (Name == "auto")
    return Strategy{enumerateSpace, searchByLearning};
  if (Name == "exhaustive")
    return Strategy{enumerateSpace, searchAll};
  if (Name == "hfuse")
    return Strategy{enumerateHfuseSpace, searchAsHfuse};
  if (Name == "random")
    return Strategy{enumerateSpace, [Seed](Search &S) { searchAtRandom(S, Seed); }};
  return badUsage(fmt::format("no strategy is called '{}'", Name.str()), "auto, exhaustive, hfuse and random are");
}

} // namespace cufuse
