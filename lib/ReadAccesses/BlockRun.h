// A block of a kernel, run on symbols: what it stores, as terms of what it loads.
#pragma once

#include "BlockRunner.h"
#include "SymbolicNumbers.h"
#include "Terms.h"

#include <map>
#include <vector>

namespace cufuse {

/// What the threads of a block have stored.
struct BlockRun {
  std::optional<RunStop> Stopped; ///< Nothing if all threads ended.
  Terms All;
  /// Behind an argument, by bytes from its begin.
  using Memory = std::map<SymbolicNumber, std::pair<unsigned, SymbolicValue>>; ///< With its bytes.
  std::vector<Memory> Stored;
};

/// Runs all threads of block blockIdx.x of a grid in x, where both are symbols: for any block of any grid. Threads
/// change only where they wait for each other: any order is right for a kernel without races. Indices are taken not to
/// overflow. `Arguments`, in order; pointers among them are to objects 0, 1 and so on, by the argument's number.
/// Elements of argument `In` are of `Bytes` each, and terms; each block has `PerBlock` of them.
BlockRun runBlock(const llvm::Function &Kernel, BlockShape Block, std::vector<SymbolicValue> Arguments, unsigned In,
                  unsigned Bytes, std::int64_t PerBlock);

} // namespace cufuse
