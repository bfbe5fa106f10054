#include "cufuse/Tune/Json.h"

#include "Names.h"

namespace cufuse {

namespace json = llvm::json;

namespace {
constexpr Named<Fate> Fates[] = {
    {Fate::Impossible, "impossible"},  {Fate::CompileFailed, "compile-failed"}, {Fate::Discarded, "discarded"},
    {Fate::LoadFailed, "load-failed"}, {Fate::LaunchFailed, "launch-failed"},   {Fate::Crashed, "crashed"},
    {Fate::TimedOut, "timed-out"},     {Fate::WrongResult, "wrong-result"},     {Fate::Measured, "measured"}};
constexpr Named<Effort> Efforts[] = {{Effort::Short, "short"}, {Effort::Full, "full"}};
} // namespace

llvm::StringRef nameOf(Fate F) { return nameIn<Fate>(Fates, F); }
llvm::StringRef nameOf(Effort E) { return nameIn<Effort>(Efforts, E); }

static bool fromJSON(const json::Value &V, Geometry &Out, json::Path P) {
  return readName<Geometry>(GeometryNames, V, Out, P);
}
static bool fromJSON(const json::Value &V, GridPolicy &Out, json::Path P) {
  return readName<GridPolicy>(GridPolicyNames, V, Out, P);
}
static bool fromJSON(const json::Value &V, ThreadOrder &Out, json::Path P) {
  return readName<ThreadOrder>(ThreadOrderNames, V, Out, P);
}
static bool fromJSON(const json::Value &V, RegisterPolicy &Out, json::Path P) {
  return readName<RegisterPolicy>(RegisterPolicyNames, V, Out, P);
}
bool fromJSON(const json::Value &V, Fate &Out, json::Path P) { return readName<Fate>(Fates, V, Out, P); }
bool fromJSON(const json::Value &V, Effort &Out, json::Path P) { return readName<Effort>(Efforts, V, Out, P); }

json::Value toJSON(const std::map<std::string, double> &Numbers) {
  json::Object Out;
  for (const auto &[Name, Value] : Numbers)
    Out[Name] = Value;
  return Out;
}

json::Value toJSON(const BlockShape &Shape) { return json::Array{Shape.X, Shape.Y, Shape.Z}; }

bool fromJSON(const json::Value &V, BlockShape &Shape, json::Path P) {
  std::vector<unsigned> Sizes;
  if (!json::fromJSON(V, Sizes, P))
    return false;
  if (Sizes.size() != 3) {
    P.report("a block shape is three numbers");
    return false;
  }
  Shape = {Sizes[0], Sizes[1], Sizes[2]};
  return true;
}

json::Value toJSON(const std::vector<std::pair<std::string, std::string>> &Bound) {
  json::Array Out;
  for (const auto &[Name, Value] : Bound)
    Out.push_back(json::Object{{"name", Name}, {"value", Value}});
  return Out;
}

bool mapBound(json::ObjectMapper &O, std::vector<std::pair<std::string, std::string>> &Bound) {
  std::vector<std::map<std::string, std::string>> Pairs;
  if (!O.map("bound", Pairs))
    return false;
  Bound.clear();
  for (std::map<std::string, std::string> &Pair : Pairs)
    Bound.emplace_back(std::move(Pair["name"]), std::move(Pair["value"]));
  return true;
}

static json::Value toJSON(const ConstituentConfig &C) {
  return json::Object{{"block", toJSON(C.Block)},     {"copies", C.Copies},         {"turns", C.Turns},
                      {"resident", C.ResidentBlocks}, {"budget", C.RegisterBudget}, {"unroll", C.Unroll},
                      {"bound", toJSON(C.Bound)}};
}

static bool fromJSON(const json::Value &V, ConstituentConfig &C, json::Path P) {
  json::ObjectMapper O(V, P);
  if (!O || !O.map("block", C.Block) || !O.map("copies", C.Copies) || !O.mapOptional("turns", C.Turns) ||
      !O.map("resident", C.ResidentBlocks) || !O.map("budget", C.RegisterBudget) || !O.map("unroll", C.Unroll) ||
      !mapBound(O, C.Bound))
    return false;
  // As on the command line.
  if (C.Copies == 0 || C.Turns == 0 || C.Turns > MaxCount || C.Unroll > MaxCount || C.ResidentBlocks > MaxCount) {
    P.report("a constituent has at least one copy and one turn, and no count above 1024");
    return false;
  }
  return true;
}

json::Value toJSON(const FusionConfig &C) {
  return json::Object{{"geometry", nameOf(C.Shape)},
                      {"order", nameOf(C.Order)},
                      {"grid", nameOf(C.Grid)},
                      {"resident", C.ResidentBlocks},
                      {"registers", nameOf(C.Registers.Policy)},
                      {"register_count", C.Registers.Count},
                      {"min_blocks", C.Registers.MinBlocks},
                      {"constituents", arrayOf(C.Constituents)}};
}

bool fromJSON(const json::Value &V, FusionConfig &C, json::Path P) {
  json::ObjectMapper O(V, P);
  if (!O || !O.map("geometry", C.Shape) || !O.map("order", C.Order) || !O.map("grid", C.Grid) ||
      !O.map("resident", C.ResidentBlocks) || !O.map("registers", C.Registers.Policy) ||
      !O.map("register_count", C.Registers.Count) || !O.map("min_blocks", C.Registers.MinBlocks) ||
      !O.map("constituents", C.Constituents))
    return false;
  if (C.Constituents.empty() || C.ResidentBlocks > MaxCount) {
    P.report("a configuration is of one constituent at least, and has no count above 1024");
    return false;
  }
  return true;
}

json::Value toJSON(const ResourceUse &Use) {
  return json::Object{{"registers", Use.Registers},      {"spill_stores", Use.SpillStores},
                      {"spill_loads", Use.SpillLoads},   {"stack_bytes", Use.StackBytes},
                      {"shared_bytes", Use.SharedBytes}, {"barriers", Use.Barriers}};
}

bool fromJSON(const json::Value &V, ResourceUse &Use, json::Path P) {
  json::ObjectMapper O(V, P);
  return O && O.map("registers", Use.Registers) && O.map("spill_stores", Use.SpillStores) &&
         O.map("spill_loads", Use.SpillLoads) && O.map("stack_bytes", Use.StackBytes) &&
         O.map("shared_bytes", Use.SharedBytes) && O.map("barriers", Use.Barriers);
}

json::Value toJSON(const Evaluation &E) {
  json::Object Out{{"fate", nameOf(E.Outcome)}};
  if (!E.Why.empty())
    Out["why"] = json::fixUTF8(E.Why);
  if (E.Resources) {
    Out["resources"] = toJSON(*E.Resources);
    Out["resident_blocks"] = E.ResidentBlocks;
    if (!E.Grids.empty())
      Out["grids"] = json::Array(E.Grids);
  }
  if (E.Samples > 0) {
    Out["us"] = E.Microseconds;
    Out["noise"] = E.RelativeNoise;
    Out["samples"] = E.Samples;
    Out["clock_mhz"] = E.ClockMHz;
  }
  return Out;
}

bool fromJSON(const json::Value &V, Evaluation &E, json::Path P) {
  json::ObjectMapper O(V, P);
  return O && O.map("fate", E.Outcome) && O.mapOptional("why", E.Why) && O.map("resources", E.Resources) &&
         O.mapOptional("resident_blocks", E.ResidentBlocks) && O.mapOptional("grids", E.Grids) &&
         O.mapOptional("us", E.Microseconds) && O.mapOptional("noise", E.RelativeNoise) &&
         O.mapOptional("samples", E.Samples) && O.mapOptional("clock_mhz", E.ClockMHz);
}

static json::Value toJSON(const SoloShape &S) {
  json::Object Out{{"block", toJSON(S.Block)},
                   {"blocks", static_cast<std::int64_t>(S.Blocks)},
                   {"dynamic_bytes", static_cast<std::int64_t>(S.DynamicBytes)},
                   {"us", S.Microseconds},
                   {"noise", S.RelativeNoise},
                   {"counters", toJSON(S.Counters)}};
  if (S.Resources)
    Out["resources"] = toJSON(*S.Resources);
  return Out;
}

static bool fromJSON(const json::Value &V, SoloShape &S, json::Path P) {
  json::ObjectMapper O(V, P);
  return O && O.map("block", S.Block) && O.map("blocks", S.Blocks) && O.map("dynamic_bytes", S.DynamicBytes) &&
         O.map("us", S.Microseconds) && O.map("noise", S.RelativeNoise) && O.map("counters", S.Counters) &&
         O.map("resources", S.Resources);
}

static json::Value toJSON(const ConstituentProblem &C) {
  return json::Object{
      {"name", C.Name}, {"shapes", arrayOf(C.Shapes)}, {"unrolls", json::Array(C.Unrolls)}, {"bound", toJSON(C.Bound)}};
}

static bool fromJSON(const json::Value &V, ConstituentProblem &C, json::Path P) {
  json::ObjectMapper O(V, P);
  if (!O || !O.map("name", C.Name) || !O.map("shapes", C.Shapes) || !O.map("unrolls", C.Unrolls) ||
      !mapBound(O, C.Bound))
    return false;
  if (C.Shapes.empty() || C.Unrolls.empty()) {
    P.report("a constituent has at least one shape and one unroll factor");
    return false;
  }
  return true;
}

static json::Value toJSON(const GpuFacts &G) {
  return json::Object{{"name", G.Name},
                      {"arch", G.Arch},
                      {"driver", G.Driver},
                      {"multiprocessors", G.Multiprocessors},
                      {"dram_bytes_per_us", G.DramBytesPerMicrosecond}};
}

static bool fromJSON(const json::Value &V, GpuFacts &G, json::Path P) {
  json::ObjectMapper O(V, P);
  return O && O.map("name", G.Name) && O.map("arch", G.Arch) && O.map("driver", G.Driver) &&
         O.map("multiprocessors", G.Multiprocessors) && O.map("dram_bytes_per_us", G.DramBytesPerMicrosecond);
}

json::Value toJSON(const LaunchGroup &Group) {
  return json::Object{
      {"kernels", json::Array(Group.Kernels)}, {"vectorize", Group.Vectorize}, {"block", toJSON(Group.Block)}};
}

bool fromJSON(const json::Value &V, LaunchGroup &Group, json::Path P) {
  json::ObjectMapper O(V, P);
  return O && O.map("kernels", Group.Kernels) && O.map("vectorize", Group.Vectorize) && O.map("block", Group.Block);
}

static json::Value toJSON(const GraphArray &A) {
  return json::Object{{"name", A.Name},
                      {"bytes", static_cast<std::int64_t>(A.Bytes)},
                      {"readers", json::Array(A.Readers)},
                      {"writers", json::Array(A.Writers)},
                      {"dead", A.Dead}};
}

static bool fromJSON(const json::Value &V, GraphArray &A, json::Path P) {
  json::ObjectMapper O(V, P);
  return O && O.map("name", A.Name) && O.map("bytes", A.Bytes) && O.map("readers", A.Readers) &&
         O.map("writers", A.Writers) && O.map("dead", A.Dead);
}

static json::Value toJSON(const GraphFacts &G) {
  json::Array Links;
  for (const auto &[From, To] : G.Links)
    Links.push_back(json::Array{From, To});
  return json::Object{{"arrays", arrayOf(G.Arrays)}, {"links", std::move(Links)}};
}

static bool fromJSON(const json::Value &V, GraphFacts &G, json::Path P) {
  json::ObjectMapper O(V, P);
  std::vector<std::vector<unsigned>> Links;
  if (!O || !O.map("arrays", G.Arrays) || !O.map("links", Links))
    return false;
  for (const std::vector<unsigned> &Link : Links) {
    if (Link.size() != 2) {
      P.field("links").report("a link is two positions");
      return false;
    }
    G.Links.emplace_back(Link[0], Link[1]);
  }
  return true;
}

json::Value toJSON(const Problem &P) {
  json::Object Out{{"workload", P.Workload}, {"gpu", toJSON(P.Gpu)}, {"constituents", arrayOf(P.Constituents)}};
  if (P.Graph)
    Out["graph"] = toJSON(*P.Graph);
  return Out;
}

bool fromJSON(const json::Value &V, Problem &Out, json::Path P) {
  json::ObjectMapper O(V, P);
  return O && O.map("workload", Out.Workload) && O.map("gpu", Out.Gpu) && O.map("constituents", Out.Constituents) &&
         O.map("graph", Out.Graph);
}

} // namespace cufuse
