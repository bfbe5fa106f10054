// How much slower than the best there is what a search finds is, and how much it measures: in recorded sweeps, and in
// the drawn worlds of the tests. Ends with 1 where a limit is missed.
#include "../../test/unit/Search/Synthetic.h"
#include "Replay.h"

#include "cufuse/Plan/ConfigNames.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdio>

using namespace cufuse;

namespace {

bool Missed = false;

/// The value, marked where it is above its limit.
std::string judged(double Value, double Limit, const char *Unit) {
  const bool Bad = Value > Limit;
  Missed |= Bad;
  return fmt::format("{:.2f}{}{}", Value, Unit, Bad ? fmt::format(" > {:g}{}", Limit, Unit) : "");
}

Found found(const RecordedSweep &Sweep, const ReplayOptions &Options) {
  if (auto Result = replay(Sweep, Options))
    return *Result;
  Missed = true;
  fmt::print("{} found nothing\n", Options.Strategy);
  return {};
}

/// In percent.
double regret(const Found &Some, const Found &Best) { return 100 * (Some.Microseconds / Best.Microseconds - 1); }

void judge(const std::string &Name) {
  const RecordedSweep Sweep = llvm::cantFail(parseSweep(sweepText(Name), Name));
  auto Search = [&](ReplayOptions Options) { return found(Sweep, Options); };
  const Found Best = Search({.Strategy = "exhaustive"}), Whole = Search({});
  fmt::print("{:20} auto {}, {} of the measurements, {} waits", Name, judged(regret(Whole, Best), 1, " %"),
             judged(100.0 * static_cast<double>(Whole.Measured) / static_cast<double>(Best.Measured), 25, " %"),
             judged(Whole.Waits, 6, ""));
  Budget Hundred; // as in a search of seconds
  Hundred.Measured = 100;
  Found Runs[2];
  for (std::uint64_t Seed : {1, 2}) {
    fmt::print("; in 100 {}", judged(regret(Search({.Limit = Hundred, .Noise = Seed}), Best), 2, " %"));
    Runs[Seed - 1] = Search({.Noise = Seed});
  }
  const bool Swapped = Runs[0].Microseconds < Runs[1].Microseconds;
  fmt::print("; two runs {} apart", judged(regret(Runs[Swapped], Runs[!Swapped]), 2, " %"));
  for (Geometry Refused : {Geometry::Blocks, Geometry::Warps, Geometry::Threads}) {
    const Found Left = Search({.Strategy = "exhaustive", .Refused = Refused}), Few = Search({.Refused = Refused});
    fmt::print("; without {} {}, {} waits", nameOf(Refused).str(), judged(regret(Few, Left), 1, " %"),
               judged(Few.Waits, 12, ""));
  }
  fmt::print("\n");
  std::fflush(stdout);
}

/// By the formula, without the noise of measuring.
double searched(const char *Strategy, const Problem &P, SyntheticEvaluator &World, size_t &Measured) {
  const auto How = llvm::cantFail(makeStrategy(Strategy));
  Trace Record;
  SearchSeams Seams;
  Seams.Now = [&] { return World.Seconds; };
  Search S(P, How.Candidates(P), World, Record, {}, Seams);
  How.Run(S);
  Measured = S.measuredCount();
  return World.truth(S.candidates()[S.best().value()]);
}

void judgeWorld(unsigned Seed) {
  const Problem P = syntheticProblem(Seed);
  size_t All = 0, Few = 0, Again = 0;
  SyntheticEvaluator First(P, Seed), Second(P, Seed);
  const double Best = searched("exhaustive", P, First, All), One = searched("auto", P, Second, Few);
  const double Two = searched("auto", P, Second, Again); // other noise: the world counts its calls
  fmt::print("{:20} auto {}, {} of the measurements; two runs {} apart\n", fmt::format("world {}", Seed),
             judged(100 * (One / Best - 1), 1, " %"),
             judged(100.0 * static_cast<double>(Few) / static_cast<double>(All), 25, " %"),
             judged(100 * (std::max(One, Two) / std::min(One, Two) - 1), 2, " %"));
  std::fflush(stdout);
}

} // namespace

int main() {
  for (const std::string &Name : sweepNames())
    judge(Name);
  for (unsigned Seed = 0; Seed < 16; ++Seed)
    judgeWorld(Seed);
  fmt::print("{}\n", Missed ? "some limit is missed" : "all within the limits");
  return Missed;
}
