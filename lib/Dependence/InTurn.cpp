#include "cufuse/Dependence/InTurn.h"

#include "Bounds.h"
#include "Refusals.h"

#include <fmt/core.h>
#include <llvm/ADT/STLExtras.h>

namespace cufuse {

namespace {

using Memory = std::pair<unsigned, std::string>;

/// The number of the block, or of the thread's turn; no identifier of C++.
const std::string Part = "block#";
/// A group of the panel, from 0 on; and how many a panel has, where that is no polynomial.
const std::string Own = "own#", Groups = "groups#";

const std::string ThreadX = builtinAtom(Builtin::ThreadIdx, 0);

Polynomial atom(const std::string &Name) { return Polynomial::atom(Name); }
Polynomial constant(std::int64_t Value) { return Polynomial::constant(Value); }
Polynomial gridDim(int D) { return atom(builtinAtom(Builtin::GridDim, D)); }

/// Memory that one kernel stores to and another one accesses, with all that leads there.
using Exchange = std::map<Memory, std::vector<Memory>>;

Exchange exchangedIn(const VerticalGraph &Graph) {
  Exchange All;
  for (unsigned Node : Graph.Order)
    for (const ParameterAccess &P : Graph.Nodes[Node].Accesses->Parameters)
      if (!P.Element.empty() && !Graph.Nodes[Node].sites(P.Name).empty())
        All[Graph.memory(Node, P.Name)].push_back({Node, P.Name});
  std::erase_if(All, [&](const auto &Each) {
    const std::vector<Memory> &Users = Each.second;
    return llvm::all_of(Users, [&](const Memory &U) { return U.first == Users.front().first; }) ||
           llvm::none_of(Users, [&](const Memory &U) { return Graph.Nodes[U.first].stores(U.second); });
  });
  return All;
}

/// What all teams have in common.
class Planner : protected Refusals {
protected:
  Planner(const VerticalGraph &Graph, BlockShape Block, const Exchange &Exchanged, Team By)
      : Graph(Graph), Block(Block), Exchanged(Exchanged) {
    Plan.By = By;
    Plan.Panels.resize(Graph.Nodes.size());
    for (const VerticalNode &N : Graph.Nodes)
      Plan.ByElement.push_back(By != Team::Thread && isFree(N));
    for (const auto &[Of, Users] : Exchanged)
      Plan.Exchanged.insert(Users.begin(), Users.end());
  }

  /// What is the same whoever the team is.
  void common() {
    for (unsigned Node : Graph.Order)
      if (!Plan.ByElement[Node])
        goesOn(Node);
    for (const auto &[Node, Parameter] : Plan.Exchanged)
      for (const AccessSite *Site : Graph.Nodes[Node].sites(Parameter))
        isFollowed(Node, *Site);
    for (unsigned Node : Graph.Order)
      seesStores(Node);
    isTied();
    checkAliases(Graph, *this, InMemory::All);
    for (size_t I = 0; I < Graph.Order.size(); ++I)
      Plan.Barriers.push_back(barrier(I));
  }

  void require(const Polynomial &Left, const Polynomial &Right) {
    if (!(Left == Right) && !llvm::is_contained(Plan.Requirements, AtMost{Left, Right}))
      Plan.Requirements.push_back({Left, Right});
  }

  /// An integer that the launch is given.
  bool isArgument(llvm::StringRef Atom) const {
    const auto [Node, Name] = Atom.split('.');
    return llvm::any_of(Graph.Nodes, [&, &Node = Node, &Name = Name](const VerticalNode &N) {
      return N.Name == Node && N.parameter(Name) && N.parameter(Name)->Integer;
    });
  }
  static bool isGrid(llvm::StringRef Atom) { return Atom.starts_with("gridDim."); }
  /// Can the launcher compute it?
  bool isOfLaunch(const Polynomial &P) const {
    return llvm::all_of(P.atoms(), [&](const std::string &Atom) {
      const auto Q = Graph.Quotients.find(Atom);
      return Q == Graph.Quotients.end()
                 ? isArgument(Atom) || isGrid(Atom)
                 : !isWrap(Atom) && isOfLaunch(Q->second.Dividend) && isOfLaunch(Q->second.Divisor);
    });
  }
  std::string fact(unsigned Node, const AccessSite &Site) const {
    return fmt::format("{}: {}", Graph.Nodes[Node].Name, Site.str());
  }

  const VerticalGraph &Graph;
  const BlockShape Block;
  const Exchange &Exchanged;
  InTurnPlan Plan;

private:
  /// Do its threads go on to the next kernel, with nothing of theirs still under way?
  void goesOn(unsigned Node) {
    const VerticalNode &N = Graph.Nodes[Node];
    if (Node == Graph.Order.back())
      return;
    for (const auto *Exits : {&N.Facts->ExitsBeforeBarrier, &N.Facts->ExitsBeforeWarpPrimitive})
      for (const Finding &Exit : *Exits)
        if (!Exit.ByBranch || !Exit.isByWarps(Block) || Exits == &N.Facts->ExitsBeforeBarrier)
          refuse(BlockerKind::ExitBeforeNext, Exit.Where, fmt::format("{}: {}", N.Name, Exit.What));
    if (N.Facts->GridLaunch)
      refuse(BlockerKind::GridBarrierLaunch, N.Facts->GridLaunch->Where, N.Name);
    if (!N.Facts->DynamicShared.empty() && (N.Facts->CopiesAsynchronously || N.Facts->KeptMbarrier))
      refuse(
          BlockerKind::NotInTurn, N.Facts->Where,
          fmt::format("{} copies to dynamic shared memory, which a copy may still reach in the next kernel", N.Name));
  }

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
    else if (Site.ReadOnlyCache)
      refuse(BlockerKind::ReadOnlyLoad, Site.Where, fact(Node, Site));
  }

  /// A load by the read-only cache that is not found may be any.
  void seesStores(unsigned Node) {
    const VerticalNode &N = Graph.Nodes[Node];
    if (!N.Facts->ReadOnlyLoads.empty() &&
        llvm::none_of(N.Accesses->Sites, [](const AccessSite &Site) { return Site.ReadOnlyCache; }))
      refuse(BlockerKind::ReadOnlyLoad, N.Facts->ReadOnlyLoads.front().Where,
             fmt::format("{}: {}", N.Name, N.Facts->ReadOnlyLoads.front().What));
  }

  /// Why the block waits before the kernel at this position.
  std::string barrier(size_t Position) const {
    const unsigned Node = Graph.Order[Position];
    for (size_t I = lastWait(Plan.Barriers); I < Position; ++I) {
      const unsigned Before = Graph.Order[I];
      const std::string &Name = Graph.Nodes[Before].Name;
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
          return fmt::format("{} has stored {}", Name, Earlier->second);
        if (Graph.Nodes[Node].stores(Later->second))
          return fmt::format("{} has loaded {}", Name, Earlier->second);
      }
      if (std::string Why = usedByBoth(Graph.Nodes[Before], Graph.Nodes[Node]); !Why.empty())
        return Why;
    }
    return {};
  }
};

/// By blocks, or by the elements of a thread.
class PanelPlanner final : Planner {
public:
  PanelPlanner(const VerticalGraph &Graph, BlockShape Block, const Exchange &Exchanged, Team By, unsigned Dimensions)
      : Planner(Graph, Block, Exchanged, By) {
    Plan.Dimensions = Dimensions;
  }

  llvm::Expected<InTurnPlan> run() {
    common();
    if (Plan.By == Team::Element)
      elements();
    else
      blocks();
    std::vector<AtMost> Needs = std::move(Plan.Requirements);
    Plan.Requirements.clear();
    for (const AtMost &Each : Needs)
      require(Each.Left, Each.Right);
    return orRefusals(std::move(Plan));
  }

private:
  /// What is known of where accesses lie.
  struct Panels {
    std::map<Memory, Polynomial> Strides;
    std::vector<AtMost> Needs;
  };

  void elements() {
    unsigned Width = 1;
    for (const VerticalNode &N : Graph.Nodes)
      Width = std::max(Width, N.Shape->Width);
    Panels Found;
    const VerticalNode &Root = Graph.Nodes[Graph.Root];
    Polynomial &All = Plan.Elements = Graph.inArguments(Graph.Root, Root.Shape->Bound);
    for (unsigned Node : Graph.Order) {
      const VerticalNode &N = Graph.Nodes[Node];
      std::string Why;
      const AccessSite *At = nullptr;
      if (!isInPanels(Node, constant(Width), Found, Why, At))
        refuse(BlockerKind::NotInTurn, At->Where, Why);
      const Polynomial Bound = Graph.inArguments(Node, N.Shape->Bound);
      if (N.Shape->Unbounded)
        refuse(BlockerKind::NotPointwise, N.Shape->Reasons.front().Where,
               fmt::format("{}: {}", N.Name, N.Shape->Reasons.front().What));
      else if (const auto More = (Bound - All).asConstant())
        All = *More > 0 ? Bound : All; // groups begin below the same number
      else
        refuse(BlockerKind::DifferentBounds, N.Facts->Where,
               fmt::format("{} has {}, {} has {}", N.Name, Bound.str(), Root.Name, All.str()), linkOf(All, Bound));
      require(Bound, constant(MostElements));
      Plan.Panels[Node] = constant(Width);
    }
    add(Found.Needs);
  }

  void blocks() {
    Panels Found;
    std::vector<unsigned> Free;
    for (unsigned Node : Graph.Order) {
      std::string Why;
      const AccessSite *At = nullptr;
      if (Plan.ByElement[Node])
        Free.push_back(Node);
      else if (!isInPanels(Node, {}, Found, Why, At))
        refuse(BlockerKind::NotInTurn, At->Where, Why);
    }
    for (bool Changed = true; std::exchange(Changed, false);)
      for (unsigned Node : Free)
        if (Plan.Panels[Node].isZero() && place(Node, Found))
          Changed = true;
    for (unsigned Node : Free)
      if (Plan.Panels[Node].isZero())
        unplaced(Node, Found);
      else
        covers(Node);
    for (int D = Plan.Dimensions; D < 3; ++D)
      require(gridDim(D), constant(1));
    add(Found.Needs);
  }

  Polynomial blocksOfGrid() const {
    Polynomial All = constant(1);
    for (unsigned D = 0; D < Plan.Dimensions; ++D)
      All = All * gridDim(D);
    return All;
  }

  /// The panels have all elements of a free kernel.
  void covers(unsigned Node) {
    const ShapeFacts &Shape = *Graph.Nodes[Node].Shape;
    const Polynomial Played = blocksOfGrid() * Plan.Panels[Node];
    if (Shape.Unbounded)
      return require(Played, constant(MostElements));
    const Polynomial Bound = Graph.inArguments(Node, Shape.Bound);
    require(Bound, constant(MostElements));
    require(Shape.Tail ? Bound : Bound - constant(Shape.Width - 1), Played);
  }

  void add(const std::vector<AtMost> &Needs) {
    for (const AtMost &Each : Needs) {
      if (!isOfLaunch(Each.Left) || !isOfLaunch(Each.Right))
        refuse(BlockerKind::NotInTurn, Graph.Nodes[Graph.Root].Facts->Where,
               fmt::format("whether {} <= {} is not known at the launch", Each.Left.str(), Each.Right.str()));
      require(Each.Left, Each.Right);
    }
  }

  // Where an access is.

  Polynomial meaning(unsigned Node, const Polynomial &Panel, Polynomial P) const {
    if (Plan.ByElement[Node]) {
      const unsigned Width = Graph.Nodes[Node].Shape->Width;
      const auto Exact = Panel.dividedBy(Width);
      const Polynomial Group = Exact.value_or(atom(Groups)) * atom(Part) + atom(Own);
      return whole(inGroup(Node, P, Group), Panel, Width);
    }
    const unsigned Sizes[] = {Block.X, Block.Y, Block.Z};
    for (int D = 0; D < 3; ++D) {
      P = P.substitute(builtinAtom(Builtin::BlockDim, D), constant(Sizes[D]));
      if (Sizes[D] == 1)
        P = P.substitute(builtinAtom(Builtin::ThreadIdx, D), {});
      if (D >= int(Plan.Dimensions)) {
        P = P.substitute(builtinAtom(Builtin::BlockIdx, D), {});
        P = P.substitute(builtinAtom(Builtin::GridDim, D), constant(1));
      }
    }
    Polynomial Others; // in the block's number
    for (int D = Plan.Dimensions - 1; D > 0; --D)
      Others = (Others + atom(builtinAtom(Builtin::BlockIdx, D))) * gridDim(D - 1);
    return P.substitute(builtinAtom(Builtin::BlockIdx, 0), atom(Part) - Others);
  }

  /// A free kernel's polynomial for a group of elements.
  Polynomial inGroup(unsigned Node, const Polynomial &P, const Polynomial &Group) const {
    const VerticalNode &N = Graph.Nodes[Node];
    if (!N.Shape->Strided)
      return P + P.split(ThreadX).first * (Group - linearIndex());
    const LoopAccess &Loop = N.Accesses->Loops[N.Shape->Loop];
    return P.substitute(Loop.Atom, Group * Loop.Start.split(ThreadX).first);
  }

  /// So many groups are the panel.
  static Polynomial whole(const Polynomial &P, const Polynomial &Panel, unsigned Width) {
    const auto [Factor, Rest] = P.split(Groups);
    const auto Times = Factor.dividedBy(Width);
    return Times ? Rest + *Times * Panel : P;
  }

  Bounds boundsOf(unsigned Node, const Polynomial &Panel) const {
    auto IsOfLaunch = [this, IsFree = bool(Plan.ByElement[Node])](const std::string &Atom) {
      return Atom == Groups || isArgument(Atom) || (!IsFree && isGrid(Atom));
    };
    Bounds Known(Graph.Quotients, IsOfLaunch,
                 [this, Node, Panel](const Polynomial &P) { return meaning(Node, Panel, P); });
    Known.counts(Part, {{}, std::nullopt});
    if (Plan.ByElement[Node]) {
      const auto Exact = Panel.dividedBy(Graph.Nodes[Node].Shape->Width);
      Known.counts(Own, {{}, Exact.value_or(atom(Groups)) - constant(1)});
      return Known;
    }
    const unsigned Sizes[] = {Block.X, Block.Y, Block.Z};
    for (int D = 0; D < 3; ++D)
      Known.counts(builtinAtom(Builtin::ThreadIdx, D), {{}, constant(Sizes[D] - 1)});
    return Known;
  }

  /// Loops and conditions around a site.
  void surround(unsigned Node, const AccessSite &Site, Bounds &Known, std::vector<AtMost> &Needs) const {
    const VerticalNode &N = Graph.Nodes[Node];
    for (const PathStep &Step : Site.Path) {
      if (Step.What == PathStep::Kind::Loop &&
          !(Plan.ByElement[Node] && N.Shape->Strided && Step.Id == N.Shape->Loop)) {
        const LoopAccess &Loop = N.Accesses->Loops[Step.Id];
        const auto Start = Known.simplified(Graph.inArguments(Node, Loop.Start)),
                   By = Known.simplified(Graph.inArguments(Node, Loop.Step));
        if (!Start || !By || !Known.isUniform(*By) || By->asConstant().value_or(0) < 0)
          continue; // it may count down
        if (!By->asConstant())
          Needs.push_back({{}, *By});
        Known.counts(Loop.Atom, {*Start, std::nullopt});
      }
    }
    for (const PathStep &Step : Site.Path)
      for (const Less &L : Step.Holds)
        Known.holds({Graph.inArguments(Node, L.Left), Graph.inArguments(Node, L.Right)});
  }

  /// Does it lie in the panel of its part of the kernel? `Panel`: of a free kernel. Finds strides that are not known.
  bool isInPanel(unsigned Node, const AccessSite &Site, const Polynomial &Panel, Panels &Found,
                 std::string &Why) const {
    Why = fact(Node, Site) + ", whose index is not known";
    if (!Site.Index)
      return false;
    Bounds Known = boundsOf(Node, Panel);
    std::vector<AtMost> Needs;
    surround(Node, Site, Known, Needs);
    const auto Index = Known.simplified(Graph.inArguments(Node, *Site.Index));
    if (!Index)
      return false;
    const auto [Stride, Rest] = Index->split(Part);
    Why = fmt::format("{}, whose index is {}", fact(Node, Site), shown(*Index));
    if (Stride.isZero() || !Known.isUniform(Stride) || Rest.contains(Part))
      return false;
    const Memory Of = Graph.memory(Node, Site.Parameter);
    const auto [At, IsNew] = Found.Strides.try_emplace(Of, Stride);
    if (!IsNew && !(At->second == Stride)) {
      Why += fmt::format(", {} apart, but others have them {} apart", shown(Stride), shown(At->second));
      return false;
    }
    Why += fmt::format(", which may not lie in the {} elements of its block", shown(Stride));
    if (!Known.isAtMost(Polynomial() - Rest, {}, Needs) || !Known.isAtMost(Rest + constant(Site.Width), Stride, Needs))
      return false;
    for (const std::vector<AtMost> &Each : {Needs, Known.needs()})
      for (AtMost Need : Each)
        Found.Needs.push_back(inPanels(Node, Need, Panel));
    return true;
  }

  /// Without the number of groups in a panel.
  AtMost inPanels(unsigned Node, AtMost Need, const Polynomial &Panel) const {
    const unsigned Width = Graph.Nodes[Node].Shape->Width;
    for (Polynomial *P : {&Need.Left, &Need.Right})
      *P = whole(*P, Panel, Width);
    if (Need.Left.contains(Groups) || Need.Right.contains(Groups))
      for (Polynomial *P : {&Need.Left, &Need.Right})
        *P = whole(*P * constant(Width), Panel, Width);
    return Need;
  }

  /// All that it exchanges; changes nothing if not.
  bool isInPanels(unsigned Node, const Polynomial &Panel, Panels &Found, std::string &Why,
                  const AccessSite *&At) const {
    Panels Tried = Found;
    for (const AccessSite &Site : Graph.Nodes[Node].Accesses->Sites)
      if (Plan.Exchanged.count({Node, Site.Parameter}) && !isInPanel(Node, Site, Panel, Tried, Why)) {
        At = &Site;
        return false;
      }
    Found = std::move(Tried);
    return true;
  }

  /// How many elements a free kernel may have in a block, by what it exchanges with those that are placed.
  std::vector<Polynomial> panelsFor(unsigned Node, const Panels &Found) const {
    const VerticalNode &N = Graph.Nodes[Node];
    std::vector<Polynomial> All;
    for (const AccessSite &Site : N.Accesses->Sites) {
      const auto Stride = Found.Strides.find(Graph.memory(Node, Site.Parameter));
      if (!Plan.Exchanged.count({Node, Site.Parameter}) || Stride == Found.Strides.end() || !Site.Index)
        continue;
      auto Try = [&](const Polynomial &Index, const Polynomial &Times) {
        const auto Factor = inGroup(Node, Index, atom(Own)).split(Own).first.asConstant();
        const auto Panel = Factor && *Factor > 0
                               ? (constant(N.Shape->Width) * Stride->second * Times).dividedBy(*Factor)
                               : std::nullopt;
        if (Panel && isOfLaunch(*Panel) && !llvm::is_contained(All, *Panel))
          All.push_back(*Panel);
      };
      const Polynomial Index = Graph.inArguments(Node, *Site.Index);
      Try(Index, constant(1));
      for (const std::string &Atom : Index.atoms())
        if (const auto Q = Graph.Quotients.find(Atom); Q != Graph.Quotients.end() && !isWrap(Atom))
          Try(Q->second.Dividend, Q->second.Divisor);
    }
    return All;
  }

  bool place(unsigned Node, Panels &Found) {
    std::string Why;
    const AccessSite *At = nullptr;
    for (const Polynomial &Panel : panelsFor(Node, Found))
      if (isInPanels(Node, Panel, Found, Why, At)) {
        Plan.Panels[Node] = Panel;
        const unsigned Width = Graph.Nodes[Node].Shape->Width;
        if (!Panel.dividedBy(Width) && !llvm::is_contained(Plan.Multiples, std::pair(Panel, Width)))
          Plan.Multiples.push_back({Panel, Width});
        return true;
      }
    return false;
  }

  void unplaced(unsigned Node, Panels &Found) {
    const VerticalNode &N = Graph.Nodes[Node];
    std::string Why = fmt::format("{}: no block of the others has elements of it", N.Name);
    const AccessSite *At = nullptr;
    for (const Polynomial &Panel : panelsFor(Node, Found))
      if (!At)
        isInPanels(Node, Panel, Found, Why, At);
    refuse(BlockerKind::NotInTurn, At ? At->Where : N.Facts->Where, Why);
  }
};

/// By threads, each of which has the same place in every kernel.
class ThreadPlanner final : Planner {
public:
  ThreadPlanner(const VerticalGraph &Graph, BlockShape Block, const Exchange &Exchanged)
      : Planner(Graph, Block, Exchanged, Team::Thread) {}

  llvm::Expected<InTurnPlan> run() {
    common();
    for (const auto &[Of, Users] : Exchanged)
      isOfThread(Users);
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

bool isFree(const VerticalNode &Node) { return Node.Shape->Shape == KernelShape::Pointwise || Node.Shape->Unbounded; }

llvm::Expected<InTurnPlan> planInTurn(const VerticalGraph &Graph, BlockShape Block) {
  const Exchange Exchanged = exchangedIn(Graph);
  const auto Free = llvm::count_if(Graph.Nodes, isFree);
  if (size_t(Free) == Graph.Nodes.size())
    return PanelPlanner(Graph, Block, Exchanged, Team::Element, 1).run();
  // The first that holds, or the refusals of that with the fewest.
  std::vector<Message> Fewest;
  auto Try = [&](llvm::Expected<InTurnPlan> Plan) -> std::optional<InTurnPlan> {
    if (Plan)
      return std::move(*Plan);
    llvm::handleAllErrors(Plan.takeError(), [&](const Failure &Each) {
      if (Fewest.empty() || Each.Messages.size() <= Fewest.size())
        Fewest = Each.Messages;
    });
    return std::nullopt;
  };
  if (Free == 0 && !Exchanged.empty())
    if (auto Plan = Try(ThreadPlanner(Graph, Block, Exchanged).run()))
      return std::move(*Plan);
  for (unsigned Dimensions : {3, 2, 1})
    if (auto Plan = Try(PanelPlanner(Graph, Block, Exchanged, Team::Block, Dimensions).run()))
      return std::move(*Plan);
  return llvm::make_error<Failure>(ExitCode::BadInput, std::move(Fewest));
}

} // namespace cufuse
