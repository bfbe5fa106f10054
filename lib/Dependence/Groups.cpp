#include "cufuse/Dependence/Pointwise.h"

#include <fmt/core.h>
#include <llvm/ADT/STLExtras.h>

namespace cufuse {

namespace {

const Polynomial Element = Polynomial::atom(ElementAtom);

/// Where a site's elements lie among those of its thread, and under which conditions on their number.
struct Placed {
  std::vector<unsigned> Positions; ///< Where an access may start.
  bool Open = false;               ///< Any position from 0 on, one after the other, as far as `Below` goes.
  bool Full = false;               ///< Only where all elements of the thread are below the bound.
  bool NotFull = false;            ///< Only where not.
  bool Below = false;              ///< Only where the accessed elements are.
  bool Otherwise = false;          ///< Under other conditions, too.
};

class Placing {
public:
  Placing(const KernelAccesses &Accesses, const ShapeFacts &Shape) : Accesses(Accesses), Shape(Shape) {
    for (unsigned I = 0; I < Accesses.Loops.size(); ++I)
      if (!(Shape.Strided && I == Shape.Loop))
        Loops.try_emplace(Accesses.Loops[I].Atom, I);
  }

  /// Nothing if the index is none of the thread's own elements, or may be beyond them.
  std::optional<Placed> place(const AccessSite &Site) const {
    if (!Site.Index)
      return std::nullopt;
    const auto Index = resolved(*Site.Index);
    if (!Index)
      return std::nullopt;
    const Polynomial Width = Shape.Width, Position = *Index - Width * Element;
    Placed Result;
    std::map<std::string, std::int64_t> Ranges;
    for (const PathStep &Step : Site.Path) {
      const bool Known = Step.What != PathStep::Kind::Unknown && Step.Exact;
      Result.Otherwise |= !Known || (Step.What == PathStep::Kind::Loop && Accesses.Loops[Step.Id].LeftEarly);
      for (const Less &L : Step.Holds) {
        const auto Known = distance(L);
        if (!Known) {
          Result.Otherwise = true;
          continue;
        }
        const Polynomial &Distance = *Known;
        const bool Below = Distance == Shape.Bound - *Index - (Site.Width - 1);
        const bool Full = isFull(Distance);
        const bool NotFull = Distance == Width * (Element + 1) - Shape.Bound;
        const bool NotEmpty = Distance == Shape.Bound - Width * Element;
        Result.Below |= Below;
        Result.Full |= Full;
        Result.NotFull |= NotFull;
        if (!Below && !Full && !NotFull && !NotEmpty && !addRange(Distance, Ranges))
          Result.Otherwise = true;
      }
    }
    // Of several in one access, the first may be below the bound where the last is not.
    Result.Otherwise |= Site.Width > 1 && !Result.Full;
    return positions(Position, Site.Width, Ranges, Result) ? std::optional(Result) : std::nullopt;
  }

  bool holdsOnWholeTurns(AccessSite Site, size_t Step) const {
    Site.Path.resize(Step + 1);
    const auto Index = Site.Index ? resolved(*Site.Index) : std::nullopt;
    const Polynomial Width = Shape.Width;
    return Site.Path[Step].Exact && !Site.Path[Step].Holds.empty() &&
           llvm::all_of(Site.Path[Step].Holds, [&](const Less &L) {
             const auto Distance = distance(L);
             return Distance && (isFull(*Distance) || *Distance == Shape.Bound - Width * Element ||
                                 (Index && *Distance == Shape.Bound - *Index - (Site.Width - 1) && place(Site)));
           });
  }

  /// In the thread's linear index and the turns of loops, called `turn#LOOP`.
  std::optional<Polynomial> resolved(Polynomial P) const {
    bool Changed = true;
    for (unsigned Depth = 0; Changed && Depth <= Accesses.Loops.size(); ++Depth) {
      Changed = false;
      for (const std::string &Atom : P.atoms())
        if (const auto Found = Loops.find(Atom); Found != Loops.end()) {
          const LoopAccess &Loop = Accesses.Loops[Found->second];
          P = P.substitute(Atom, Loop.Start + Loop.Step * Polynomial::atom(fmt::format("turn#{}", Found->second)));
          Changed = true;
        }
    }
    return inElement(P, Accesses, Shape);
  }

  /// From left to right, where both are resolved: it is above 0.
  std::optional<Polynomial> distance(const Less &L) const {
    const auto Left = resolved(L.Left), Right = resolved(L.Right);
    return Left && Right ? std::optional(*Right - *Left) : std::nullopt;
  }

private:
  bool isFull(const Polynomial &Distance) const {
    const Polynomial Width = Shape.Width;
    return Distance == Shape.Bound - Width * (Element + 1) + 1 || Width * Distance == Shape.Bound - Width * Element;
  }

  /// `c - s * turn > 0` bounds the turns of a loop.
  static bool addRange(const Polynomial &Distance, std::map<std::string, std::int64_t> &Ranges) {
    const std::set<std::string> Atoms = Distance.atoms();
    if (Atoms.size() != 1 || Atoms.begin()->rfind("turn#", 0) != 0)
      return false;
    const auto [Factor, Rest] = Distance.split(*Atoms.begin());
    const auto Step = Factor.asConstant(), First = Rest.asConstant();
    if (!Step || !First || *Step >= 0 || *First <= 0)
      return false;
    const std::int64_t Range = (*First - *Step - 1) / -*Step;
    auto [Known, New] = Ranges.try_emplace(*Atoms.begin(), Range);
    Known->second = std::min(Known->second, Range);
    return true;
  }

  bool positions(const Polynomial &Position, unsigned Wide, const std::map<std::string, std::int64_t> &Ranges,
                 Placed &Result) const {
    std::vector<std::int64_t> Starts = {0};
    Polynomial Rest = Position;
    for (const std::string &Turn : Position.atoms()) {
      const auto [Factor, Others] = Rest.split(Turn);
      const auto Step = Factor.asConstant();
      if (Turn.rfind("turn#", 0) != 0 || !Step || *Step <= 0)
        return false;
      Rest = Others;
      const auto Range = Ranges.find(Turn);
      if (Range == Ranges.end()) {
        // The rest of the elements, one by one: fewer than Width, where not all of them are below the bound.
        Result.Open = Position == Polynomial::atom(Turn) && Wide == 1 && Result.Below && Result.NotFull;
        return Result.Open;
      }
      std::vector<std::int64_t> More;
      for (std::int64_t Turns = 0; Turns < std::min<std::int64_t>(Range->second, Shape.Width); ++Turns)
        for (std::int64_t Start : Starts)
          More.push_back(Start + *Step * Turns);
      if (Range->second > Shape.Width)
        return false;
      Starts = std::move(More);
    }
    const auto First = Rest.asConstant();
    if (!First)
      return false;
    for (std::int64_t Start : Starts) {
      const std::int64_t At = Start + *First;
      if (At < 0 || At + Wide > Shape.Width)
        return false;
      Result.Positions.push_back(At);
    }
    return Shape.Width == 1 || Result.Full || Result.Below;
  }

  std::map<std::string, unsigned> Loops; ///< All but that over the grid, by their variables.
  const KernelAccesses &Accesses;
  const ShapeFacts &Shape;
};

/// How often each position of the thread's elements is accessed.
struct Coverage {
  explicit Coverage(unsigned Width) : Whole(Width), Part(Width > 1 ? Width - 1 : 1), Each(Width) {}
  std::vector<unsigned> Whole; ///< Where all elements are below the bound.
  std::vector<unsigned> Part;  ///< Where not all of them are, but this one is: of several, never the last.
  std::vector<unsigned> Each;  ///< Wherever this one is.

  void add(const AccessSite &Site, const Placed &P) {
    std::vector<unsigned> &Counts = P.NotFull ? Part : P.Full ? Whole : Each;
    if (P.Open)
      for (unsigned &Count : Counts)
        ++Count;
    for (unsigned Start : P.Positions)
      for (unsigned K = 0; K < Site.Width && Start + K < Counts.size(); ++K)
        ++Counts[Start + K];
  }
  static bool are(const std::vector<unsigned> &Counts, unsigned Least, unsigned Most) {
    return llvm::all_of(Counts, [&](unsigned Count) { return Count >= Least && Count <= Most; });
  }
  /// Of every element below the bound, at least once.
  bool isWhole(const ShapeFacts &Shape) const {
    constexpr unsigned Any = ~0u;
    return are(Each, 1, Any) || (are(Whole, 1, Any) && (Shape.Width == 1 || !Shape.Tail || are(Part, 1, Any)));
  }
};

} // namespace

bool isOwn(const AccessSite &Site, const KernelAccesses &Accesses, const ShapeFacts &Shape) {
  return Placing(Accesses, Shape).place(Site).has_value();
}

bool holdsOnWholeTurns(const AccessSite &Site, size_t Step, const KernelAccesses &Accesses, const ShapeFacts &Shape) {
  return Placing(Accesses, Shape).holdsOnWholeTurns(Site, Step);
}

bool touchesEach(const std::string &Parameter, const KernelAccesses &Accesses, const ShapeFacts &Shape) {
  Coverage Covered(Shape.Width);
  for (const AccessSite &Site : Accesses.Sites)
    if (Site.Parameter == Parameter)
      if (const auto P = Placing(Accesses, Shape).place(Site); P && !P->Otherwise)
        Covered.add(Site, *P);
  return Covered.isWhole(Shape);
}

const AccessSite *storesOtherwise(const std::string &Parameter, const KernelAccesses &Accesses,
                                  const ShapeFacts &Shape) {
  Coverage Covered(Shape.Width);
  const AccessSite *Last = nullptr;
  for (const AccessSite &Site : Accesses.Sites) {
    if (Site.Parameter != Parameter || Site.What != AccessSite::Kind::Store)
      continue;
    const auto P = Placing(Accesses, Shape).place(Site);
    if (!P || P->Otherwise)
      return &Site;
    Covered.add(Site, *P);
    Last = &Site;
  }
  // Of several stores by the same thread, the last one counts.
  if (!Shape.Tail && (!Coverage::are(Covered.Part, 0, 0) || !Coverage::are(Covered.Each, 0, 0)))
    return Last;
  return Covered.isWhole(Shape) ? nullptr : Last;
}

bool recogniseGroups(const KernelAccesses &Accesses, ShapeFacts &Shape) {
  std::vector<const AccessSite *> Stores;
  for (const AccessSite &Site : Accesses.Sites)
    if (Site.What == AccessSite::Kind::Store)
      Stores.push_back(&Site);
  if (Stores.empty())
    return false;
  ShapeFacts Found = Shape;
  const Placing Any(Accesses, Found);
  std::vector<Polynomial> Bounds;
  for (const AccessSite *Site : Stores) {
    const auto Index = Site->Index ? Any.resolved(*Site->Index) : std::nullopt;
    const auto Width = Index ? Index->split(ElementAtom).first.asConstant() : std::nullopt;
    if (!Width || *Width < 2 || *Width > 64 || (*Width & (*Width - 1)) != 0 ||
        (Site != Stores.front() && *Width != Found.Width))
      return false;
    Found.Width = *Width;
    // What the conditions would mean as a bound of all elements, of the last one, or of whole groups.
    for (const Less &L : Site->conditions()) {
      const auto Distance = Any.distance(L);
      if (!Distance)
        continue;
      const Polynomial Start = *Width * Element;
      for (const Polynomial &Bound : {*Distance + Start + (*Width - 1), Start + *Width - *Distance,
                                      *Distance + *Index + (Site->Width - 1), *Width * (*Distance + Element)})
        if (!Bound.contains(ElementAtom) && !Bound.isZero() && !Bound.asConstant() &&
            llvm::none_of(Bound.atoms(), [](const std::string &Atom) { return Atom.rfind("turn#", 0) == 0; }) &&
            !llvm::is_contained(Bounds, Bound))
          Bounds.push_back(Bound);
    }
  }
  // With a tail, if it can be understood so.
  for (bool Tail : {true, false})
    for (const Polynomial &Bound : Bounds) {
      Found.Bound = Bound;
      Found.Tail = Tail;
      if (llvm::none_of(Stores, [&](const AccessSite *Site) {
            return storesOtherwise(Site->Parameter, Accesses, Found) != nullptr;
          })) {
        Shape = Found;
        return true;
      }
    }
  return false;
}

} // namespace cufuse
