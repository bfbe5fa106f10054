// Real numbers as terms of what a kernel loads. No Clang.
#pragma once

#include <llvm/ADT/DenseMap.h>

#include <cstdint>
#include <tuple>
#include <vector>

namespace cufuse {

/// Real numbers that a run computes. Sums and products are not rounded here: who reads them says which order counts.
struct Term {
  enum class Kind : std::uint8_t {
    Element, ///< Of the input, counted from the first of the block.
    Given,   ///< Argument number `Element`.
    Constant,
    Sum,
    Difference,
    Product,
    Quotient,
    Largest,     ///< Of two.
    Exponential, ///< Of A, to the base e.
    Rounded,     ///< A, to a shorter type.
  } What;
  unsigned A = 0, B = 0;
  std::int64_t Element = 0;
  double Value = 0;
};

/// Equal terms have one number.
class Terms {
public:
  const Term &operator[](unsigned Number) const { return All[Number]; }
  unsigned element(std::int64_t Number) { return add({Term::Kind::Element, 0, 0, Number}); }
  unsigned given(std::int64_t Argument) { return add({Term::Kind::Given, 0, 0, Argument}); }
  unsigned constant(double Value) { return add({Term::Kind::Constant, 0, 0, 0, Value}); }
  unsigned make(Term::Kind What, unsigned A, unsigned B = 0);
  bool is(unsigned Number, double Value) const {
    return All[Number].What == Term::Kind::Constant && All[Number].Value == Value;
  }

private:
  unsigned add(const Term &T);
  std::vector<Term> All;
  llvm::DenseMap<std::tuple<unsigned, unsigned, unsigned, std::uint64_t>, unsigned> Known;
};

} // namespace cufuse
