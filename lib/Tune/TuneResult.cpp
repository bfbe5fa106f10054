#include "cufuse/Tune/TuneResult.h"

#include "Names.h"
#include "cufuse/Support/Error.h"
#include "cufuse/Tune/Json.h"

#include <fmt/format.h>
#include <llvm/ADT/STLExtras.h>

namespace cufuse {

namespace json = llvm::json;

namespace {
constexpr Named<Schedule::Kind> Schedules[] = {{Schedule::Serial, "serial"},
                                               {Schedule::Streams, "streams"},
                                               {Schedule::StreamsReversed, "streams-reversed"},
                                               {Schedule::Graph, "graph"}};
constexpr Named<SoloLevel> Levels[] = {
    {SoloLevel::Given, "given"}, {SoloLevel::Shaped, "shaped"}, {SoloLevel::Bound, "bound"}};
constexpr unsigned FormatVersion = 2;
} // namespace

llvm::StringRef nameOf(Schedule::Kind K) { return nameIn<Schedule::Kind>(Schedules, K); }
llvm::StringRef nameOf(SoloLevel L) { return nameIn<SoloLevel>(Levels, L); }

static bool fromJSON(const json::Value &V, Schedule::Kind &Out, json::Path P) {
  return readName<Schedule::Kind>(Schedules, V, Out, P);
}
static bool fromJSON(const json::Value &V, SoloLevel &Out, json::Path P) {
  return readName<SoloLevel>(Levels, V, Out, P);
}

static json::Value toJSON(const SoloResult &S) {
  return json::Object{{"constituent", S.Constituent},
                      {"level", nameOf(S.Level)},
                      {"block", toJSON(S.Block)},
                      {"blocks", static_cast<std::int64_t>(S.Blocks)},
                      {"unroll", S.Unroll},
                      {"bound", toJSON(S.Bound)},
                      {"tried", S.Tried},
                      {"result", toJSON(S.Result)},
                      {"counters", toJSON(S.Counters)}};
}

static bool fromJSON(const json::Value &V, SoloResult &S, json::Path P) {
  json::ObjectMapper O(V, P);
  return O && O.map("constituent", S.Constituent) && O.map("level", S.Level) && O.map("block", S.Block) &&
         O.map("blocks", S.Blocks) && O.map("unroll", S.Unroll) && mapBound(O, S.Bound) && O.map("tried", S.Tried) &&
         O.map("result", S.Result) && O.map("counters", S.Counters);
}

static json::Value toJSON(const BaselineResult &B) {
  return json::Object{{"schedule", nameOf(B.How)},
                      {"level", nameOf(B.Level)},
                      {"result", toJSON(B.Result)},
                      {"counters", toJSON(B.Counters)},
                      {"confirmed", B.Confirmed}};
}

static bool fromJSON(const json::Value &V, BaselineResult &B, json::Path P) {
  json::ObjectMapper O(V, P);
  return O && O.map("schedule", B.How) && O.map("level", B.Level) && O.map("result", B.Result) &&
         O.map("counters", B.Counters) && O.mapOptional("confirmed", B.Confirmed);
}

static json::Value toJSON(const CandidateProfile &P) {
  json::Object Out{{"key", P.Key}, {"counters", toJSON(P.Counters)}};
  if (P.InGraph)
    Out["in_graph"] = toJSON(*P.InGraph);
  if (P.Launched)
    Out["launched"] = toJSON(*P.Launched);
  return Out;
}

static bool fromJSON(const json::Value &V, CandidateProfile &Out, json::Path P) {
  json::ObjectMapper O(V, P);
  return O && O.map("key", Out.Key) && O.map("counters", Out.Counters) && O.map("in_graph", Out.InGraph) &&
         O.map("launched", Out.Launched);
}

static json::Value toJSON(const StepTime &S) {
  return json::Object{{"name", S.Name}, {"seconds", S.Seconds}, {"busy", S.Busy}};
}

static bool fromJSON(const json::Value &V, StepTime &S, json::Path P) {
  json::ObjectMapper O(V, P);
  return O && O.map("name", S.Name) && O.map("seconds", S.Seconds) && O.map("busy", S.Busy);
}

json::Value toJSON(const TuneResult &R) {
  return json::Object{{"cufuse_tune", FormatVersion},
                      {"command", R.Command},
                      {"version", R.Version},
                      {"started", R.Started},
                      {"seconds", R.Seconds},
                      {"busy_share", R.BusyShare},
                      {"steps", arrayOf(R.Steps)},
                      {"strategy", R.Strategy},
                      {"space_size", static_cast<std::int64_t>(R.SpaceSize)},
                      {"required_speedup", R.RequiredSpeedup},
                      {"modelled", R.Modelled},
                      {"interrupted", R.Interrupted},
                      {"starved", R.Starved},
                      {"unconfirmed", R.Unconfirmed},
                      {"notes", json::Array(R.Notes)},
                      {"problem", toJSON(R.What)},
                      {"solo", arrayOf(R.Solo)},
                      {"solo_failed", arrayOf(R.SoloFailed)},
                      {"baselines", arrayOf(R.Baselines)},
                      {"tried", arrayOf(R.Tried)},
                      {"profiles", arrayOf(R.Profiles)}};
}

bool isOf(const Problem &P, const TraceEntry &E) {
  const size_t Count = P.Constituents.size();
  if (E.Result.Grids.size() > Count)
    return false;
  if (!P.Graph)
    return E.Tried.Groups.empty() && E.Tried.Config.Constituents.size() == Count;
  return !E.Tried.Groups.empty() && llvm::all_of(E.Tried.Groups, [&](const LaunchGroup &Group) {
    return !Group.Kernels.empty() && llvm::all_of(Group.Kernels, [&](const std::string &Kernel) {
      return llvm::any_of(P.Constituents, [&](const ConstituentProblem &C) { return C.Name == Kernel; });
    });
  });
}

bool fromJSON(const json::Value &V, TuneResult &R, json::Path P) {
  json::ObjectMapper O(V, P);
  unsigned Version = 0;
  if (!O || !O.map("cufuse_tune", Version))
    return false;
  if (Version != FormatVersion) {
    P.field("cufuse_tune").report("a version that this cufuse does not read");
    return false;
  }
  if (!O.map("command", R.Command) || !O.map("version", R.Version) || !O.map("started", R.Started) ||
      !O.map("seconds", R.Seconds) || !O.map("busy_share", R.BusyShare) || !O.map("steps", R.Steps) ||
      !O.map("strategy", R.Strategy) || !O.map("space_size", R.SpaceSize) ||
      !O.map("required_speedup", R.RequiredSpeedup) || !O.map("modelled", R.Modelled) ||
      !O.map("interrupted", R.Interrupted) || !O.mapOptional("starved", R.Starved) ||
      !O.mapOptional("unconfirmed", R.Unconfirmed) || !O.map("notes", R.Notes) || !O.map("problem", R.What) ||
      !O.map("solo", R.Solo) || !O.map("solo_failed", R.SoloFailed) || !O.map("baselines", R.Baselines) ||
      !O.map("tried", R.Tried) || !O.map("profiles", R.Profiles))
    return false;
  if (!llvm::all_of(R.Tried, [&](const TraceEntry &E) { return isOf(R.What, E); })) {
    P.field("tried").report("a candidate is of other kernels than the problem");
    return false;
  }
  return true;
}

llvm::Expected<TuneResult> parseTuneResult(llvm::StringRef Text, const std::string &Name) {
  llvm::Expected<json::Value> V = json::parse(Text);
  TuneResult Result;
  json::Path::Root Root("result");
  if (V && fromJSON(*V, Result, Root))
    return Result;
  return badInput(
      fmt::format("'{}' is no result of cufuse tune: {}", Name, llvm::toString(V ? Root.getError() : V.takeError())));
}

} // namespace cufuse
