#include "cufuse/Kernel/Polynomial.h"

#include <algorithm>

namespace cufuse {

namespace {
std::int64_t wrapped(std::uint64_t Value) { return static_cast<std::int64_t>(Value); }
} // namespace

Polynomial Polynomial::term(const Product &Atoms, std::int64_t Factor) {
  Polynomial P;
  P.add(Atoms, Factor);
  return P;
}

void Polynomial::add(const Product &Atoms, std::int64_t Factor) {
  auto [Term, New] = Terms.try_emplace(Atoms, 0);
  Term->second = wrapped(static_cast<std::uint64_t>(Term->second) + static_cast<std::uint64_t>(Factor));
  if (Term->second == 0)
    Terms.erase(Term);
}

Polynomial operator+(Polynomial A, const Polynomial &B) {
  for (const auto &[Atoms, Factor] : B.Terms)
    A.add(Atoms, Factor);
  return A;
}

Polynomial operator*(const Polynomial &A, const Polynomial &B) {
  Polynomial Result;
  for (const auto &[OfA, FactorA] : A.Terms)
    for (const auto &[OfB, FactorB] : B.Terms) {
      Polynomial::Product Atoms;
      std::merge(OfA.begin(), OfA.end(), OfB.begin(), OfB.end(), std::back_inserter(Atoms));
      Result.add(Atoms, wrapped(static_cast<std::uint64_t>(FactorA) * static_cast<std::uint64_t>(FactorB)));
    }
  return Result;
}

std::optional<Polynomial> Polynomial::times(const Polynomial &Other) const {
  constexpr size_t Most = 256; // terms, before equal ones are added
  return Terms.size() * Other.Terms.size() <= Most ? std::optional(*this * Other) : std::nullopt;
}

std::optional<std::int64_t> Polynomial::asConstant() const {
  if (Terms.empty())
    return 0;
  if (Terms.size() == 1 && Terms.begin()->first.empty())
    return Terms.begin()->second;
  return std::nullopt;
}

bool Polynomial::hasNegative() const {
  return std::any_of(Terms.begin(), Terms.end(), [](const auto &Term) { return Term.second < 0; });
}

std::set<std::string> Polynomial::atoms() const {
  std::set<std::string> Names;
  for (const auto &[Atoms, Factor] : Terms)
    Names.insert(Atoms.begin(), Atoms.end());
  return Names;
}

std::pair<Polynomial, Polynomial> Polynomial::split(const std::string &Atom) const {
  Polynomial Factor, Rest;
  for (const auto &[Atoms, Coefficient] : Terms) {
    if (std::count(Atoms.begin(), Atoms.end(), Atom) != 1) {
      Rest.add(Atoms, Coefficient);
      continue;
    }
    Product Others = Atoms;
    Others.erase(std::find(Others.begin(), Others.end(), Atom));
    Factor.add(Others, Coefficient);
  }
  return {Factor, Rest};
}

std::optional<Polynomial> Polynomial::dividedBy(const Polynomial &Divisor) const {
  if (Divisor.Terms.size() != 1)
    return std::nullopt;
  const auto &[Divided, By] = *Divisor.Terms.begin();
  Polynomial Result;
  for (const auto &[Atoms, Coefficient] : Terms) {
    if (By <= 0 || Coefficient % By != 0 || !std::includes(Atoms.begin(), Atoms.end(), Divided.begin(), Divided.end()))
      return std::nullopt;
    Product Left;
    std::set_difference(Atoms.begin(), Atoms.end(), Divided.begin(), Divided.end(), std::back_inserter(Left));
    Result.add(Left, Coefficient / By);
  }
  return Result;
}

Polynomial Polynomial::substitute(const std::string &Atom, const Polynomial &Value) const {
  Polynomial Result;
  for (const auto &[Atoms, Coefficient] : Terms) {
    Polynomial Term = Coefficient;
    for (const std::string &Name : Atoms)
      Term = Term * (Name == Atom ? Value : atom(Name));
    Result = Result + Term;
  }
  return Result;
}

std::string Polynomial::str() const {
  std::string Text;
  auto Append = [&](const Product &Atoms, std::int64_t Factor) {
    const std::uint64_t Size = Factor < 0 ? -static_cast<std::uint64_t>(Factor) : static_cast<std::uint64_t>(Factor);
    if (Text.empty())
      Text += Factor < 0 ? "-" : "";
    else
      Text += Factor < 0 ? " - " : " + ";
    std::string Term = Size != 1 || Atoms.empty() ? std::to_string(Size) : "";
    for (const std::string &Name : Atoms)
      Term += (Term.empty() ? "" : " * ") + Name;
    Text += Term;
  };
  // Products before single atoms before the constant.
  std::vector<std::pair<Product, std::int64_t>> Sorted(Terms.begin(), Terms.end());
  std::sort(Sorted.begin(), Sorted.end(), [](const auto &A, const auto &B) {
    return std::tuple(A.second < 0, B.first.size(), A.first) < std::tuple(B.second < 0, A.first.size(), B.first);
  });
  for (const auto &[Atoms, Factor] : Sorted)
    Append(Atoms, Factor);
  return Text.empty() ? "0" : Text;
}

} // namespace cufuse
