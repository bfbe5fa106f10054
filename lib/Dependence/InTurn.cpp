#include "cufuse/Dependence/InTurn.h"

#include "Bounds.h"
#include "Refusals.h"

#include "cufuse/Dependence/Streams.h"

#include <fmt/core.h>
#include <llvm/ADT/STLExtras.h>

namespace cufuse {

namespace {

using Memory = std::pair<unsigned, std::string>;

/// The number of the block, or of the thread's turn; no identifier of C++.
const std::string Part = "block#";
/// A group or a block of the panel, from 0 on; and how many a panel has, where that is no polynomial.
const std::string Own = "own#", Groups = "groups#";

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

/// What a team plays of a kernel: a panel of so many elements, by units of so many. Of a unit, it has all.
struct Share {
  Polynomial Panel, Unit;

  Polynomial units() const { return Panel.dividedBy(Unit).value_or(atom(Groups)); }
};

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

  static bool isGrid(llvm::StringRef Atom) { return Atom.starts_with("gridDim."); }
  /// Can the launcher compute it?
  bool isOfLaunch(const Polynomial &P) const {
    return llvm::all_of(P.atoms(), [&](const std::string &Atom) {
      const auto Q = Graph.Quotients.find(Atom);
      return Q == Graph.Quotients.end()
                 ? isArgument(Graph, Atom) || isGrid(Atom)
                 : !isWrap(Atom) && isOfLaunch(Q->second.Dividend) && isOfLaunch(Q->second.Divisor);
    });
  }
  std::string fact(unsigned Node, const AccessSite &Site) const {
    return fmt::format("{}: {}", Graph.Nodes[Node].Name, Site.str());
  }

  /// Do its threads go on to the next kernel, with nothing of theirs still under way?
  void goesOn(unsigned Node) {
    const VerticalNode &N = Graph.Nodes[Node];
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
  /// `Grid`: this node's block is the team, and plays several blocks of the others where they have a part of it each.
  PanelPlanner(const VerticalGraph &Graph, BlockShape Block, const Exchange &Exchanged, Team By, unsigned Dimensions,
               std::optional<unsigned> Grid = std::nullopt)
      : Planner(Graph, Block, Exchanged, By) {
    Plan.Dimensions = Dimensions;
    Plan.Grid = Grid;
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
    std::set<Memory> Whole; ///< Of which every block of some kernel uses all of its panel.
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
      Plan.Panels[Node] = constant(Width);
      Plan.Units[Node] = constant(N.Shape->Width);
      if (!isInPanels(Node, share(Node), Found, Why, At))
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
    }
    add(Found.Needs);
  }

  void blocks() {
    Panels Found;
    std::vector<unsigned> Parts;
    for (unsigned Node : Graph.Order) {
      std::string Why;
      const AccessSite *At = nullptr;
      if (Plan.ByElement[Node] || Node != Plan.Grid.value_or(Node))
        Parts.push_back(Node);
      else if (!isInPanels(Node, {}, Found, Why, At))
        refuse(BlockerKind::NotInTurn, At->Where, Why);
    }
    for (bool Changed = true; std::exchange(Changed, false);)
      for (unsigned Node : std::vector(Parts))
        if (place(Node, Found)) {
          llvm::erase(Parts, Node);
          Changed = true;
        }
    for (unsigned Node : Parts)
      unplaced(Node, Found);
    for (unsigned Node : Graph.Order)
      if (Plan.ByElement[Node])
        covers(Node, Found.Whole);
      else if (Plan.isNested(Node))
        isPlayedAgain(Node);
    for (int D = Plan.Dimensions; D < 3; ++D)
      require(gridDim(D), constant(1));
    add(Found.Needs);
  }

  Share share(unsigned Node) const { return {Plan.Panels[Node], Plan.Units[Node]}; }

  /// A block of the kernel follows another one in the same threads.
  void isPlayedAgain(unsigned Node) {
    const KernelFacts &Facts = *Graph.Nodes[Node].Facts;
    if (Node == Graph.Order.back())
      goesOn(Node);
    if (Facts.sharesIndices() || Facts.KeptMbarrier || Facts.ArrivesAtBarriers || Facts.CopiesAsynchronously ||
        Facts.CopiesInBulk || Facts.MultiWarpTiles)
      refuse(BlockerKind::NotInTurn, Facts.Where,
             fmt::format("a block would play several of {}, whose threads do not start again", Facts.Name));
    for (Builtin B : {Builtin::BlockIdx, Builtin::GridDim})
      for (int D = 1; D < 3; ++D)
        if (Facts.Reads[static_cast<size_t>(B)][D])
          refuse(BlockerKind::NotInTurn, Facts.Where, Facts.Name + ": its grid has several dimensions");
    // Numbers of its threads and blocks are as in a launch of its own.
    require({}, Plan.Panels[Node]);
    require(blocksOfGrid() * Plan.Panels[Node] * constant(Block.threads()), Plan.Units[Node] * constant(MostElements));
  }

  Polynomial blocksOfGrid() const {
    Polynomial All = constant(1);
    for (unsigned D = 0; D < Plan.Dimensions; ++D)
      All = All * gridDim(D);
    return All;
  }

  /// The panels have all elements of a free kernel.
  void covers(unsigned Node, const std::set<Memory> &Whole) {
    const ShapeFacts &Shape = *Graph.Nodes[Node].Shape;
    if (Plan.Panels[Node].isZero())
      return;
    const Polynomial Played = blocksOfGrid() * Plan.Panels[Node];
    if (Shape.Unbounded) {
      // It has as many elements as its launch has threads. Where others leave some of a panel out, it may have no more.
      if (llvm::none_of(Whole, [&](const Memory &Of) {
            return llvm::any_of(Plan.Exchanged, [&](const Memory &Own) {
              return Own.first == Node && Graph.memory(Own.first, Own.second) == Of;
            });
          }))
        refuse(BlockerKind::NotInTurn, Graph.Nodes[Node].Facts->Where,
               fmt::format("{} has no bound, and what blocks of the others use may end before their panels do",
                           Graph.Nodes[Node].Name));
      return require(Played, constant(MostElements));
    }
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

  Polynomial meaning(unsigned Node, const Share &Of, Polynomial P) const {
    const Polynomial Unit = Of.Unit.isZero() ? atom(Part) : Of.units() * atom(Part) + atom(Own);
    if (Plan.ByElement[Node])
      return whole(inGroup(Graph.Nodes[Node], P, Unit), Of);
    const unsigned Sizes[] = {Block.X, Block.Y, Block.Z};
    const unsigned Dimensions = Of.Unit.isZero() ? Plan.Dimensions : 1;
    for (int D = 0; D < 3; ++D) {
      P = P.substitute(builtinAtom(Builtin::BlockDim, D), constant(Sizes[D]));
      if (Sizes[D] == 1)
        P = P.substitute(builtinAtom(Builtin::ThreadIdx, D), {});
      if (D >= int(Dimensions)) {
        P = P.substitute(builtinAtom(Builtin::BlockIdx, D), {});
        P = P.substitute(builtinAtom(Builtin::GridDim, D), constant(1));
      }
    }
    if (!Of.Unit.isZero())
      P = P.substitute(builtinAtom(Builtin::GridDim, 0), Of.units() * blocksOfGrid());
    Polynomial Others; // in the block's number
    for (int D = Dimensions - 1; D > 0; --D)
      Others = (Others + atom(builtinAtom(Builtin::BlockIdx, D))) * gridDim(D - 1);
    return whole(P.substitute(builtinAtom(Builtin::BlockIdx, 0), Unit - Others), Of);
  }

  /// So many units are the panel.
  static Polynomial whole(const Polynomial &P, const Share &Of) {
    const auto [Factor, Rest] = P.split(Groups);
    const auto Times = Factor.dividedBy(Of.Unit);
    return Times ? Rest + *Times * Of.Panel : P;
  }

  Bounds boundsOf(unsigned Node, const Share &Of) const {
    auto IsOfLaunch = [this, IsFree = bool(Plan.ByElement[Node])](const std::string &Atom) {
      return Atom == Groups || isArgument(Graph, Atom) || (!IsFree && isGrid(Atom));
    };
    Bounds Known(Graph.Quotients, IsOfLaunch, [this, Node, Of](const Polynomial &P) { return meaning(Node, Of, P); });
    Known.counts(Part, {{}, std::nullopt});
    if (!Of.Unit.isZero())
      Known.counts(Own, {{}, Of.units() - constant(1)});
    const unsigned Sizes[] = {Block.X, Block.Y, Block.Z};
    for (int D = 0; D < 3 && !Plan.ByElement[Node]; ++D)
      Known.counts(builtinAtom(Builtin::ThreadIdx, D), {{}, constant(Sizes[D] - 1)});
    return Known;
  }

  /// Does it lie in the panel of its part of the kernel? Finds strides that are not known.
  bool isInPanel(unsigned Node, const AccessSite &Site, const Share &Has, Panels &Found, std::string &Why) const {
    Why = fact(Node, Site) + ", whose index is not known";
    if (!Site.Index)
      return false;
    Bounds Known = boundsOf(Node, Has);
    std::vector<AtMost> Needs;
    const VerticalNode &N = Graph.Nodes[Node];
    Known.surround(Graph, Node, Site,
                   Plan.ByElement[Node] && N.Shape->Strided ? &N.Accesses->Loops[N.Shape->Loop] : nullptr, Needs);
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
    if (!Plan.ByElement[Node] && usesAll(Node, Site, Has, Known, Rest, Stride))
      Found.Whole.insert(Of);
    for (const std::vector<AtMost> &Each : {Needs, Known.needs()})
      for (AtMost Need : Each)
        Found.Needs.push_back(inPanels(Need, Has));
    return true;
  }

  /// Does every block come to the first and to the last element of its panel there?
  bool usesAll(unsigned Node, const AccessSite &Site, const Share &Has, Bounds &Known, const Polynomial &Rest,
               const Polynomial &Stride) const {
    if (!isOfEveryBlock(Site, Graph.Nodes[Node], [&](const Polynomial &P) {
          return meaning(Node, Has, Graph.inArguments(Node, P)).contains(Part);
        }))
      return false;
    const auto First = Known.largest(Polynomial() - Rest), Last = Known.largest(Rest);
    return First && Last && First->Most.isZero() && Last->Most + constant(Site.Width) == Stride;
  }

  /// Without the number of units in a panel.
  static AtMost inPanels(AtMost Need, const Share &Of) {
    for (Polynomial *P : {&Need.Left, &Need.Right})
      *P = whole(*P, Of);
    if (Need.Left.contains(Groups) || Need.Right.contains(Groups))
      for (Polynomial *P : {&Need.Left, &Need.Right})
        *P = whole(*P * Of.Unit, Of);
    return Need;
  }

  /// All that it exchanges; changes nothing if not.
  bool isInPanels(unsigned Node, const Share &Has, Panels &Found, std::string &Why, const AccessSite *&At) const {
    Panels Tried = Found;
    for (const AccessSite &Site : Graph.Nodes[Node].Accesses->Sites)
      if (Plan.Exchanged.count({Node, Site.Parameter}) && !isInPanel(Node, Site, Has, Tried, Why)) {
        At = &Site;
        return false;
      }
    Found = std::move(Tried);
    return true;
  }

  /// What a block may have of a kernel, by what that exchanges with those that are placed.
  std::vector<Share> sharesFor(unsigned Node, const Panels &Found) const {
    const VerticalNode &N = Graph.Nodes[Node];
    std::vector<Share> All;
    for (const AccessSite &Site : N.Accesses->Sites) {
      const auto Stride = Found.Strides.find(Graph.memory(Node, Site.Parameter));
      if (!Plan.Exchanged.count({Node, Site.Parameter}) || Stride == Found.Strides.end() || !Site.Index)
        continue;
      auto Try = [&](const Polynomial &Index, const Polynomial &Times) {
        const Polynomial Elements = Stride->second * Times;
        Share Has;
        if (!Plan.ByElement[Node]) { // blocks, each with the next `Unit` of them
          Has = {Elements, meaning(Node, {}, Index).split(Part).first};
          if (const auto Blocks = Elements.dividedBy(Has.Unit))
            Has = {*Blocks, constant(1)};
          else if (!hasSteps(Has.Unit)) // whose panel has the other's is not known
            return;
        } else if (const auto Factor = inGroup(N, Index, atom(Own)).split(Own).first.asConstant();
                   Factor && *Factor > 0) {
          const Polynomial Unit = constant(N.Shape->Width);
          Has = {(Unit * Elements).dividedBy(*Factor).value_or(Polynomial()), Unit};
        }
        if (!Has.Panel.isZero() && Has.Unit.terms().size() == 1 && isOfLaunch(Has.Panel) && isOfLaunch(Has.Unit) &&
            llvm::none_of(All, [&](const Share &S) { return S.Panel == Has.Panel && S.Unit == Has.Unit; }))
          All.push_back(Has);
      };
      const Polynomial Index = Graph.inArguments(Node, *Site.Index);
      Try(Index, constant(1));
      for (const std::string &Atom : Index.atoms())
        if (const auto Q = Graph.Quotients.find(Atom); Q != Graph.Quotients.end() && !isWrap(Atom))
          Try(Q->second.Dividend, Q->second.Divisor);
    }
    return All;
  }

  /// Does the kernel with the launch's grid go through its panel by so many elements?
  bool hasSteps(const Polynomial &Unit) const {
    return llvm::any_of(Graph.Nodes[*Plan.Grid].Accesses->Sites, [&](const AccessSite &Site) {
      return Plan.Exchanged.count({*Plan.Grid, Site.Parameter}) && Site.Index &&
             llvm::any_of(meaning(*Plan.Grid, {}, Graph.inArguments(*Plan.Grid, *Site.Index)).terms(), [&](auto &Term) {
               return !llvm::is_contained(Term.first, Part) &&
                      Polynomial::term(Term.first, std::abs(Term.second)).dividedBy(Unit);
             });
    });
  }

  bool place(unsigned Node, Panels &Found) {
    std::string Why;
    const AccessSite *At = nullptr;
    if (!Plan.ByElement[Node] && reaches(Node, Found) && isInPanels(Node, {}, Found, Why, At))
      return true;
    for (const Share &Has : sharesFor(Node, Found))
      if (isInPanels(Node, Has, Found, Why, At)) {
        Plan.Panels[Node] = Has.Panel;
        Plan.Units[Node] = Has.Unit;
        if (!Has.Panel.dividedBy(Has.Unit)) {
          if (!Plan.ByElement[Node])
            require(constant(1), Has.Unit);
          if (const std::pair Multiple(Has.Panel, Has.Unit); !llvm::is_contained(Plan.Multiples, Multiple))
            Plan.Multiples.push_back(Multiple);
        }
        return true;
      }
    return false;
  }

  /// Does it exchange something with those that are placed?
  bool reaches(unsigned Node, const Panels &Found) const {
    return llvm::any_of(Found.Strides, [&](const auto &Each) {
      return llvm::any_of(Exchanged.at(Each.first), [&](const Memory &U) { return U.first == Node; });
    });
  }

  void unplaced(unsigned Node, Panels &Found) {
    const VerticalNode &N = Graph.Nodes[Node];
    std::string Why = fmt::format("{}: no block of the others has elements of it", N.Name);
    const AccessSite *At = nullptr;
    for (const Share &Has : sharesFor(Node, Found))
      if (!At)
        isInPanels(Node, Has, Found, Why, At);
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
  for (unsigned Node : Graph.Order) // a block of one kernel plays several of another
    for (unsigned Dimensions : {3, 2, 1})
      if (!isFree(Graph.Nodes[Node])) {
        auto Plan = PanelPlanner(Graph, Block, Exchanged, Team::Block, Dimensions, Node).run();
        if (Plan)
          return Plan;
        llvm::consumeError(Plan.takeError());
      }
  return llvm::make_error<Failure>(ExitCode::BadInput, std::move(Fewest));
}

} // namespace cufuse
