// The arithmetic of workload files: `ceil(n / block.x)`.
//
//   sum      = product { ("+" | "-") product }
//   product  = unary { ("*" | "/" | "%") unary }
//   unary    = { "-" } primary
//   primary  = number | name [ "." name ] | "(" sum ")" | ("min" | "max") "(" sum { "," sum } ")" | "ceil" "(" sum ")"
//
// Numbers are `12`, `0xff`, `1.5`, `1e-5`; `true` and `false` are 1 and 0. Integers are exact, to 127 bits. A quotient
// of integers is rounded down, and up inside `ceil(a / b)`; with a real operand it is real.
#pragma once

#include "cufuse/Support/Error.h"

#include <map>
#include <string>
#include <variant>
#include <vector>

namespace cufuse {

struct Number {
  using Integer = __int128;
  std::variant<Integer, double> Value = Integer(0);

  bool isInteger() const { return Value.index() == 0; }
  Integer integer() const { return std::get<Integer>(Value); }
  double real() const { return isInteger() ? static_cast<double>(integer()) : std::get<double>(Value); }
  std::string str() const;
  friend bool operator==(const Number &, const Number &) = default;
};

using Numbers = std::map<std::string, Number>;

struct Expression {
  enum Kind { Literal, Name, Negate, Add, Subtract, Multiply, Divide, Modulo, CeilDivide, Ceil, Minimum, Maximum };
  Kind What = Literal;
  Number Value;     ///< Of a `Literal`.
  std::string Text; ///< Of a `Name`.
  std::vector<Expression> Operands;
  SourcePlace Where; ///< Of the literal, the name, the operator.
};

/// `Where` is the place of the text's first character. Fails with the place of what is wrong; text of more than 400
/// characters is refused.
llvm::Expected<Expression> parseExpression(llvm::StringRef Text, const SourcePlace &Where);

/// Fails at a name that is not among `Names`, a division by zero, an integer beyond 127 bits, a real that is not
/// finite,
/// `%` of reals, and `ceil` of an integer that is no quotient (it has been rounded already).
llvm::Expected<Number> evaluate(const Expression &E, const Numbers &Names);

/// Every name in it, with its place.
std::vector<const Expression *> namesIn(const Expression &E);

} // namespace cufuse
