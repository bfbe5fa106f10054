#include "InsideElement.h"

namespace cufuse {

namespace {

/// The first and the last value of a loop's variable, where these are numbers.
std::optional<std::pair<std::int64_t, std::int64_t>> rangeOf(const std::string &Atom, llvm::ArrayRef<PathStep> Path,
                                                             llvm::ArrayRef<LoopAccess> Loops) {
  for (const PathStep &Step : Path) {
    if (Step.What != PathStep::Kind::Loop || Loops[Step.Id].Atom != Atom)
      continue;
    const auto First = Loops[Step.Id].Start.asConstant();
    const std::int64_t Forth = Loops[Step.Id].Step.asConstant().value_or(0);
    for (const Less &Known : Step.Holds)
      if (const auto End = Known.Right.asConstant();
          First && Forth > 0 && End && Known.Left == Polynomial::atom(Atom) && *First < *End)
        return std::pair(*First, *End - 1);
  }
  return std::nullopt;
}

} // namespace

std::optional<Polynomial> elementAround(const Polynomial &Offset, std::int64_t Begin, std::int64_t End,
                                        std::int64_t Bytes, llvm::ArrayRef<PathStep> Path,
                                        llvm::ArrayRef<LoopAccess> Loops) {
  constexpr std::int64_t Most = 1 << 16; // of bytes and turns: their products are exact
  Polynomial Element;
  for (const auto &[Product, Times] : Offset.terms()) {
    if (Times % Bytes == 0) {
      Element = Element + Polynomial::term(Product, Times / Bytes);
      continue;
    }
    const auto Range = Product.size() == 1 ? rangeOf(Product.front(), Path, Loops) : std::nullopt;
    if (!Range || std::abs(Times) > Most || std::abs(Range->first) > Most || Range->second > Most)
      return std::nullopt;
    const auto [First, Last] = std::minmax(Times * Range->first, Times * Range->second);
    Begin += First;
    End += Last;
  }
  return Begin >= 0 && End <= Bytes ? std::optional(Element) : std::nullopt;
}

} // namespace cufuse
