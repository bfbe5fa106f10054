// Numbers of a block that is run, some of them made of parts of a row.
#pragma once

#include "IrAccumulation.h"

#include <cstdint>
#include <optional>

namespace cufuse {

struct DividedNumber {
  enum class Kind : std::uint8_t { Unknown, Bits, Pointer, Members } What = Kind::Unknown;
  /// 0: it is the same in every launch; 1: it is not (`Drawn`); else, how the parts of a row were made of which it is
  /// one, or is made (`partsBy`).
  unsigned Parts = 0;
  unsigned Object = 0;    ///< Pointer: to it. Members: their number.
  std::uint64_t Bits = 0; ///< Of its type. Pointer: bytes behind the begin of the object.
  unsigned Whose = 0;     ///< The parts that it is made of, or was chosen by (`PartSets`).

  static DividedNumber bits(std::uint64_t Bits, unsigned Parts = 0) { return {Kind::Bits, Parts, 0, Bits}; }
  static DividedNumber pointer(unsigned Object, std::uint64_t Bytes = 0) { return {Kind::Pointer, 0, Object, Bytes}; }
  bool isBits() const { return What == Kind::Bits; }
};

constexpr unsigned Drawn = 1, MixedParts = ~0U; ///< Which different operations made.
inline unsigned partsBy(Accumulation::Operation By) { return Drawn + 1 + static_cast<unsigned>(By); }
inline unsigned together(unsigned A, unsigned B) {
  return A <= Drawn || A == B ? std::max(A, B) : B <= Drawn ? A : MixedParts;
}

/// splitmix64 (Steele, Lea, Flood, OOPSLA 2014).
std::uint64_t mixed(std::uint64_t N);
template <class... Each> std::uint64_t drawn(Each... Key) {
  std::uint64_t N = 0;
  return ((N = mixed(N ^ static_cast<std::uint64_t>(Key))), ...);
}

/// An integer or a real number of 64 bits at most.
bool isNumber(const llvm::Type *T);
/// Nothing for what is no real number.
std::optional<double> real(const llvm::Type *T, std::uint64_t Bits);
std::uint64_t bitsOf(const llvm::Type *T, double Value);
/// Up to rounding, if parts are in it; what is not known is the same as nothing.
bool isSame(const llvm::Type *T, const DividedNumber &A, const DividedNumber &B);
/// Two of them become one.
DividedNumber joined(const llvm::Type *T, Accumulation::Operation By, const DividedNumber &A, const DividedNumber &B);
/// Of a row, as the key says. Sums are exact, and of multiples of 2^Scale; few of the other kinds make a difference.
DividedNumber element(const llvm::Type *T, Accumulation::Operation By, std::uint64_t Key, int Scale);
/// 1, -1, 0, another one, or nothing.
DividedNumber levelElement(const llvm::Type *T, unsigned Which);
/// One of any size, of real numbers one that goes on through many products: positive, negative, or either.
DividedNumber singleElement(const llvm::Type *T, unsigned Which, std::uint64_t Key);
constexpr unsigned DifferentLevels = 15; ///< `Which` with all of these.

} // namespace cufuse
