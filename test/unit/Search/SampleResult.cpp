#include "SampleResult.h"

#include "Synthetic.h"
#include "cufuse/Search/Search.h"
#include "cufuse/Search/Verdict.h"

#include <llvm/Support/Error.h>

namespace cufuse {

Evaluation measured(double Microseconds, double Noise) {
  Evaluation E;
  E.Outcome = Fate::Measured;
  E.Microseconds = Microseconds;
  E.RelativeNoise = Noise;
  E.Samples = 50;
  E.ClockMHz = 1980;
  return E;
}

TuneResult sampleResult(unsigned Seed, const std::map<Fate, double> &Faults, double Ease) {
  TuneResult R;
  R.Command = "cufuse tune samples/pairs/im2col-upsample.yaml -o best.cu --report report.html --strategy auto";
  R.Version = "0.1.0";
  R.Started = "2026-11-21T08:15:09Z";
  R.Strategy = "auto";
  R.BusyShare = 0.91;
  R.What = syntheticProblem(Seed);
  R.What.Workload = "im2col-upsample";
  R.What.Constituents[0].Name = "im2col";
  R.What.Constituents[1].Name = "upsample<4>";
  SyntheticEvaluator World(R.What, Seed);
  World.Faults = Faults;
  auto How = llvm::cantFail(makeStrategy("auto"));
  Trace Record;
  SearchSeams Seams;
  Seams.Now = [&] { return World.Seconds; };
  std::vector<Candidate> Space = How.Candidates(R.What);
  R.SpaceSize = Space.size();
  Search S(R.What, std::move(Space), World, Record, {}, Seams);
  How.Run(S);
  auto HfuseStrategy = llvm::cantFail(makeStrategy("hfuse"));
  Search Hfuse(R.What, HfuseStrategy.Candidates(R.What), World, Record, {}, Seams);
  HfuseStrategy.Run(Hfuse);
  R.Tried = Record.entries();
  R.Seconds = World.Seconds;

  double Given = 0, Best = 0;
  for (const ConstituentProblem &C : R.What.Constituents) {
    const SoloShape &First = C.Shapes.front(), &Fastest = C.best();
    Given += First.Microseconds * 1.2;
    Best += Fastest.Microseconds;
    R.Solo.push_back({C.Name,
                      SoloLevel::Given,
                      First.Block,
                      First.Blocks,
                      0,
                      {},
                      1,
                      measured(First.Microseconds * 1.2),
                      First.Counters});
    R.Solo.push_back({C.Name,
                      SoloLevel::Shaped,
                      Fastest.Block,
                      Fastest.Blocks,
                      0,
                      {},
                      10,
                      measured(Fastest.Microseconds),
                      Fastest.Counters});
  }
  const double Factors[] = {1, 0.97, 0.98, 0.96};
  for (SoloLevel Level : {SoloLevel::Given, SoloLevel::Shaped})
    for (int I = 0; I < 4; ++I)
      R.Baselines.push_back({static_cast<Schedule::Kind>(I),
                             Level,
                             measured((Level == SoloLevel::Given ? Given : Best) * Factors[I] * Ease),
                             {}});
  const Summary Found = summarize(R);
  if (Found.Winner)
    R.Profiles.push_back({Found.Winner->Which.key(),
                          {{"smsp__issue_active.avg.pct_of_peak_sustained_active", 71.3},
                           {"sm__warps_active.avg.pct_of_peak_sustained_active", 88.1},
                           {"dram__bytes_read.sum", 3.1e9},
                           {"dram__bytes_write.sum", 1.1e9}}});
  return R;
}

} // namespace cufuse
