#include "cufuse/Ptx/PtxExpectation.h"

#include "cufuse/Support/Error.h"

#include <fmt/core.h>
#include <fmt/ranges.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>

namespace cufuse {

constexpr llvm::StringLiteral Begin = "// cufuse-check 2:", OfAnyVersion = "// cufuse-check ";

/// What `allows=` may name.
constexpr std::pair<const char *, bool PtxExpectation::*> Permissions[] = {
    {"block", &PtxExpectation::BlockBarrier},
    {"exit", &PtxExpectation::Exits},
    {"warp", &PtxExpectation::Warps},
    {"copy", &PtxExpectation::Copies},
    {"wgmma", &PtxExpectation::Warpgroups},
    {"libraries", &PtxExpectation::LibrariesReadThem},
    {"dependents", &PtxExpectation::Dependents},
};

std::string expectationLine(const PtxExpectation &Expected) {
  std::string Line = fmt::format("{} name={} threads={}", Begin.str(), Expected.Name, Expected.Threads);
  std::vector<std::string> Barriers;
  for (const auto &[Number, Counts] : Expected.Barriers)
    for (unsigned Count : Counts)
      Barriers.push_back(fmt::format("{}:{}", Number, Count));
  auto Add = [&](const char *Key, const auto &Values) {
    if (!Values.empty())
      Line += fmt::format(" {}={}", Key, fmt::join(Values, ","));
  };
  Add("barriers", Barriers);
  Add("named", Expected.NamedBarriers);
  Add("reads", Expected.Registers);
  Add("budgets", Expected.Budgets);
  Add("tables", Expected.Tables);
  std::vector<const char *> Allowed;
  for (const auto &[Word, Is] : Permissions)
    if (Expected.*Is)
      Allowed.push_back(Word);
  Add("allows", Allowed);
  if (Expected.Coherent)
    Line += " forbids=nc";
  return Line;
}

bool hasExpectation(llvm::StringRef Source) { return Source.starts_with(OfAnyVersion); }

/// Numbers between commas.
static bool readNumbers(llvm::StringRef Text, std::set<unsigned> &Into) {
  for (llvm::StringRef Each : llvm::split(Text, ',')) {
    unsigned Number = 0;
    if (Each.getAsInteger(10, Number))
      return false;
    Into.insert(Number);
  }
  return true;
}

static bool readWord(llvm::StringRef Key, llvm::StringRef Value, PtxExpectation &Into) {
  if (Key == "name") {
    Into.Name = Value.str();
    return !Value.empty();
  }
  if (Key == "threads")
    return !Value.getAsInteger(10, Into.Threads);
  if (Key == "named")
    return readNumbers(Value, Into.NamedBarriers);
  if (Key == "budgets")
    return readNumbers(Value, Into.Budgets);
  if (Key == "barriers")
    return llvm::all_of(llvm::split(Value, ','), [&](llvm::StringRef Each) {
      unsigned Number = 0, Count = 0;
      const auto [Before, Behind] = Each.split(':');
      const bool Reads = !Before.getAsInteger(10, Number) && !Behind.getAsInteger(10, Count);
      Into.Barriers[Number].insert(Count);
      return Reads;
    });
  if (Key == "forbids")
    return Into.Coherent = Value == "nc";
  return llvm::all_of(llvm::split(Value, ','), [&](llvm::StringRef Each) {
    if (Key == "reads" || Key == "tables")
      return (Key == "reads" ? Into.Registers : Into.Tables).insert(Each.str()), true;
    const auto Known = llvm::find_if(Permissions, [&](const auto &P) { return Key == "allows" && Each == P.first; });
    return Known != std::end(Permissions) && (Into.*Known->second = true);
  });
}

llvm::Expected<PtxExpectation> readExpectation(llvm::StringRef Source) {
  if (Source.starts_with("// How to launch "))
    return badInput("it has no kernel, and launches those of others",
                    "check the .cu beside each header that it includes, or each that was written with it");
  llvm::StringRef Line = Source.take_until([](char C) { return C == '\n'; }).rtrim();
  PtxExpectation Read;
  bool Understood = Line.consume_front(Begin);
  while (Understood && !Line.empty()) {
    llvm::StringRef Word;
    std::tie(Word, Line) = Line.ltrim().split(' ');
    const auto [Key, Value] = Word.split('=');
    Understood = readWord(Key, Value, Read);
  }
  if (!Understood || Read.Name.empty() || Read.Threads == 0)
    return badInput("its first line does not say what was planned",
                    "give an output of this version of `cufuse fuse`, as it was written");
  return Read;
}

} // namespace cufuse
