#include "cufuse/Kernel/Wrapping.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Support/MathExtras.h>

namespace cufuse {

static constexpr std::int64_t Wrapped = std::int64_t(1) << 32;

bool isMadeOf(const Polynomial &P, const std::map<std::string, Quotient> &Quotients,
              llvm::function_ref<bool(const std::string &)> Is) {
  return llvm::all_of(P.atoms(), [&](const std::string &Atom) {
    const auto Q = Quotients.find(Atom);
    return Q == Quotients.end() ? Is(Atom)
                                : !isWrap(Atom) && isMadeOf(Q->second.Dividend, Quotients, Is) &&
                                      isMadeOf(Q->second.Divisor, Quotients, Is);
  });
}

bool mayBeNegative(Polynomial P, const std::map<std::string, Quotient> &Quotients) {
  for (const auto &[Atom, Q] : Quotients) {
    const Polynomial Factor = P.split(Atom).first;
    if (!Factor.hasNegative())
      continue;
    auto Times = Q.Divisor.terms().size() == 1 ? (-Factor).dividedBy(Q.Divisor) : std::nullopt;
    if (!Times && (Factor + Q.Divisor).isZero())
      Times = Polynomial(1);
    const bool IsRemainder = Q.Wrap == Quotient::Wraps::Unsigned || !mayBeNegative(Q.Dividend, Quotients);
    if (Times && !Times->hasNegative() && IsRemainder)
      P = P - *Times * (Q.Dividend - Q.Divisor * Polynomial::atom(Atom));
  }
  return P.hasNegative();
}

static bool isOf(Builtin B, const std::string &Atom) {
  return Atom == builtinAtom(B, 0) || Atom == builtinAtom(B, 1) || Atom == builtinAtom(B, 2);
}

Polynomial reduced(const Polynomial &P, unsigned Bits) {
  if (Bits >= 64)
    return P;
  Polynomial Result;
  for (const auto &[Atoms, Factor] : P.terms())
    Result = Result + Polynomial::term(Atoms, llvm::SignExtend64(static_cast<std::uint64_t>(Factor), Bits));
  return Result;
}

static const Polynomial LinearIndex =
    Polynomial::atom(builtinAtom(Builtin::BlockIdx, 0)) * Polynomial::atom(builtinAtom(Builtin::BlockDim, 0)) +
    Polynomial::atom(builtinAtom(Builtin::ThreadIdx, 0));

/// The parameters that it is made of, also inside of quotients.
static void addParameters(const Polynomial &P, const KernelAccesses &In, std::set<std::string> &Names) {
  for (const std::string &Atom : P.atoms())
    if (auto Q = In.Quotients.find(Atom); Q != In.Quotients.end())
      addParameters(Q->second.Dividend, In, Names), addParameters(Q->second.Divisor, In, Names);
    else if (In.parameter(Atom))
      Names.insert(Atom);
}

/// The largest value of what is not negative, where it is known: of parameters in the range of `int`.
static std::optional<std::uint64_t> most(const Polynomial &P, const KernelAccesses &In) {
  std::uint64_t Sum = 0;
  for (const auto &[Atoms, Factor] : P.terms()) {
    std::uint64_t Term = Factor;
    bool OfBlock = false; // its first thread is in the grid
    auto IsOfThreads = [](const std::string &Atom) {
      return isOf(Builtin::ThreadIdx, Atom) || isOf(Builtin::BlockDim, Atom);
    };
    // The dimensions of a block have 1024 threads together.
    const bool AreTogether = llvm::all_of(Atoms, IsOfThreads);
    std::set<char> Dimensions;
    for (const std::string &Atom : Atoms) {
      std::optional<std::uint64_t> Own;
      if (IsOfThreads(Atom) && Dimensions.insert(Atom.back()).second && AreTogether && Dimensions.size() > 1)
        Own = 1;
      else if (IsOfThreads(Atom))
        Own = isOf(Builtin::ThreadIdx, Atom) ? 1023 : 1024;
      else if (isOf(Builtin::BlockIdx, Atom) || isOf(Builtin::GridDim, Atom))
        Own = llvm::StringRef(Atom).ends_with(".x") ? INT32_MAX : UINT16_MAX;
      else if (In.parameter(Atom))
        Own = INT32_MAX;
      else if (auto Q = In.Quotients.find(Atom); Q != In.Quotients.end() && !isWrap(Atom))
        Own = most(Q->second.Dividend, In);
      OfBlock |= Atom == builtinAtom(Builtin::BlockDim, 0);
      if (OfBlock && Own && (Atom == builtinAtom(Builtin::BlockIdx, 0) || Atom == builtinAtom(Builtin::GridDim, 0))) {
        Term /= 1024; // which the dimension of the block was taken for
        OfBlock = false;
      }
      if (Factor > 0 && !Own)
        return std::nullopt;
      Term = llvm::SaturatingMultiply(Term, Own.value_or(1));
    }
    if (Factor > 0)
      Sum = llvm::SaturatingAdd(Sum, Term);
  }
  return Sum;
}

bool isBelow(const Polynomial &P, std::int64_t End, const KernelAccesses &In) {
  const auto Most = most(P, In);
  return Most && *Most < static_cast<std::uint64_t>(End) && isMadeOf(P, In.Quotients, isBuiltin) &&
         !mayBeNegative(P, In.Quotients);
}

bool fits(const Polynomial &P, unsigned Bits, bool Signed, KernelAccesses &In) {
  // A variable of its own type.
  if (P.terms().size() == 1 && P.terms().begin()->second == 1 && P.terms().begin()->first.size() == 1) {
    const std::string &Atom = P.terms().begin()->first.front();
    if (const ParameterAccess *Own = In.parameter(Atom); Own && Own->Bits == Bits && Own->Unsigned != Signed)
      return true;
    for (const LoopAccess &Loop : In.Loops)
      if (Loop.Atom == Atom && Loop.Bits == Bits &&
          (Signed || (!mayBeNegative(Loop.Start, In.Quotients) && !mayBeNegative(Loop.Step, In.Quotients))))
        return true;
  }
  std::set<std::string> Parameters;
  addParameters(P, In, Parameters);
  if (P == LinearIndex)
    return true;
  const Polynomial Rest = P - P.split(builtinAtom(Builtin::ThreadIdx, 0)).first * LinearIndex;
  const auto Most = most(P, In);
  if (!Most || *Most > UINT64_MAX >> (64 - Bits + Signed) || mayBeNegative(P, In.Quotients) ||
      (!Parameters.empty() && llvm::none_of(Rest.atoms(), isBuiltin)))
    return false;
  In.Converted.merge(Parameters);
  return true;
}

Polynomial widened(const Polynomial &P, bool Signed, KernelAccesses &In) {
  const Polynomial Reduced = reduced(P, 32);
  if (const auto Number = Reduced.asConstant())
    return Polynomial(Signed ? *Number : static_cast<std::uint32_t>(*Number));
  if (fits(Reduced, 32, Signed, In))
    return Reduced;
  const Polynomial Divisor = Wrapped;
  const Quotient Lost{Reduced, Divisor, Signed ? Quotient::Wraps::Signed : Quotient::Wraps::Unsigned};
  In.Quotients[Lost.atom()] = Lost;
  return Reduced - Divisor * Polynomial::atom(Lost.atom());
}

namespace {

class WrapRemover {
public:
  explicit WrapRemover(KernelAccesses &Accesses) : Accesses(Accesses), Given(Accesses.Quotients) {}

  void run() {
    for (AccessSite &Site : Accesses.Sites) {
      Around = Site.conditions();
      for (ChosenIndex &Each : Site.Chosen) { // `i < k ? 0 : i - k`
        const size_t Outside = Around.size();
        llvm::append_range(Around, Each.Holds);
        Each.Index = without(Each.Index);
        Around.erase(Around.begin() + Outside, Around.end());
      }
      forEachPolynomial(Site, [&](Polynomial &P) { P = without(P); });
      if (Site.ByData)
        Site.ByData = without(*Site.ByData);
      Around.clear();
    }
    for (LoopAccess &Loop : Accesses.Loops)
      Loop.Start = without(Loop.Start), Loop.Step = without(Loop.Step);
    for (ThreadUse &Use : Accesses.Uses) // of which only parameters are still asked for
      Use.Value = without(Use.Value, /*Always=*/true);
    for (auto &[Atom, Value] : Accesses.Loaded)
      Value.Index = without(Value.Index);
    for (const auto &[Atom, Plain] : Renamed)
      Accesses.Quotients.erase(Atom);
  }

private:
  /// `Always`: also where it is not known that nothing is lost.
  Polynomial without(Polynomial P, bool Always = false) {
    for (const std::string &Atom : P.atoms())
      if (auto Q = Given.find(Atom); Q != Given.end() && !isWrap(Atom))
        P = P.substitute(Atom, plain(Atom, Q->second));
    for (const std::string &Atom : P.atoms()) {
      if (!isWrap(Atom))
        continue;
      const Quotient &Q = Given.at(Atom);
      const auto [Factor, Rest] = P.split(Atom);
      const auto Times = (-Factor).dividedBy(Wrapped);
      // `n - 1 - i`, where i < n
      const bool Negative = Q.Wrap == Quotient::Wraps::Unsigned && mayBeNegative(Q.Dividend, Given) &&
                            llvm::none_of(Around, [&](const Less &L) {
                              const Polynomial Rest = Q.Dividend - (L.Right - L.Left - 1);
                              const std::set<std::string> Atoms = Rest.atoms();
                              return !Rest.hasNegative() && llvm::all_of(Atoms, isBuiltin);
                            });
      if (Always || (Times && !Negative && stays(*Times * without(Q.Dividend, true), Rest)))
        P = Rest;
    }
    return P;
  }

  /// A quotient of what may have lost bits says so itself.
  Polynomial plain(const std::string &Atom, const Quotient &Q) {
    if (auto Known = Renamed.find(Atom); Known != Renamed.end())
      return Known->second;
    const Polynomial Dividend = without(Q.Dividend, true), Divisor = without(Q.Divisor, true);
    if (Dividend == Q.Dividend && Divisor == Q.Divisor)
      return Polynomial::atom(Atom);
    const auto Name = quotient(Dividend, Divisor, Accesses.Quotients, std::max(lost(Q), Quotient::Wraps::Unsigned));
    return Name ? Renamed[Atom] = *Name : Polynomial::atom(Atom);
  }

  /// How the numbers that it is made of may have lost bits.
  Quotient::Wraps lost(const Quotient &Q) const {
    Quotient::Wraps All = std::max(Q.Wrap, Q.Narrow);
    for (const Polynomial *P : {&Q.Dividend, &Q.Divisor})
      for (const std::string &Atom : P->atoms())
        if (const auto Inner = Given.find(Atom); Inner != Given.end())
          All = std::max(All, lost(Inner->second));
    return All;
  }

  /// Is it a part of the whole, by itself or in a remainder?
  bool stays(const Polynomial &Part, const Polynomial &Whole) const {
    const Polynomial Others = Whole - Part;
    if (!mayBeNegative(Others, Accesses.Quotients))
      return true;
    return llvm::any_of(Accesses.Quotients, [&](const auto &Each) {
      const auto &[Atom, Q] = Each;
      return Q.Wrap == Quotient::Wraps::Never && Q.Dividend == Part && Whole.contains(Atom) &&
             !mayBeNegative(Others + Q.Divisor * Polynomial::atom(Atom), Accesses.Quotients);
    });
  }

  KernelAccesses &Accesses;
  std::vector<Less> Around; ///< Conditions, as they are given.
  const std::map<std::string, Quotient> Given;
  std::map<std::string, Polynomial> Renamed; ///< Quotients without wraps, by their atoms with them.
};

} // namespace

KernelAccesses withoutWraps(KernelAccesses Accesses) {
  WrapRemover(Accesses).run();
  return Accesses;
}

bool mayLoseBits(const Polynomial &P, std::int64_t Most, unsigned Bits) {
  constexpr std::int64_t MostThreads = 1024, MostOfInts = std::int64_t(1) << 28; // sums of several such fit, too
  return std::any_of(P.terms().begin(), P.terms().end(), [&](const auto &Term) {
    const auto &[Atoms, Factor] = Term;
    if (llvm::any_of(Atoms, isWrap)) // what is left is exact
      return false;
    std::int64_t Allowed = Most;
    if (Atoms.size() <= 1 && std::all_of(Atoms.begin(), Atoms.end(), [](const std::string &Atom) {
          return isOf(Builtin::ThreadIdx, Atom) || isOf(Builtin::BlockDim, Atom);
        }))
      Allowed = INT32_MAX / MostThreads;
    else if (Atoms.size() == 1 && isOf(Builtin::BlockIdx, *Atoms.begin()))
      Allowed = 4 * MostThreads; // what a block works on
    if (Bits >= 64)
      Allowed = MostOfInts;
    return !Atoms.empty() && (Factor > Allowed || Factor < -Allowed);
  });
}

} // namespace cufuse
