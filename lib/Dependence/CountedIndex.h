// An index and the conditions around it, in terms of what counts: threads, blocks, turns of loops, quotients of these.
#pragma once

#include "cufuse/Dependence/Links.h"
#include "cufuse/Dependence/StoreProof.h"
#include "cufuse/Kernel/Blocker.h"
#include "cufuse/Support/BlockShape.h"

#include <fmt/core.h>
#include <llvm/ADT/STLExtras.h>

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace cufuse {

/// A number of a range: what a thread, block or loop index counts.
struct Varying {
  std::string Atom;
  std::optional<Polynomial> Range; ///< 0 … Range − 1; nothing: without end.
  bool Block = false;              ///< A block index: the launch decides how far it counts.
};

/// Of one access after the other, to one parameter. `Block` is the launch's; without one, there is a single dimension.
class CountedIndex {
protected:
  CountedIndex(const VerticalNode &Node, llvm::StringRef Parameter, std::optional<BlockShape> Block)
      : Node(Node), Parameter(Parameter), Block(Block) {}

  Blocker blocker(BlockerKind Kind, const AccessSite &Site, const std::string &Fact) const {
    return {Kind, Site.Where, Node.Name + ": " + Fact};
  }

  /// As if the elements of an access were accessed one by one.
  void lanes(const AccessSite &Site, const Polynomial &Step) {
    if (Site.Width == 1)
      return;
    Turns.push_back({"lane#", Site.Width});
    Index = Index + Step * Polynomial::atom("lane#");
  }

  Polynomial substituted(Polynomial P) const {
    for (const auto &[Atom, Value] : Substitutions)
      P = P.substitute(Atom, Value);
    return P;
  }
  void substitute(const std::string &Atom, const Polynomial &Value) {
    Substitutions.push_back({Atom, Value});
    Index = Index.substitute(Atom, Value);
    for (Less &Guard : Guards) {
      Guard.Left = Guard.Left.substitute(Atom, Value);
      Guard.Right = Guard.Right.substitute(Atom, Value);
    }
  }

  /// The index and the guards in terms of `All` that counts.
  std::optional<Blocker> findCounting(const AccessSite &First) {
    if (auto Reason = expandLoops(First))
      return Reason;
    fixShape();
    boundTurns();
    splitQuotients();
    boundTurns(); // of loops that start at a quotient
    return std::nullopt;
  }

  /// A loop variable is its start plus its step times the number of the turn.
  std::optional<Blocker> expandLoops(const AccessSite &First) {
    for (unsigned Id : llvm::reverse(Loops)) {
      const LoopAccess &Loop = Node.Accesses->Loops[Id];
      Varying Turn{fmt::format("turn#{}", Id), std::nullopt};
      const auto Start = Loop.Start.asConstant(), Step = Loop.Step.asConstant();
      if (Loop.Step.hasNegative() || Loop.Step.isZero())
        return blocker(BlockerKind::StoredTwice, First, First.str() + ", in a loop that does not count up");
      if (Start && Step)
        for (auto Guard = Guards.begin(); Guard != Guards.end(); ++Guard)
          if (const auto End = Guard->Right.asConstant(); End && Guard->Left == Polynomial::atom(Loop.Atom)) {
            Turn.Range = Polynomial(*End > *Start ? (*End - *Start + *Step - 1) / *Step : 0);
            Guards.erase(Guard);
            break;
          }
      Turns.push_back(Turn);
      substitute(Loop.Atom, Loop.Start + Loop.Step * Polynomial::atom(Turn.Atom));
    }
    return std::nullopt;
  }

  /// Dimensions of the block as numbers. Without one, there is a single dimension.
  void fixShape() {
    const unsigned Sizes[] = {Block ? Block->X : 0, Block ? Block->Y : 1, Block ? Block->Z : 1};
    for (int D = 0; D < 3; ++D) {
      const std::string Thread = builtinAtom(Builtin::ThreadIdx, D), Dim = builtinAtom(Builtin::BlockDim, D),
                        BlockAtom = builtinAtom(Builtin::BlockIdx, D), Grid = builtinAtom(Builtin::GridDim, D);
      if (Sizes[D] == 1)
        substitute(Thread, {});
      else
        All.push_back({Thread, Sizes[D] ? Polynomial(Sizes[D]) : Polynomial::atom(Dim)});
      if (Sizes[D])
        substitute(Dim, Sizes[D]);
      if (!Block && D > 0) {
        substitute(BlockAtom, {});
        substitute(Grid, 1);
      } else {
        All.push_back({BlockAtom, Polynomial::atom(Grid), true});
      }
    }
    All.insert(All.end(), Turns.begin(), Turns.end());
  }

  /// What counts in a polynomial, and by how much.
  using Parts = std::vector<std::pair<Varying, Polynomial>>;
  Parts partsOf(const Polynomial &P, Polynomial &Rest) const {
    Parts Found;
    Rest = P;
    for (const Varying &V : All)
      if (auto [Factor, Others] = Rest.split(V.Atom); !Factor.isZero()) {
        Found.push_back({V, Factor});
        Rest = Others;
      }
    return Found;
  }

  /// How far parts count together, each number once; endless if one of them has no range.
  struct Reach {
    Polynomial Numbers = 1;
    bool Endless = false;
  };
  static std::optional<Reach> reachOf(Parts Left) {
    Reach R;
    while (!Left.empty()) {
      auto Next = llvm::find_if(Left, [&](const auto &Part) { return !R.Endless && Part.second == R.Numbers; });
      if (Next == Left.end())
        return std::nullopt;
      R.Endless = !Next->first.Range;
      if (!R.Endless)
        R.Numbers = R.Numbers * *Next->first.Range;
      Left.erase(Next);
    }
    return R;
  }

  /// `for (i = thread; i < 1024; i += 256)` has four turns, if there are 256 threads.
  void boundTurns() {
    llvm::erase_if(Guards, [&](const Less &Guard) {
      Polynomial Rest;
      const Parts Counting = partsOf(Guard.Left, Rest);
      const std::optional<Reach> R = reachOf(Counting);
      const auto Numbers = R ? R->Numbers.asConstant() : std::nullopt, End = Guard.Right.asConstant();
      if (!Numbers || !R->Endless || !Rest.isZero() || !End || *End < 1 || *End % *Numbers != 0)
        return false;
      for (const auto &[Counted, Factor] : Counting)
        for (Varying &V : All)
          if (V.Atom == Counted.Atom && !V.Range)
            V.Range = Polynomial(*End / *Numbers);
      return true;
    });
  }

  /// `(128 * block + thread) / 32` is `4 * block + thread / 32`, where what is divided fits.
  void takeOutMultiples(const std::string &Atom, const Quotient &Q) {
    const Polynomial Dividend = substituted(Q.Dividend);
    const auto Divisor = substituted(Q.Divisor).asConstant();
    Polynomial Others, Multiples, Rest;
    const std::optional<Reach> R = reachOf(partsOf(Dividend, Others));
    if (Divisor.value_or(0) < 1 || Q.Wrap != Quotient::Wraps::Never || !R || R->Endless || !Others.isZero())
      return;
    for (const auto &[Atoms, Factor] : Dividend.terms()) {
      Polynomial &To = Factor % *Divisor == 0 ? Multiples : Rest;
      To = To + Polynomial::term(Atoms, Factor);
    }
    if (Multiples.isZero())
      return;
    const Quotient Own{Rest, *Divisor};
    substitute(Atom, *Multiples.dividedBy(*Divisor) + (Rest.isZero() ? Polynomial() : Polynomial::atom(Own.atom())));
    if (!Rest.isZero())
      Quotients.try_emplace(Own.atom(), Own);
    if (!R->Numbers.asConstant())
      Fits.push_back({R->Numbers, MostElements});
  }

  /// `i / 64` and `i % 64` count on their own, where i counts all numbers below a multiple of 64: the threads of a
  /// block load a tile so, whatever its width is.
  void splitQuotients() {
    for (const auto &[Atom, Q] : Node.Accesses->Quotients)
      takeOutMultiples(Atom, Q);
    for (const auto &[Atom, Q] : Quotients) {
      const Polynomial Dividend = substituted(Q.Dividend);
      const auto Divisor = substituted(Q.Divisor).asConstant();
      auto Uses = [&](const Polynomial &P) { return P.contains(Atom); };
      if (!Divisor || *Divisor < 1 ||
          !(Uses(Index) || llvm::any_of(Guards, [&](const Less &G) { return Uses(G.Left) || Uses(G.Right); })))
        continue;
      Polynomial Rest;
      const Parts Counting = partsOf(Dividend, Rest);
      const std::optional<Reach> R = reachOf(Counting);
      const auto Quotients = R && !R->Endless && Rest.isZero() ? R->Numbers.dividedBy(*Divisor) : std::nullopt;
      if (!Quotients || Counting.empty() || (Q.Narrow != Quotient::Wraps::Never && !R->Numbers.asConstant()))
        continue;
      const std::string Remainder = fmt::format("({} % {})", Dividend.str(), *Divisor);
      for (const auto &[V, Factor] : Counting) {
        Split.insert(V.Atom);
        llvm::erase_if(All, [&, &V = V](const Varying &Other) { return Other.Atom == V.Atom; });
      }
      All.push_back({Atom, *Quotients});
      All.push_back({Remainder, *Divisor});
      const auto &[Lowest, One] = *llvm::find_if(Counting, [](const auto &P) { return P.second.asConstant() == 1; });
      substitute(Lowest.Atom, *Divisor * Polynomial::atom(Atom) + Polynomial::atom(Remainder) -
                                  (Dividend - Polynomial::atom(Lowest.Atom)));
    }
  }

  const VerticalNode &Node;
  const llvm::StringRef Parameter;
  const std::optional<BlockShape> Block;
  Polynomial Index;
  std::vector<Less> Guards;
  std::vector<unsigned> Loops;
  std::vector<Varying> Turns, All;
  std::vector<std::pair<std::string, Polynomial>> Substitutions;
  std::set<std::string> Split; ///< What counted until quotients and remainders took its place.
  std::map<std::string, Quotient> Quotients = Node.Accesses->Quotients;
  std::vector<AtMost> Fits; ///< What is divided, so that it has lost no bits.
};

} // namespace cufuse
