#include "Evaluate.h"

#include "Expressions.h"
#include "cufuse/Analysis/BuiltinVariables.h"

namespace cufuse {

bool Condition::known(bool Truth, std::vector<Less> &Holds) const {
  switch (What) {
  case Kind::Unknown:
    return false;
  case Kind::Less: { // not l < r: r < l + 1
    Less L = Truth ? Compared : Less{Compared.Right, Compared.Left + Polynomial::constant(1)};
    if (auto Constant = L.Left.terms().find({}); Constant != L.Left.terms().end()) {
      const Polynomial Moved = Polynomial::constant(Constant->second);
      L = {L.Left - Moved, L.Right - Moved};
    }
    Holds.push_back(std::move(L));
    return true;
  }
  case Kind::Not:
    return Parts[0].known(!Truth, Holds);
  case Kind::And:
  case Kind::Or: {
    if ((What == Kind::And) != Truth)
      return false; // one of them, but not which
    const bool First = Parts[0].known(Truth, Holds);
    return Parts[1].known(Truth, Holds) && First;
  }
  }
  return false;
}

PathStep Evaluator::branch(const Condition &C, unsigned Id, bool Taken, const clang::Expr *Written,
                           const clang::Stmt *Of) const {
  PathStep Step;
  Step.What = PathStep::Kind::Branch;
  Step.Id = Id;
  Step.Taken = Taken;
  Step.Exact = C.known(Taken, Step.Holds);
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
  Condition C;
  if (auto *Unary = llvm::dyn_cast<clang::UnaryOperator>(E); Unary && Unary->getOpcode() == clang::UO_LNot) {
    C.What = Condition::Kind::Not;
    C.Parts.push_back(condition(Unary->getSubExpr()));
    return C;
  }
  auto *Binary = llvm::dyn_cast<clang::BinaryOperator>(E);
  if (Binary && Binary->isLogicalOp()) {
    C.What = Binary->getOpcode() == clang::BO_LAnd ? Condition::Kind::And : Condition::Kind::Or;
    C.Parts.push_back(condition(Binary->getLHS()));
    Path.push_back(branch(C.Parts[0], NextBranch++, C.What == Condition::Kind::And, Binary->getLHS()));
    const auto Before = Variables;
    C.Parts.push_back(condition(Binary->getRHS()));
    forgetUnless(Before);
    Path.pop_back();
    return C;
  }
  if (Binary && Binary->getOpcode() == clang::BO_EQ) {
    // `threadIdx.x == 0`, or of a variable that is the index: indices are not negative.
    const clang::Expr *Left = plain(Binary->getLHS())->IgnoreParenImpCasts();
    clang::Expr::EvalResult Right;
    if ((builtinMember(Left) || llvm::isa<clang::DeclRefExpr>(Left)) &&
        Binary->getRHS()->EvaluateAsInt(Right, Context) && Right.Val.getInt().isZero())
      if (const Value L = eval(Binary->getLHS()); L.What == Value::Kind::Integer && isIndex(L.P)) {
        C.What = Condition::Kind::Less;
        C.Compared = {L.P, Polynomial::constant(1)};
        return C;
      }
  }
  if (!Binary || !Binary->isRelationalOp()) {
    use(eval(E), E);
    return C;
  }
  const Value L = eval(Binary->getLHS()), R = eval(Binary->getRHS());
  if (L.What != Value::Kind::Integer || R.What != Value::Kind::Integer) {
    used({{&L, Binary->getLHS()}, {&R, Binary->getRHS()}});
    return C;
  }
  if (Binary->getLHS()->getType()->isUnsignedIntegerType())
    for (const auto &[Parameter, Name] : Names)
      if (Parameter->getType()->isSignedIntegerType() && (L.P.contains(Name) || R.P.contains(Name)))
        Result.ComparedUnsigned.insert(Name);
  C.What = Condition::Kind::Less;
  const Polynomial One = Polynomial::constant(1);
  switch (Binary->getOpcode()) {
  case clang::BO_LT:
    C.Compared = {L.P, R.P};
    break;
  case clang::BO_GT:
    C.Compared = {R.P, L.P};
    break;
  case clang::BO_LE:
    C.Compared = {L.P, R.P + One};
    break;
  default:
    C.Compared = {R.P, L.P + One};
    break;
  }
  return C;
}

} // namespace cufuse
