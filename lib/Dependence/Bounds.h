// How large and how small may an index be, where its conditions hold? No Clang.
#pragma once

#include "cufuse/Dependence/StoreProof.h"

#include <functional>

namespace cufuse {

/// A value that nothing exceeds, if the launch meets the requirements.
struct Bound {
  Polynomial Most;
  std::vector<AtMost> Needs;
};

/// What counts in a polynomial: a thread, a block, an element, a loop.
struct Counted {
  Polynomial Least;
  std::optional<Polynomial> Most; ///< Nothing: it is bound by conditions alone.
};

/// Quotients are those of C: where a bound is taken of one, its dividend is shown not to be negative, and the launch is
/// asked for a positive divisor.
class Bounds {
public:
  /// `IsOfLaunch`: is an atom the same for the whole launch? `Meaning`: of a polynomial, before anything is made of it;
  /// it must be linear.
  Bounds(const std::map<std::string, Quotient> &Given, std::function<bool(const std::string &)> IsOfLaunch,
         std::function<Polynomial(const Polynomial &)> Meaning)
      : Given(Given), IsOfLaunch(std::move(IsOfLaunch)), Meaning(std::move(Meaning)) {}

  void counts(const std::string &Atom, Counted Range) { Atoms[Atom] = std::move(Range); }
  /// The launch may be asked that numbers of 32 bits, which go on in 64, fit.
  void asksToFit() { MayAsk = true; }
  /// The last one that a launch has, for that alone: of so many `Numbers`, the one of the last.
  void ends(const std::string &Atom, const Polynomial &Last, const Polynomial &Numbers = Polynomial(1)) {
    if (auto Of = quotient(Last, Numbers, Quotients))
      Ends[Atom] = std::move(*Of);
  }
  void holds(const Less &L);
  /// The loops, but for `Skipped`, and the conditions around a site. Adds what the launch must meet for that.
  void surround(const VerticalGraph &Graph, unsigned Node, const AccessSite &Site, const LoopAccess *Skipped,
                std::vector<AtMost> &Needs);

  /// By its meaning, with quotients simplified: `(columns * block + i) / columns` is the block where 0 <= i < columns.
  /// What the launch must meet for that goes to `needs`. Nothing where it is not known.
  std::optional<Polynomial> simplified(const Polynomial &P);
  const std::vector<AtMost> &needs() const { return Needed; }
  const std::map<std::string, Quotient> &quotients() const { return Quotients; }

  /// Is it the same for the whole launch?
  bool isUniform(const Polynomial &P) const;
  /// What it never exceeds, in what is the same for the whole launch; nothing where that is not known. Quotients of it
  /// are added to `quotients`.
  std::optional<Bound> largest(const Polynomial &P);
  /// Shows `P <= Limit`, and adds what the launch must meet for that. `Limit` is the same for the whole launch.
  bool isAtMost(const Polynomial &P, const Polynomial &Limit, std::vector<AtMost> &Needs);

private:
  /// Of some launch with round numbers.
  std::int64_t sampled(const Polynomial &P) const;
  /// Of two bounds, the one with the smaller rank is nearer in most launches: a number is the same in all.
  std::tuple<bool, std::int64_t, std::int64_t> rank(const Polynomial &P) const;
  bool isCounted(const std::string &Atom) const;
  const Quotient *quotientAt(const std::string &Atom) const;
  /// What a quotient may be made of by a further division: `D / 4`, divided by 8, is `D / 32`. Last the dividend
  /// itself.
  struct Finer {
    Polynomial Value, Divisor;
    std::vector<AtMost> Needs;
  };
  std::vector<Finer> finer(const Quotient &Q) const;
  std::vector<Bound> most(const Polynomial &P, unsigned Depth);
  std::optional<std::vector<AtMost>> notNegative(const Polynomial &P, unsigned Depth);
  /// The same of what is divided, as the kernel has it: of a signed number, which may have lost bits, that it fits.
  std::optional<std::vector<AtMost>> dividesNoNegative(const Quotient &Q, unsigned Depth);
  std::optional<Bound> mostOf(const std::string &Atom, unsigned Depth);
  std::optional<Bound> leastOf(const std::string &Atom, unsigned Depth);
  std::optional<Polynomial> divided(const Polynomial &Dividend, const Polynomial &Divisor);
  /// Does a number of 32 bits that goes on in 64 lose none, and is it not negative? Asks the launch for that.
  bool fits(const Polynomial &P, Quotient::Wraps Wrap);

  const std::map<std::string, Quotient> &Given; ///< As the polynomials have them.
  const std::function<bool(const std::string &)> IsOfLaunch;
  const std::function<Polynomial(const Polynomial &)> Meaning;
  std::map<std::string, Counted> Atoms;
  std::map<std::string, Polynomial> Ends;
  std::map<std::string, Polynomial> Groups;  ///< What loops count, by their variables: these are multiples of it.
  std::map<std::string, Quotient> Quotients; ///< By their simplified atoms.
  std::vector<Less> Guards;
  std::vector<AtMost> Needed;
  unsigned Steps = 0;   ///< Of the search, which must end.
  bool MayAsk = false;  ///< That numbers fit.
  bool Nearest = false; ///< It keeps those that are nearest, not those that come first.
};

/// Each of them once.
void append(std::vector<AtMost> &To, const std::vector<AtMost> &From);

/// Is it `node.parameter`, an integer that the launch is given?
bool isArgument(const VerticalGraph &Graph, llvm::StringRef Atom);

/// A free kernel's polynomial for a group of elements.
Polynomial inGroup(const VerticalNode &Node, const Polynomial &P, const Polynomial &Group);

} // namespace cufuse
