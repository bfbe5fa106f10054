#include "cufuse/Search/GraphSpace.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/Sequence.h>

#include <map>
#include <set>

namespace cufuse {

namespace {

/// Those that the links join, each with the others that they join.
Launches joined(llvm::ArrayRef<std::pair<unsigned, unsigned>> Links, size_t Constituents) {
  auto First = llvm::to_vector(llvm::seq<unsigned>(0, Constituents)); // of the group that it is in
  for (const auto &[A, B] : Links) {
    const unsigned Into = std::min(First[A], First[B]), Gone = std::max(First[A], First[B]);
    std::replace(First.begin(), First.end(), Gone, Into);
  }
  std::map<unsigned, std::vector<unsigned>> Groups;
  for (unsigned I = 0; I < Constituents; ++I)
    Groups[First[I]].push_back(I);
  Launches All;
  for (auto &[Least, Group] : Groups)
    All.push_back(std::move(Group));
  return All;
}

} // namespace

std::vector<Launches> chooseLinks(const GraphFacts &Graph, size_t Constituents) {
  const llvm::ArrayRef Links(Graph.Links);
  std::set<Launches> Outcomes;
  auto Choose = [&](llvm::ArrayRef<std::pair<unsigned, unsigned>> Chosen) {
    Outcomes.insert(joined(Chosen, Constituents));
  };
  if (Links.size() <= MostLinksAtWill) {
    for (unsigned Mask = 1; Mask < 1u << Links.size(); ++Mask) {
      std::vector<std::pair<unsigned, unsigned>> Chosen;
      for (size_t I = 0; I < Links.size(); ++I)
        if (Mask & (1u << I))
          Chosen.push_back(Links[I]);
      Choose(Chosen);
    }
  } else {
    for (size_t I = 0; I < Links.size(); ++I) {
      Choose(Links.slice(I, 1));
      Choose(Links.take_front(I + 1));
    }
  }
  std::vector<Launches> All;
  for (const Launches &Outcome : Outcomes)
    All.push_back(inOrder(Graph, Outcome).value_or(Outcome));
  llvm::stable_sort(All, [](const Launches &A, const Launches &B) { return A.size() < B.size(); });
  return All;
}

std::vector<Candidate> enumerateGraphSpace(const Problem &P,
                                           llvm::function_ref<GroupWays(llvm::ArrayRef<unsigned>)> WaysOf) {
  std::vector<Candidate> Candidates;
  std::set<std::string> Keys;
  std::map<std::vector<unsigned>, GroupWays> Known;
  for (const Launches &Groups : chooseLinks(*P.Graph, P.Constituents.size())) {
    std::set<unsigned> Widths;
    size_t Blocks = 1;
    for (const std::vector<unsigned> &Group : Groups) {
      if (Group.size() > 1 && !Known.count(Group))
        Known[Group] = WaysOf(Group);
      const GroupWays &Ways = Known[Group];
      Widths.insert(Ways.Vectorize.begin(), Ways.Vectorize.end());
      Blocks = std::max(Blocks, Ways.Blocks.size());
    }
    for (unsigned Width : Widths)
      for (size_t Block = 0; Block < Blocks; ++Block) {
        Candidate New;
        for (const std::vector<unsigned> &Group : Groups) {
          LaunchGroup &Launch = New.Groups.emplace_back();
          for (unsigned Member : Group)
            Launch.Kernels.push_back(P.Constituents[Member].Name);
          const GroupWays &Ways = Known[Group];
          if (!Launch.isFused()) {
            Launch.Block = P.Constituents[Group.front()].Shapes.front().Block;
            continue;
          }
          Launch.Vectorize = llvm::is_contained(Ways.Vectorize, Width) ? Width : Ways.Vectorize.front();
          Launch.Block = Ways.Blocks[Block < Ways.Blocks.size() ? Block : 0];
        }
        if (Keys.insert(New.key()).second)
          Candidates.push_back(std::move(New));
      }
  }
  return Candidates;
}

} // namespace cufuse
