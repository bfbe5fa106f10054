#include "TurnPlanner.h"

#include "cufuse/Dependence/Streams.h"

#include <fmt/core.h>

namespace cufuse::in_turn {

namespace {

/// By threads, each of which has the same place in every kernel.
class ThreadPlanner final : Planner {
public:
  ThreadPlanner(const VerticalGraph &Graph, BlockShape Block, const Exchange &Exchanged)
      : Planner(Graph, Block, Exchanged, Team::Thread) {}

  llvm::Expected<InTurnPlan> run() {
    common();
    for (const auto &[Of, Users] : Exchanged) {
      isOfThread(Users);
      if (staysInRegisters(Users))
        Plan.Kept.insert(Users.begin(), Users.end());
    }
    return orRefusals(std::move(Plan));
  }

private:
  void isOfThread(const std::vector<Memory> &Users) {
    std::vector<std::pair<unsigned, const AccessSite *>> Sites;
    for (const auto &[Node, Parameter] : Users)
      for (const AccessSite *Site : Graph.Nodes[Node].sites(Parameter))
        Sites.push_back({Node, Site});
    const auto &[First, Made] = Sites.front();
    const auto Index = indexOf(First, *Made);
    std::vector<Less> Common; // conditions of all of them
    for (const PathStep &Step : Made->Path)
      llvm::append_range(Common, Step.Holds);
    for (const auto &[Node, Site] : Sites) {
      const auto Own = indexOf(Node, *Site);
      if (!Index || Own != Index)
        return refuse(
            BlockerKind::NotInTurn, Site->Where,
            fmt::format("{}; {}: another thread may have the element", fact(First, *Made), fact(Node, *Site)));
      llvm::erase_if(Common, [&, Node = Node, Site = Site](const Less &L) {
        const Less Wanted = inArguments(First, L);
        return llvm::none_of(Site->Path, [&](const PathStep &Step) {
          return llvm::any_of(Step.Holds, [&](const Less &Each) { return inArguments(Node, Each) == Wanted; });
        });
      });
    }
    AccessSite Each = *Made;
    PathStep Where;
    Where.What = PathStep::Kind::Branch;
    Where.Exact = true;
    Where.Holds = Common;
    Each.Path = {Where};
    auto Times = accessesPerElement(Graph.Nodes[First], Each, Block);
    for (int D = 0; D < 3 && Times; ++D)
      if (!Made->Index->contains(builtinAtom(Builtin::BlockIdx, D))) {
        Times = Times->substitute(builtinAtom(Builtin::GridDim, D), constant(1));
        require(gridDim(D), constant(1));
      }
    if (!Times || Times->asConstant() != 1)
      refuse(BlockerKind::NotInTurn, Made->Where, fact(First, *Made) + ": several threads may have the element");
  }

  /// Nobody wants it in memory, and whoever loads it has stored it: an object takes the pointers' place.
  bool staysInRegisters(const std::vector<Memory> &Users) const {
    const auto &[First, Out] = Users.front();
    const std::vector<const AccessSite *> Made = Graph.Nodes[First].sites(Out);
    if (!Graph.isIntermediate(First, Out) ||
        !llvm::all_of(Made, [](const AccessSite *Site) { return Site->What == AccessSite::Kind::Store; }))
      return false;
    for (const auto &[Node, Parameter] : Users) {
      const VerticalNode &N = Graph.Nodes[Node];
      const ParameterAccess &P = *N.parameter(Parameter);
      if (!P.Kept || !P.Otherwise.empty() || P.Volatile || mayBeAliased(N, Parameter) ||
          (N.stores(Parameter) && Graph.isLive(Node, Parameter)))
        return false;
      for (const AccessSite *Site : N.sites(Parameter))
        if (!Site->Direct || llvm::none_of(Made, [&, &Node = Node](const AccessSite *Store) {
              return Node == First || isUnder(Node, *Site, First, *Store);
            }))
          return false;
    }
    return true;
  }

  /// Does the store happen wherever the site is reached?
  bool isUnder(unsigned Node, const AccessSite &Site, unsigned First, const AccessSite &Store) const {
    return llvm::all_of(Store.Path, [&](const PathStep &Step) {
      return Step.What == PathStep::Kind::Branch && Step.Exact && llvm::all_of(Step.Holds, [&](const Less &L) {
               return llvm::any_of(Site.Path, [&](const PathStep &Around) {
                 return llvm::any_of(
                     Around.Holds, [&](const Less &Each) { return inArguments(Node, Each) == inArguments(First, L); });
               });
             });
    });
  }

  Less inArguments(unsigned Node, const Less &L) const {
    return {Graph.inArguments(Node, L.Left), Graph.inArguments(Node, L.Right)};
  }

  /// A function of the thread's place alone.
  std::optional<Polynomial> indexOf(unsigned Node, const AccessSite &Site) const {
    if (!Site.Index || Site.Width != 1)
      return std::nullopt;
    Polynomial Index = Graph.inArguments(Node, *Site.Index);
    const bool IsKnown =
        llvm::all_of(Index.atoms(), [&](const std::string &Atom) { return isBuiltin(Atom) || isOfLaunch(atom(Atom)); });
    return IsKnown ? std::optional(Index) : std::nullopt;
  }
};

} // namespace

llvm::Expected<InTurnPlan> planByThreads(const VerticalGraph &Graph, BlockShape Block, const Exchange &Exchanged) {
  return ThreadPlanner(Graph, Block, Exchanged).run();
}

} // namespace cufuse::in_turn
