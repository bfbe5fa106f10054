#include "PartSets.h"

#include <llvm/Support/MathExtras.h>

namespace cufuse {

unsigned PartSets::numberOf(const Bits &Set) {
  const auto [At, IsNew] = Numbers.try_emplace(Set, Sets.size());
  if (IsNew)
    Sets.push_back(Set);
  return At->second;
}

unsigned PartSets::part(unsigned Variable, unsigned Thread) {
  const size_t PerVariable = llvm::divideCeil(Threads, 64U), Word = Variable * PerVariable + Thread / 64;
  Bits Set(Word + 1);
  Set[Word] = std::uint64_t(1) << Thread % 64;
  All.resize(std::max(All.size(), (Variable + 1) * PerVariable));
  All[Word] |= Set[Word];
  return numberOf(Set);
}

unsigned PartSets::together(unsigned A, unsigned B) {
  if (A == B || B == 0)
    return A;
  if (A == 0)
    return B;
  const auto [At, IsNew] = Unions.try_emplace(std::minmax(A, B));
  if (IsNew) {
    Bits Both = Sets[A];
    Both.resize(std::max(Both.size(), Sets[B].size()));
    for (size_t I = 0; I < Sets[B].size(); ++I)
      Both[I] |= Sets[B][I];
    At->second = numberOf(Both);
  }
  return At->second;
}

bool PartSets::isWhole(unsigned Set) const {
  const size_t PerVariable = llvm::divideCeil(Threads, 64U);
  Bits Own = Sets[Set];
  Own.resize(All.size());
  for (size_t First = 0; First < All.size(); First += PerVariable) {
    bool HasAny = false, LacksAny = false;
    for (size_t I = First; I < First + PerVariable; ++I) {
      HasAny |= Own[I] != 0;
      LacksAny |= Own[I] != All[I];
    }
    if (HasAny && LacksAny)
      return false;
  }
  return true;
}

} // namespace cufuse
