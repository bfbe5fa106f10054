#include "TurnPlanner.h"

#include "cufuse/Dependence/Streams.h"

#include <fmt/core.h>

#include <numeric>

namespace cufuse::in_turn {

namespace {

/// Of a loop, whatever its variable is called.
std::string turn(size_t Number) { return fmt::format("turn#{}", Number); }

/// By threads, each of which has the same place in every kernel.
class ThreadPlanner final : Planner {
public:
  ThreadPlanner(const VerticalGraph &Graph, BlockShape Block, const Exchange &Exchanged)
      : Planner(Graph, Block, Exchanged, Team::Thread) {}

  llvm::Expected<InTurnPlan> run() {
    common();
    for (const VerticalNode &N : Graph.Nodes)
      reaches(N);
    for (int D = 0; D < 3; ++D)
      reachesAlike(D);
    for (const auto &[Of, Users] : Exchanged) {
      if (isOfThread(Users) && staysInRegisters(Users) && !Plan.LoadsFresh)
        Plan.Kept.insert(Users.begin(), Users.end());
    }
    Plan.Requirements = std::move(Requirements);
    return orRefusals(std::move(Plan));
  }

private:
  /// One grid is that of all: it has all elements of a kernel that has others.
  void reaches(const VerticalNode &N) {
    const ShapeFacts &Shape = *N.Shape;
    const unsigned Node = &N - Graph.Nodes.data();
    if (Shape.Elements)
      requireSame(Graph.inArguments(Node, *Shape.Elements), gridDim(0) * Block.threads());
    if (Shape.Shape != KernelShape::Pointwise || Shape.Unbounded || Shape.Strided)
      return;
    require(Graph.inArguments(Node, Shape.Bound) - (Shape.Tail ? 0 : Shape.Width - 1),
            gridDim(0) * (Block.threads() * Shape.Width));
    IsOneThread[0] |= Block.threads() == 1 && !Shape.Bound.asConstant();
  }

  /// Kernels that end at different places of a dimension, or one of them with its grid, may be meant for different
  /// grids: one that has all of each does what each of theirs does.
  void reachesAlike(int D) {
    std::vector<std::vector<Polynomial>> Ends;
    for (unsigned Node : Graph.Order) {
      std::optional<std::vector<Polynomial>> Common;
      for (const AccessSite &Site : Graph.Nodes[Node].Accesses->Sites)
        if (Site.What == AccessSite::Kind::Store) {
          const std::vector<Polynomial> Own = ends(Node, Site, D);
          if (!Common)
            Common = Own;
          llvm::erase_if(*Common, [&](const Polynomial &End) { return !llvm::is_contained(Own, End); });
        }
      Ends.push_back(Common.value_or(std::vector<Polynomial>()));
    }
    const unsigned Sizes[] = {Block.X, Block.Y, Block.Z};
    if (!llvm::all_equal(Ends))
      for (const std::vector<Polynomial> &Own : Ends)
        for (const Polynomial &End : Own) {
          require(End, gridDim(D) * Sizes[D]);
          IsOneThread[D] |= Sizes[D] == 1 && !End.asConstant();
        }
  }

  Dimensions IsOneThread =
      {}; ///< The grid has all elements of a kernel only if blocks do, which have one thread there.

  /// Where the grid's threads end that come to the site.
  std::vector<Polynomial> ends(unsigned Node, const AccessSite &Site, int D) const {
    const Polynomial Place = atom(builtinAtom(Builtin::BlockDim, D)) * atom(builtinAtom(Builtin::BlockIdx, D)) +
                             atom(builtinAtom(Builtin::ThreadIdx, D));
    std::vector<Polynomial> Found;
    for (const Less &L : Site.conditions())
      if (const Polynomial End = Graph.inArguments(Node, L.Right);
          ofThread(Node, Site, L.Left) == ofThread(Node, Site, Place) && isOfLaunch(End))
        Found.push_back(End);
    return Found;
  }

  /// A thread's elements: so many, `Step` apart, as those of a structure, or of an array for each member.
  struct Elements {
    std::optional<std::vector<std::string>> Atoms; ///< Of the distance, if there are several.
    std::int64_t Factor = 0, Least = 0, End = 1;

    bool add(const Polynomial &From, unsigned Width) {
      const auto &Terms = From.terms();
      const std::int64_t At = From.isZero() ? 0 : Terms.begin()->second;
      constexpr std::int64_t Most = 1 << 16;
      if (Terms.size() > 1 || std::abs(At) > Most || (At != 0 && !areApart(Terms.begin()->first)) ||
          (Width > 1 && !areApart({})))
        return false;
      Factor = std::gcd(Factor, At);
      Least = std::min(Least, At);
      End = std::max<std::int64_t>(End, At + Width);
      return true;
    }
    bool areApart(const std::vector<std::string> &By) {
      Atoms = Atoms ? Atoms : By;
      return *Atoms == By;
    }
    /// Neighbours are counted one by one, also where some are left out.
    std::int64_t factor() const { return Atoms.value_or(std::vector<std::string>()).empty() ? 1 : Factor; }
    Polynomial step() const { return Atoms ? Polynomial::term(*Atoms, factor()) : Polynomial(1); }
    unsigned size() const { return (End - 1 - Least) / factor() + 1; }
  };

  /// Has each thread its own elements, the same in all kernels? Says whether it has but one at most.
  bool isOfThread(const std::vector<Memory> &Users) {
    std::vector<std::pair<unsigned, AccessSite>> Sites;
    for (const auto &[Node, Parameter] : Users)
      for (const AccessSite *Site : Graph.Nodes[Node].sites(Parameter))
        for (AccessSite &Each : ends(Node, *Site))
          Sites.push_back({Node, std::move(Each)});
    const std::optional<Columns> Apart = columnsOf(Sites);
    const auto &[First, Made] = Sites.front();
    const auto Index = indexOf(First, Made);
    std::vector<Less> Common = Made.conditions(); // of all of them
    if (Apart)                                    // of any number of turns
      llvm::erase_if(Common,
                     [&](const Less &L) { return L.Left.contains(Apart->Loop) || L.Right.contains(Apart->Loop); });
    Elements All;
    for (const auto &[Node, Site] : Sites) {
      const auto Own = indexOf(Node, Site);
      if (!Index || !Own || !(Apart || All.add(*Own - *Index, Site.Width))) {
        refuse(BlockerKind::NotInTurn, Site.Where,
               fmt::format("{}; {}: another thread may have the element", fact(First, Made), fact(Node, Site)));
        return false;
      }
      llvm::erase_if(Common, [&, First = First, &Made = Made, Node = Node, &Site = Site](Less &L) {
        return !isImpliedBy(Node, Site, First, L, ofThread(First, Made, L));
      });
    }
    const std::string Thread = builtinAtom(Builtin::ThreadIdx, 0);
    const bool IsBounded = llvm::any_of(Common, [&, First = First, &Made = Made](const Less &L) {
      return ofThread(First, Made, L.Left).contains(Thread);
    });
    if (const auto Columns = Apart && !IsBounded ? inParameters(First, Apart->Distance) : std::nullopt) {
      require(gridDim(0) * Block.X, Apart->Distance); // the launch has no more threads
      Common.push_back(
          {atom(builtinAtom(Builtin::BlockDim, 0)) * atom(builtinAtom(Builtin::BlockIdx, 0)) + atom(Thread), *Columns});
    }
    for (Less &L : Common) { // `thread + first < end` counts up to `end - first`
      Polynomial Offset;
      for (const auto &[Atoms, Factor] : L.Left.terms())
        if (const Polynomial Term = Polynomial::term(Atoms, Factor); isOfArguments(Graph.Nodes[First], Term))
          Offset = Offset + Term;
      L = {L.Left - Offset, L.Right - Offset};
    }
    AccessSite Each = Made;
    Each.Width = All.size();
    Each.Path.clear();
    const std::set<std::string> Atoms = partsOf(First, Made);
    for (const PathStep &Step : Made.Path) // in other turns, it is the same thread's element again
      if (const LoopAccess *Loop = loopOf(First, Step); Loop && Atoms.count(Loop->Atom))
        Each.Path.emplace_back(Step).Holds.clear();
    PathStep Where;
    Where.What = PathStep::Kind::Branch;
    Where.Exact = true;
    Where.Holds = Common;
    Each.Path.push_back(Where);
    std::vector<AtMost> Needs;
    const auto Step = inParameters(First, All.step());
    auto Times = Step ? accessesPerElement(Graph.Nodes[First], Each, Block, &Needs, *Step) : std::nullopt;
    for (int D = 0; D < 3 && Times; ++D)
      if (!Atoms.count(builtinAtom(Builtin::BlockIdx, D))) {
        Times = Times->substitute(builtinAtom(Builtin::GridDim, D), 1);
        require(gridDim(D), 1);
        if (IsOneThread[D]) { // which is no launch for more
          refuse(BlockerKind::NotInTurn, Made.Where, fact(First, Made) + ": all threads have the element");
          return false;
        }
      }
    for (const AtMost &Need : Needs)
      require(Graph.inArguments(First, Need));
    if (!Times || Times->asConstant() != 1)
      refuse(BlockerKind::NotInTurn, Made.Where, fact(First, Made) + ": several threads may have the element");
    return Each.Width == 1 && !Apart;
  }

  struct Columns {
    Polynomial Distance;
    std::string Loop; ///< Its variable.
  };
  /// Where a loop of a kernel counts elements that are so far apart, `k * rows + thread`, and all others are multiples
  /// of that away, whatever they count: they are of one thread if those of any number of turns are. Puts that loop's
  /// site first.
  std::optional<Columns> columnsOf(std::vector<std::pair<unsigned, AccessSite>> &Sites) const {
    std::vector<std::optional<Polynomial>> Indices;
    bool AreAlike = true; // but for where loops of so many turns end
    for (const auto &[Node, Site] : Sites) {
      Indices.push_back(Site.Width == 1 ? indexOf(Node, Site) : std::nullopt);
      if (!Indices.back())
        return std::nullopt;
      AreAlike &= *Indices.back() == *Indices.front();
    }
    for (size_t I = 0; I < Sites.size() && !AreAlike; ++I) {
      const auto &[Node, Site] = Sites[I];
      unsigned Turns = 0;
      for (const LoopAccess *Loop : countingLoops(Node, Site)) {
        const Polynomial Apart = Indices[I]->split(turn(Turns++)).first;
        if (Apart.terms().size() != 1 || !isOfLaunch(Apart) || !llvm::all_of(Indices, [&](const auto &Each) {
              return (*Each - *Indices[I]).dividedBy(Apart).has_value();
            }))
          continue;
        std::swap(Sites.front(), Sites[I]);
        return Columns{Apart, Loop->Atom};
      }
    }
    return std::nullopt;
  }

  /// Does the condition hold at the site, too? `x < w` does where `x < w - 1` is asked: of two such, it becomes the one
  /// that holds at both.
  bool isImpliedBy(unsigned Node, const AccessSite &Site, unsigned First, Less &L, const Less &Wanted) {
    std::optional<Polynomial> More; // where the site's condition ends behind the other one; a number is known best
    for (const Less &Each : Site.conditions()) {
      const Less Own = ofThread(Node, Site, Each);
      const Polynomial Distance = Own.Right - Wanted.Right;
      const auto Number = Distance.asConstant();
      if (Own.Left == Wanted.Left &&
          (Number ? !More || *Number < More->asConstant().value_or(*Number + 1) : !More && isOfLaunch(Distance)))
        More = Distance;
    }
    const bool IsBehind = More && !More->hasNegative();
    const auto Needed = IsBehind ? inParameters(First, *More) : std::nullopt;
    if (!More || (IsBehind ? !Needed : (-*More).hasNegative()))
      return false;
    if (!More->asConstant())
      require({}, IsBehind ? *More : -*More);
    if (IsBehind)
      L.Right = L.Right + *Needed;
    return true;
  }

  /// The first elements and the last of loops that have so many turns in every launch, `for (k = 0; k < 3; ++k)`.
  std::vector<AccessSite> ends(unsigned Node, const AccessSite &Site) const {
    std::vector<AccessSite> All = {Site};
    for (const PathStep &Step : Site.Path) {
      const LoopAccess *Loop = Site.Index ? loopOf(Node, Step) : nullptr;
      const auto First = Loop ? Loop->Start.asConstant() : std::nullopt, By = Loop ? Loop->Step.asConstant() : First;
      for (const Less &L : Step.Holds) {
        const auto End = L.Right.asConstant();
        if (!First || By.value_or(0) <= 0 || !End || *End <= *First || !(L.Left == atom(Loop->Atom)))
          continue;
        const std::int64_t Last = *First + (*End - 1 - *First) / *By * *By;
        std::vector<AccessSite> Turns;
        for (const AccessSite &Each : All)
          for (const std::int64_t Turn : {*First, std::min(*First + *By, Last), Last})
            Turns.emplace_back(Each).Index = Each.Index->substitute(Loop->Atom, Turn);
        All = std::move(Turns);
        break;
      }
    }
    return All;
  }

  /// Of arguments that remain and the grid, in a kernel's own.
  std::optional<Polynomial> inParameters(unsigned Node, Polynomial P) const {
    for (const ParameterAccess &Each : Graph.Nodes[Node].Accesses->Parameters)
      if (const Polynomial Given = Graph.inArguments(Node, atom(Each.Name)); Each.Integer)
        P = P.substitute(Given.str(), atom(Each.Name));
    return llvm::all_of(P.atoms(),
                        [&](const std::string &Atom) { return isGrid(Atom) || Graph.Nodes[Node].parameter(Atom); })
               ? std::optional(P)
               : std::nullopt;
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
               return llvm::any_of(Site.conditions(), [&](const Less &Each) {
                 return Graph.inArguments(Node, Each) == Graph.inArguments(First, L);
               });
             });
    });
  }

  const LoopAccess *loopOf(unsigned Node, const PathStep &Step) const {
    return Step.What == PathStep::Kind::Loop ? &Graph.Nodes[Node].Accesses->Loops[Step.Id] : nullptr;
  }

  /// What a site's index is made of, also through the loops around it and quotients; nothing where it is not known.
  std::set<std::string> partsOf(unsigned Node, const AccessSite &Site) const {
    const KernelAccesses &Of = *Graph.Nodes[Node].Accesses;
    std::set<std::string> All;
    std::vector<Polynomial> Left(Site.Index ? 1 : 0, Site.Index.value_or(Polynomial()));
    while (!Left.empty()) {
      const std::set<std::string> Atoms = Left.back().atoms();
      Left.pop_back();
      for (const std::string &Atom : Atoms) {
        if (!All.insert(Atom).second)
          continue;
        if (const auto Q = Of.Quotients.find(Atom); Q != Of.Quotients.end())
          Left.insert(Left.end(), {Q->second.Dividend, Q->second.Divisor});
        for (const LoopAccess &Loop : Of.Loops)
          if (Loop.Atom == Atom)
            Left.insert(Left.end(), {Loop.Start, Loop.Step});
      }
    }
    return All;
  }

  /// The loops around a site that its index is made of.
  std::vector<const LoopAccess *> countingLoops(unsigned Node, const AccessSite &Site) const {
    const std::set<std::string> Atoms = partsOf(Node, Site);
    std::vector<const LoopAccess *> All;
    for (const PathStep &Step : Site.Path)
      if (const LoopAccess *Loop = loopOf(Node, Step); Loop && Atoms.count(Loop->Atom))
        All.push_back(Loop);
    return All;
  }

  /// In words that all kernels have: a loop's variable is its start and so many steps, whatever it is called.
  Polynomial ofThread(unsigned Node, const AccessSite &Site, const Polynomial &P) const {
    std::vector<std::pair<std::string, Polynomial>> Values;
    auto InWords = [&](auto &&Again, const Polynomial &Of) -> Polynomial {
      Polynomial Result = inShape(Of, Block);
      for (const auto &[Atom, Value] : Values)
        Result = Result.substitute(Atom, Value);
      for (const std::string &Atom : Result.atoms())
        if (const auto Q = Graph.Quotients.find(Atom); Q != Graph.Quotients.end() && !isWrap(Atom)) {
          const Quotient Own{Again(Again, Q->second.Dividend), Again(Again, Q->second.Divisor), Q->second.Wrap,
                             Q->second.Narrow};
          Result = Result.substitute(Atom, Polynomial::atom(Own.atom()));
        }
      return Result;
    };
    for (const LoopAccess *Loop : countingLoops(Node, Site))
      Values.push_back(
          {Loop->Atom, InWords(InWords, Graph.inArguments(Node, Loop->Start)) +
                           InWords(InWords, Graph.inArguments(Node, Loop->Step)) * atom(turn(Values.size()))});
    return InWords(InWords, Graph.inArguments(Node, P));
  }
  Less ofThread(unsigned Node, const AccessSite &Site, const Less &L) const {
    return {ofThread(Node, Site, L.Left), ofThread(Node, Site, L.Right)};
  }

  /// A function of the thread's place and of its turns alone.
  std::optional<Polynomial> indexOf(unsigned Node, const AccessSite &Site) const {
    if (!Site.Index)
      return std::nullopt;
    const KernelAccesses &Of = *Graph.Nodes[Node].Accesses;
    for (const std::string &Atom : partsOf(Node, Site)) {
      const bool IsTurn = llvm::any_of(Site.Path, [&](const PathStep &Step) {
        const LoopAccess *Loop = loopOf(Node, Step);
        return Loop && Loop->Atom == Atom;
      });
      if (!IsTurn && !isBuiltin(Atom) && !Graph.Nodes[Node].parameter(Atom) &&
          (isWrap(Atom) || !Of.Quotients.count(Atom)))
        return std::nullopt;
    }
    return ofThread(Node, Site, *Site.Index);
  }
};

} // namespace

llvm::Expected<InTurnPlan> planByThreads(const VerticalGraph &Graph, BlockShape Block, const Exchange &Exchanged) {
  return ThreadPlanner(Graph, Block, Exchanged).run();
}

} // namespace cufuse::in_turn
