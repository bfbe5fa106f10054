// Integers of a block that is run on symbols, and what else its values are.
#pragma once

#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Instructions.h>

#include <cstdint>

namespace cufuse {

/// Constant + PerBlock * blockIdx.x + PerGrid * gridDim.x.
struct SymbolicNumber {
  std::int64_t Constant = 0, PerBlock = 0, PerGrid = 0;
  bool isConstant() const { return PerBlock == 0 && PerGrid == 0; }
  friend auto operator<=>(const SymbolicNumber &, const SymbolicNumber &) = default;
};

struct SymbolicValue {
  enum class Kind : std::uint8_t {
    Unknown,
    Number,
    Pointer,    ///< `Number` bytes behind the begin of object `Of`.
    Real,       ///< Term `Of`.
    Pair,       ///< Two halves in 32 bits: terms `Of`, in the lower ones, and `Other`.
    Comparison, ///< Is term `Of` larger than `Other`, or equal?
  } What = Kind::Unknown;
  unsigned Of = 0, Other = 0;
  SymbolicNumber Number = {};

  static SymbolicValue number(std::int64_t Constant) { return {Kind::Number, 0, 0, {Constant}}; }
  static SymbolicValue number(SymbolicNumber N) { return {Kind::Number, 0, 0, N}; }
  static SymbolicValue real(unsigned Term) { return {Kind::Real, Term}; }
  static SymbolicValue pointer(unsigned Object, SymbolicNumber Bytes = {}) { return {Kind::Pointer, Object, 0, Bytes}; }
  bool isConstant() const { return What == Kind::Number && Number.isConstant(); }
};

/// A + Times * B.
SymbolicNumber sum(SymbolicNumber A, SymbolicNumber B, std::int64_t Times = 1);

/// Numbers of fewer bits than 64 are kept with their sign.
std::int64_t wrapped(std::int64_t N, unsigned Bits);
std::uint64_t positive(std::int64_t N, unsigned Bits);

/// What the instruction makes of the operands: -1 if a comparison holds. Unknown where blocks or grids differ in it, or
/// it is no such number.
SymbolicValue comparison(const llvm::ICmpInst &I, SymbolicValue A, SymbolicValue B);
SymbolicValue integers(const llvm::BinaryOperator &I, SymbolicValue A, SymbolicValue B);

} // namespace cufuse
