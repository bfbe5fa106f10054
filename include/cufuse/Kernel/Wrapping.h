// Where the arithmetic of a kernel's types may differ from that of polynomials. No Clang.
#pragma once

#include "cufuse/Kernel/Accesses.h"

#include <llvm/ADT/STLFunctionalExtras.h>

namespace cufuse {

/// Indices times so much are taken to fit their types: `4 * i / 4` is i.
constexpr std::int64_t MostFactor = 64;

/// Is it made of such atoms alone, also in quotients? Of what is left of a number that wraps, it is not.
bool isMadeOf(const Polynomial &P, const std::map<std::string, Quotient> &Quotients,
              llvm::function_ref<bool(const std::string &)> Is);

/// May the value be below zero, if all atoms are not? Remainders a - b * (a / b) of what is not negative are not, nor
/// is what is left of a number without a sign.
bool mayBeNegative(Polynomial P, const std::map<std::string, Quotient> &Quotients);

/// Coefficients in the signed range of the width: values are the same modulo 2^width.
Polynomial reduced(const Polynomial &P, unsigned Bits);

/// A number of threads and blocks that is not negative, and below a constant, in every launch.
bool isBelow(const Polynomial &P, std::int64_t End, const KernelAccesses &In);

/// Is a number of that type, computed modulo 2^Bits, what the polynomial says? Numbers of threads and blocks have
/// bounds, and the linear index is taken to fit. Parameters that must be in the range of `int` for it are added to
/// `Converted`. False where it need not be asked: where the polynomial is one of the linear index and of parameters,
/// the number is the same function of it whatever it loses.
bool fits(const Polynomial &P, unsigned Bits, bool Signed, KernelAccesses &In);

/// A number of 32 bits in 64: the polynomial if it fits, else what is left of that without multiples of 2^32, whose
/// number is an atom of `In.Quotients`.
Polynomial widened(const Polynomial &P, bool Signed, KernelAccesses &In);

/// All that is known of an access: its index, or those that it is one of, its conditions and masks.
template <typename Site, typename Function> void forEachPolynomial(Site &Of, Function Each) {
  auto OfAll = [&](auto &Holds) {
    for (auto &L : Holds)
      Each(L.Left), Each(L.Right);
  };
  if (Of.Index)
    Each(*Of.Index);
  for (auto &Chosen : Of.Chosen) {
    Each(Chosen.Index);
    OfAll(Chosen.Holds);
  }
  for (auto &Step : Of.Path)
    OfAll(Step.Holds);
  for (auto &M : Of.Masks)
    OfAll(M.Holds);
}

/// With indices, conditions and loops as they are if no index loses bits: multiples of 2^32 are left out where what
/// they are taken from stays, and is a part of the index. An index below 2^31 has no larger parts.
KernelAccesses withoutWraps(KernelAccesses Accesses);

/// Is it a constant, or one number by itself? What a number of its own type is has lost no bits.
inline bool isSingle(const Polynomial &P) {
  return P.asConstant() ||
         (P.terms().size() == 1 && P.terms().begin()->first.size() == 1 && P.terms().begin()->second == 1);
}

/// May a multiple be too large for its type, so that a quotient is another one than that of polynomials? In
/// `(i << 24) >> 24`, which is i % 256, it is meant to. Numbers of threads and blocks have bounds; everything else may
/// be multiplied by `Most`, or, in 64 bits, by what `int` leaves of them.
bool mayLoseBits(const Polynomial &P, std::int64_t Most, unsigned Bits = 32);

} // namespace cufuse
