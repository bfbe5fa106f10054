// Polynomials with integer coefficients over named quantities, in which index expressions are compared.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace cufuse {

/// `4 * blockIdx.x * blockDim.x + n - 1` is four atoms in three terms. Coefficients are integers modulo 2^64, as
/// addresses are.
class Polynomial {
public:
  /// The atoms of a product, sorted; one that is squared stands twice.
  using Product = std::vector<std::string>;

  Polynomial() = default;
  Polynomial(std::int64_t Value) { add({}, Value); }
  static Polynomial term(const Product &Atoms, std::int64_t Factor);
  static Polynomial atom(const std::string &Name) { return term({Name}, 1); }

  friend Polynomial operator+(Polynomial A, const Polynomial &B);
  friend Polynomial operator-(const Polynomial &A, const Polynomial &B) { return A + -B; }
  friend Polynomial operator*(const Polynomial &A, const Polynomial &B);
  Polynomial operator-() const { return *this * -1; }
  /// The product of two that are no larger than what anybody writes: powers of sums grow without bound.
  std::optional<Polynomial> times(const Polynomial &Other) const;
  bool operator==(const Polynomial &Other) const = default;

  bool isZero() const { return Terms.empty(); }
  std::optional<std::int64_t> asConstant() const;
  bool hasNegative() const;
  std::set<std::string> atoms() const;
  bool contains(const std::string &Atom) const { return atoms().count(Atom) != 0; }
  const std::map<Product, std::int64_t> &terms() const { return Terms; }

  /// The factor of the atom's first power, and everything else, so that this = factor * atom + rest. The rest still
  /// contains the atom where it stands in a square.
  std::pair<Polynomial, Polynomial> split(const std::string &Atom) const;
  Polynomial substitute(const std::string &Atom, const Polynomial &Value) const;

  /// This divided by a single term, where every term is a multiple of it.
  std::optional<Polynomial> dividedBy(const Polynomial &Divisor) const;

  /// As C writes it, positive terms first.
  std::string str() const;

private:
  void add(const Product &Atoms, std::int64_t Factor);

  std::map<Product, std::int64_t> Terms; ///< Without zeros.
};

} // namespace cufuse
