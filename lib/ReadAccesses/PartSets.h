// Whose parts of a row values are made of, while a block is run on numbers.
#pragma once

#include <llvm/ADT/DenseMap.h>

#include <cstdint>
#include <map>
#include <vector>

namespace cufuse {

/// Sets of parts, each by a number that stands for it; 0 is the empty one. A part is what a thread has of a variable of
/// one loop, one time that it runs.
class PartSets {
public:
  explicit PartSets(unsigned Threads) : Threads(Threads) {}

  /// The part that this thread has of a variable, whose number is the caller's.
  unsigned part(unsigned Variable, unsigned Thread);
  unsigned together(unsigned A, unsigned B);
  /// Has it, of each variable of which it has a part, those of all threads that have one?
  bool isWhole(unsigned Set) const;

private:
  using Bits = std::vector<std::uint64_t>; ///< By variable and thread.

  unsigned numberOf(const Bits &Set);

  const unsigned Threads;
  Bits All; ///< Every part that there is.
  std::vector<Bits> Sets = {{}};
  std::map<Bits, unsigned> Numbers = {{{}, 0}};
  llvm::DenseMap<std::pair<unsigned, unsigned>, unsigned> Unions;
};

} // namespace cufuse
