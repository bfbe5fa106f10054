#include "Replay.h"

#include "ReplayEvaluator.h"

#include <zlib.h>

#include <algorithm>
#include <filesystem>

namespace cufuse {
namespace {

namespace fs = std::filesystem;
const fs::path Sweeps = CUFUSE_SWEEPS;

/// Notes what is tried; refuses in the place of the fuser.
struct Watcher : Evaluator {
  Watcher(ReplayEvaluator &World, std::optional<Geometry> Refused, Found &Result)
      : World(World), Refused(Refused), Result(Result) {}
  void evaluate(NextCandidates Next, std::optional<Effort> How, TakeEvaluation Take) override {
    Result.Waits += How == Effort::Short;
    std::vector<Candidate> Asked;
    auto Noted = [&] {
      std::vector<Candidate> Some = Next();
      Asked.insert(Asked.end(), Some.begin(), Some.end());
      return Some;
    };
    World.evaluate(Noted, How, [&](size_t I, const Evaluation &Answer) {
      Result.Tried.push_back(Asked[I].key());
      if (Asked[I].Config.Shape != Refused)
        return Take(I, Answer);
      Evaluation Refusal;
      Refusal.Why = "refused";
      return Take(I, Refusal);
    });
  }
  ReplayEvaluator &World;
  std::optional<Geometry> Refused;
  Found &Result;
};

} // namespace

std::vector<std::string> sweepNames() {
  std::vector<std::string> Names;
  for (const fs::directory_entry &Entry : fs::directory_iterator(Sweeps))
    if (Entry.path().extension() == ".gz")
      Names.push_back(Entry.path().stem().stem().string());
  std::sort(Names.begin(), Names.end());
  return Names;
}

std::string sweepText(const std::string &Name) {
  std::string Text;
  gzFile File = gzopen((Sweeps / (Name + ".json.gz")).c_str(), "rb");
  char Part[1 << 16];
  int Size = -1;
  while (File && (Size = gzread(File, Part, sizeof(Part))) > 0)
    Text.append(Part, static_cast<size_t>(Size));
  if (gzclose(File) != Z_OK || Size < 0)
    llvm::report_fatal_error(llvm::Twine("cannot read the sweep ") + Name);
  return Text;
}

std::optional<Found> replay(const RecordedSweep &Recorded, const ReplayOptions &Options) {
  ReplayEvaluator World =
      Options.Noise ? ReplayEvaluator(Recorded.Entries, *Options.Noise) : ReplayEvaluator(Recorded.Entries);
  const auto How = llvm::cantFail(makeStrategy(Options.Strategy, Options.Seed));
  Trace Record;
  SearchSeams Seams;
  Seams.Now = [] { return 0.0; };
  Found Result;
  Watcher Watched(World, Options.Refused, Result);
  Search S(Recorded.What, World.candidates(), Watched, Record, Options.Limit, Seams);
  How.Run(S);
  Result.Measured = S.measuredCount();
  const auto Best = S.best();
  if (!Best)
    return std::nullopt;
  Result.Best = S.candidates()[*Best];
  bool Full = false;
  for (const TraceEntry &Entry : Recorded.Entries)
    if (Entry.Measured && !Full && Entry.Tried.key() == Result.Best.key()) {
      Full = Entry.Measured == Effort::Full;
      Result.Microseconds = Entry.Result.Microseconds;
    }
  return Result;
}

} // namespace cufuse
