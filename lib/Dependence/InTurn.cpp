#include "TurnPlanner.h"

#include <fmt/core.h>

namespace cufuse {

namespace {

using namespace in_turn;

/// The number of the block, or of the thread's turn; no identifier of C++.
const std::string Part = "block#";
/// A group or a block of the panel, from 0 on; and how many a panel has, where that is no polynomial.
const std::string Own = "own#", Groups = "groups#";

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

/// By blocks, or by the elements of a thread.
class PanelPlanner final : Planner {
public:
  /// `Grid`: this node's block is the team, and plays several blocks of the others where they have a part of it each.
  PanelPlanner(const VerticalGraph &Graph, BlockShape Block, const Exchange &Exchanged, Team By, unsigned Dimensions,
               std::optional<unsigned> Grid = std::nullopt, bool LastFirst = false)
      : Planner(Graph, Block, Exchanged, By) {
    Plan.Dimensions = Dimensions;
    Plan.LastFirst = LastFirst;
    Plan.Grid = Grid;
    if (Grid)
      Plan.ByElement[*Grid] = false; // also where each of its threads has a row
  }

  llvm::Expected<InTurnPlan> run() {
    common();
    if (Plan.By == Team::Element)
      elements();
    else
      blocks();
    Plan.Requirements = std::move(Requirements);
    return orRefusals(std::move(Plan));
  }

private:
  /// A team's panel: the elements from `First` on, which are `Stride` at least before the next team's.
  struct Place {
    Polynomial First, Stride;
    std::vector<AtMost> Needs = {};
    bool isLinear() const { return First == Stride * atom(Part); }
  };

  /// What is known of where accesses lie.
  struct Panels {
    std::map<Memory, Place> Places;
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
      Plan.Panels[Node] = Polynomial(Width);
      Plan.Units[Node] = Polynomial(N.Shape->Width);
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
      require(Bound, MostElements);
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
      if (Plan.ByElement[Node] && !Plan.Panels[Node].isZero())
        covers(Node, Found.Whole);
      else if (Plan.isNested(Node))
        isPlayedAgain(Node);
      else if (const auto &All = Graph.Nodes[Node].Shape->Elements) // it plays its own blocks
        requireSame(Graph.inArguments(Node, *All), blocksOfGrid() * Block.threads());
    for (int D = Plan.Dimensions; D < 3; ++D)
      require(gridDim(D), 1);
    for (unsigned Node : Graph.Order) {
      const KernelFacts &Facts = *Graph.Nodes[Node].Facts;
      for (unsigned D = Plan.Dimensions; D < 3; ++D)
        if (!Plan.ByElement[Node] && Facts.Reads[static_cast<size_t>(Builtin::BlockIdx)][D])
          refuse(BlockerKind::NotInTurn, Facts.Where,
                 fmt::format("{}: its grid has {} dimensions, and blocks are numbered by {}", Graph.Nodes[Node].Name,
                             D + 1, Plan.Dimensions));
    }
    add(Found.Needs);
  }

  Share share(unsigned Node) const { return {Plan.Panels[Node], Plan.Units[Node]}; }

  /// A block of the kernel follows another one in the same threads.
  void isPlayedAgain(unsigned Node) {
    const KernelFacts &Facts = *Graph.Nodes[Node].Facts;
    if (Node == Graph.Order.back())
      goesOn(Graph.Nodes[Node], Block, /*IsLast=*/false, BlockerKind::NotInTurn);
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
    const Polynomial Threads = blocksOfGrid() * Plan.Panels[Node] * Block.threads(); // in so many units
    require(Threads, Plan.Units[Node] * MostElements);
    if (const auto &All = Graph.Nodes[Node].Shape->Elements)
      requireSame(Plan.Units[Node] * Graph.inArguments(Node, *All), Threads);
    if (const auto &Own = Graph.Nodes[Node].Shape->Blocks; Own && Own->Count)
      requireSame(Plan.Units[Node] * Graph.inArguments(Own->Kernel, *Own->Count), blocksOfGrid() * Plan.Panels[Node]);
  }

  Polynomial blocksOfGrid() const {
    Polynomial All = 1;
    for (unsigned D = 0; D < Plan.Dimensions; ++D)
      All = All * gridDim(D);
    return All;
  }

  /// The panels have all elements of a free kernel.
  void covers(unsigned Node, const std::set<Memory> &Whole) {
    const ShapeFacts &Shape = *Graph.Nodes[Node].Shape;
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
      if (Shape.Elements)
        requireSame(Graph.inArguments(Node, *Shape.Elements), Played);
      return require(Played, MostElements);
    }
    const Polynomial Bound = Graph.inArguments(Node, Shape.Bound);
    require(Bound, MostElements);
    require(Shape.Tail ? Bound : Bound - (Shape.Width - 1), Played);
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
    const Polynomial Unit = Of.Unit.isZero() || Of.units() == 1 ? atom(Part) : Of.units() * atom(Part) + atom(Own);
    if (Plan.ByElement[Node])
      return whole(inGroup(Graph.Nodes[Node], P, Unit), Of);
    P = inShape(P, Block);
    const unsigned Dimensions = Of.Unit.isZero() ? Plan.Dimensions : 1;
    for (int D = Dimensions; D < 3; ++D) {
      P = P.substitute(builtinAtom(Builtin::BlockIdx, D), {});
      P = P.substitute(builtinAtom(Builtin::GridDim, D), 1);
    }
    if (!Of.Unit.isZero())
      P = P.substitute(builtinAtom(Builtin::GridDim, 0), Of.units() * blocksOfGrid());
    Polynomial Others; // in the block's number
    for (int I = Dimensions - 1; I > 0; --I)
      Others =
          (Others + atom(builtinAtom(Builtin::BlockIdx, counted(I, Dimensions)))) * gridDim(counted(I - 1, Dimensions));
    return whole(P.substitute(builtinAtom(Builtin::BlockIdx, counted(0, Dimensions)), Unit - Others), Of);
  }

  /// The dimension of the grid that counts at this place, from the fastest on.
  int counted(unsigned Place, unsigned Dimensions) const { return Plan.LastFirst ? Dimensions - 1 - Place : Place; }

  /// `(batch * heads + head) * S` is the block's number, if the grid has so many heads.
  Polynomial inNumber(Polynomial Rest, std::vector<AtMost> &Needs) const {
    for (unsigned I = 1; I < Plan.Dimensions; ++I) {
      const int Faster = counted(I - 1, Plan.Dimensions);
      const auto [Factor, Others] = Rest.split(builtinAtom(Builtin::BlockIdx, counted(I, Plan.Dimensions)));
      const auto [Grid, Given] = Factor.split(builtinAtom(Builtin::GridDim, Faster));
      const auto Radix = Given.dividedBy(-Grid);
      if (!Radix || Radix->isZero() || !isOfLaunch(*Radix))
        continue;
      Needs.push_back({*Radix, gridDim(Faster)});
      Needs.push_back({gridDim(Faster), *Radix});
      Rest = Others.substitute(builtinAtom(Builtin::GridDim, Faster), *Radix);
    }
    return Rest;
  }

  /// The team's number with its digits in another order, `((b * T + t) * H + h) * S` for `(b * H + h) * T + t`, is no
  /// other team's either. Digits are known by the quotients of the number.
  std::optional<Place> permuted(unsigned Node, const Polynomial &Index, const Bounds &Known) const {
    struct Digit {
      Polynomial Quotient, Divisor, Weight;
      std::optional<Polynomial> Radix;
    };
    std::vector<Digit> Digits = {{atom(Part), 1, {}, {}}};
    for (const std::string &Atom : Index.atoms())
      if (const auto Q = Known.quotients().find(Atom);
          Q != Known.quotients().end() && Q->second.Dividend == atom(Part) && Q->second.Divisor.terms().size() == 1)
        Digits.push_back({atom(Atom), Q->second.Divisor, {}, {}});
    llvm::sort(Digits, [](const Digit &A, const Digit &B) {
      const auto &[OfA, FactorA] = *A.Divisor.terms().begin();
      const auto &[OfB, FactorB] = *B.Divisor.terms().begin();
      return std::pair(OfA.size(), FactorA) < std::pair(OfB.size(), FactorB);
    });
    Place Found;
    for (size_t I = 0; I < Digits.size(); ++I) {
      Digit &Own = Digits[I];
      const bool IsLast = I + 1 == Digits.size();
      const Polynomial All =
          Plan.ByElement[Node] ? Graph.inArguments(Node, Graph.Nodes[Node].Shape->Bound) : Polynomial();
      Own.Radix = (IsLast ? All : Digits[I + 1].Divisor).dividedBy(Own.Divisor);
      Own.Weight = Index.split(Own.Quotient.str()).first;
      Found.First = Found.First + Own.Weight * Own.Quotient;
      if (!Own.Divisor.asConstant())
        Found.Needs.push_back({1, Own.Divisor});
      if (I > 0 && Digits[I - 1].Radix)
        Own.Weight = Own.Weight + *Digits[I - 1].Radix * Digits[I - 1].Weight;
      if (Own.Weight.isZero() || !Known.isUniform(Own.Weight) || (!Own.Radix && !IsLast))
        return std::nullopt;
    }
    for (const Digit &Lowest : Digits) {
      std::set<const Digit *> Used;
      for (const Digit *Next = &Lowest; Next && Used.insert(Next).second;) {
        if (Used.size() == Digits.size())
          return Place{Found.First, Lowest.Weight, Found.Needs};
        const auto Higher = llvm::find_if(
            Digits, [&](const Digit &Each) { return Next->Radix && Each.Weight == Next->Weight * *Next->Radix; });
        Next = Higher == Digits.end() ? nullptr : &*Higher;
      }
    }
    return std::nullopt;
  }

  /// So many units are the panel.
  static Polynomial whole(const Polynomial &P, const Share &Of) {
    const auto [Factor, Rest] = P.split(Groups);
    const auto Times = Factor.dividedBy(Of.Unit);
    return Times ? Rest + *Times * Of.Panel : P;
  }

  using Values = std::vector<std::pair<std::string, Polynomial>>;

  /// `for (row = blockIdx.x; row < rows; row += gridDim.x)` has one turn in a grid of so many blocks, which the launch
  /// must have then: the loops around a site that are so, with what their variables are in it.
  Values onlyTurns(unsigned Node, const AccessSite &Site, std::vector<AtMost> &Needs) const {
    Values Found;
    for (const PathStep &Step : Site.Path) {
      if (Step.What != PathStep::Kind::Loop || Plan.ByElement[Node])
        continue;
      const LoopAccess &Loop = Graph.Nodes[Node].Accesses->Loops[Step.Id];
      const Polynomial Start = Graph.inArguments(Node, Loop.Start),
                       By = meaning(Node, {}, Graph.inArguments(Node, Loop.Step));
      const std::set<std::string> Of = By.atoms(), From = Start.atoms();
      if (llvm::none_of(Of, isGrid) || !isOfLaunch(By) || Start.hasNegative() || !llvm::all_of(From, isBuiltin))
        continue;
      for (const Less &L : Step.Holds)
        if (const Polynomial End = Graph.inArguments(Node, L.Right); L.Left == atom(Loop.Atom) && isOfLaunch(End)) {
          Needs.push_back({End, By});
          Found.push_back({Loop.Atom, Start});
          break;
        }
    }
    return Found;
  }

  Bounds boundsOf(unsigned Node, const Share &Of, const Values &Known) const {
    auto IsOfLaunch = [this](const std::string &Atom) {
      return Atom == Groups || isArgument(Graph, Atom) || isGrid(Atom);
    };
    Bounds Range(Graph.Quotients, IsOfLaunch, [this, Node, Of, Known](Polynomial P) {
      for (const auto &[Atom, Value] : Known)
        P = P.substitute(Atom, Value);
      return meaning(Node, Of, P);
    });
    Range.counts(Part, {{}, std::nullopt});
    Range.asksToFit();
    if (Plan.By == Team::Block)
      Range.ends(Part, blocksOfGrid() - 1);
    else
      Range.ends(Part, Graph.inArguments(Node, Graph.Nodes[Node].Shape->Bound) - 1, Of.Panel);
    if (!Of.Unit.isZero())
      Range.counts(Own, {{}, Of.units() - 1});
    const unsigned Sizes[] = {Block.X, Block.Y, Block.Z};
    for (int D = 0; D < 3 && !Plan.ByElement[Node]; ++D)
      Range.counts(builtinAtom(Builtin::ThreadIdx, D), {{}, Sizes[D] - 1});
    return Range;
  }

  /// Does it lie in the panel of its part of the kernel? Finds strides that are not known.
  bool isInPanel(unsigned Node, const AccessSite &Site, const Share &Has, Panels &Found, std::string &Why) const {
    Why = fact(Node, Site) + ", whose index is not known";
    const std::vector<AccessSite> Choices = Site.choices();
    return !Choices.empty() &&
           llvm::all_of(Choices, [&](const AccessSite &Each) { return isInPanelByIndex(Node, Each, Has, Found, Why); });
  }
  bool isInPanelByIndex(unsigned Node, const AccessSite &Site, const Share &Has, Panels &Found,
                        std::string &Why) const {
    std::vector<AtMost> Needs;
    Bounds Known = boundsOf(Node, Has, Has.Unit.isZero() ? onlyTurns(Node, Site, Needs) : Values());
    const VerticalNode &N = Graph.Nodes[Node];
    Known.surround(Graph, Node, Site,
                   Plan.ByElement[Node] && N.Shape->Strided ? &N.Accesses->Loops[N.Shape->Loop] : nullptr, Needs);
    const auto Index = Known.simplified(Graph.inArguments(Node, *Site.Index));
    if (!Index)
      return false;
    const Polynomial Stride = Index->split(Part).first;
    Why = fmt::format("{}, whose index is {}", fact(Node, Site), shown(*Index));
    if (Stride.isZero() || !Known.isUniform(Stride))
      return false;
    std::vector<Place> Places = {{Stride * atom(Part), Stride}};
    if (auto Other = permuted(Node, *Index, Known); Other && !Other->isLinear())
      Places.push_back(std::move(*Other));
    const Memory Of = Graph.memory(Node, Site.Parameter);
    for (const Place &Each : Places)
      if (liesIn(Each, *Index, Of, Node, Site, Has, Known, Needs, Found, Why))
        return true;
    return false;
  }

  bool liesIn(const Place &Own, const Polynomial &Index, const Memory &Of, unsigned Node, const AccessSite &Site,
              const Share &Has, Bounds &Known, std::vector<AtMost> Needs, Panels &Found, std::string &Why) const {
    if (const auto At = Found.Places.find(Of); At != Found.Places.end() && !(At->second.First == Own.First)) {
      Why += fmt::format(", {} apart, but others have them {} apart", shown(Own.Stride), shown(At->second.Stride));
      return false;
    }
    append(Needs, Own.Needs);
    Polynomial Rest = Index - Own.First;
    if (Plan.By == Team::Block && Has.Unit.isZero())
      Rest = inNumber(Rest, Needs);
    Why += fmt::format(", which may not lie in the {} elements of its block", shown(Own.Stride));
    if (Rest.contains(Part) || !Known.isAtMost(-Rest, {}, Needs) ||
        !Known.isAtMost(Rest + Site.Width, Own.Stride, Needs))
      return false;
    Found.Places.try_emplace(Of, Own);
    if (!Plan.ByElement[Node] && usesAll(Node, Site, Has, Known, Rest, Own.Stride))
      Found.Whole.insert(Of);
    for (const std::vector<AtMost> &Each : {Needs, Known.needs()})
      for (AtMost Need : Each)
        Found.Needs.push_back(inPanels(Need, Has));
    return true;
  }

  /// Does every block come to the first and to the last element of its panel there?
  bool usesAll(unsigned Node, const AccessSite &Site, const Share &Has, Bounds &Known, const Polynomial &Rest,
               const Polynomial &Stride) const {
    if (!usesWholeRange(Site, Graph.Nodes[Node], Block))
      return false;
    const auto First = Known.largest(-Rest), Last = Known.largest(Rest);
    return First && Last && First->Most.isZero() && Last->Most + Site.Width == Stride;
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
      const auto Of = Found.Places.find(Graph.memory(Node, Site.Parameter));
      if (!Plan.Exchanged.count({Node, Site.Parameter}) || Of == Found.Places.end() || !Of->second.isLinear() ||
          !Site.Index)
        continue;
      auto Try = [&](const Polynomial &Index, const Polynomial &Times) {
        const Polynomial Elements = Of->second.Stride * Times;
        Share Has;
        if (!Plan.ByElement[Node]) { // blocks, each with the next `Unit` of them
          Has = {Elements, meaning(Node, {}, Index).split(Part).first};
          if (const auto Blocks = Elements.dividedBy(Has.Unit))
            Has = {*Blocks, 1};
          else if (!hasSteps(Has.Unit)) // whose panel has the other's is not known
            return;
        } else if (const auto Factor = inGroup(N, Index, atom(Own)).split(Own).first.asConstant();
                   Factor && *Factor > 0) {
          const Polynomial Unit = N.Shape->Width;
          Has = {(Unit * Elements).dividedBy(*Factor).value_or(Polynomial()), Unit};
        }
        if (!Has.Panel.isZero() && Has.Unit.terms().size() == 1 && isOfLaunch(Has.Panel) && isOfLaunch(Has.Unit) &&
            llvm::none_of(All, [&](const Share &S) { return S.Panel == Has.Panel && S.Unit == Has.Unit; }))
          All.push_back(Has);
      };
      const Polynomial Index = Graph.inArguments(Node, *Site.Index);
      Try(Index, 1);
      for (const std::string &Atom : Index.atoms()) {
        Polynomial Of = Polynomial::atom(Atom), By = 1; // `i / columns / rows`
        for (auto Q = Graph.Quotients.find(Atom); Q != Graph.Quotients.end() && !isWrap(Q->first);
             Q = Graph.Quotients.find(Of.str())) {
          Of = Q->second.Dividend;
          By = By * Q->second.Divisor;
          Try(Of, By);
        }
      }
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
            require(1, Has.Unit);
          if (const std::pair Multiple(Has.Panel, Has.Unit); !llvm::is_contained(Plan.Multiples, Multiple))
            Plan.Multiples.push_back(Multiple);
        }
        return true;
      }
    return false;
  }

  /// Does it exchange something with those that are placed?
  bool reaches(unsigned Node, const Panels &Found) const {
    return llvm::any_of(Found.Places, [&](const auto &Each) {
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

} // namespace

bool isFree(const VerticalNode &Node) { return Node.Shape->Shape == KernelShape::Pointwise || Node.Shape->Unbounded; }

llvm::Expected<InTurnPlan> planInTurn(const VerticalGraph &Graph, BlockShape Block, bool ByThreads) {
  const Exchange Exchanged = exchangedIn(Graph);
  const auto Free = llvm::count_if(Graph.Nodes, isFree);
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
  const bool AreFree = size_t(Free) == Graph.Nodes.size();
  if (AreFree && !ByThreads)
    if (auto Plan = Try(PanelPlanner(Graph, Block, Exchanged, Team::Element, 1).run()))
      return std::move(*Plan);
  if ((Free == 0 || AreFree || ByThreads) && !Exchanged.empty())
    if (auto Plan = Try(planByThreads(Graph, Block, Exchanged)))
      return std::move(*Plan);
  for (unsigned Dimensions : {3, 2, 1})
    if (!AreFree) {
      if (auto Plan = Try(PanelPlanner(Graph, Block, Exchanged, Team::Block, Dimensions).run()))
        return std::move(*Plan);
      auto Turned =
          PanelPlanner(Graph, Block, Exchanged, Team::Block, Dimensions, std::nullopt, /*LastFirst=*/true).run();
      if (Turned)
        return Turned;
      llvm::consumeError(Turned.takeError());
    }
  const VerticalNode *Uncounted = nullptr;
  for (unsigned Node : Graph.Order) // a block of one kernel plays several of another, or elements of it
    for (unsigned Dimensions : {3, 2, 1})
      if (!isFree(Graph.Nodes[Node]) || (AreFree && Dimensions == 1)) {
        auto Plan = PanelPlanner(Graph, Block, Exchanged, Team::Block, Dimensions, Node).run();
        if (!Plan) {
          llvm::consumeError(Plan.takeError());
          continue;
        }
        const auto Counted = llvm::find_if(Graph.Order, [&](unsigned Each) { // its blocks say how much it stores
          const auto &Own = Graph.Nodes[Each].Shape->Blocks;
          return Plan->isNested(Each) && Own && !Own->Count;
        });
        if (Counted == Graph.Order.end())
          return Plan;
        Uncounted = &Graph.Nodes[*Counted];
      }
  if (Uncounted) {
    Refusals Why;
    Why.refuse(BlockerKind::DifferentBounds, Uncounted->Facts->Where,
               fmt::format("{}: its blocks say how much it stores, and how many are launched is none of the arguments",
                           Uncounted->Name),
               "if its launch has as many as would be played, write --link PRODUCER.out=CONSUMER.in");
    return Why.orRefusals(InTurnPlan());
  }
  // One over elements is played by the others' threads if it has a bound, or if its launch has as many.
  auto HasThreads = [&](const VerticalNode &N) {
    return !N.Shape->Unbounded || (!N.Facts->Launches.empty() && llvm::all_of(N.Facts->Launches, [&](const auto &Each) {
      return Each.Block == Block;
    }));
  };
  if (Free > 0 && !AreFree && !ByThreads && !Exchanged.empty() && llvm::all_of(Graph.Nodes, HasThreads))
    if (auto Plan = Try(planByThreads(Graph, Block, Exchanged)))
      return std::move(*Plan);
  return llvm::make_error<Failure>(ExitCode::BadInput, std::move(Fewest));
}

} // namespace cufuse
