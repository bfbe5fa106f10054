// Where the arithmetic of a kernel's types may differ from that of polynomials. No Clang.
#pragma once

#include "cufuse/Kernel/Accesses.h"

namespace cufuse {

/// Indices times so much are taken to fit their types: `4 * i / 4` is i.
constexpr std::int64_t MostFactor = 64;

/// May the value be below zero, if all atoms are not? Remainders a - b * (a / b) of what is not negative are not.
bool mayBeNegative(Polynomial P, const std::map<std::string, Quotient> &Quotients);

/// May a multiple be too large for its type, so that a quotient is another one than that of polynomials? In
/// `(i << 24) >> 24`, which is i % 256, it is meant to. Numbers of threads and blocks have bounds; everything else may
/// be multiplied by `Most`, or, in 64 bits, by what `int` leaves of them.
bool mayLoseBits(const Polynomial &P, std::int64_t Most, unsigned Bits = 32);

} // namespace cufuse
