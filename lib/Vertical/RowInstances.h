// Of a kernel by row, those for rows of some lengths. No Clang.
#pragma once

#include "cufuse/Dependence/BlockLocal.h"
#include "cufuse/Vertical/Form.h"

namespace cufuse {

/// The fused kernel for rows of some lengths.
struct RowInstance {
  unsigned Turns; ///< Elements that a thread keeps,
  unsigned Full;  ///< of which so many are there for every thread;
  unsigned Wide;  ///< so many are next to each other.
  std::int64_t Length = 0;
  bool Exactly = false; ///< Else for rows of at most `Length`.
  bool takes(std::int64_t Row) const { return Exactly ? Row == Length : Row <= Length; }
};

/// The first one that takes a row is its own. Of several elements at a time, there may be any number up to eight:
/// threads that have nothing to do in the last turn wait, and their registers are taken from others. With all turns
/// full, no element is asked for.
std::vector<RowInstance> instances(const BlockLocalPlan &Plan, BlockShape Block);

/// The template arguments of the one that takes the row of the values. Fails where none does, or they are not known.
llvm::Expected<std::vector<unsigned>> instanceOf(const VerticalGraph &Graph, const BlockLocalPlan &Plan,
                                                 BlockShape Block, ValueOf Value);

} // namespace cufuse
