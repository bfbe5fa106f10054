// What numbers a block computes, where a compiler could.
#include "BlockRunner.h"

#include <llvm/ADT/StringSwitch.h>
#include <llvm/Analysis/ConstantFolding.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/GetElementPtrTypeIterator.h>
#include <llvm/IR/GlobalVariable.h>

namespace cufuse {

using Number = DividedNumber;
using Operation = Accumulation::Operation;
using llvm::APFloat;
using llvm::APInt;

std::optional<std::int64_t> BlockRunner::known(const Number &N) const {
  return N.isBits() ? std::optional(static_cast<std::int64_t>(N.Bits)) : std::nullopt;
}

Number BlockRunner::of(Thread &T, const llvm::Value *V) {
  if (auto *I = llvm::dyn_cast<llvm::Instruction>(V))
    return T.Values[Slots.lookup(I)];
  if (auto *A = llvm::dyn_cast<llvm::Argument>(V))
    return A->getType()->isPointerTy() ? Number::pointer(object(A->getArgNo(), true)) : argument(*A);
  if (auto *C = llvm::dyn_cast<llvm::ConstantInt>(V))
    return C->getBitWidth() <= 64 ? Number::bits(C->getZExtValue()) : Number();
  if (auto *C = llvm::dyn_cast<llvm::ConstantFP>(V))
    return isNumber(C->getType()) ? Number::bits(C->getValueAPF().bitcastToAPInt().getZExtValue()) : Number();
  if (llvm::isa<llvm::ConstantPointerNull>(V))
    return Number::pointer(0);
  constexpr unsigned Shared = 3; // address space; what is in others outlives the block
  if (auto *Global = llvm::dyn_cast<llvm::GlobalVariable>(V)) {
    constexpr std::uint64_t DynamicShared = 1; // arrays of the launch's size all begin in one place
    const bool IsShared = Global->getAddressSpace() == Shared;
    return Number::pointer(object(
        IsShared && Global->isDeclaration() ? DynamicShared : reinterpret_cast<std::uintptr_t>(Global), !IsShared));
  }
  auto *C = llvm::dyn_cast<llvm::Constant>(V);
  if (auto *Gep = llvm::dyn_cast_or_null<llvm::GEPOperator>(C))
    return movedFrom(T, *Gep);
  if (auto *Expression = llvm::dyn_cast_or_null<llvm::ConstantExpr>(C); Expression && Expression->isCast())
    return of(T, Expression->getOperand(0));
  if (C && !llvm::isa<llvm::UndefValue>(C) && C->getAggregateElement(0U)) {
    std::vector<Number> All;
    for (unsigned I = 0; const llvm::Constant *Each = C->getAggregateElement(I); ++I)
      All.push_back(of(T, Each));
    return members(std::move(All));
  }
  return {};
}

Number BlockRunner::movedFrom(Thread &T, const llvm::GEPOperator &Gep) {
  Number To = of(T, Gep.getPointerOperand());
  if (To.What != Number::Kind::Pointer)
    return {};
  for (auto Step = llvm::gep_type_begin(Gep); Step != llvm::gep_type_end(Gep); ++Step) {
    const Number Index = of(T, Step.getOperand());
    if (!Index.isBits())
      return {};
    if (llvm::StructType *Struct = Step.getStructTypeOrNull()) {
      To.Bits += Layout.getStructLayout(Struct)->getElementOffset(static_cast<unsigned>(Index.Bits));
      continue;
    }
    const unsigned Bits = Step.getOperand()->getType()->getIntegerBitWidth();
    To.Bits += static_cast<std::uint64_t>(APInt(Bits, Index.Bits, false, true).getSExtValue()) *
               Step.getSequentialElementStride(Layout).getFixedValue();
    To.Parts = together(To.Parts, Index.Parts);
  }
  return To;
}

static const llvm::Constant *constant(llvm::Type *T, const Number &N) {
  if (N.What == Number::Kind::Pointer && N.Object == 0 && T->isPointerTy())
    return llvm::Constant::getNullValue(T);
  if (!N.isBits() || !isNumber(T))
    return nullptr;
  const APInt Bits(T->getPrimitiveSizeInBits(), N.Bits, false, true);
  return T->isIntegerTy() ? static_cast<const llvm::Constant *>(llvm::ConstantInt::get(T, Bits))
                          : llvm::ConstantFP::get(T->getContext(), APFloat(T->getFltSemantics(), Bits));
}

Number BlockRunner::ofConstant(Thread &T, const llvm::Constant *C, unsigned Parts) {
  Number Result = C ? of(T, C) : Number();
  Result.Parts = Result.isBits() ? Parts : 0;
  return Result;
}

static bool isInteger(const llvm::Type &T) { return T.isIntegerTy() && T.getIntegerBitWidth() <= 64; }

/// Constants are kept as long as LLVM's context is: these are too many for that.
static Number ofIntegers(const llvm::Instruction &I, const Number &A, const Number &B) {
  const unsigned Bits = I.getOperand(0)->getType()->getIntegerBitWidth();
  if (llvm::isa<llvm::SExtInst, llvm::ZExtInst, llvm::TruncInst>(I)) {
    const APInt Own(Bits, A.Bits, false, true);
    const unsigned To = I.getType()->getIntegerBitWidth();
    return Number::bits((llvm::isa<llvm::SExtInst>(I) ? Own.sextOrTrunc(To) : Own.zextOrTrunc(To)).getZExtValue(),
                        A.Parts);
  }
  if (auto *Compare = llvm::dyn_cast<llvm::ICmpInst>(&I)) {
    const APInt X(Bits, A.Bits, false, true), Y(Bits, B.Bits, false, true);
    return Number::bits(llvm::ICmpInst::compare(X, Y, Compare->getPredicate()), together(A.Parts, B.Parts));
  }
  const Operation By = Accumulation::operation(I, 0);
  const Number Subtracted = joined(I.getType(), Operation::Product, B, Number::bits(~std::uint64_t(0)));
  return joined(I.getType(), By, A, I.getOpcode() == llvm::Instruction::Sub ? Subtracted : B);
}

Number BlockRunner::folded(Thread &T, const llvm::Instruction &I, unsigned Operands) {
  if (llvm::isa<llvm::ICmpInst, llvm::BinaryOperator, llvm::CastInst>(I) && isInteger(*I.getOperand(0)->getType()) &&
      isInteger(*I.getType())) {
    const Number A = of(T, I.getOperand(0)), B = of(T, I.getOperand(Operands - 1));
    if (const Number Known = A.isBits() && B.isBits() ? ofIntegers(I, A, B) : Number(); Known.isBits())
      return Known;
  }
  llvm::SmallVector<llvm::Constant *, 4> Given;
  unsigned Parts = 0;
  for (unsigned At = 0; At < Operands; ++At) {
    const Number N = of(T, I.getOperand(At));
    const llvm::Constant *C = constant(I.getOperand(At)->getType(), N);
    if (!C)
      return {};
    Given.push_back(const_cast<llvm::Constant *>(C));
    Parts = together(Parts, N.Parts);
  }
  if (auto *Call = llvm::dyn_cast<llvm::CallBase>(&I)) {
    llvm::Function *Callee = Call->getCalledFunction();
    return llvm::canConstantFoldCallTo(Call, Callee) ? ofConstant(T, llvm::ConstantFoldCall(Call, Callee, Given), Parts)
                                                     : Number();
  }
  if (auto *Compare = llvm::dyn_cast<llvm::CmpInst>(&I))
    return ofConstant(T, llvm::ConstantFoldCompareInstOperands(Compare->getPredicate(), Given[0], Given[1], Layout),
                      Parts);
  return ofConstant(T, llvm::ConstantFoldInstOperands(const_cast<llvm::Instruction *>(&I), Given, Layout), Parts);
}

Operation BlockRunner::named(llvm::StringRef Word) {
  return llvm::StringSwitch<Operation>(Word)
      .Cases({"add", "fadd"}, Operation::Sum)
      .Cases({"max", "fmax"}, Operation::Most)
      .Cases({"min", "fmin"}, Operation::Least)
      .Case("umax", Operation::UnsignedMost)
      .Case("umin", Operation::UnsignedLeast)
      .Case("and", Operation::And)
      .Case("or", Operation::Or)
      .Case("xor", Operation::Xor)
      .Default(Operation::Unknown);
}

Number BlockRunner::special(const Thread &T, llvm::StringRef Register) const {
  const unsigned Lane = lane(T);
  const auto Own = llvm::StringSwitch<std::optional<unsigned>>(Register)
                       .Case("tid.x", T.X)
                       .Case("tid.y", T.Y)
                       .Case("tid.z", T.Z)
                       .Case("ntid.x", Block.X)
                       .Case("ntid.y", Block.Y)
                       .Case("ntid.z", Block.Z)
                       .Case("ctaid.x", Grid.First)
                       .Case("nctaid.x", Grid.Blocks)
                       .Cases({"ctaid.y", "ctaid.z"}, 0)
                       .Cases({"nctaid.y", "nctaid.z"}, 1)
                       .Case("warpsize", 32)
                       .Case("laneid", Lane)
                       .Case("lanemask.eq", 1U << Lane)
                       .Case("lanemask.lt", (1U << Lane) - 1)
                       .Case("lanemask.le", (2U << Lane) - 1)
                       .Case("lanemask.gt", ~((2U << Lane) - 1))
                       .Case("lanemask.ge", ~((1U << Lane) - 1))
                       .Default(std::nullopt);
  return Own ? Number::bits(*Own, Register.contains("ctaid") ? Drawn : 0) : Number();
}

std::optional<Number> BlockRunner::compute(Thread &T, const llvm::Instruction &I) {
  const auto Operand = [&](unsigned At) { return of(T, I.getOperand(At)); };
  if (auto *Binary = llvm::dyn_cast<llvm::BinaryOperator>(&I)) {
    if (Binary->isIntDivRem() && Operand(1).isBits() && Operand(1).Bits == 0) {
      IsNoLaunch = true;
      stop(&I, "it divides by zero");
    }
    return folded(T, I, 2);
  }
  if (llvm::isa<llvm::SelectInst>(I)) {
    const Number If = Operand(0);
    Number Taken = If.isBits() ? Operand(If.Bits != 0 ? 1 : 2) : Number();
    Taken.Parts = together(If.Parts, Taken.Parts);
    return Taken;
  }
  if (auto *Gep = llvm::dyn_cast<llvm::GEPOperator>(&I))
    return movedFrom(T, *Gep);
  if (llvm::isa<llvm::AllocaInst>(I))
    return Number::pointer(object(Slots.lookup(&I), false, T.Number + 1));
  if (auto *Load = llvm::dyn_cast<llvm::LoadInst>(&I))
    return load(Load->getType(), Operand(0));
  if (auto *Store = llvm::dyn_cast<llvm::StoreInst>(&I))
    return store(I, Store->getValueOperand()->getType(), Operand(1), Operand(0)) ? std::optional(Number())
                                                                                 : std::nullopt;
  if (auto *Of = llvm::dyn_cast<llvm::ExtractValueInst>(&I))
    return Of->getNumIndices() == 1 ? member(Operand(0), Of->getIndices()[0]) : Number();
  if (llvm::isa<llvm::ExtractElementInst>(I))
    return Operand(1).isBits() ? member(Operand(0), Operand(1).Bits) : Number();
  if (auto *To = llvm::dyn_cast<llvm::InsertValueInst>(&I))
    return To->getNumIndices() == 1 ? with(I.getType(), Operand(0), To->getIndices()[0], Operand(1)) : Number();
  if (llvm::isa<llvm::InsertElementInst>(I))
    return Operand(2).isBits() ? with(I.getType(), Operand(0), Operand(2).Bits, Operand(1)) : Number();
  if (I.mayHaveSideEffects())
    return std::nullopt;
  if (llvm::isa<llvm::FreezeInst, llvm::AddrSpaceCastInst>(I) ||
      (llvm::isa<llvm::BitCastInst>(I) && isNumber(I.getType()) && isNumber(I.getOperand(0)->getType())))
    return Operand(0);
  return llvm::isa<llvm::CastInst, llvm::UnaryOperator>(I) || llvm::isa<llvm::CmpInst>(I)
             ? folded(T, I, I.getNumOperands())
             : Number();
}

} // namespace cufuse
