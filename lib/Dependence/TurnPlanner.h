// What all teams that play kernels in turn have in common. No Clang.
#pragma once

#include "Bounds.h"
#include "Indices.h"
#include "Refusals.h"
#include "cufuse/Dependence/InTurn.h"
#include "cufuse/Kernel/Wrapping.h"

#include <fmt/core.h>
#include <llvm/ADT/STLExtras.h>

namespace cufuse::in_turn {

using Memory = std::pair<unsigned, std::string>;

inline Polynomial atom(const std::string &Name) { return Polynomial::atom(Name); }
inline Polynomial gridDim(int D) { return atom(builtinAtom(Builtin::GridDim, D)); }

/// Memory that one kernel stores to and another one accesses, with all that leads there.
using Exchange = std::map<Memory, std::vector<Memory>>;

/// What all teams have in common.
class Planner : protected Refusals {
protected:
  Planner(const VerticalGraph &Graph, BlockShape Block, const Exchange &Exchanged, Team By)
      : Graph(Graph), Block(Block), Exchanged(Exchanged) {
    Plan.By = By;
    Plan.Panels.resize(Graph.Nodes.size());
    Plan.Units.resize(Graph.Nodes.size());
    for (const VerticalNode &N : Graph.Nodes)
      Plan.ByElement.push_back(By != Team::Thread && isFree(N));
    for (const auto &[Of, Users] : Exchanged)
      Plan.Exchanged.insert(Users.begin(), Users.end());
  }

  /// What is the same whoever the team is.
  void common() {
    for (unsigned Node : Graph.Order)
      if (!Plan.ByElement[Node] && Node != Graph.Order.back())
        goesOn(Graph.Nodes[Node], Block, /*IsLast=*/false, BlockerKind::NotInTurn);
    for (const auto &[Node, Parameter] : Plan.Exchanged)
      for (const AccessSite *Site : Graph.Nodes[Node].sites(Parameter))
        isFollowed(Node, *Site);
    for (unsigned Node : Graph.Order)
      seesStores(Node);
    isTied();
    checkAliases(Graph, *this, InMemory::All);
    Plan.Barriers = barriersOf(Graph, [this](unsigned Before, unsigned Node) { return exchanged(Before, Node); });
  }

  static bool isGrid(llvm::StringRef Atom) { return Atom.starts_with("gridDim."); }
  /// Can the launcher compute it?
  bool isOfLaunch(const Polynomial &P) const {
    return isMadeOf(P, Graph.Quotients, [&](auto &Atom) { return isArgument(Graph, Atom) || isGrid(Atom); });
  }
  std::string fact(unsigned Node, const AccessSite &Site) const {
    return fmt::format("{}: {}", Graph.Nodes[Node].Name, Site.str());
  }

  const VerticalGraph &Graph;
  const BlockShape Block;
  const Exchange &Exchanged;
  InTurnPlan Plan;

private:
  /// All kernels get one grid: one that nothing ties to the others may be meant for another.
  void isTied() {
    std::vector<unsigned> Set(Graph.Nodes.size());
    for (unsigned Node = 0; Node < Set.size(); ++Node)
      Set[Node] = Node;
    for (const auto &[Of, Users] : Exchanged)
      for (const Memory &U : Users) {
        const unsigned From = Set[U.first], To = Set[Users.front().first];
        std::replace(Set.begin(), Set.end(), From, To);
      }
    for (unsigned Node : Graph.Order)
      if (Set[Node] != Set[Graph.Order.front()])
        refuse(BlockerKind::NotInTurn, Graph.Nodes[Node].Facts->Where,
               fmt::format("{} exchanges nothing with {}, so that its grid may be another", Graph.Nodes[Node].Name,
                           Graph.Nodes[Graph.Order.front()].Name));
  }

  void isFollowed(unsigned Node, const AccessSite &Site) {
    if (Site.What == AccessSite::Kind::Atomic)
      refuse(BlockerKind::IntermediateAtomic, Site.Where, fact(Node, Site));
    else if (Site.What == AccessSite::Kind::Escape)
      refuse(BlockerKind::IntermediateEscapes, Site.Where, fact(Node, Site));
    else if (Site.ReadOnlyCache && !Graph.Nodes[Node].Facts->ReadOnlyLoads.empty())
      refuse(BlockerKind::ReadOnlyLoad, Site.Where, fact(Node, Site));
    else
      Plan.LoadsFresh |= Site.ReadOnlyCache;
  }

  /// A load by the read-only cache that is not found may be any.
  void seesStores(unsigned Node) {
    const VerticalNode &N = Graph.Nodes[Node];
    if (llvm::any_of(N.Accesses->Sites, [](const AccessSite &Site) { return Site.ReadOnlyCache; }))
      return;
    Plan.LoadsFresh |= N.Facts->LoadsByLdg;
    if (!N.Facts->ReadOnlyLoads.empty())
      refuse(BlockerKind::ReadOnlyLoad, N.Facts->ReadOnlyLoads.front().Where,
             fmt::format("{}: {}", N.Name, N.Facts->ReadOnlyLoads.front().What));
  }

  /// Between blocks: what one has stored for the other, or has loaded before the other one stores to it.
  std::string exchanged(unsigned Before, unsigned Node) const {
    for (const auto &[Of, Users] : Exchanged) {
      const Memory *Earlier = nullptr, *Later = nullptr;
      for (const Memory &U : Users)
        if (const bool Stores = Graph.Nodes[U.first].stores(U.second); U.first == Before && (!Earlier || Stores))
          Earlier = &U;
        else if (U.first == Node && (!Later || Stores))
          Later = &U;
      if (Plan.By != Team::Block || !Earlier || !Later)
        continue;
      if (Graph.Nodes[Before].stores(Earlier->second))
        return fmt::format("{} has stored {}", Graph.Nodes[Before].Name, Earlier->second);
      if (Graph.Nodes[Node].stores(Later->second))
        return fmt::format("{} has loaded {}", Graph.Nodes[Before].Name, Earlier->second);
    }
    return {};
  }
};

/// By threads, each of which has the same place in every kernel.
llvm::Expected<InTurnPlan> planByThreads(const VerticalGraph &Graph, BlockShape Block, const Exchange &Exchanged);

} // namespace cufuse::in_turn
