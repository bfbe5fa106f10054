#include "cufuse/Workload/Expression.h"

#include <fmt/core.h>
#include <llvm/ADT/APInt.h>
#include <llvm/ADT/StringExtras.h>

#include <cmath>
#include <limits>

namespace cufuse {

namespace {

using Integer = Number::Integer;

/// Deep enough for everybody, and shallow enough for the stack.
constexpr size_t MaxLength = 400;

bool startsName(char C) { return llvm::isAlpha(C) || C == '_'; }
bool isNamePart(char C) { return llvm::isAlnum(C) || C == '_'; }

class Parser {
public:
  Parser(llvm::StringRef Text, const SourcePlace &Start) : Text(Text), Start(Start) {}

  llvm::Expected<Expression> parse() {
    if (Text.size() > MaxLength)
      return badInput(fmt::format("the expression has more than {} characters", MaxLength),
                      "give parts of it names under `sizes`", Start);
    auto Whole = sum();
    if (Whole && At < Text.size())
      return badInput(fmt::format("'{}' follows a complete expression", rest()), "", place());
    return Whole;
  }

private:
  SourcePlace place() const {
    SourcePlace P = Start;
    P.Column += At;
    return P;
  }
  std::string rest() const { return Text.substr(At).str(); }
  void skipSpace() {
    while (At < Text.size() && llvm::isSpace(Text[At]))
      ++At;
  }
  bool take(char C) {
    if (At == Text.size() || Text[At] != C)
      return false;
    ++At;
    skipSpace();
    return true;
  }
  llvm::Error expected(const char *What) {
    return badInput(At == Text.size() ? fmt::format("{} is missing at the end", What)
                                      : fmt::format("{} was expected before '{}'", What, rest()),
                    "", place());
  }

  llvm::Expected<Expression> chain(llvm::StringRef Operators, llvm::ArrayRef<Expression::Kind> Kinds,
                                   llvm::Expected<Expression> (Parser::*operand)()) {
    auto Left = (this->*operand)();
    while (Left && At < Text.size() && Operators.contains(Text[At])) {
      Expression Operation{Kinds[Operators.find(Text[At])], {}, "", {}, place()};
      take(Text[At]);
      auto Right = (this->*operand)();
      if (!Right)
        return Right;
      Operation.Operands = {std::move(*Left), std::move(*Right)};
      Left = std::move(Operation);
    }
    return Left;
  }
  llvm::Expected<Expression> sum() {
    skipSpace();
    return chain("+-", {Expression::Add, Expression::Subtract}, &Parser::product);
  }
  llvm::Expected<Expression> product() {
    return chain("*/%", {Expression::Multiply, Expression::Divide, Expression::Modulo}, &Parser::unary);
  }

  llvm::Expected<Expression> unary() {
    Expression Operation{Expression::Negate, {}, "", {}, place()};
    if (!take('-'))
      return primary();
    auto Operand = unary();
    if (Operand)
      Operation.Operands.push_back(std::move(*Operand));
    else
      return Operand;
    return Operation;
  }

  llvm::Expected<Expression> primary() {
    if (take('(')) {
      auto Inner = sum();
      if (Inner && !take(')'))
        return expected("')'");
      return Inner;
    }
    if (At < Text.size() && startsName(Text[At]))
      return nameOrCall();
    if (At < Text.size() && (llvm::isDigit(Text[At]) || Text[At] == '.'))
      return number();
    return expected("a number, a name or '('");
  }

  llvm::Expected<Expression> nameOrCall() {
    Expression Found{Expression::Name, {}, "", {}, place()};
    const size_t First = At;
    while (At < Text.size() &&
           (isNamePart(Text[At]) || (Text[At] == '.' && At + 1 < Text.size() && startsName(Text[At + 1]))))
      ++At;
    Found.Text = Text.slice(First, At).str();
    skipSpace();
    if (Found.Text == "true" || Found.Text == "false") {
      Found.What = Expression::Literal;
      Found.Value = {Integer(Found.Text == "true")};
      return Found;
    }
    if (!take('('))
      return Found;
    if (Found.Text != "min" && Found.Text != "max" && Found.Text != "ceil")
      return badInput(fmt::format("'{}' is not a function", Found.Text), "there are ceil, min and max", Found.Where);
    Found.What = Found.Text == "min"   ? Expression::Minimum
                 : Found.Text == "max" ? Expression::Maximum
                                       : Expression::Ceil;
    do {
      auto Operand = sum();
      if (!Operand)
        return Operand;
      Found.Operands.push_back(std::move(*Operand));
    } while (Found.What != Expression::Ceil && take(','));
    if (!take(')'))
      return expected("')'");
    if (Found.What == Expression::Ceil && Found.Operands[0].What == Expression::Divide) {
      Expression Quotient = std::move(Found.Operands[0]);
      Quotient.What = Expression::CeilDivide;
      return Quotient;
    }
    return Found;
  }

  llvm::Expected<Expression> number() {
    Expression Found{Expression::Literal, {}, "", {}, place()};
    const size_t First = At;
    while (At < Text.size() && (isNamePart(Text[At]) || Text[At] == '.' ||
                                ((Text[At] == '+' || Text[At] == '-') && (Text[At - 1] == 'e' || Text[At - 1] == 'E') &&
                                 !Text.substr(First).starts_with_insensitive("0x"))))
      ++At;
    const llvm::StringRef Written = Text.slice(First, At);
    skipSpace();
    llvm::StringRef Digits = Written;
    const unsigned Radix = Digits.consume_front_insensitive("0x") ? 16 : 10;
    llvm::APInt Whole;
    double Real = 0;
    if (!Digits.getAsInteger(Radix, Whole)) {
      if (Whole.getActiveBits() > 127)
        return badInput(fmt::format("{} is too large a number", Written.str()), "", Found.Where);
      const llvm::APInt Wide = Whole.zextOrTrunc(128);
      Found.Value = {
          static_cast<Integer>((static_cast<unsigned __int128>(Wide.getRawData()[1]) << 64) | Wide.getRawData()[0])};
    } else if (Radix == 10 && !Written.getAsDouble(Real) && std::isfinite(Real)) {
      Found.Value = {Real};
    } else {
      return badInput(fmt::format("'{}' is not a number", Written.str()), "", Found.Where);
    }
    return Found;
  }

  const llvm::StringRef Text;
  const SourcePlace &Start;
  size_t At = 0;
};

llvm::Expected<Number> finite(double Value, const SourcePlace &Where) {
  if (!std::isfinite(Value))
    return badInput("the result is not a finite number", "", Where);
  return Number{Value};
}

llvm::Expected<Number> divide(const Number &A, const Number &B, const Expression &E) {
  if (B.real() == 0)
    return badInput("this divides by zero", "", E.Where);
  if (!A.isInteger() || !B.isInteger()) {
    if (E.What == Expression::Modulo)
      return badInput("% needs integers", "", E.Where);
    const double Quotient = A.real() / B.real();
    if (E.What == Expression::CeilDivide && std::fabs(Quotient) < 0x1p63)
      return Number{static_cast<Integer>(std::ceil(Quotient))};
    return finite(Quotient, E.Where);
  }
  const Integer X = A.integer(), Y = B.integer();
  if (X == std::numeric_limits<Integer>::min() && Y == -1)
    return badInput("the result is too large", "", E.Where);
  Integer Quotient = X / Y;
  Integer Rest = X % Y;
  if (Rest != 0 && (Rest < 0) != (Y < 0)) {
    --Quotient;
    Rest += Y;
  }
  if (E.What == Expression::Modulo)
    return Number{Rest};
  return Number{E.What == Expression::CeilDivide && Rest != 0 ? Quotient + 1 : Quotient};
}

llvm::Expected<Number> combine(const Number &A, const Number &B, const Expression &E) {
  const bool Exact = A.isInteger() && B.isInteger();
  const Integer X = Exact ? A.integer() : 0, Y = Exact ? B.integer() : 0;
  Integer Whole = 0;
  double Real = 0;
  bool Overflow = false;
  switch (E.What) {
  case Expression::Add:
    Overflow = __builtin_add_overflow(X, Y, &Whole);
    Real = A.real() + B.real();
    break;
  case Expression::Subtract:
    Overflow = __builtin_sub_overflow(X, Y, &Whole);
    Real = A.real() - B.real();
    break;
  case Expression::Multiply:
    Overflow = __builtin_mul_overflow(X, Y, &Whole);
    Real = A.real() * B.real();
    break;
  case Expression::Minimum:
    Whole = std::min(X, Y);
    Real = std::min(A.real(), B.real());
    break;
  case Expression::Maximum:
    Whole = std::max(X, Y);
    Real = std::max(A.real(), B.real());
    break;
  default:
    return divide(A, B, E);
  }
  if (Overflow)
    return badInput("the result is too large", "", E.Where);
  if (!Exact)
    return finite(Real, E.Where);
  return Number{Whole};
}

} // namespace

std::string Number::str() const { return isInteger() ? fmt::format("{}", integer()) : fmt::format("{}", real()); }

llvm::Expected<Expression> parseExpression(llvm::StringRef Text, const SourcePlace &Where) {
  return Parser(Text, Where).parse();
}

llvm::Expected<Number> evaluate(const Expression &E, const Numbers &Names) {
  if (E.What == Expression::Literal)
    return E.Value;
  if (E.What == Expression::Name) {
    const auto Known = Names.find(E.Text);
    if (Known == Names.end())
      return badInput(fmt::format("'{}' has no value here", E.Text), "", E.Where);
    return Known->second;
  }
  auto Result = evaluate(E.Operands[0], Names);
  if (Result && E.What == Expression::Negate)
    return combine(Number{}, *Result, Expression{Expression::Subtract, {}, "", {}, E.Where});
  if (Result && E.What == Expression::Ceil) {
    if (Result->isInteger())
      return badInput("ceil of an integer changes nothing", "write ceil(a / b): any other quotient is rounded down",
                      E.Where);
    return combine(*Result, Number{Integer(1)}, Expression{Expression::CeilDivide, {}, "", {}, E.Where});
  }
  for (size_t I = 1; Result && I < E.Operands.size(); ++I) {
    auto Next = evaluate(E.Operands[I], Names);
    if (!Next)
      return Next;
    Result = combine(*Result, *Next, E);
  }
  return Result;
}

std::vector<const Expression *> namesIn(const Expression &E) {
  if (E.What == Expression::Name)
    return {&E};
  std::vector<const Expression *> Found;
  for (const Expression &Operand : E.Operands)
    for (const Expression *Name : namesIn(Operand))
      Found.push_back(Name);
  return Found;
}

} // namespace cufuse
