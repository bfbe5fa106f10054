// May the turns of a loop over a row be other threads', in another order?
#pragma once

#include "DividedRows.h"
#include "IrMemory.h"

namespace cufuse {

struct RowTurns {
  /// Why not: what one turn leaves to the next, but for sums and their like, what knows the thread by other means than
  /// the loop's variable, and what others see or do.
  std::vector<std::pair<const llvm::Instruction *, std::string>> Bound;
  RowLoop Loop; ///< For what comes before and behind it.
};
/// Nothing where the loop does not begin at the thread's number.
std::optional<RowTurns> turnsOf(const llvm::Loop &L, IrValues &Values, const IrMemory &Memory);

} // namespace cufuse
