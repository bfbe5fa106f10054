#include "cufuse/Kernel/Accesses.h"

#include <fmt/core.h>
#include <llvm/ADT/STLExtras.h>

namespace cufuse {

const ParameterAccess *KernelAccesses::parameter(llvm::StringRef Name) const {
  const auto Found = llvm::find_if(Parameters, [&](const ParameterAccess &P) { return P.Name == Name; });
  return Found == Parameters.end() ? nullptr : &*Found;
}

bool isWrap(llvm::StringRef Atom) { return Atom.ends_with(">> 32)"); }

const char *Quotient::lost() const {
  return Narrow == Wraps::Never ? "" : Narrow == Wraps::Unsigned ? " % 2^32" : " %% 2^32";
}

std::string Quotient::atom() const {
  if (Wrap != Wraps::Never)
    return fmt::format("({} {} 32)", Dividend.str(), Wrap == Wraps::Signed ? ">>" : ">>>");
  auto Bracketed = [](const Polynomial &P) {
    return P.terms().size() == 1 && P.terms().begin()->first.size() <= 1 ? P.str() : "(" + P.str() + ")";
  };
  return "(" + Bracketed(Dividend) + lost() + " / " + Bracketed(Divisor) + ")";
}

std::optional<Polynomial> quotient(const Polynomial &Dividend, const Polynomial &Divisor,
                                   std::map<std::string, Quotient> &Known, Quotient::Wraps Narrow) {
  constexpr size_t MostText = 4096;
  if (const auto Number = Divisor.asConstant(); Number && Narrow == Quotient::Wraps::Never)
    if (const auto Exact = Dividend.dividedBy(*Number))
      return *Exact;
  const Quotient Own{Dividend, Divisor, Quotient::Wraps::Never, Narrow};
  const std::string Atom = Own.atom();
  if (Atom.size() > MostText)
    return std::nullopt;
  Known[Atom] = Own;
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

bool isCertain(llvm::ArrayRef<const AccessSite *> Sites, size_t Depth) {
  std::map<unsigned, std::array<std::vector<const AccessSite *>, 2>> Branches;
  for (const AccessSite *Site : Sites) {
    if (Site->Path.size() == Depth)
      return true;
    if (const PathStep &Step = Site->Path[Depth]; Step.What == PathStep::Kind::Branch)
      Branches[Step.Id][Step.Taken].push_back(Site);
  }
  return llvm::any_of(Branches, [&](const auto &Branch) {
    return isCertain(Branch.second[0], Depth + 1) && isCertain(Branch.second[1], Depth + 1);
  });
}

std::vector<Less> AccessSite::conditions() const {
  std::vector<Less> All;
  for (const PathStep &Step : Path)
    llvm::append_range(All, Step.Holds);
  return All;
}

std::vector<AccessSite> AccessSite::choices() const {
  if (Index)
    return {*this};
  std::vector<AccessSite> All(Chosen.size(), *this);
  for (const auto &[Choice, Site] : llvm::zip_equal(Chosen, All)) {
    Site.Index = Choice.Index;
    Site.Path.emplace_back().Holds = Choice.Holds;
  }
  return All;
}

std::string AccessSite::str() const { return fmt::format("{} at {}", Text, Where.str()); }

Polynomial inBlock(const Polynomial &P, const std::map<std::string, Quotient> &Quotients, unsigned Threads) {
  Polynomial Result = P;
  for (int D : {1, 2})
    Result = Result.substitute(builtinAtom(Builtin::ThreadIdx, D), {});
  auto Sized = [&](const Polynomial &Part) {
    Polynomial Value = inBlock(Part, Quotients, Threads);
    for (int D : {0, 1, 2})
      Value = Value.substitute(builtinAtom(Builtin::BlockDim, D), D == 0 ? Threads : 1);
    return Value;
  };
  for (const std::string &Atom : Result.atoms())
    if (const auto Q = Quotients.find(Atom); Q != Quotients.end() && !isWrap(Atom)) {
      const Polynomial Dividend = Sized(Q->second.Dividend);
      const auto Divisor = Sized(Q->second.Divisor).asConstant(), Known = Dividend.asConstant();
      if (!Divisor || *Divisor <= 0)
        continue;
      if (Known && *Known >= 0)
        Result = Result.substitute(Atom, *Known / *Divisor);
      else if (Dividend == Polynomial::atom(builtinAtom(Builtin::ThreadIdx, 0)) && Threads <= *Divisor)
        Result = Result.substitute(Atom, {});
    }
  return Result;
}

} // namespace cufuse
