// A block of a kernel, run on numbers, with the turns of loops over a row divided among its threads in one way of many.
#pragma once

#include "BlockRunner.h"
#include "DividedMemory.h"
#include "DividedRows.h"

#include <llvm/ADT/MapVector.h>

namespace cufuse {

constexpr const char *GoesByDivision = " goes by how the row is divided among threads"; ///< Behind what does.

/// What a run saw, in its order for each thread.
struct DividedRun {
  std::optional<RunStop> Stopped;
  bool IsNoLaunch = false; ///< It stopped since no launch has such arguments, or since it takes too long.
  using Place = std::pair<std::uint64_t, std::int64_t>; ///< An object of the launch, and bytes from its begin.
  struct Store {
    const llvm::Instruction *By;
    const llvm::Type *Type;
    DividedNumber What;
  };
  std::map<Place, Store> Stored;
  using Log = std::vector<std::pair<const llvm::Type *, DividedNumber>>;
  llvm::MapVector<std::pair<const llvm::Instruction *, unsigned>, Log> Compared; ///< By its thread.
  llvm::MapVector<std::pair<const llvm::BasicBlock *, unsigned>, Log> Taken; ///< By the loop's header, and its time.
  llvm::DenseSet<const llvm::BasicBlock *> Ran;
  llvm::DenseSet<const llvm::Instruction *> Open; ///< Which way they go is not the same in every launch.
};

/// `Division`: which of all ways to divide turns among threads.
DividedRun runDivided(const llvm::Function &Kernel, BlockShape Block, llvm::ArrayRef<const RowLoop *> Loops,
                      const DividedDraw &Of, unsigned Division);

} // namespace cufuse
