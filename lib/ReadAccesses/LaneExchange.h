// What lanes of a warp hand each other by one call.
#pragma once

#include <llvm/ADT/StringRef.h>
#include <llvm/IR/InstrTypes.h>

#include <optional>

namespace cufuse {

/// All but `Mask` are numbers of operands only where there are such.
struct LaneExchange {
  enum class Kind { Wait, Up, Down, Butterfly, Index, Reduce } What;
  unsigned Mask, Value = 0, By = 0, How = 0;
  bool Adds = false;         ///< What is received from another lane is added to what the lane has, as CUB does.
  bool TellsWhether = false; ///< There is such a lane: the second value.
};

/// Intrinsics, and assembly of CUDA's libraries (PTX ISA, shfl.sync and redux.sync); nothing for all else.
std::optional<LaneExchange> laneExchange(const llvm::CallBase &Call);

} // namespace cufuse
