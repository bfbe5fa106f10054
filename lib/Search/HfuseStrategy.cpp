#include "Strategies.h"
#include "cufuse/Search/Space.h"

#include <numeric>

namespace cufuse {

namespace {
/// HFUSE's own search: all of its few candidates, measured fully; the fastest wins.
struct Hfuse : Strategy {
  std::vector<Candidate> candidates(const Problem &P) const override { return enumerateHfuseSpace(P); }
  void run(Search &S) const override {
    std::vector<size_t> All(S.candidates().size());
    std::iota(All.begin(), All.end(), 0);
    S.measure(All, Effort::Full);
  }
};
} // namespace

std::unique_ptr<Strategy> makeHfuseStrategy() { return std::make_unique<Hfuse>(); }

} // namespace cufuse
