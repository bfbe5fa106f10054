#include "cufuse/Kernel/Wrapping.h"

#include <algorithm>

namespace cufuse {

bool mayBeNegative(Polynomial P, const std::map<std::string, Quotient> &Quotients) {
  for (const auto &[Atom, Q] : Quotients) {
    const Polynomial Factor = P.split(Atom).first;
    if (!Factor.hasNegative())
      continue;
    const auto Divisor = Q.Divisor.asConstant();
    auto Times = Divisor ? (Polynomial() - Factor).dividedBy(*Divisor) : std::nullopt;
    if (!Times && (Factor + Q.Divisor).isZero())
      Times = Polynomial::constant(1);
    if (Times && !Times->hasNegative())
      P = P - *Times * (Q.Dividend - Q.Divisor * Polynomial::atom(Atom));
  }
  return P.hasNegative();
}

static bool isOf(Builtin B, const std::string &Atom) {
  return Atom == builtinAtom(B, 0) || Atom == builtinAtom(B, 1) || Atom == builtinAtom(B, 2);
}

bool mayLoseBits(const Polynomial &P, std::int64_t Most, unsigned Bits) {
  constexpr std::int64_t MostThreads = 1024, MostOfInts = std::int64_t(1) << 28; // sums of several such fit, too
  return std::any_of(P.terms().begin(), P.terms().end(), [&](const auto &Term) {
    const auto &[Atoms, Factor] = Term;
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
