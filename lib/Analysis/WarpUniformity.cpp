// What a warp's lanes agree on, by the numbers of its threads.
#include "cufuse/Analysis/Uniformity.h"

#include "cufuse/Analysis/AllIn.h"
#include "cufuse/Analysis/BuiltinVariables.h"
#include "cufuse/Support/BlockShape.h"

namespace cufuse {

namespace {

bool isWide(clang::QualType T, const clang::ASTContext &Context) {
  return T->isIntegerType() && !T->isBooleanType() && Context.getTypeSize(T) >= 32;
}

/// Without parentheses and conversions among integers of at least 32 bits, which keep the lowest five.
const clang::Expr *plain(const clang::Expr *E, const clang::ASTContext &Context) {
  while (true) {
    E = E->IgnoreParens();
    if (auto *Object = llvm::dyn_cast<clang::PseudoObjectExpr>(E)) {
      E = Object->getSyntacticForm();
    } else if (auto *Cast = llvm::dyn_cast<clang::CastExpr>(E);
               Cast && isWide(Cast->getType(), Context) && isWide(Cast->getSubExpr()->getType(), Context)) {
      E = Cast->getSubExpr();
    } else {
      return E;
    }
  }
}

bool is(const clang::Expr *E, Builtin B, unsigned Dimension) { return builtinMember(E) == std::pair(B, Dimension); }

/// The value of an integer constant, as 64 bits with sign.
std::optional<int64_t> constantOf(const clang::Expr *E, const clang::ASTContext &Context) {
  clang::Expr::EvalResult Value;
  if (E->isValueDependent() || !E->getType()->isIntegerType() || !E->EvaluateAsInt(Value, Context))
    return std::nullopt;
  return static_cast<int64_t>(Value.Val.getInt().extOrTrunc(64).getZExtValue());
}

bool isFullMask(const clang::Expr *E, const clang::ASTContext &Context) {
  const std::optional<int64_t> Mask = constantOf(E, Context);
  return Mask && static_cast<uint32_t>(*Mask) == 0xffffffffu;
}

} // namespace

/// What a variable that is never written again was declared with, or the expression itself.
const clang::Expr *Uniformity::onlyValue(const clang::Expr *E) const {
  const clang::ASTContext &Context = Reach.Kernel->getASTContext();
  for (unsigned Steps = 0; Steps < 16; ++Steps) {
    E = plain(E, Context);
    auto *Reference = llvm::dyn_cast<clang::DeclRefExpr>(E);
    auto *V = Reference ? llvm::dyn_cast<clang::VarDecl>(Reference->getDecl()) : nullptr;
    if (!V || !V->hasLocalStorage() || llvm::isa<clang::ParmVarDecl>(V) || !V->getInit() || Written.contains(V) ||
        !isWide(V->getType(), Context))
      break;
    E = V->getInit();
  }
  return E;
}

/// A multiple of 32 that is the same in all lanes.
bool Uniformity::isWholeWarps(const clang::Expr *E) const {
  E = onlyValue(E);
  if (const auto Value = constantOf(E, Reach.Kernel->getASTContext()))
    return *Value % WarpSize == 0;
  if (is(E, Builtin::BlockDim, 0))
    return true;
  auto *Binary = llvm::dyn_cast<clang::BinaryOperator>(E);
  if (!Binary || of(E) != Uniform::Yes)
    return false;
  if (Binary->getOpcode() == clang::BO_Mul)
    return isWholeWarps(Binary->getLHS()) || isWholeWarps(Binary->getRHS());
  return (Binary->getOpcode() == clang::BO_Add || Binary->getOpcode() == clang::BO_Sub) &&
         isWholeWarps(Binary->getLHS()) && isWholeWarps(Binary->getRHS());
}

/// A multiple of 32 that is the same in all lanes, and threadIdx.x.
bool Uniformity::isLaneNumber(const clang::Expr *E) const {
  E = onlyValue(E);
  if (is(E, Builtin::ThreadIdx, 0))
    return true;
  auto *Binary = llvm::dyn_cast<clang::BinaryOperator>(E);
  if (!Binary)
    return false;
  if (Binary->getOpcode() == clang::BO_Add)
    return (isLaneNumber(Binary->getLHS()) && isWholeWarps(Binary->getRHS())) ||
           (isWholeWarps(Binary->getLHS()) && isLaneNumber(Binary->getRHS()));
  return Binary->getOpcode() == clang::BO_Sub && isLaneNumber(Binary->getLHS()) && isWholeWarps(Binary->getRHS());
}

Uniformity::WarpRule Uniformity::byWarps(const clang::Expr *E) const {
  auto AlwaysIf = [](bool Holds) { return Holds ? WarpRule::Always : WarpRule::None; };
  const clang::ASTContext &Context = Reach.Kernel->getASTContext();
  if (const auto Read = builtinMember(E))
    return AlwaysIf(!(*Read == std::pair(Builtin::ThreadIdx, 0u)));
  // All lanes take part, so all are given the same.
  if (auto *Call = llvm::dyn_cast<clang::CallExpr>(E); Call && Call->getDirectCallee()) {
    const clang::FunctionDecl &Callee = *Call->getDirectCallee();
    if (classify(Callee) != Intrinsic::WarpPrimitive || Call->getNumArgs() < 2 || !isFullMask(Call->getArg(0), Context))
      return WarpRule::None;
    const llvm::StringRef Name = Callee.getName();
    return AlwaysIf(Name == "__any_sync" || Name == "__all_sync" || Name == "__ballot_sync" ||
                    Name.starts_with("__reduce_") ||
                    (Name == "__shfl_sync" && Call->getNumArgs() > 3 &&
                     llvm::isa<clang::CXXDefaultArgExpr>(Call->getArg(3)) && of(Call->getArg(2)) == Uniform::Yes));
  }
  auto *Binary = llvm::dyn_cast<clang::BinaryOperator>(E);
  if (!Binary)
    return WarpRule::None;
  const clang::Expr *Left = Binary->getLHS(), *Right = Binary->getRHS();
  const auto Value = constantOf(Right, Context);
  switch (Binary->getOpcode()) {
  case clang::BO_Div: {
    if (!Value || *Value <= 0 || *Value % WarpSize != 0 || !isLaneNumber(Left))
      return WarpRule::None;
    if (Left->getType()->isUnsignedIntegerType())
      return WarpRule::Always;
    // A negative number would be rounded up in all lanes but the first.
    const clang::Expr *Number = onlyValue(Left);
    if (is(Number, Builtin::ThreadIdx, 0))
      return WarpRule::Always;
    auto *Sum = llvm::dyn_cast<clang::BinaryOperator>(Number);
    if (!Sum || Sum->getOpcode() != clang::BO_Add)
      return WarpRule::None;
    for (auto [Start, Thread] : {std::pair(Sum->getLHS(), Sum->getRHS()), std::pair(Sum->getRHS(), Sum->getLHS())}) {
      auto *Product = llvm::dyn_cast<clang::BinaryOperator>(onlyValue(Start));
      if (!is(onlyValue(Thread), Builtin::ThreadIdx, 0) || !Product || Product->getOpcode() != clang::BO_Mul)
        continue;
      const clang::Expr *One = onlyValue(Product->getLHS()), *Other = onlyValue(Product->getRHS());
      if ((is(One, Builtin::BlockIdx, 0) && is(Other, Builtin::BlockDim, 0)) ||
          (is(One, Builtin::BlockDim, 0) && is(Other, Builtin::BlockIdx, 0)))
        return WarpRule::ForSmallNumbers;
    }
    return WarpRule::None;
  }
  case clang::BO_Shr:
    return AlwaysIf(Value && *Value >= 5 && *Value < 32 && isLaneNumber(Left));
  case clang::BO_And:
    return AlwaysIf((isLaneNumber(Left) && Value && *Value % WarpSize == 0) ||
                    (isLaneNumber(Right) && constantOf(Left, Context).value_or(1) % WarpSize == 0));
  // A multiple of 32 does not lie between two lanes.
  case clang::BO_LT:
  case clang::BO_GE:
    return AlwaysIf(isLaneNumber(Left) && isWholeWarps(Right));
  case clang::BO_GT:
  case clang::BO_LE:
    return AlwaysIf(isWholeWarps(Left) && isLaneNumber(Right));
  default:
    return WarpRule::None;
  }
}

/// Is a signed thread number divided anywhere in the user's functions?
bool Uniformity::dividesThreadNumbers() const {
  return llvm::any_of(Reach.Functions, [&](const auto &Each) {
    const auto &[Function, Use] = Each;
    return !Use.System && llvm::any_of(allIn<clang::BinaryOperator>(*Function->getBody()), [&](auto *E) {
      return E->getOpcode() == clang::BO_Div && byWarps(E) == WarpRule::ForSmallNumbers;
    });
  });
}

} // namespace cufuse
