// Does it matter which threads of a block take which turns of a loop over a row?
#pragma once

#include "IrAccumulation.h"

#include "cufuse/Kernel/KernelFacts.h"
#include "cufuse/Support/BlockShape.h"

#include <optional>
#include <string>
#include <vector>

namespace cufuse {

/// A loop whose turns are those of a row.
struct RowLoop {
  /// What it leaves to the next turn, all by one operation; none where no turn changes it.
  struct Left {
    const llvm::PHINode *First;
    std::vector<const llvm::Value *> Values; ///< Whichever is used behind the loop.
    Accumulation::Operation By;
  };
  std::optional<unsigned> Step = {}; ///< The argument that it steps by, which is the block's size.
  const llvm::BasicBlock *Header, *Exiting, *Exit;
  std::vector<Left> Leaves;
  std::vector<const llvm::Value *> Takes;    ///< From outside, beside the first turn's number.
  std::vector<const llvm::LoadInst *> Loads; ///< What is in memory when it begins: each from one place.
  std::vector<const llvm::BasicBlock *> Blocks;
};

struct NeedsThreads {
  const llvm::Instruction *At; ///< Null: no place.
  std::string Why;
};

/// Why it matters which threads take which turns; nothing if it does not.
///
/// A block of this shape is run twice, with the turns of `Loops` divided otherwise among its threads: what a thread has
/// behind such a loop are other parts of the same whole. What the kernel stores, what a loop takes, and what is
/// compared (but by the operation that made the parts) must be the same, up to rounding. Arguments, and what is in
/// memory, are drawn, as often as all code behind the loops has been run. What is not known in both runs is no longer
/// known.
std::optional<NeedsThreads> needsItsThreads(const llvm::Function &Kernel, BlockShape Block,
                                            llvm::ArrayRef<const RowLoop *> Loops);

} // namespace cufuse
