#include "SymbolicNumbers.h"

#include <llvm/IR/ConstantFold.h>
#include <llvm/IR/Constants.h>
#include <llvm/Support/MathExtras.h>

namespace cufuse {

using Value = SymbolicValue;

SymbolicNumber sum(SymbolicNumber A, SymbolicNumber B, std::int64_t Times) {
  return {A.Constant + Times * B.Constant, A.PerBlock + Times * B.PerBlock, A.PerGrid + Times * B.PerGrid};
}

std::int64_t wrapped(std::int64_t N, unsigned Bits) {
  return Bits >= 64 ? N : llvm::SignExtend64(static_cast<std::uint64_t>(N), Bits);
}
std::uint64_t positive(std::int64_t N, unsigned Bits) {
  return Bits >= 64 ? N : static_cast<std::uint64_t>(N) & ((std::uint64_t(1) << Bits) - 1);
}

/// Is A < B for each block of each grid? Nothing if that depends on them.
static std::optional<bool> isLess(SymbolicNumber A, SymbolicNumber B) {
  // 0 <= b < G: what is linear in b is least and largest at the ends, and there linear in G >= 1.
  auto IsPositive = [](SymbolicNumber N) {
    return N.Constant + N.PerGrid > 0 && N.PerGrid >= 0 && N.PerBlock + N.PerGrid >= 0;
  };
  const SymbolicNumber Difference = sum(B, A, -1), Opposite = sum(sum(A, B, -1), {1});
  if (IsPositive(Difference))
    return true;
  return IsPositive(Opposite) ? std::optional(false) : std::nullopt;
}

Value comparison(const llvm::ICmpInst &I, Value A, Value B) {
  using llvm::CmpInst;
  if (A.What != SymbolicValue::Kind::Number || B.What != SymbolicValue::Kind::Number)
    return {};
  const auto Of = [](bool Holds) { return Value::number(Holds ? -1 : 0); };
  if (A.isConstant() && B.isConstant() && I.getOperand(0)->getType()->isIntegerTy()) {
    const unsigned Bits = I.getOperand(0)->getType()->getIntegerBitWidth();
    return Of(llvm::ICmpInst::compare(llvm::APInt(Bits, positive(A.Number.Constant, Bits)),
                                      llvm::APInt(Bits, positive(B.Number.Constant, Bits)), I.getPredicate()));
  }
  const SymbolicNumber Negative{-1};
  if (I.isUnsigned() && !(isLess(Negative, A.Number).value_or(false) && isLess(Negative, B.Number).value_or(false)))
    return {};
  const auto Less = isLess(A.Number, B.Number), More = isLess(B.Number, A.Number);
  switch (llvm::ICmpInst::getSignedPredicate(I.getPredicate())) {
  case CmpInst::ICMP_SLT:
    return Less ? Of(*Less) : Value();
  case CmpInst::ICMP_SGT:
    return More ? Of(*More) : Value();
  case CmpInst::ICMP_SGE:
    return Less ? Of(!*Less) : Value();
  case CmpInst::ICMP_SLE:
    return More ? Of(!*More) : Value();
  default:
    return (Less && *Less) || (More && *More) ? Of(I.getPredicate() == CmpInst::ICMP_NE) : Value();
  }
}

Value integers(const llvm::BinaryOperator &I, Value A, Value B) {
  if (A.What != SymbolicValue::Kind::Number || B.What != SymbolicValue::Kind::Number)
    return {};
  const unsigned Bits = I.getType()->getIntegerBitWidth();
  if (A.isConstant() && B.isConstant()) {
    const auto Of = [&](Value Each) {
      return llvm::ConstantInt::get(I.getType(), positive(Each.Number.Constant, Bits));
    };
    auto *Folded =
        llvm::dyn_cast_or_null<llvm::ConstantInt>(llvm::ConstantFoldBinaryInstruction(I.getOpcode(), Of(A), Of(B)));
    return Folded ? Value::number(Folded->getSExtValue()) : Value();
  }
  switch (I.getOpcode()) {
  case llvm::Instruction::Add:
    return Value::number(sum(A.Number, B.Number));
  case llvm::Instruction::Sub:
    return Value::number(sum(A.Number, B.Number, -1));
  case llvm::Instruction::Mul:
    if (!B.isConstant())
      std::swap(A, B);
    return B.isConstant() ? Value::number(sum({}, A.Number, B.Number.Constant)) : Value();
  case llvm::Instruction::Shl:
    return B.isConstant() && B.Number.Constant >= 0 && B.Number.Constant < 32
               ? Value::number(sum({}, A.Number, std::int64_t(1) << B.Number.Constant))
               : Value();
  default:
    return {};
  }
}

} // namespace cufuse
