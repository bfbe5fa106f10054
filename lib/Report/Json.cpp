#include "cufuse/Search/Json.h"
#include "cufuse/Report/Report.h"

#include <llvm/Support/FormatVariadic.h>

namespace cufuse {

namespace json = llvm::json;

constexpr Named<Advice> Advices[] = {{Advice::Fuse, "fuse"},
                                     {Advice::TuneAlone, "tune-alone"},
                                     {Advice::LeaveAlone, "leave-alone"},
                                     {Advice::Undecided, "undecided"},
                                     {Advice::Unknown, "unknown"}};
constexpr Named<Regime> Regimes[] = {{Regime::LaunchBound, "launch-bound"},
                                     {Regime::TailBound, "tail-bound"},
                                     {Regime::ThroughputBound, "throughput-bound"}};

static json::Value named(const Ranked &C) {
  return json::Object{{"key", C.Which.key()}, {"result", toJson(C.Result)}, {"full", C.Full}};
}

std::string jsonReport(const TuneResult &R, const Summary &S) {
  json::Object Counts{{"only-screened", S.Counts.OnlyScreened}};
  for (unsigned I = 0; I < FateCount; ++I)
    Counts[nameOf(static_cast<Fate>(I))] = S.Counts.Of[I];
  json::Object Figures{{"advice", nameIn<Advice>(Advices, S.What)},
                       {"sentence", toJson(S.Sentence)},
                       {"launch_shapes", S.LaunchShapes},
                       {"binding", S.Binding},
                       {"fusion", S.Fusion},
                       {"fusion_noise", S.FusionNoise},
                       {"alone_noise", S.AloneNoise},
                       {"total", S.total()},
                       {"counts", std::move(Counts)},
                       {"regime", nameIn<Regime>(Regimes, S.Limits)}};
  if (S.Winner)
    Figures["winner"] = named(*S.Winner);
  if (S.WinnerInGraph)
    Figures["winner_in_graph"] = toJson(*S.WinnerInGraph);
  if (S.Hfuse)
    Figures["hfuse"] = named(*S.Hfuse);
  json::Array Geometries;
  for (const Ranked &C : S.BestOfKind)
    Geometries.push_back(named(C));
  Figures["best_of_geometry"] = std::move(Geometries);
  if (S.StrongestBaseline)
    Figures["strongest_baseline"] = json::Object{{"schedule", nameOf(S.StrongestBaseline->How)},
                                                 {"level", nameOf(S.StrongestBaseline->Level)},
                                                 {"us", S.StrongestBaseline->Result.Microseconds}};
  if (S.PredictedSeparate > 0)
    Figures["predicted_separate_us"] = S.PredictedSeparate;
  if (S.Limit.Microseconds > 0) {
    Figures["limit"] = json::Object{{"us", S.Limit.Microseconds},
                                    {"by", S.Limit.By},
                                    {"quick", S.Limit.Quick},
                                    {"demands_us", toJson(S.Limit.Demands)}};
    if (S.Winner && S.Winner->Result.Microseconds > 0)
      Figures["share_of_limit"] = S.Limit.share(S.Winner->Result.Microseconds);
  }
  json::Value Out = toJson(R);
  (*Out.getAsObject())["summary"] = std::move(Figures);
  (*Out.getAsObject())["#"] = "Written by cufuse tune"; // first in the file
  return llvm::formatv("{0:1}\n", Out).str();
}

} // namespace cufuse
