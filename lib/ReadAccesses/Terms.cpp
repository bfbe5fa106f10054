#include "Terms.h"

#include <llvm/ADT/bit.h>

#include <cmath>
#include <utility>

namespace cufuse {

unsigned Terms::add(const Term &T) {
  const std::uint64_t Bits =
      T.What == Term::Kind::Constant ? llvm::bit_cast<std::uint64_t>(T.Value) : static_cast<std::uint64_t>(T.Element);
  const auto [Entry, IsNew] = Known.try_emplace({static_cast<unsigned>(T.What), T.A, T.B, Bits}, All.size());
  if (IsNew)
    All.push_back(T);
  return Entry->second;
}

unsigned Terms::make(Term::Kind What, unsigned A, unsigned B) {
  if (What == Term::Kind::Product && All[A].What == Term::Kind::Constant && All[B].What == Term::Kind::Constant)
    return constant(static_cast<float>(All[A].Value * All[B].Value)); // as the device rounds it: a way may depend on it
  if (What == Term::Kind::Sum || What == Term::Kind::Product || What == Term::Kind::Largest)
    if (A > B)
      std::swap(A, B);
  for (const auto &[One, Other] : {std::pair(A, B), std::pair(B, A)}) {
    if ((What == Term::Kind::Sum && is(One, 0)) || (What == Term::Kind::Product && is(One, 1)) ||
        (What == Term::Kind::Largest && (is(One, -INFINITY) || One == Other)))
      return Other;
    if (What == Term::Kind::Product && is(One, 0))
      return One;
  }
  return add({What, A, B});
}

} // namespace cufuse
