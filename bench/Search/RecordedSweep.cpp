#include "RecordedSweep.h"

#include "cufuse/Search/Json.h"
#include "cufuse/Support/Error.h"

#include <fmt/core.h>

namespace cufuse {

namespace json = llvm::json;

namespace {
/// An array whose elements are read by position.
class Fields {
public:
  Fields(const json::Value &V, json::Path P, size_t Count, size_t More = 0) : Array(V.getAsArray()), P(P) {
    if (!Array || Array->size() < Count || Array->size() > Count + More) {
      P.report("an array of another length is expected");
      Array = nullptr;
    }
  }
  explicit operator bool() const { return Array; }
  bool has(unsigned I) const { return I < Array->size(); }
  template <typename T> bool read(unsigned I, T &Out) const { return fromJson((*Array)[I], Out, P.index(I)); }
  const json::Value &operator[](unsigned I) const { return (*Array)[I]; }
  json::Path at(unsigned I) const { return P.index(I); }

private:
  const json::Array *Array;
  json::Path P;
};

bool isEmpty(const json::Value &V) { return V.getAsArray() && V.getAsArray()->empty(); }

bool readPart(const json::Value &V, const ConstituentProblem &Of, ConstituentConfig &Part, json::Path P) {
  const Fields F(V, P, 6, 1);
  unsigned Shape = 0, Bound = 0;
  if (!F || !F.read(0, Shape) || !F.read(1, Part.Copies) || !F.read(2, Part.ResidentBlocks) ||
      !F.read(3, Part.RegisterBudget) || !F.read(4, Part.Unroll) || !F.read(5, Bound) ||
      (F.has(6) && !F.read(6, Part.Turns)))
    return false;
  if (Shape >= Of.Shapes.size()) {
    P.index(0).report("the constituent has no such shape");
    return false;
  }
  Part.Block = Of.Shapes[Shape].Block;
  if (Bound)
    Part.Bound = Of.Bound;
  return true;
}

bool readConfig(const json::Value &V, const Problem &Of, FusionConfig &Config, json::Path P) {
  const Fields F(V, P, 7);
  if (!F || !F.read(0, Config.Shape) || !F.read(1, Config.Grid) || !F.read(2, Config.ResidentBlocks) ||
      !F.read(3, Config.Registers.Policy) || !F.read(4, Config.Registers.Count) ||
      !F.read(5, Config.Registers.MinBlocks))
    return false;
  const Fields Parts(F[6], F.at(6), Of.Constituents.size());
  if (!Parts)
    return false;
  for (unsigned I = 0; I < Of.Constituents.size(); ++I)
    if (!readPart(Parts[I], Of.Constituents[I], Config.Constituents.emplace_back(), Parts.at(I)))
      return false;
  return true;
}

bool readUse(const json::Value &V, Evaluation &E, json::Path P) {
  if (isEmpty(V))
    return true;
  const Fields F(V, P, 6);
  ResourceUse &Use = E.Resources.emplace();
  return F && F.read(0, Use.Registers) && F.read(1, Use.SpillStores) && F.read(2, Use.SpillLoads) &&
         F.read(3, Use.SharedBytes) && F.read(4, Use.Barriers) && F.read(5, E.ResidentBlocks);
}

/// Appends what became of one candidate: an entry for each measurement, or one without a time.
bool readRow(const json::Value &V, RecordedSweep &Sweep, json::Path P) {
  const Fields F(V, P, 5);
  TraceEntry Entry;
  if (!F || !readConfig(F[0], Sweep.What, Entry.Tried.Config, F.at(0)) ||
      !fromJson(F[1], Entry.Result.Outcome, F.at(1)) || !readUse(F[2], Entry.Result, F.at(2)))
    return false;
  if (Entry.Result.Outcome != Fate::Measured)
    Entry.Result.Why = "as recorded";
  bool Timed = false;
  for (const auto &[I, How] : {std::pair(3u, Effort::Short), std::pair(4u, Effort::Full)}) {
    if (isEmpty(F[I]))
      continue;
    const Fields Time(F[I], F.at(I), 2);
    TraceEntry Measured = Entry;
    Measured.Measured = How;
    Measured.Result.Samples = 1;
    if (!Time || !Time.read(0, Measured.Result.Microseconds) || !Time.read(1, Measured.Result.RelativeNoise))
      return false;
    Sweep.Entries.push_back(std::move(Measured));
    Timed = true;
  }
  if (Timed)
    return true;
  if (Entry.Result.Outcome > Fate::Discarded && Entry.Result.Outcome != Fate::Measured)
    Entry.Measured = Effort::Short;
  Sweep.Entries.push_back(std::move(Entry));
  return true;
}
} // namespace

template <typename Io> static void fields(Io &IO, FieldsOf<Io, RecordedSweep> S) {
  IO.version("cufuse_sweep", 2);
  IO("problem", S.What);
}

static bool readSweep(const json::Value &V, RecordedSweep &Sweep, json::Path P) {
  if (!fromJson(V, Sweep, P))
    return false;
  const json::Array *Rows = V.getAsObject()->getArray("rows");
  if (!Rows) {
    P.field("rows").report("an array is expected");
    return false;
  }
  for (unsigned I = 0; I < Rows->size(); ++I)
    if (!readRow((*Rows)[I], Sweep, P.field("rows").index(I)))
      return false;
  return true;
}

llvm::Expected<RecordedSweep> parseSweep(llvm::StringRef Text, const std::string &Name) {
  llvm::Expected<json::Value> V = json::parse(Text);
  RecordedSweep Sweep;
  json::Path::Root Root("sweep");
  if (V && readSweep(*V, Sweep, Root))
    return Sweep;
  return badInput(
      fmt::format("'{}' is no recorded sweep: {}", Name, llvm::toString(V ? Root.getError() : V.takeError())));
}

} // namespace cufuse
