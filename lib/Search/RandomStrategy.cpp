#include "Strategies.h"

#include <algorithm>
#include <numeric>
#include <random>

namespace cufuse {

namespace {
/// In an order that only the seed decides: what a search must beat.
struct Random : Strategy {
  explicit Random(std::uint64_t Seed) : Seed(Seed) {}
  void run(Search &S) const override {
    std::vector<size_t> All(S.candidates().size());
    std::iota(All.begin(), All.end(), 0);
    // By hand: std::shuffle gives another order with another standard library.
    std::mt19937_64 Generator(Seed);
    for (size_t I = All.size(); I > 1; --I)
      std::swap(All[I - 1], All[Generator() % I]);
    S.measure(All, Effort::Short);
    measureFinalists(S, 8);
  }
  std::uint64_t Seed;
};
} // namespace

std::unique_ptr<Strategy> makeRandomStrategy(std::uint64_t Seed) { return std::make_unique<Random>(Seed); }

} // namespace cufuse
