#include "Evaluate.h"

#include "Expressions.h"
#include "cufuse/Analysis/BuiltinVariables.h"

namespace cufuse {

/// `Left < Right`; else, `Right < Left + 1`. Without a constant on the left.
static Condition less(const Polynomial &Left, const Polynomial &Right) {
  auto Side = [](Polynomial Lower, Polynomial Upper) -> Condition::Side {
    if (auto Constant = Lower.terms().find({}); Constant != Lower.terms().end()) {
      const Polynomial Moved = Polynomial::constant(Constant->second);
      Lower = Lower - Moved;
      Upper = Upper - Moved;
    }
    return {{{std::move(Lower), std::move(Upper)}}, true};
  };
  return {{Side(Right, Left + Polynomial::constant(1)), Side(Left, Right)}};
}

PathStep Evaluator::branch(const Condition &C, unsigned Id, bool Taken, const clang::Expr *Written,
                           const clang::Stmt *Of) const {
  PathStep Step;
  Step.What = PathStep::Kind::Branch;
  Step.Id = Id;
  Step.Taken = Taken;
  Step.Holds = C.Sides[Taken].Holds;
  Step.Exact = C.Sides[Taken].Exact;
  Step.Text = text(Written);
  Step.Where = Unit.place(Written->getBeginLoc());
  Step.Statement = Controls.numberOf(Of);
  return Step;
}

Value Evaluator::conditional(const clang::ConditionalOperator *E) {
  const Condition C = condition(E->getCond());
  const unsigned Id = NextBranch++;
  auto Side = [&](const clang::Expr *Value, bool Taken) {
    Path.push_back(branch(C, Id, Taken, E->getCond()));
    struct Value V;
    if (Value->isGLValue())
      argument(Value, !Value->getType().isConstQualified());
    else
      V = eval(Value);
    Path.pop_back();
    return V;
  };
  auto Before = Variables;
  const Value L = Side(E->getTrueExpr(), true);
  const auto AfterTrue = std::exchange(Variables, std::move(Before));
  const Value R = Side(E->getFalseExpr(), false);
  forgetUnless(AfterTrue);
  return L == R ? L : used({{&L, E->getTrueExpr()}, {&R, E->getFalseExpr()}});
}

/// Of the thread in its block, or of the block in its grid.
static bool isIndex(const Polynomial &P) {
  for (Builtin B : {Builtin::ThreadIdx, Builtin::BlockIdx})
    for (int D = 0; D < 3; ++D)
      if (P == Polynomial::atom(builtinAtom(B, D)))
        return true;
  return false;
}

Condition Evaluator::condition(const clang::Expr *E) {
  E = plain(E);
  if (auto *Cast = llvm::dyn_cast<clang::CastExpr>(E); Cast && Cast->getCastKind() == clang::CK_NoOp)
    return condition(Cast->getSubExpr());
  if (auto *Unary = llvm::dyn_cast<clang::UnaryOperator>(E); Unary && Unary->getOpcode() == clang::UO_LNot) {
    Condition C = condition(Unary->getSubExpr());
    std::swap(C.Sides[false], C.Sides[true]);
    return C;
  }
  auto *Binary = llvm::dyn_cast<clang::BinaryOperator>(E);
  if (Binary && Binary->isLogicalOp()) {
    const bool Both = Binary->getOpcode() == clang::BO_LAnd; // else neither
    Condition C = condition(Binary->getLHS());
    Path.push_back(branch(C, NextBranch++, Both, Binary->getLHS()));
    const auto Before = Variables;
    const Condition Right = condition(Binary->getRHS());
    forgetUnless(Before);
    Path.pop_back();
    llvm::append_range(C.Sides[Both].Holds, Right.Sides[Both].Holds);
    C.Sides[Both].Exact &= Right.Sides[Both].Exact;
    C.Sides[!Both] = {}; // one of them, but not which
    return C;
  }
  // `threadIdx.x == 0`, `!= 0` or by itself, or of a variable that is the index: indices are not negative.
  auto *Truth = llvm::dyn_cast<clang::CastExpr>(E);
  clang::Expr::EvalResult Right;
  const clang::Expr *Compared = nullptr;
  if (Truth && Truth->getCastKind() == clang::CK_IntegralToBoolean)
    Compared = Truth->getSubExpr();
  else if (Binary && Binary->isEqualityOp() && Binary->getRHS()->EvaluateAsInt(Right, Context) &&
           Right.Val.getInt().isZero())
    Compared = Binary->getLHS();
  if (const clang::Expr *Named = Compared ? plain(Compared)->IgnoreParenImpCasts() : nullptr;
      Named && (builtinMember(Named) || llvm::isa<clang::DeclRefExpr>(Named)))
    if (const Value Index = eval(Compared); Index.What == Value::Kind::Integer && isIndex(Index.P)) {
      Condition IsFirst = less(Index.P, Polynomial::constant(1));
      if (Truth || Binary->getOpcode() == clang::BO_NE)
        std::swap(IsFirst.Sides[false], IsFirst.Sides[true]);
      return IsFirst;
    }
  if (!Binary || !Binary->isRelationalOp()) {
    use(eval(E), E);
    return {};
  }
  const Value L = eval(Binary->getLHS()), R = eval(Binary->getRHS());
  if (L.What != Value::Kind::Integer || R.What != Value::Kind::Integer) {
    used({{&L, Binary->getLHS()}, {&R, Binary->getRHS()}});
    return {};
  }
  if (Binary->getLHS()->getType()->isUnsignedIntegerType())
    for (const auto &[Parameter, Name] : Names)
      if (Parameter->getType()->isSignedIntegerType() && (L.P.contains(Name) || R.P.contains(Name)))
        Result.ComparedUnsigned.insert(Name);
  const Polynomial One = Polynomial::constant(1);
  switch (Binary->getOpcode()) {
  case clang::BO_LT:
    return less(L.P, R.P);
  case clang::BO_GT:
    return less(R.P, L.P);
  case clang::BO_LE:
    return less(L.P, R.P + One);
  default:
    return less(R.P, L.P + One);
  }
}

} // namespace cufuse
