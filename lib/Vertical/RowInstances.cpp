#include "RowInstances.h"

#include <fmt/core.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/Support/MathExtras.h>

namespace cufuse {

std::vector<RowInstance> instances(const BlockLocalPlan &Plan, BlockShape Block) {
  std::vector<RowInstance> All;
  // Parts of a row are there as a whole.
  auto Has = [&](unsigned Count, unsigned Wide) {
    return llvm::all_of(Plan.Parts, [&](const RowParts &P) { return (P.Interleaved ? Wide : Count) % P.Count == 0; });
  };
  for (unsigned Wide : std::set<unsigned, std::greater<>>{Plan.Wide, Plan.ByGroups ? Plan.Wide : 1}) {
    unsigned Before = 0;
    for (unsigned Count = 1; Count * Wide <= (Wide > 1 ? Plan.MostTurns : Plan.mostSingle()); ++Count) {
      if (!llvm::isPowerOf2_32(Count) && ((Wide == 1 && !Plan.keepsParts()) || Count > 8))
        continue;
      const unsigned Turns = Count * Wide;
      const std::int64_t Length = std::int64_t(Turns) * Block.X;
      if (Plan.keepsParts() ? Has(Count, Wide) : Wide == Plan.Wide)
        All.push_back({Turns, Turns, Wide, Length, /*Exactly=*/true});
      if (!Plan.keepsParts())
        All.push_back({Turns, Before, Wide, Length});
      Before = Turns;
    }
  }
  return All;
}

llvm::Expected<std::vector<unsigned>> instanceOf(const VerticalGraph &Graph, const BlockLocalPlan &Plan,
                                                 BlockShape Block, ValueOf Value) {
  const auto Length = Value(Plan.Length);
  if (!Length)
    return badInput(fmt::format("the elements of a row of {} cannot be counted", Graph.Nodes[Graph.Root].Name));
  if (Plan.ByGroups && (*Length % Plan.Wide != 0 || *Length > std::int64_t(Plan.MostTurns) * Block.X))
    return badInput(fmt::format("rows of {} elements are no vectors in registers", *Length));
  const bool AreWhole = llvm::all_of(Plan.Parts, [&](const RowParts &Parts) {
    return Parts.Count == 1 || Value(Parts.Length * Parts.Count) == Length;
  });
  RowInstance Chosen{0, 0, 1}; // through memory
  for (const RowInstance &I : instances(Plan, Block))
    if (AreWhole && I.takes(*Length) && *Length % I.Wide == 0) { // what is allocated is aligned
      Chosen = I;
      break;
    }
  std::vector<unsigned> Instance = {Chosen.Turns, Chosen.Full};
  if (Plan.Wide > 1)
    Instance.push_back(Chosen.Wide);
  return Instance;
}

} // namespace cufuse
