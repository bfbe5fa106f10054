#include "cufuse/Kernel/Accesses.h"

#include <fmt/core.h>
#include <llvm/ADT/STLExtras.h>

namespace cufuse {

std::string quotientAtom(const Polynomial &Dividend, const Polynomial &Divisor) {
  auto Bracketed = [](const Polynomial &P) {
    return P.terms().size() == 1 && P.terms().begin()->first.size() <= 1 ? P.str() : "(" + P.str() + ")";
  };
  return "(" + Bracketed(Dividend) + " / " + Bracketed(Divisor) + ")";
}

std::optional<Polynomial> quotient(const Polynomial &Dividend, const Polynomial &Divisor,
                                   std::map<std::string, Quotient> &Known) {
  constexpr size_t MostText = 4096;
  if (const auto Number = Divisor.asConstant())
    if (const auto Exact = Dividend.dividedBy(*Number))
      return *Exact;
  const std::string Atom = quotientAtom(Dividend, Divisor);
  if (Atom.size() > MostText)
    return std::nullopt;
  Known[Atom] = {Dividend, Divisor};
  return Polynomial::atom(Atom);
}

std::string builtinAtom(Builtin B, int Dimension) {
  return fmt::format("{}.{}", BuiltinNames[static_cast<size_t>(B)], "xyz"[Dimension]);
}

bool isBuiltin(llvm::StringRef Atom) {
  return llvm::any_of(BuiltinNames, [Atom](llvm::StringRef Name) {
    return Atom.size() == Name.size() + 2 && Atom[Name.size()] == '.' && Atom.starts_with(Name);
  });
}

std::string AccessSite::str() const { return fmt::format("{} at {}", Text, Where.str()); }

} // namespace cufuse
