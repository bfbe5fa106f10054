#include "cufuse/Dependence/StoreProof.h"

#include "CountedIndex.h"

#include <fmt/core.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/Sequence.h>

namespace cufuse {

namespace {

struct Digit {
  Polynomial Value, Radix;
};

class Prover : CountedIndex {
public:
  Prover(const VerticalNode &Node, llvm::StringRef Parameter, std::optional<BlockShape> Block)
      : CountedIndex(Node, Parameter, Block) {}

  std::optional<Blocker> stores(StoreProof &Result, bool MayLoad) {
    std::vector<const AccessSite *> Stores;
    for (const AccessSite *Site : Node.sites(Parameter)) {
      if (Site->What == AccessSite::Kind::Load && MayLoad)
        continue;
      if (Site->What == AccessSite::Kind::Load)
        return blocker(BlockerKind::IntermediateRead, *Site, Site->str());
      if (auto Reason = isOther(*Site))
        return Reason;
      Stores.push_back(Site);
    }
    return run(Stores, Result);
  }

  /// By a kernel of several dimensions, which is called element by element. `MayLoad`: and the last store counts.
  std::optional<Blocker> storesOwn(StoreProof &Result, bool MayLoad) {
    const ShapeFacts &Shape = *Node.Shape;
    std::vector<const AccessSite *> Stores;
    for (const AccessSite *Site : Node.sites(Parameter)) {
      if ((Site->What == AccessSite::Kind::Load || Site->Compound) && !MayLoad)
        return blocker(BlockerKind::IntermediateRead, *Site, Site->str());
      if (auto Reason = isOther(*Site))
        return Reason;
      if (Site->What != AccessSite::Kind::Store)
        continue;
      if (!isOwn(*Site, *Node.Accesses, Shape) || Site->Width > 1)
        return blocker(BlockerKind::StoredTwice, *Site, Site->str() + ", not the element of the thread's place");
      const bool InLoop =
          llvm::any_of(Site->Path, [](const PathStep &Step) { return Step.What != PathStep::Kind::Branch; });
      if (!MayLoad && (InLoop || !llvm::all_of(Stores, [&](auto *Other) { return areOtherWays(*Site, *Other); })))
        return blocker(BlockerKind::StoredTwice, *Site, Site->str());
      Stores.push_back(Site);
    }
    Result.Elements = Shape.Bound;
    Result.Partly = storesPartly(Parameter.str(), *Node.Accesses, Shape);
    if (Result.Partly && !MayLoad)
      return Blocker{BlockerKind::StoredSometimes, Node.Facts->Where, Node.Name};
    for (const Polynomial &Size : Shape.Sizes)
      Result.Requirements.push_back({{}, Size});
    Result.Requirements.push_back({Result.Elements, MostElements});
    return std::nullopt;
  }

  /// Does only one of them happen?
  static bool areOtherWays(const AccessSite &A, const AccessSite &B) {
    return llvm::any_of(A.Path, [&](const PathStep &Of) {
      return llvm::any_of(B.Path, [&](const PathStep &To) {
        return Of.What == PathStep::Kind::Branch && To.What == Of.What && To.Id == Of.Id && To.Taken != Of.Taken;
      });
    });
  }

  std::optional<Blocker> loads(StoreProof &Result) {
    std::vector<const AccessSite *> Loads;
    for (const AccessSite *Site : Node.sites(Parameter)) {
      if (Site->What == AccessSite::Kind::Store || Site->Compound)
        return blocker(BlockerKind::InPlaceHazard, *Site, Site->str());
      if (auto Reason = isOther(*Site))
        return Reason;
      if (llvm::none_of(Loads, [&](const AccessSite *Known) { return areOne(*Known, *Site); }))
        Loads.push_back(Site);
    }
    return run(Loads, Result);
  }

  /// What stands in the way of either.
  std::optional<Blocker> isOther(const AccessSite &Site) const {
    if (Site.What == AccessSite::Kind::Atomic)
      return blocker(BlockerKind::IntermediateAtomic, Site, Site.str());
    if (Site.What == AccessSite::Kind::Escape || !Site.Direct)
      return blocker(BlockerKind::IntermediateEscapes, Site, Site.str());
    return std::nullopt;
  }

  /// Exactly one of them happens for every element.
  std::optional<Blocker> run(const std::vector<const AccessSite *> &Stores, StoreProof &Result) {
    if (Stores.empty())
      return Blocker{BlockerKind::StoredSometimes, Node.Facts->Where, Node.Name};
    const AccessSite &First = *Stores.front();
    for (const AccessSite *Site : Stores) {
      if (!Site->Index)
        return blocker(BlockerKind::StoredTwice, *Site, Site->str() + ", an index that is not known");
      if (!(*Site->Index == *First.Index) || Site->Width != First.Width)
        return blocker(BlockerKind::StoredTwice, *Site, First.str() + " and " + Site->str());
    }
    if (auto Reason = cover(Stores, 0, true))
      return Reason;
    Index = *First.Index;
    MayFill = true;
    lanes(First, 1);
    if (auto Reason = findCounting(First))
      return Reason;
    if (!findDigits(Index, 1) && !(divideWhole() && findDigits(Index, 1)))
      return blocker(BlockerKind::StoredTwice, First,
                     fmt::format("{}: no guards show that {} counts the elements once each", First.str(), Index.str()));
    for (const Less &Guard : Guards)
      if (llvm::none_of(Digits, [&](const Digit &D) { return D.Value == Guard.Left && D.Radix == Guard.Right; }))
        return blocker(BlockerKind::StoredSometimes, First,
                       fmt::format("{}, only if {} < {}", First.str(), Guard.Left.str(), Guard.Right.str()));
    for (const Digit &D : Digits)
      if (auto Reason = counts(D, First))
        return Reason;
    if (auto Reason = leftOver(First))
      return Reason;
    finish(Result);
    return std::nullopt;
  }

  /// By the same numbers: what is no part of the index repeats the access.
  std::optional<Polynomial> repeats(const AccessSite &Site, std::vector<AtMost> *Needs, const Polynomial &Step) {
    MaySkip = Needs != nullptr;
    if (!Site.Index)
      return std::nullopt;
    for (const PathStep &Step : Site.Path) {
      if (Step.What == PathStep::Kind::Unknown)
        return std::nullopt;
      if (Step.What == PathStep::Kind::Loop)
        Loops.push_back(Step.Id);
      Guards.insert(Guards.end(), Step.Holds.begin(), Step.Holds.end());
    }
    Index = *Site.Index;
    lanes(Site, Step);
    if (findCounting(Site))
      return std::nullopt;
    if (llvm::any_of(Split, [&](const std::string &Atom) { return Index.contains(Atom); }))
      return std::nullopt;
    const std::set<std::string> Atoms = Index.atoms();
    if (!isCounted(Site)) {
      // In each turn of loops with so many, as over neighbours, an offset.
      llvm::erase_if(Turns, [](const Varying &V) { return !V.Range || !V.Range->asConstant(); });
      for (const Varying &V : Turns) {
        Index = Index.substitute(V.Atom, {});
        llvm::erase_if(Guards, [&](const Less &G) { return G.Left.contains(V.Atom) || G.Right.contains(V.Atom); });
      }
      if (Turns.empty() || !isCounted(Site))
        return std::nullopt;
    }
    // An offset is the same for all that counts.
    for (const auto &[Atom, Q] : Quotients)
      if (Atoms.count(Atom) && !Used.count(Atom))
        for (const Polynomial &P : {substituted(Q.Dividend), substituted(Q.Divisor)})
          if (llvm::any_of(Used, [&](const std::string &Counting) { return P.contains(Counting); }) ||
              llvm::any_of(Split, [&](const std::string &Gone) { return P.contains(Gone); }))
            return std::nullopt;
    Polynomial Times = 1;
    for (const Varying &V : All)
      if (!Used.count(V.Atom)) {
        if (!V.Range)
          return std::nullopt;
        if (!V.Block || mayBeMany(V.Atom))
          Times = Times * *V.Range;
      }
    if (Needs) {
      llvm::append_range(*Needs, Gaps);
      llvm::append_range(*Needs, Fits);
    }
    return Times;
  }

private:
  /// Is the index made of digits? Neither an offset nor the direction matters.
  bool isCounted(const AccessSite &Site) {
    Digits.clear(), Used.clear(), Gaps.clear();
    Polynomial Moved;
    for (const auto &[Atoms, Factor] : Index.terms())
      if (llvm::any_of(All, [&](const Varying &V) { return llvm::is_contained(Atoms, V.Atom); }))
        Moved = Moved + Polynomial::term(Atoms, Factor);
    const Polynomial Reversed = -Moved;
    return findDigits(Reversed.hasNegative() ? Moved : Reversed, 1) &&
           llvm::none_of(Digits, [&](const Digit &D) { return counts(D, Site).has_value(); });
  }

  /// A grid has one block in dimensions behind the last one that the kernel reads.
  bool mayBeMany(const std::string &BlockAtom) const {
    bool Read = false;
    for (int D = 2; D >= 0; --D) {
      for (Builtin B : {Builtin::BlockIdx, Builtin::GridDim})
        Read |= Node.Facts->Reads[static_cast<size_t>(B)][D];
      if (BlockAtom == builtinAtom(Builtin::BlockIdx, D))
        return Read || D == 0;
    }
    return true;
  }

  /// Does exactly one of the stores happen, whatever the way taken below `Depth`? Collects guards and loops.
  std::optional<Blocker> cover(llvm::ArrayRef<const AccessSite *> Stores, size_t Depth, bool MayGuard) {
    for (const AccessSite *Site : Stores)
      if (Site->Path.size() == Depth) {
        if (Stores.size() == 1)
          return std::nullopt;
        return blocker(BlockerKind::StoredTwice, *Stores.back(), Stores[0]->str() + " and " + Stores[1]->str());
      }
    const AccessSite &First = *Stores.front();
    const PathStep &Step = First.Path[Depth];
    auto Sometimes = [&] {
      return blocker(BlockerKind::StoredSometimes, First,
                     fmt::format("{}, under '{}' at {}", First.str(), Step.Text, Step.Where.str()));
    };
    std::vector<const AccessSite *> Taken, Other;
    for (const AccessSite *Site : Stores) {
      const PathStep &Own = Site->Path[Depth];
      if (Own.What != Step.What || Own.What == PathStep::Kind::Unknown || Own.Id != Step.Id)
        return Sometimes();
      (Own.Taken ? Taken : Other).push_back(Site);
    }
    if (Step.What == PathStep::Kind::Branch && !Taken.empty() && !Other.empty()) {
      if (auto Reason = cover(Taken, Depth + 1, false))
        return Reason;
      return cover(Other, Depth + 1, false);
    }
    if (!MayGuard || !Step.Exact || (Step.What == PathStep::Kind::Loop && Node.Accesses->Loops[Step.Id].LeftEarly))
      return Sometimes();
    if (Step.What == PathStep::Kind::Loop)
      Loops.push_back(Step.Id);
    for (const Less &Guard : Step.Holds)
      if (!llvm::is_contained(Guards, Guard))
        Guards.push_back(Guard);
    return cover(Stores, Depth + 1, true);
  }

  /// The launch must have whole groups where `channels / groups` of the channels are counted for each. Are there some?
  bool divideWhole() {
    const size_t Before = Requirements.size();
    for (const auto &[Atom, Q] : Node.Accesses->Quotients) {
      const std::set<std::string> Parts = Q.Dividend.atoms();
      const bool IsOfArguments =
          llvm::all_of(Q.Divisor.atoms(), [&](const std::string &Each) { return Node.parameter(Each) != nullptr; });
      if (Parts.size() != 1 || !(Q.Dividend == Polynomial::atom(*Parts.begin())) || !Node.parameter(*Parts.begin()) ||
          !IsOfArguments || !Index.contains(Atom) || !Index.contains(*Parts.begin()) ||
          std::max(Q.Wrap, Q.Narrow) != Quotient::Wraps::Never)
        continue;
      const Polynomial Whole = Q.Divisor * Polynomial::atom(Atom);
      substitute(*Parts.begin(), Whole);
      Requirements.push_back({Q.Dividend, Whole});
    }
    return Requirements.size() > Before;
  }

  /// Does something count in both?
  bool share(const Digit &One, const Digit &Other) const {
    return llvm::any_of(All,
                        [&](const Varying &V) { return One.Value.contains(V.Atom) && Other.Value.contains(V.Atom); });
  }

  /// `Rest` as digits, from `Scale` up.
  bool findDigits(const Polynomial &Rest, const Polynomial &Scale) {
    constexpr size_t MostDigits = 8;
    std::vector<Digit> Candidates;
    auto Varies = [&](const Polynomial &P) {
      return llvm::any_of(All, [&](const Varying &V) { return P.contains(V.Atom); });
    };
    for (const Less &Guard : Guards)
      if (Varies(Guard.Left) && !Varies(Guard.Right)) // not `0 < i`
        Candidates.push_back({Guard.Left, Guard.Right});
    for (const Varying &V : All)
      if (V.Range) // its own range is its guard
        Candidates.push_back({Polynomial::atom(V.Atom), *V.Range});
    for (const Digit &D : Candidates) {
      if (Digits.size() == MostDigits || llvm::any_of(Digits, [&](const Digit &Other) { return share(Other, D); }))
        continue;
      const Polynomial Higher = Rest - Scale * D.Value;
      Digits.push_back(D);
      if (Higher.isZero() || (Higher.terms().size() < Rest.terms().size() && findDigits(Higher, Scale * D.Radix)))
        return true;
      if (skips(Higher, Scale * D.Radix))
        return true;
      Digits.pop_back();
    }
    // However far the highest counts, as neighbours whose number is loaded, it meets no lower one.
    const auto Endless = llvm::find_if(
        All, [&](const Varying &V) { return MaySkip && !V.Range && Rest == Scale * Polynomial::atom(V.Atom); });
    if (Endless == All.end())
      return false;
    Digits.push_back({Polynomial::atom(Endless->Atom), {}});
    return true;
  }

  /// Do the digits go on at a larger scale, as a row of a matrix does behind its pitch? Where none may be left out, the
  /// launch must have the grid with which they do not: tiles of 128 that fill the rows.
  bool skips(const Polynomial &Higher, const Polynomial &Scale) {
    if (!MaySkip && !(MayFill && Block && ofGrid(Scale)))
      return false;
    for (const Varying &V : All) {
      const Polynomial Next = Higher.split(V.Atom).first;
      if (!(Scale - Next).hasNegative() || (Next.asConstant() && !Scale.asConstant()) || Scale.dividedBy(Next) ||
          !Higher.dividedBy(Next) || llvm::any_of(All, [&](const Varying &Other) { return Next.contains(Other.Atom); }))
        continue;
      Gaps.push_back({Scale, Next});
      if (findDigits(Higher, Next))
        return true;
      Gaps.pop_back();
    }
    return false;
  }

  static bool ofGrid(const Polynomial &P) {
    return llvm::any_of(llvm::seq(3), [&](int D) { return P.contains(builtinAtom(Builtin::GridDim, D)); });
  }

  /// Does the digit take every value below its radix once?
  std::optional<Blocker> counts(const Digit &D, const AccessSite &Site) {
    auto Refuse = [&](const std::string &Why) {
      return blocker(BlockerKind::StoredTwice, Site, fmt::format("{}: {} {}", Site.str(), D.Value.str(), Why));
    };
    Polynomial Rest;
    const Parts Counting = partsOf(D.Value, Rest);
    for (const auto &[V, Factor] : Counting)
      if (!Used.insert(V.Atom).second)
        return Refuse("shares " + V.Atom + " with another part of the index");
    if (!Rest.isZero())
      return Refuse("does not start at 0");
    const std::optional<Reach> R = reachOf(Counting);
    if (!R)
      return Refuse("skips or repeats numbers");
    if (Block && (R->Endless || !(R->Numbers == D.Radix))) {
      if (!R->Endless)
        Requirements.push_back({D.Radix, R->Numbers});
      if (!R->Numbers.asConstant()) // also a loop's step: it does not wrap
        Requirements.push_back({R->Numbers, MostElements});
    }
    return std::nullopt;
  }

  /// What counts without being a part of the index stores elements again.
  std::optional<Blocker> leftOver(const AccessSite &Site) {
    for (const Varying &V : All) {
      if (Used.count(V.Atom))
        continue;
      if (V.Block)
        Requirements.push_back({*V.Range, 1});
      else if (!V.Range || !(V.Range->asConstant() == 1))
        return blocker(BlockerKind::StoredTwice, Site,
                       fmt::format("{}: once for every {}", Site.str(),
                                   V.Atom.find('#') == std::string::npos ? V.Atom : "turn of a loop"));
    }
    return std::nullopt;
  }

  void finish(StoreProof &Result) {
    Result.Elements = Polynomial(1);
    for (const Digit &D : Digits) {
      Result.Elements = Result.Elements * D.Radix;
      if (Digits.size() > 1 && !D.Radix.asConstant())
        Requirements.push_back({{}, D.Radix});
      Requirements.push_back({Result.Elements, MostElements});
    }
    for (const AtMost &Gap : Gaps) { // none is left
      Requirements.push_back(Gap);
      Requirements.push_back({Gap.Right, Gap.Left});
    }
    llvm::append_range(Requirements, Fits);
    Result.Requirements = std::move(Requirements);
  }

  std::vector<Digit> Digits;
  std::set<std::string> Used;
  std::vector<AtMost> Requirements;
  bool MaySkip = false, MayFill = false;
  std::vector<AtMost> Gaps; ///< Between digits: what of the lower ones is at most (or just) the scale of the next.
};

} // namespace

std::optional<Blocker> proveStoredOnce(const VerticalNode &Node, llvm::StringRef Parameter,
                                       std::optional<BlockShape> Block, StoreProof &Proof, bool MayLoad) {
  const bool InPlaces = !Node.Shape->Sizes.empty();
  if (!Block && InPlaces)
    return Prover(Node, Parameter, Block).storesOwn(Proof, MayLoad);
  const auto Reason = Prover(Node, Parameter, Block).stores(Proof, MayLoad);
  StoreProof Own;
  if (!Reason || !InPlaces || Prover(Node, Parameter, Block).storesOwn(Own, MayLoad) || Own.Partly)
    return Reason;
  Proof = std::move(Own);
  const unsigned Threads[] = {Block->X, Block->Y, Block->Z};
  for (size_t D = 0; D < Node.Shape->Sizes.size(); ++D)
    Proof.Requirements.push_back(
        {Node.Shape->Sizes[D], Polynomial(Threads[D]) * Polynomial::atom(builtinAtom(Builtin::GridDim, D))});
  return std::nullopt;
}

bool isWhere(const AccessSite &A, const AccessSite &B) {
  return A.Index && A.Index == B.Index && A.Width == B.Width && A.Path.size() <= B.Path.size() &&
         std::equal(A.Path.begin(), A.Path.end(), B.Path.begin(), [](const PathStep &Of, const PathStep &To) {
           return Of.What == To.What && Of.What != PathStep::Kind::Unknown && Of.Id == To.Id && Of.Taken == To.Taken;
         });
}

bool areOne(const AccessSite &A, const AccessSite &B) { return isWhere(A, B) && isWhere(B, A); }

std::optional<Blocker> proveLoadedOnce(const VerticalNode &Node, llvm::StringRef Parameter, BlockShape Block,
                                       StoreProof &Proof) {
  return Prover(Node, Parameter, Block).loads(Proof);
}

std::optional<Polynomial> accessesPerElement(const VerticalNode &Node, const AccessSite &Site, BlockShape Block,
                                             std::vector<AtMost> *Needs, const Polynomial &Step) {
  return Prover(Node, Site.Parameter, Block).repeats(Site, Needs, Step);
}

} // namespace cufuse
