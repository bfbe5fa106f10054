#include "DividedNumbers.h"

#include <llvm/ADT/APFloat.h>

#include <array>
#include <cmath>

namespace cufuse {

using Number = DividedNumber;
using Operation = Accumulation::Operation;
using llvm::APFloat;
using llvm::APInt;

std::uint64_t mixed(std::uint64_t N) { // splitmix64, Steele et al., OOPSLA 2014
  N += 0x9e3779b97f4a7c15;
  N = (N ^ (N >> 30)) * 0xbf58476d1ce4e5b9;
  N = (N ^ (N >> 27)) * 0x94d049bb133111eb;
  return N ^ (N >> 31);
}

std::optional<double> real(const llvm::Type *T, std::uint64_t Bits) {
  if (!T->isFloatingPointTy())
    return std::nullopt;
  APFloat F(T->getFltSemantics(), APInt(T->getPrimitiveSizeInBits(), Bits, false, true));
  bool Lost = false;
  F.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &Lost);
  return F.convertToDouble();
}
std::uint64_t bitsOf(const llvm::Type *T, double Value) {
  APFloat F(Value);
  bool Lost = false;
  F.convert(T->getFltSemantics(), APFloat::rmNearestTiesToEven, &Lost);
  return F.bitcastToAPInt().getZExtValue();
}
/// Its lower bits.
static std::uint64_t ofInteger(const llvm::Type *T, std::uint64_t N) {
  return APInt(T->getIntegerBitWidth(), N, false, true).getZExtValue();
}
bool isNumber(const llvm::Type *T) {
  return (T->isIntegerTy() || T->isHalfTy() || T->isBFloatTy() || T->isFloatTy() || T->isDoubleTy()) &&
         T->getPrimitiveSizeInBits() <= 64;
}

bool isSame(const llvm::Type *T, const Number &A, const Number &B) {
  if (A.What != B.What || A.What == Number::Kind::Unknown || A.What == Number::Kind::Members)
    return false;
  const auto X = A.isBits() ? real(T, A.Bits) : std::nullopt, Y = A.isBits() ? real(T, B.Bits) : std::nullopt;
  if (!X || A.Bits == B.Bits || std::max(A.Parts, B.Parts) <= Drawn) // no order of parts rounds these
    return A.Bits == B.Bits && A.Object == B.Object;
  const double Rounding = T->getPrimitiveSizeInBits() < 32 ? 0.02 : 1e-4;
  return std::abs(*X - *Y) <= Rounding * std::max(std::abs(*X), std::abs(*Y));
}

Number joined(const llvm::Type *T, Operation By, const Number &A, const Number &B) {
  if (!A.isBits() || !B.isBits() || !isNumber(T))
    return {};
  const unsigned Parts = together(A.Parts, B.Parts);
  auto Bits = [&](const APInt &N) { return Number::bits(N.getZExtValue(), Parts); };
  if (const auto X = real(T, A.Bits), Y = real(T, B.Bits); X && Y) {
    const double Both = By == Operation::Sum                                       ? *X + *Y
                        : By == Operation::Product                                 ? *X * *Y
                        : By == Operation::Most || By == Operation::UnsignedMost   ? std::fmax(*X, *Y)
                        : By == Operation::Least || By == Operation::UnsignedLeast ? std::fmin(*X, *Y)
                                                                                   : std::nan("");
    return Number::bits(bitsOf(T, Both), Parts);
  }
  const APInt X(T->getIntegerBitWidth(), A.Bits, false, true), Y(T->getIntegerBitWidth(), B.Bits, false, true);
  switch (By) {
  case Operation::Sum:
    return Bits(X + Y);
  case Operation::Product:
    return Bits(X * Y);
  case Operation::Most:
    return Bits(X.sgt(Y) ? X : Y);
  case Operation::UnsignedMost:
    return Bits(X.ugt(Y) ? X : Y);
  case Operation::Least:
    return Bits(X.slt(Y) ? X : Y);
  case Operation::UnsignedLeast:
    return Bits(X.ult(Y) ? X : Y);
  case Operation::And:
    return Bits(X & Y);
  case Operation::Or:
    return Bits(X | Y);
  case Operation::Xor:
    return Bits(X ^ Y);
  case Operation::Unknown:
    break;
  }
  return {};
}

Number element(const llvm::Type *T, Operation By, std::uint64_t Key, int Scale) {
  if (!isNumber(T))
    return {};
  const bool IsSmall = T->isFloatingPointTy() && T->getPrimitiveSizeInBits() < 32;
  if (IsSmall)
    Scale = -3;
  auto Value = [&](std::int64_t N) {
    if (T->isFloatingPointTy())
      return Number::bits(bitsOf(T, std::ldexp(static_cast<double>(N), Scale)));
    const std::int64_t Times = Scale > 0 ? N * (std::int64_t(1) << Scale) + N % 7 : N;
    return Number::bits(ofInteger(T, static_cast<std::uint64_t>(Times)));
  };
  auto Bits = [&](std::uint64_t N) {
    return Number::bits(APInt(T->getPrimitiveSizeInBits(), N, false, true).getZExtValue());
  };
  const std::uint64_t One = std::uint64_t(1) << Key / 64 % T->getPrimitiveSizeInBits();
  switch (By) {
  case Operation::Sum:
    return Value(static_cast<std::int64_t>(Key % 31) - 10);
  case Operation::Product:
    return T->isFloatingPointTy() ? Number::bits(bitsOf(T, Key % 16       ? 1
                                                           : Key / 16 % 2 ? -2
                                                                          : 0.5))
                                  : Bits(Key % 31 * 2 + 1);
  case Operation::And:
    return Bits(Key % 16 ? ~std::uint64_t(0) : ~One);
  case Operation::Or:
    return Bits(Key % 16 ? 0 : One);
  case Operation::Xor:
    return Bits(Key / 64);
  default:
    return Value(static_cast<std::int64_t>(Key % 2001) - 1000);
  }
}

Number levelElement(const llvm::Type *T, unsigned Which) {
  struct Level {
    double Real;
    std::int64_t Integer;
  };
  constexpr std::array<std::optional<Level>, 5> Levels = {Level{1, 1}, Level{-1, -1}, Level{0, 0},
                                                          Level{0.75, 0x5a5a5a5b}, std::nullopt};
  const auto Level = Levels[Which % Levels.size()];
  if (!Level || !isNumber(T))
    return {};
  return Number::bits(T->isIntegerTy() ? ofInteger(T, static_cast<std::uint64_t>(Level->Integer))
                                       : bitsOf(T, Level->Real));
}

Number singleElement(const llvm::Type *T, unsigned Which, std::uint64_t Key) {
  if (!isNumber(T))
    return {};
  const unsigned Signs = Which / 5 % 3;
  const bool Negative = Signs == 2 ? Key % 2 != 0 : Signs == 1;
  const auto Size = static_cast<std::int64_t>(Key >> 34);
  if (T->isIntegerTy())
    return Number::bits(ofInteger(T, static_cast<std::uint64_t>(Negative ? -Size : Size)));
  return Number::bits(bitsOf(T, std::ldexp(static_cast<double>(2 + Size % 8), -3) * (Negative ? -1 : 1)));
}

} // namespace cufuse
